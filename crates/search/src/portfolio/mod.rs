//! Portfolios: several searches that compete for the budget.
//!
//! The budget is cut into slices. At first every member gets one with every variant of the domain's knowledge
//! (in SameGame, every colour as the one that is kept); then those that have
//! found the best lines get most of them. Some slices go to cutting and
//! repairing the best lines of all. `portfolio`, the default solver, is made of
//! NRPA and such repairs, or of annealing after a little NRPA, and where games are short of an
//! exact search first; `hgsts` of what there was in 2010.
//!
//! # References
//! - S. Edelkamp, P. Kissmann, D. Sulewski, H. Messerschmidt, "Finding the
//!   Needle in the Haystack with Heuristically Guided Swarm Tree Search", MKWI
//!   2010: many Monte-Carlo runs and UCT over cores, chosen by fitness.
//!
//! # Where we differ
//! HGSTS was never released and its total cannot be of the standard rules. Ours
//! keeps its idea: short runs of Monte-Carlo search, UCT and look-ahead with
//! lists of colours to keep, those that find good lines called again. Lines
//! that are alike are found and dropped; SameGame has no other symmetry.

mod board;
mod config;
mod method;

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Budget, Counters, Insight, Kit, Line, Puzzle, Rng, StopReason};

pub use config::{HgstsConfig, PortfolioConfig};

use crate::anneal::AnnealConfig;
use crate::endgame::BranchAndBoundConfig;
use crate::lns::{Elite, Lns, LnsConfig, Pool};
use crate::{Limits, Meter, Request, Search, Settings, Status, lock};
use board::{Board, Cutting, Outlook, Purpose, Slice};

/// Slices in a row that may be of no use before it is given up.
const REFUSALS: usize = 1_000;
/// The length of a line up to which an exact search may come to an end.
const SHORT: usize = 20;

/// A member: the settings of a search for a slice of some size.
type Member = fn(&Recipe, u64) -> Settings;

/// What a portfolio is made of.
#[derive(Clone)]
struct Recipe {
    members: Vec<Member>,
    cutting: Cutting,
    /// The part of the budget after which everything is annealed; none where lines are
    /// repaired instead.
    scouts: Option<f64>,
    pool: usize,
    stabilise: u64,
}

/// One worker of a portfolio.
pub struct Portfolio<P: Puzzle, K> {
    puzzle: P,
    kits: Arc<Vec<K>>,
    recipe: Recipe,
    seed: u64,
    threads: usize,
    /// Bytes for the search of a slice.
    memory: u64,
    /// Slices in a row that could not be used.
    refused: usize,
    board: Arc<Mutex<Board>>,
    pool: Arc<Mutex<Pool<P::Move>>>,
    /// The first of the workers saves what they share.
    first: bool,
    /// What anneals, until it is running.
    annealer: Option<Box<dyn Search<P>>>,
    running: Option<Running<P>>,
}

/// A slice that is being used.
struct Running<P: Puzzle> {
    slice: Slice,
    /// The domain's variant; none where each line has its own.
    variant: Option<usize>,
    search: Box<dyn Search<P>>,
    meter: Meter<P::Move>,
}

