//! Large-neighbourhood search over lines.
//!
//! A pool holds the best lines found so far, no two alike. Again and again one
//! is drawn, cut at a random move, and everything after the cut is searched for
//! anew by a short NRPA whose weights begin near the old line; what comes out
//! joins the pool if it is good enough. Cuts from which no better line can come
//! are not tried. The first lines are the user's, or a few short searches'.
//!
//! # References
//! - P. Shaw, "Using Constraint Programming and Local Search Methods to Solve
//!   Vehicle Routing Problems", CP 1998: the idea of large neighbourhoods.
//! - Repairs by a warm NRPA: the record hunters of Morpion Solitaire.

mod config;
mod method;
mod pool;

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Insight, Kit, Line, Puzzle, Rng, Score, Trace, Weights};

pub use config::LnsConfig;
pub use pool::{Elite, Pool};

use crate::nrpa::nest::Nest;
use crate::nrpa::{NrpaConfig, adapt};
use crate::{Meter, Search, Status, lock};

/// Playouts between two looks at the outside.
const PLAYOUTS_PER_STEP: u64 = 32;

/// One worker of large-neighbourhood search.
pub struct Lns<P: Puzzle, K> {
    puzzle: P,
    /// The domain's knowledge, in all its variants.
    kits: Arc<Vec<K>>,
    config: LnsConfig,
    rng: Rng,
    pool: Arc<Mutex<Pool<P::Move>>>,
    /// Searches begun by this worker.
    begun: u64,
    /// Its number, and how many there are.
    worker: (u64, u64),
    /// Lines that there shall be before any is repaired.
    wanted: u64,
    /// Whether it saves the pool, which one of those that share it does.
    keeper: bool,
    task: Option<Task<P>>,
    /// Kept for its memory.
    spare: Option<Nest<P::Move>>,
}

/// A search that is going on.
struct Task<P: Puzzle> {
    variant: usize,
    /// The moves that are kept, and where they lead.
    prefix: Vec<P::Move>,
    start: P::State,
    /// Whether it looks for a first line.
    first: bool,
    nest: Nest<P::Move>,
    best: Option<Line<P::Move>>,
}

impl<P: Puzzle, K: Kit<P>> Lns<P, K> {
    /// The workers of a run, which share the pool.
    fn workers(
        puzzle: &P,
        kits: Vec<K>,
        config: &LnsConfig,
        line: Option<&Line<P::Move>>,
        (seed, threads): (u64, usize),
    ) -> Vec<Self> {
        let mut pool = Pool::new(config.pool as usize);
        if let Some(line) = line {
            pool.add(Elite::new(puzzle, &kits[0], line.clone(), 0));
        }
        let (pool, kits) = (Arc::new(Mutex::new(pool)), Arc::new(kits));
        let threads = threads.max(1) as u64;
        // A line of the user's is what is to be repaired, at once.
        let wanted = if line.is_some() { 1 } else { kits.len().min(config.pool as usize) as u64 };
        let make = |worker| Lns {
            rng: Rng::stream(seed, worker),
            worker: (worker, threads),
            wanted,
            keeper: worker == 0,
            ..Lns::on_pool(puzzle, Arc::clone(&kits), config, Arc::clone(&pool), seed)
        };
        (0..threads).map(make).collect()
    }

    /// A worker on a pool that others use too.
    pub(crate) fn on_pool(
        puzzle: &P,
        kits: Arc<Vec<K>>,
        config: &LnsConfig,
        pool: Arc<Mutex<Pool<P::Move>>>,
        seed: u64,
    ) -> Self {
        Lns {
            puzzle: puzzle.clone(),
            kits,
            config: config.clone(),
            rng: Rng::new(seed),
            pool,
            begun: 0,
            worker: (0, 1),
            wanted: 1,
            keeper: false,
            task: None,
            spare: None,
        }
    }

    /// A search for a line to begin with, or to repair one.
    fn next_task(&mut self) -> Task<P> {
        let number = self.worker.0 + self.worker.1 * self.begun;
        self.begun += 1;
        let drawn = {
            let pool = lock(&self.pool);
            let enough = pool.elites().len() as u64 >= self.wanted || number >= 2 * self.wanted;
            if enough { pool.draw(&mut self.rng).cloned() } else { None }
        };
        match drawn {
            Some(elite) => self.repair(&elite),
            None => self.first_line(number as usize % self.kits.len()),
        }
    }

    fn first_line(&mut self, variant: usize) -> Task<P> {
        let rng = Rng::new(self.rng.next_u64());
        let nest = Nest::new(rng, self.config.first().level, &Weights::default());
        let start = self.puzzle.start();
        Task { variant, prefix: Vec::new(), start, first: true, nest, best: None }
    }

