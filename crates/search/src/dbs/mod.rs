//! Depth-Budgeted Search, after Billings (unpublished).
//!
//! A position gets a budget. With less than one it is finished greedily: always
//! the group that pays most, the kept colour last. With more, its moves are put
//! in order and get shares of it, the best one most, each next one a ratio less.
//! So the search is deep along what looks good and shallow elsewhere, without a
//! depth or a width to set. A game is played by one such search for every
//! position, along the best line that the game has come to; games follow one
//! another, one for each variant of the domain's knowledge, then all again with
//! twice the budget.
//!
//! # References
//! - D. Billings, personal communication, in M.P.D. Schadd et al.,
//!   "Single-Player Monte-Carlo Tree Search", CG 2008: the name, a sentence, and
//!   72,816 points on the standard boards in two to three hours.
//!
//! # Where we differ
//! Only the idea is published: order, shares, playouts and games are ours. Several
//! workers take turns with the games. A search from the start of the game that
//! has seen every line says so.

mod config;
mod method;

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Kit, Line, Puzzle, Score, StopReason, replay};

pub use config::{DbsConfig, DbsOrder};

use crate::bounded::{Dive, Rank, UNBOUNDED};
use crate::{Meter, Search, Status};

/// Work between two looks at the outside, in expanded positions.
const WORK_PER_STEP: u64 = 150;
/// What a greedy playout costs beside that.
const PLAYOUT_WORK: u64 = 25;

/// One worker of DBS: one game after another.
pub struct Dbs<P: Puzzle, K> {
    puzzle: P,
    /// A game by each in turn.
    kits: Vec<K>,
    config: DbsConfig,
    worker: u64,
    workers: u64,
    dive: Dive<P>,
    /// Where the dive begins: the position after the moves of the game.
    state: P::State,
    place: Place<P::Move>,
    /// The moves of the last greedy playout.
    rest: Vec<P::Move>,
    path: Vec<P::Move>,
}

