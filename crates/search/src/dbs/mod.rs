//! Depth-Budgeted Search, after Billings (unpublished).
//!
//! A position gets a budget. With less than one it is finished greedily: always
//! the group that pays most, the kept colour last. With more, its moves are put
//! in order and get shares of it, the best one most, each next one a ratio less.
//! So the search is deep along what looks good and shallow elsewhere, without a
//! depth or a width to set. The whole is repeated with twice the budget until
//! the run's own is spent.
//!
//! # References
//! - D. Billings, personal communication, in M.P.D. Schadd et al.,
//!   "Single-Player Monte-Carlo Tree Search", CG 2008: the name, a sentence, and
//!   72,816 points on the standard boards in two to three hours.
//!
//! # Where we differ
//! Only the idea is published: order, shares and playouts are ours. With several
//! workers the root's moves are dealt out in turn, and each worker spends its
//! budget on its own; nobody's part alone proves anything. A single worker that
//! has seen every line says so.

mod config;
mod method;

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Kit, Line, Puzzle, Score, StopReason};

pub use config::{DbsConfig, DbsOrder};

use crate::bounded::{Dive, Rank};
use crate::{Meter, Search, Status};

/// Work between two looks at the outside, in expanded positions.
const WORK_PER_STEP: u64 = 150;
/// What a greedy playout costs beside that.
const PLAYOUT_WORK: u64 = 25;

/// One worker of DBS.
pub struct Dbs<P: Puzzle, K> {
    puzzle: P,
    kit: K,
    config: DbsConfig,
    worker: u64,
    workers: u64,
    dive: Dive<P>,
    place: Place,
    /// The moves of the last greedy playout.
    rest: Vec<P::Move>,
    path: Vec<P::Move>,
}

/// Where the search is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place {
    /// The budget of this iteration.
    budget: f64,
    /// Those of the open positions, from the root.
    budgets: Vec<f64>,
    /// With order=playout: moves of the position opened last that were played
    /// out, and the scores; until all are, it has no order.
    scores: Vec<Score>,
    /// Whether the position opened last still waits for that.
    waiting: bool,
    /// Whether any position was left without every line from it being seen.
    cut: bool,
    /// Whether there is nothing left to search.
    over: bool,
}

