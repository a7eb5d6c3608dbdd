//! Single-Player Monte-Carlo Tree Search.
//!
//! UCT for puzzles: the value of a move is its average, a share of its top
//! score, the usual exploration term, and a third term for the spread of its
//! results, so that moves that sometimes pay well are tried again. The answer
//! is the best line ever played out. Many short searches from different seeds
//! beat a long one, and a share of the budget for each move beats all of it at
//! the start.
//!
//! # References
//! - M.P.D. Schadd, M.H.M. Winands, H.J. van den Herik, G.M.J-B. Chaslot,
//!   J.W.H.M. Uiterwijk, "Single-Player Monte-Carlo Tree Search", CG 2008.
//! - The same authors, "Addressing NP-Complete Puzzles with Monte-Carlo
//!   Methods", AISB 2008.
//! - M.P.D. Schadd, M.H.M. Winands, M.J.W. Tak, J.W.H.M. Uiterwijk,
//!   "Single-Player Monte-Carlo Tree Search for SameGame", Knowledge-Based
//!   Systems 34, 2012.
//!
//! # Where we differ
//! Searches that restart run several abreast on a thread, so that their
//! playouts share one batch; each still goes its own way, and a restart that is
//! finished is the same however many there were. Positions in which every line is known are
//! not entered again (`solved=skip`); the papers do not speak of them. What the
//! papers leave open is a parameter, and their words are its default.

mod climber;
mod config;
mod insight;
mod method;
mod plan;
mod table;
mod tree;

use serde::Deserialize;
use solitree_core::{Budget, Insight, Job, Line, Playout, Puzzle, Rng, StopReason, replay};

pub use config::{
    Answer, Control, Expansion, FinalMove, LogBase, SelectionFormula, Solved, SpMctsConfig, TopMode,
};

use crate::{Meter, Search, Status};
use climber::{Climber, Context, Leaf, SavedClimber};
use plan::{MAX_ABREAST, Plan};
use table::Table;
use tree::{Formula, ROOT, Tree};

/// Iterations of every search between two looks at the outside.
const ITERATIONS_PER_STEP: usize = 100;
/// Playouts after which a step ends sooner.
const PLAYOUTS_PER_STEP: u64 = 200;

/// One worker of SP-MCTS.
pub struct SpMcts<P: Puzzle, R> {
    puzzle: P,
    playout: R,
    config: SpMctsConfig,
    seed: u64,
    plan: Plan,
    lanes: Vec<Option<Lane<P>>>,
    /// The number of the next search of this worker.
    next: u64,
    /// The lane whose turn it is: they take turns, and a budget may end between
    /// two of them.
    turn: usize,
    table: Table,
    jobs: Vec<Job<P>>,
}

/// What a lane asked for in an iteration.
#[derive(Clone, Copy)]
struct Visit {
    lane: usize,
    leaf: Leaf,
    /// Its jobs in the batch.
    first: usize,
    jobs: usize,
}

/// A place for one search after the other.
struct Lane<P: Puzzle> {
    climber: Climber<P>,
    /// The number of the search, which seeds it.
    number: u64,
    /// The share of the budget at which it ends.
    until: f64,
    /// With control=move, the best line of the game so far.
    game_best: Option<Line<P::Move>>,
}

/// What [`Search::save`] writes, field by field, as it is read back.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
struct Saved<M> {
    lanes: Vec<Option<SavedLane<M>>>,
    next: u64,
    turn: usize,
    table: Table,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
struct SavedLane<M> {
    climber: SavedClimber<M>,
    number: u64,
    until: f64,
    game_best: Option<Line<M>>,
}

impl<P: Puzzle, R: Playout<P> + Clone> SpMcts<P, R> {
    /// The workers of a run, one a thread. Without restarts each grows a tree
    /// of its own (root parallelisation); with restarts they share them out.
    pub fn workers(
        puzzle: &P,
        playout: &R,
        config: &SpMctsConfig,
        budget: &Budget,
        seed: u64,
        threads: usize,
    ) -> Vec<Self> {
        let workers = threads.max(1) as u64;
        let make = |worker| Self::new(puzzle, playout, config, budget, seed, (worker, workers));
        (0..workers).map(make).collect()
    }

    fn new(
        puzzle: &P,
        playout: &R,
        config: &SpMctsConfig,
        budget: &Budget,
        seed: u64,
        (worker, workers): (u64, u64),
    ) -> Self {
        let plan = Plan::new(config, budget, playout.preferred_batch() as u64, worker, workers);
        let mut search = SpMcts {
            puzzle: puzzle.clone(),
            playout: playout.clone(),
            config: config.clone(),
            seed,
            plan,
            lanes: Vec::new(),
            next: 0,
            turn: 0,
            table: Table::new(plan.table_entries),
            jobs: Vec::new(),
        };
        for _ in 0..plan.abreast {
            let lane = search.start(None, 0.0);
            search.lanes.push(lane);
        }
        search
    }