    fn repair(&mut self, elite: &Elite<P::Move>) -> Task<P> {
        let moves = &elite.line.moves;
        let (kept, start) = cut(&self.puzzle, &elite.line, self.config.longest, &mut self.rng);
        let variant = elite.variant;
        let kit = &self.kits[variant];
        let trace = kit.retrace(&self.puzzle, &start, kept, &moves[kept..]);
        let mut weights = Weights::default();
        let mut scratch = Vec::new();
        for _ in 0..self.config.warm {
            adapt(&mut weights, &trace, self.config.alpha as f32, &mut scratch);
        }
        let rng = Rng::new(self.rng.next_u64());
        let nest = match self.spare.take() {
            Some(mut nest) => {
                nest.restart(rng, &weights);
                nest
            }
            None => Nest::new(rng, self.config.level, &weights),
        };
        let prefix = moves[..kept].to_vec();
        Task { variant, prefix, start, first: false, nest, best: None }
    }

    /// Adds a line to the pool.
    fn keep(&self, line: Line<P::Move>, variant: usize) {
        let elite = Elite::new(&self.puzzle, &self.kits[variant], line, variant);
        lock(&self.pool).add(elite);
    }

    fn settings(&self, first: bool) -> NrpaConfig {
        if first { self.config.first() } else { self.config.repair() }
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Lns<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let before = meter.counters().playouts;
        while meter.counters().playouts - before < PLAYOUTS_PER_STEP {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            let mut task = match self.task.take() {
                Some(task) => task,
                None => self.next_task(),
            };
            let settings = self.settings(task.first);
            let Task { variant, prefix, start, nest, best, .. } = &mut task;
            let over = nest.advance(
                &self.puzzle,
                &self.kits[*variant],
                (&*start, prefix.len()),
                &settings,
                &mut |game: &Trace<P::Move>| {
                    meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
                    if game.score > best.as_ref().map_or(Score::MIN, |best| best.score) {
                        let moves = prefix.iter().chain(&game.moves).copied().collect();
                        let line = Line { score: game.score, moves };
                        if meter.improves(line.score) {
                            meter.offer(line.clone());
                        }
                        *best = Some(line);
                    }
                },
            );
            if over {
                if let Some(line) = task.best {
                    self.keep(line, task.variant);
                }
                if !task.first {
                    self.spare = Some(task.nest);
                }
            } else {
                self.task = Some(task);
            }
        }
        Status::Going
    }

    /// What a search that is cut short has found joins the pool as well.
    fn finish(&mut self, _: &mut Meter<P::Move>) {
        if let Some(Task { best: Some(line), variant, .. }) = self.task.take() {
            self.keep(line, variant);
        }
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        Some(Insight::Policy(self.task.as_ref()?.nest.levels()))
    }

    fn save(&self) -> Vec<u8> {
        let task = self.task.as_ref().map(|task| SavedTask {
            variant: task.variant,
            prefix: task.prefix.clone(),
            first: task.first,
            nest: &task.nest,
            best: task.best.clone(),
        });
        let pool = self.keeper.then(|| lock(&self.pool).clone());
        postcard::to_stdvec(&(&self.rng, self.begun, pool, task)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        type Whole<M> = (Rng, u64, Option<Pool<M>>, Option<SavedTask<M, Nest<M>>>);
        let (rng, begun, pool, task): Whole<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let restore = |task: SavedTask<P::Move, Nest<P::Move>>| {
            if task.variant >= self.kits.len() {
                return Err("a variant that the domain has not".to_owned());
            }
            let mut start = self.puzzle.start();
            for &mv in &task.prefix {
                self.puzzle.play(&mut start, mv);
            }
            let SavedTask { variant, prefix, first, nest, best } = task;
            Ok(Task { variant, prefix, start, first, nest, best })
        };
        self.task = task.map(restore).transpose()?;
        if let Some(pool) = pool {
            if pool.elites().iter().any(|elite| elite.variant >= self.kits.len()) {
                return Err("a line of a variant that the domain has not".to_owned());
            }
            *lock(&self.pool) = pool;
        }
        (self.rng, self.begun) = (rng, begun);
        Ok(())
    }
}

/// Cuts a line at random: how many moves are kept, at most this share of them, and
/// where they lead. Never where nothing better can come from.
pub(crate) fn cut<P: Puzzle>(
    puzzle: &P,
    line: &Line<P::Move>,
    longest: f64,
    rng: &mut Rng,
) -> (usize, P::State) {
    let longest = (line.moves.len() as f64 * longest) as u32;
    let mut kept = rng.below(longest + 1) as usize;
    loop {
        let mut state = puzzle.start();
        for &mv in &line.moves[..kept] {
            puzzle.play(&mut state, mv);
        }
        let hope = puzzle.upper_bound(&state).is_none_or(|most| most > line.score);
        if kept == 0 || hope {
            return (kept, state);
        }
        kept /= 2;
    }
}

/// A task as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(bound(
    serialize = "M: Serialize, N: Serialize",
    deserialize = "M: DeserializeOwned, N: DeserializeOwned"
))]
struct SavedTask<M, N> {
    variant: usize,
    prefix: Vec<M>,
    first: bool,
    nest: N,
    best: Option<Line<M>>,
}