impl<P: Puzzle + 'static, K: Kit<P>> Portfolio<P, K> {
    fn workers(
        puzzle: &P,
        kit: &K,
        families: Vec<Vec<K>>,
        recipe: &Recipe,
        request: &Request<'_, P::Move>,
    ) -> Result<Vec<Self>, String> {
        let mut annealers = match recipe.scouts {
            Some(_) => Settings::Anneal(AnnealConfig::default()).workers(puzzle, kit, request)?,
            None => Vec::new(),
        }
        .into_iter();
        let Request { seed, threads, line, .. } = *request;
        let mut next = 0..;
        let numbers: Vec<Vec<usize>> =
            families.iter().map(|family| next.by_ref().take(family.len()).collect()).collect();
        let board = Board::new(recipe.members.len(), &numbers, seed);
        let kits: Arc<Vec<K>> = Arc::new(families.into_iter().flatten().collect());
        let mut pool = Pool::new(recipe.pool);
        if let Some(line) = line {
            pool.add(Elite::new(puzzle, &kits[0], line.clone(), 0));
        }
        let (board, pool) = (Arc::new(Mutex::new(board)), Arc::new(Mutex::new(pool)));
        let mut make = |worker| Portfolio {
            puzzle: puzzle.clone(),
            kits: Arc::clone(&kits),
            recipe: recipe.clone(),
            seed,
            threads: threads.max(1),
            memory: request.memory() / threads.max(1) as u64,
            refused: 0,
            board: Arc::clone(&board),
            pool: Arc::clone(&pool),
            first: worker == 0,
            annealer: annealers.next(),
            running: None,
        };
        Ok((0..threads.max(1)).map(&mut make).collect())
    }

    /// What is known of the budget: by its limits, and by how far the work so
    /// far has come.
    fn outlook(&self, meter: &Meter<P::Move>) -> Outlook {
        let used = meter.used();
        let done = meter.counters().playouts as f64;
        let (_, left) = meter.allowance();
        let own = if left < u64::MAX {
            Some(done + left as f64)
        } else if used > 0.0 && done > 0.0 {
            Some(done / used)
        } else {
            None
        };
        let playouts = own.map(|own| own * self.threads as f64);
        let best = lock(&self.pool).elites().first().map(|elite| elite.line.moves.len());
        let short = best.is_some_and(|length| length <= SHORT);
        let (counted, threads) = (left < u64::MAX, self.threads as u64);
        Outlook { used, playouts, counted, lines: best.is_some(), short, threads }
    }

    /// The next slice: annealing, once it is time for it, else what the account says.
    fn next(&self, meter: &Meter<P::Move>) -> Slice {
        let outlook = self.outlook(meter);
        let mut board = lock(&self.board);
        let Some(scouts) = self.recipe.scouts else {
            return board.next(self.recipe.cutting, outlook);
        };
        let unlimited = outlook.playouts.is_none() && board.has_tried_all();
        if outlook.used >= scouts || unlimited {
            return board.anneal(outlook.used);
        }
        let mut slice = board.next(self.recipe.cutting, outlook);
        if slice.purpose != Purpose::Proof {
            slice.until = slice.until.min(scouts);
        }
        slice
    }

    /// Starts a slice.
    fn start(&mut self, slice: Slice) -> Result<Running<P>, String> {
        let limits = limits(slice);
        let (playouts, nodes, memory) = (limits.playouts, limits.nodes, Some(self.memory));
        let budget = Budget { playouts, nodes, memory, ..Budget::default() };
        let seed = Rng::stream(self.seed, slice.number).next_u64();
        let alone = |settings: Settings, variant: usize| {
            let request = Request { budget: &budget, seed, threads: 1, line: None };
            let workers = settings.workers(&self.puzzle, &self.kits[variant], &request)?;
            workers.into_iter().next().ok_or("a search without workers".to_owned())
        };
        let (variant, search) = match slice.purpose {
            Purpose::Arm(arm) => {
                let place = lock(&self.board).place(arm);
                let (member, variant) = place.ok_or("a slice for nobody")?;
                let settings = (self.recipe.members[member])(&self.recipe, slice.size);
                (Some(variant), alone(settings, variant)?)
            }
            Purpose::Repairs => {
                let (kits, pool) = (Arc::clone(&self.kits), Arc::clone(&self.pool));
                let lns = Lns::on_pool(&self.puzzle, kits, &LnsConfig::default(), pool, seed);
                (None, Box::new(lns) as Box<dyn Search<P>>)
            }
            Purpose::Proof => {
                let settings = Settings::BranchAndBound(BranchAndBoundConfig::default());
                (None, alone(settings, 0)?)
            }
            Purpose::Annealing { .. } => {
                (None, self.annealer.take().ok_or("annealing that has begun already")?)
            }
        };
        Ok(Running { slice, variant, search, meter: Meter::new(limits) })
    }

    /// Ends a slice: what it found is entered in the account.
    fn end(&self, mut running: Running<P>, meter: &mut Meter<P::Move>) {
        running.search.finish(&mut running.meter);
        if let Some(line) = running.meter.best() {
            hand_over(line, meter);
            lock(&self.board).earned(running.slice, line.score);
            // Repairs have joined the pool already; exact searches keep no colour.
            if let Some(variant) = running.variant {
                let kit = &self.kits[variant];
                lock(&self.pool).add(Elite::new(&self.puzzle, kit, line.clone(), variant));
            }
        }
    }
}