    /// The next search of this worker, in the place of a finished one.
    fn start(&mut self, finished: Option<Lane<P>>, used: f64) -> Option<Lane<P>> {
        let number = self.plan.worker + self.plan.workers * self.next;
        if self.plan.searches.is_some_and(|searches| number >= searches) {
            return None;
        }
        self.next += 1;
        let begun = finished.as_ref().map_or(used, |lane| lane.until);
        let tree = finished.map(|lane| lane.climber.tree);
        let climber = self.climber(tree, Vec::new(), Rng::stream(self.seed, number))?;
        Some(Lane { climber, number, until: begun + self.plan.share_each, game_best: None })
    }

    /// A search from a position, in a tree that is new or used before; `None`
    /// if the game is over there and so has no move to begin with.
    fn climber(
        &self,
        tree: Option<Tree<P::Move>>,
        prefix: Vec<P::Move>,
        rng: Rng,
    ) -> Option<Climber<P>> {
        let mut state = self.puzzle.start();
        for &mv in &prefix {
            self.puzzle.play(&mut state, mv);
        }
        let mut legal = Vec::new();
        self.puzzle.moves(&state, &mut legal);
        // The root needs some move in its slot; which one does not matter.
        let any = *legal.first()?;
        let tree = match tree {
            Some(mut tree) => {
                tree.clear(any);
                tree
            }
            None => Tree::new(self.plan.memory_each, any),
        };
        Some(Climber::new(&self.puzzle, tree, prefix, rng))
    }

    /// One iteration of every search; their playouts run together.
    fn iterate(&mut self, meter: &mut Meter<P::Move>) {
        let context = Context {
            puzzle: &self.puzzle,
            playout: &self.playout,
            config: &self.config,
            formula: Formula::new(&self.config),
        };
        let (mut nodes, mut playouts) = meter.allowance();
        let mut visits: [Option<Visit>; MAX_ABREAST] = [None; MAX_ABREAST];
        let mut asked = 0;
        let lanes = self.lanes.len();
        let first = self.turn;
        for (visit, turn) in visits.iter_mut().zip(first..first + lanes) {
            // The last iteration of a budget may have room for some only.
            if nodes == 0 || playouts == 0 {
                self.turn = turn % lanes;
                break;
            }
            let Some(lane) = &mut self.lanes[turn % lanes] else { continue };
            let leaf = lane.climber.descend(&context, &self.table);
            let wanted = if matches!(leaf, Leaf::End) { 0 } else { self.config.leaf_playouts };
            let jobs = wanted.min(playouts) as usize;
            *visit = Some(Visit { lane: turn % lanes, leaf, first: asked, jobs });
            nodes -= 1;
            playouts -= jobs as u64;
            for _ in 0..jobs {
                let seed = lane.climber.next_seed();
                let state = lane.climber.leaf_state();
                match self.jobs.get_mut(asked) {
                    Some(job) => {
                        job.state.clone_from(state);
                        job.seed = seed;
                    }
                    None => self.jobs.push(Job::new(state.clone(), seed)),
                }
                asked += 1;
            }
        }
        self.playout.run(&self.puzzle, &mut self.jobs[..asked]);
        for visit in visits.into_iter().flatten() {
            let Some(lane) = &mut self.lanes[visit.lane] else { continue };
            let jobs = &self.jobs[visit.first..visit.first + visit.jobs];
            meter.count(lane.climber.back_up(&context, visit.leaf, jobs, &mut self.table));
            if let Some(best) = &lane.climber.best
                && self.config.answer == Answer::Best
                && meter.improves(best.score)
            {
                meter.offer(best.clone());
            }
        }
    }

    /// Ends the searches that are done and begins the next ones.
    fn turn_over(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let used = meter.used();
        let lanes = self.lanes.len();
        // In the order in which they had their turns.
        for index in (self.turn..self.turn + lanes).map(|turn| turn % lanes) {
            let Some(lane) = &self.lanes[index] else { continue };
            let solved = lane.climber.is_solved() && self.config.solved != Solved::Ignore;
            let spent = match self.plan.nodes_each {
                Some(nodes) => lane.climber.spent >= nodes,
                None => used >= lane.until && used < 1.0,
            };
            if !solved && !spent {
                continue;
            }
            if solved && lane.climber.prefix.is_empty() && self.config.answer == Answer::Best {
                return Status::Done(StopReason::Solved);
            }
            let lane = self.lanes[index].take();
            self.lanes[index] = match (self.config.control, lane) {
                (Control::Move, Some(lane)) => self.play_move(lane, meter),
                (_, lane) => self.start(lane, used),
            };
        }
        if self.lanes.iter().all(Option::is_none) {
            Status::Done(StopReason::Finished)
        } else {
            Status::Going
        }
    }