/// Where the search is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place<M> {
    /// Games this worker has finished.
    games: u64,
    /// The game so far, and the best line that its searches have come to.
    moves: Vec<M>,
    line: Option<Line<M>>,
    /// Budgets of the open positions, from the one the game has reached.
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
            kits: kit.variants(puzzle),
            config: config.clone(),
            worker,
            workers,
            dive: Dive::new(puzzle.start(), rank, (0, 1)),
            state: puzzle.start(),
            place: Place {
                games: 0,
                moves: Vec::new(),
                line: None,
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

    /// Which game of the run this worker is playing.
    fn game(&self) -> u64 {
        self.worker + self.workers * self.place.games
    }

    /// By which kit it is played.
    fn variant(&self) -> usize {
        (self.game() % self.kits.len() as u64) as usize
    }

    /// What each search of this game may spend.
    fn budget(&self) -> f64 {
        let doubled = (self.game() / self.kits.len() as u64).min(1_000) as i32;
        libm::ldexp(self.config.budget, doubled).min(f64::MAX)
    }

    /// Takes note of a line: the moves of the game, then `path`, then `rest`.
    fn offer(&mut self, score: Score, meter: &mut Meter<P::Move>) {
        if let (Some(tally), Some(&first)) =
            (meter.tally(), self.place.moves.iter().chain(&self.path).next())
        {
            tally.playout(first, self.place.moves.len() + self.path.len(), score);
        }
        if self.place.line.as_ref().is_some_and(|line| line.score >= score) {
            return;
        }
        let before = self.place.moves.iter().chain(&self.path);
        let line = Line { score, moves: before.chain(&self.rest).copied().collect() };
        if meter.improves(score) {
            meter.offer(line.clone());
        }
        self.place.line = Some(line);
    }

    /// Finishes the game greedily after the moves in `path`.
    fn play_out(&mut self, state: &P::State, meter: &mut Meter<P::Move>) -> Score {
        let played = self.place.moves.len() + self.path.len();
        let kit = &self.kits[self.variant()];
        let score = kit.greedy(&self.puzzle, state, played, &mut self.rest);
        meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
        self.offer(score, meter);
        score
    }

    /// The part of a position's budget that goes to the move whose turn it is.
    fn share(&self) -> f64 {
        let (moves, turn) = self.dive.progress();
        let ratio = self.config.ratio;
        let first = if ratio >= 1.0 {
            1.0 / moves as f64
        } else {
            (1.0 - ratio) / (1.0 - libm::pow(ratio, moves as f64))
        };
        let budget = self.place.budgets.last().copied().unwrap_or_default();
        budget * first * libm::pow(ratio, turn as f64)
    }

    /// Opens the position whose turn it is, with a budget.
    fn open(&mut self, budget: f64, meter: &mut Meter<P::Move>) {
        self.dive.open(&self.puzzle, &self.kits[self.variant()]);
        self.place.budgets.push(budget);
        self.place.waiting = self.config.order == DbsOrder::Playout;
        self.place.scores.clear();
        let depth = (self.place.moves.len() + self.dive.depth()) as u64 - 1;
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

    /// After a search of the position that the game has reached: plays the next
    /// move of the game's best line, or begins the next game.
    fn play(&mut self) {
        let seen = !std::mem::take(&mut self.place.cut);
        self.place.over = seen && self.place.moves.is_empty();
        let played = self.place.moves.len();
        let next = self.place.line.as_ref().and_then(|line| line.moves.get(played).copied());
        let next = next.filter(|_| !seen);
        if let Some(mv) = next {
            self.puzzle.play(&mut self.state, mv);
            self.place.moves.push(mv);
        }
        if next.is_none() || self.puzzle.is_over(&self.state) {
            self.state = self.puzzle.start();
            self.place.moves.clear();
            self.place.line = None;
            self.place.games += 1;
        }
        self.dive.begin(&self.state, UNBOUNDED);
    }

    /// Goes on by one playout or one expanded position; returns its work.
    fn advance(&mut self, meter: &mut Meter<P::Move>) -> u64 {
        if self.place.waiting {
            self.sound(meter);
            return PLAYOUT_WORK;
        }
        if self.dive.depth() == 0 {
            self.open(self.budget(), meter);
            return 1;
        }
        let Some((child, _)) = self.dive.current() else {
            self.dive.close();
            self.place.budgets.pop();
            if self.dive.depth() == 0 {
                self.play();
            }
            return 1;
        };
        let (mv, over, score) = (child.mv, child.over, child.score);
        let share = self.share();
        if !over && share >= 1.0 {
            self.open(share, meter);
            return 1;
        }
        self.place.cut |= !over;
        // With a playout in advance it has been seen and counted.
        if self.config.order == DbsOrder::Playout || !over && share < self.config.least {
            self.dive.skip();
            return 0;
        }
        let state = child.state.clone();
        self.dive.path(&mut self.path);
        self.path.push(mv);
        self.dive.skip();
        if over {
            meter.count(Counters { spent: 1, ..Counters::default() });
            self.rest.clear();
            self.offer(score, meter);
            return 1;
        }
        self.play_out(&state, meter);
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
                return Status::Done(StopReason::Solved);
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
            let score = self.kits[0].greedy(&self.puzzle, &start, 0, &mut self.rest);
            meter.offer(Line { score, moves: self.rest.clone() });
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.place, self.dive.cursors())).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (place, cursors): (Place<P::Move>, Vec<u32>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if place.budgets.len() != cursors.len() {
            return Err(format!("{} positions, {} budgets", cursors.len(), place.budgets.len()));
        }
        self.state = replay(&self.puzzle, &place.moves).map_err(|error| error.to_string())?;
        self.place = place;
        self.dive.begin(&self.state, UNBOUNDED);
        let (puzzle, kit, rest) = (&self.puzzle, &self.kits[self.variant()], &mut self.rest);
        let place = &self.place;
        let sounded = self.config.order == DbsOrder::Playout;
        let (mut opened, last) = (0, cursors.len());
        self.dive.restore(puzzle, kit, &cursors, |dive| {
            opened += 1;
            // The last one may still wait for its order.
            if sounded && !(opened == last && place.waiting) {
                let before = place.moves.len() + opened;
                dive.rank_by(|child| kit.greedy(puzzle, &child.state, before, rest));
            }
        })
    }
}