impl<P: Puzzle, K: Kit<P>> Dbs<P, K> {
    /// The worker of a run with this number, of so many.
    pub fn new(puzzle: &P, kit: &K, config: &DbsConfig, (worker, workers): (u64, u64)) -> Self {
        let rank = match config.order {
            DbsOrder::Gain => Rank::Gain,
            DbsOrder::Value => Rank::Value,
            DbsOrder::Playout => Rank::Unranked,
        };
        Dbs {
            puzzle: puzzle.clone(),
            kit: kit.clone(),
            config: config.clone(),
            worker,
            workers,
            dive: Dive::new(puzzle.start(), rank, (0, 1)),
            place: Place {
                budget: config.budget,
                budgets: Vec::new(),
                scores: Vec::new(),
                waiting: false,
                cut: false,
                over: false,
            },
            rest: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Finishes the game greedily after the moves in `path`.
    fn play_out(&mut self, state: &P::State, meter: &mut Meter<P::Move>) -> Score {
        let score = self.kit.greedy(&self.puzzle, state, self.path.len(), &mut self.rest);
        meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
        if let (Some(tally), Some(&first)) = (meter.tally(), self.path.first()) {
            tally.playout(first, self.path.len(), score);
        }
        if meter.improves(score) {
            let moves = self.path.iter().chain(&self.rest).copied().collect();
            meter.offer(Line { score, moves });
        }
        score
    }

    /// The part of a position's budget that goes to the move whose turn it is;
    /// none if that is another worker's.
    fn share(&self) -> Option<f64> {
        let (moves, turn) = self.dive.progress();
        let (mut moves, mut turn) = (moves as u64, turn as u64);
        if self.dive.depth() == 1 {
            if turn % self.workers != self.worker {
                return None;
            }
            moves = (moves - self.worker).div_ceil(self.workers);
            turn /= self.workers;
        }
        let ratio = self.config.ratio;
        let first = if ratio >= 1.0 {
            1.0 / moves as f64
        } else {
            (1.0 - ratio) / (1.0 - libm::pow(ratio, moves as f64))
        };
        let budget = self.place.budgets.last().copied().unwrap_or(self.place.budget);
        Some(budget * first * libm::pow(ratio, turn as f64))
    }

    /// Opens the position whose turn it is, with a budget.
    fn open(&mut self, budget: f64, meter: &mut Meter<P::Move>) {
        self.dive.open(&self.puzzle, &self.kit);
        self.place.budgets.push(budget);
        self.place.waiting = self.config.order == DbsOrder::Playout;
        self.place.scores.clear();
        let depth = self.dive.depth() as u64 - 1;
        let work = Counters { playouts: 0, nodes: 1, spent: 1, depth_sum: depth, deepest: depth };
        meter.count(work);
    }

    /// Plays out one more move of the position opened last; with all of them,
    /// orders them by what came of it.
    fn sound(&mut self, meter: &mut Meter<P::Move>) {
        let Some(child) = self.dive.child(self.place.scores.len()) else {
            let mut scores = self.place.scores.iter().copied();
            self.dive.rank_by(|_| scores.next().unwrap_or(Score::MIN));
            self.place.waiting = false;
            return;
        };
        let (mv, state) = (child.mv, child.state.clone());
        self.dive.path(&mut self.path);
        self.path.push(mv);
        let score = self.play_out(&state, meter);
        self.place.scores.push(score);
    }

    /// Goes on by one playout or one expanded position; returns its work.
    fn advance(&mut self, meter: &mut Meter<P::Move>) -> u64 {
        if self.place.waiting {
            self.sound(meter);
            return PLAYOUT_WORK;
        }
        if self.dive.depth() == 0 {
            self.open(self.place.budget, meter);
            return 1;
        }
        let Some((child, _)) = self.dive.current() else {
            self.dive.close();
            self.place.budgets.pop();
            if self.dive.depth() == 0 {
                self.place.over = !self.place.cut;
                self.place.cut = false;
                self.place.budget *= 2.0;
            }
            return 1;
        };
        let (mv, over, score) = (child.mv, child.over, child.score);
        let Some(share) = self.share() else {
            self.dive.skip();
            return 0;
        };
        if over {
            // With a playout in advance it has been seen and counted.
            if self.config.order != DbsOrder::Playout {
                meter.count(Counters { spent: 1, ..Counters::default() });
                if let Some(tally) = meter.tally()
                    && let Some((first, depth, _)) = self.dive.ahead()
                {
                    tally.playout(first, depth, score);
                }
                if meter.improves(score) {
                    self.dive.path(&mut self.path);
                    self.path.push(mv);
                    meter.offer(Line { score, moves: self.path.clone() });
                }
            }
            self.dive.skip();
            return 1;
        }
        if share >= 1.0 {
            self.open(share, meter);
            return 1;
        }
        self.place.cut = true;
        if self.config.order == DbsOrder::Playout || share < self.config.least {
            self.dive.skip();
            return 0;
        }
        let state = child.state.clone();
        self.dive.path(&mut self.path);
        self.path.push(mv);
        self.play_out(&state, meter);
        self.dive.skip();
        PLAYOUT_WORK
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Dbs<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let start = self.puzzle.start();
        if self.puzzle.is_over(&start) {
            meter.offer(Line { score: self.puzzle.score(&start), moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        let mut work = 0;
        while work < WORK_PER_STEP {
            if self.place.over {
                let alone = self.workers == 1;
                return Status::Done(if alone { StopReason::Solved } else { StopReason::Finished });
            }
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            work += self.advance(meter);
        }
        Status::Going
    }

    /// Even the shortest run has a game to show.
    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        if meter.best().is_none() {
            let start = self.puzzle.start();
            let score = self.kit.greedy(&self.puzzle, &start, 0, &mut self.rest);
            meter.offer(Line { score, moves: self.rest.clone() });
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.place, self.dive.cursors())).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (place, cursors): (Place, Vec<u32>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if place.budgets.len() != cursors.len() {
            return Err(format!("{} positions, {} budgets", cursors.len(), place.budgets.len()));
        }
        let (puzzle, kit, rest) = (&self.puzzle, &self.kit, &mut self.rest);
        let sounded = self.config.order == DbsOrder::Playout;
        let (mut opened, last) = (0, cursors.len());
        self.dive.restore(puzzle, kit, &cursors, |dive| {
            opened += 1;
            // The last one may still wait for its order.
            if sounded && !(opened == last && place.waiting) {
                let before = opened;
                dive.rank_by(|child| kit.greedy(puzzle, &child.state, before, rest));
            }
        })?;
        self.place = place;
        Ok(())
    }
}