    /// Plays the move that the search of a lane decided on, and begins the
    /// search for the next; at the end of the game, the next game.
    fn play_move(&mut self, mut lane: Lane<P>, meter: &mut Meter<P::Move>) -> Option<Lane<P>> {
        let used = meter.used();
        let found = lane.climber.best.take();
        let better = |line: &Line<P::Move>| {
            lane.game_best.as_ref().is_none_or(|best| line.score >= best.score)
        };
        if found.as_ref().is_some_and(better) {
            lane.game_best.clone_from(&found);
        }
        let mut prefix = std::mem::take(&mut lane.climber.prefix);
        let along = |line: &Option<Line<P::Move>>| {
            let line = line.as_ref().filter(|line| line.moves.starts_with(&prefix))?;
            line.moves.get(prefix.len()).copied()
        };
        let tree = &lane.climber.tree;
        let kept = if self.config.keep_best_line { along(&lane.game_best) } else { None };
        let mv = match self.config.final_move {
            FinalMove::TopScore => kept.or_else(|| along(&found)),
            FinalMove::Visits => tree
                .children(ROOT)
                .max_by_key(|&child| tree.visits(child))
                .map(|child| tree.mv(child)),
            FinalMove::Average => tree
                .children(ROOT)
                .filter(|&child| tree.visits(child) > 0)
                .max_by(|&a, &b| tree.average(a).total_cmp(&tree.average(b)))
                .map(|child| tree.mv(child)),
        };
        // A search too short to have tried anything plays what it has seen.
        let Some(mv) = mv.or_else(|| along(&found)) else { return self.start(Some(lane), used) };
        prefix.push(mv);
        if let Ok(end) = replay(&self.puzzle, &prefix)
            && self.puzzle.is_over(&end)
        {
            let score = self.puzzle.score(&end);
            meter.offer(Line { score, moves: prefix });
            return self.start(Some(lane), used);
        }
        let Lane { climber, number, until, game_best } = lane;
        let rng = Rng::stream(self.seed ^ number.rotate_left(32), 1 + prefix.len() as u64);
        let climber = self.climber(Some(climber.tree), prefix, rng)?;
        let until = until.max(used) + self.plan.share_each;
        Some(Lane { climber, number, until, game_best })
    }
}

impl<P: Puzzle, R: Playout<P> + Clone> Search<P> for SpMcts<P, R> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if self.puzzle.is_over(&self.puzzle.start()) {
            let score = self.puzzle.score(&self.puzzle.start());
            meter.offer(Line { score, moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        let before = meter.counters().playouts;
        for _ in 0..ITERATIONS_PER_STEP {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            self.iterate(meter);
            if let done @ Status::Done(_) = self.turn_over(meter) {
                return done;
            }
            if meter.counters().playouts - before >= PLAYOUTS_PER_STEP {
                break;
            }
        }
        Status::Going
    }

    /// A game that is not over is finished along the best line from where it
    /// stands, for which a search just begun needs a playout.
    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        if self.config.answer == Answer::Best {
            return;
        }
        let context = Context {
            puzzle: &self.puzzle,
            playout: &self.playout,
            config: &self.config,
            formula: Formula::new(&self.config),
        };
        for lane in self.lanes.iter_mut().flatten() {
            let line = match &lane.climber.best {
                Some(line) => line.clone(),
                None => lane.climber.play_out(&context),
            };
            meter.offer(line);
        }
    }

    /// Workers that do not divide the searches evenly need unequal budgets.
    fn weight(&self) -> u64 {
        self.plan.weight()
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        self.insight().map(Insight::Tree)
    }

    fn save(&self) -> Vec<u8> {
        let lanes: Vec<_> = self
            .lanes
            .iter()
            .map(|lane| {
                let lane = lane.as_ref()?;
                Some((lane.climber.save(), lane.number, lane.until, &lane.game_best))
            })
            .collect();
        postcard::to_stdvec(&(lanes, self.next, self.turn, &self.table)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved: Saved<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if saved.lanes.len() != self.lanes.len() {
            return Err(format!(
                "{} searches abreast, not {}",
                saved.lanes.len(),
                self.lanes.len()
            ));
        }
        let restore = |lane: SavedLane<P::Move>| Lane {
            climber: Climber::restore(&self.puzzle, lane.climber),
            number: lane.number,
            until: lane.until,
            game_best: lane.game_best,
        };
        self.lanes = saved.lanes.into_iter().map(|lane| lane.map(restore)).collect();
        self.next = saved.next;
        self.turn = saved.turn;
        self.table = saved.table;
        Ok(())
    }
}