/// How far a slice goes.
fn limits(slice: Slice) -> Limits {
    let size = Some(slice.size);
    match slice.purpose {
        Purpose::Proof => Limits { nodes: size, ..Limits::default() },
        Purpose::Annealing { .. } => Limits::default(),
        _ => Limits { playouts: size, ..Limits::default() },
    }
}

fn hand_over<M: Clone>(line: &Line<M>, meter: &mut Meter<M>) {
    if meter.improves(line.score) {
        meter.offer(line.clone());
    }
}

/// What one member does in a step is counted for all.
fn charge<M: Clone>(before: Counters, after: Counters, meter: &mut Meter<M>) {
    meter.count(Counters {
        playouts: after.playouts - before.playouts,
        nodes: after.nodes - before.nodes,
        spent: after.spent - before.spent,
        depth_sum: after.depth_sum - before.depth_sum,
        deepest: after.deepest,
    });
}

impl<P: Puzzle + 'static, K: Kit<P>> Search<P> for Portfolio<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if let Some(reason) = meter.stop() {
            return Status::Done(reason);
        }
        let mut running = match self.running.take() {
            Some(running) => running,
            None => {
                let slice = self.next(meter);
                match self.start(slice) {
                    Ok(running) => running,
                    // Its member cannot work with so little; another may.
                    Err(_) if self.refused < REFUSALS => {
                        self.refused += 1;
                        return Status::Going;
                    }
                    Err(_) => return Status::Done(StopReason::Finished),
                }
            }
        };
        self.refused = 0;
        if meter.is_watched() {
            running.meter.watch();
        }
        running.meter.restrain(limits(running.slice), meter);
        if let Purpose::Annealing { from } = running.slice.purpose
            && meter.used() > 0.0
        {
            // More than nothing, so that it knows of a limit.
            let passed = (meter.used() - from) / (1.0 - from);
            running.meter.set_time_used(passed.max(f64::MIN_POSITIVE));
        }
        let before = running.meter.counters();
        let status = running.search.step(&mut running.meter);
        charge(before, running.meter.counters(), meter);
        if let Some(line) = running.meter.take_improvement() {
            hand_over(&line, meter);
        }
        match status {
            Status::Going if meter.used() < running.slice.until => self.running = Some(running),
            // The slice is over, or the whole budget, or everything is known.
            Status::Done(StopReason::Solved) => {
                self.end(running, meter);
                return Status::Done(StopReason::Solved);
            }
            Status::Done(_) if meter.stop().is_some() => self.running = Some(running),
            Status::Going | Status::Done(_) => self.end(running, meter),
        }
        Status::Going
    }

    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        if let Some(mut running) = self.running.take() {
            running.search.finish(&mut running.meter);
            if let Some(line) = running.meter.best() {
                hand_over(line, meter);
            }
        }
    }

    /// The search whose turn it is.
    fn look(&self) -> Option<Insight<P::Move>> {
        let running = self.running.as_ref()?;
        running.search.look().or_else(|| running.meter.insight())
    }

    fn save(&self) -> Vec<u8> {
        let shared = self.first.then(|| (lock(&self.board).clone(), lock(&self.pool).clone()));
        let running = self.running.as_ref().map(|running| SavedRunning {
            slice: running.slice,
            counters: running.meter.counters(),
            best: running.meter.best().cloned(),
            search: running.search.save(),
        });
        postcard::to_stdvec(&(shared, running)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        type Whole<M> = (Option<(Board, Pool<M>)>, Option<SavedRunning<M>>);
        let (shared, running): Whole<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if let Some((board, pool)) = shared {
            *lock(&self.board) = board;
            *lock(&self.pool) = pool;
        }
        self.running = None;
        if let Some(saved) = running {
            let mut running = self.start(saved.slice)?;
            running.search.load(&saved.search)?;
            running.meter = Meter::resumed(limits(saved.slice), saved.counters, saved.best);
            self.running = Some(running);
        }
        Ok(())
    }
}

/// A slice as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct SavedRunning<M> {
    slice: Slice,
    counters: Counters,
    best: Option<Line<M>>,
    search: Vec<u8>,
}
