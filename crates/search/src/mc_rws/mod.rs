//! Monte-Carlo with Roulette-Wheel Selection: the outer loop of its authors.
//!
//! At every position each legal move is followed by a number of playouts; the
//! move whose playouts were best on average is played, until the game is over.
//! The answer is the best playout ever seen. The roulette wheel is in the
//! playouts: with the domain's `playout=mc-rws` rare colours are played more
//! often, so that frequent ones can gather.
//!
//! # References
//! - F.W. Takes, W.A. Kosters, "Solving SameGame and its Chessboard Variant",
//!   BNAIC 2009.
//!
//! # Where we differ
//! The loop is as others describe it; how many playouts the authors gave a move
//! we do not know. Games follow one another until the budget ends.

mod config;
mod method;

use solitree_core::{Kit, Line, Puzzle, Rng, Score, StopReason, replay};

pub use config::{McRwsConfig, MoveBy};

use crate::method::Request;
use crate::sample::{self, BATCH, Sampler};
use crate::{Meter, Search, Status};

/// One worker of MC-RWS: one game after another.
pub struct McRws<P: Puzzle, K> {
    puzzle: P,
    kit: K,
    config: McRwsConfig,
    seed: u64,
    worker: u64,
    workers: u64,
    /// Games begun by this worker.
    begun: u64,
    rng: Rng,
    /// The game so far.
    moves: Vec<P::Move>,
    /// Playouts done at its position, and what they gave by move.
    sampled: u64,
    values: Vec<(i64, Score)>,
    state: P::State,
    legal: Vec<P::Move>,
    sampler: Sampler<P>,
}

impl<P: Puzzle, K: Kit<P>> McRws<P, K> {
    /// The workers of a run, one a thread, each with games of its own.
    pub fn workers(
        puzzle: &P,
        kit: &K,
        config: &McRwsConfig,
        request: &Request<'_, P::Move>,
    ) -> Vec<Self> {
        let workers = request.threads.max(1) as u64;
        let make = |worker| {
            let mut this = McRws {
                puzzle: puzzle.clone(),
                kit: kit.clone(),
                config: config.clone(),
                seed: request.seed,
                worker,
                workers,
                begun: 0,
                rng: Rng::new(0),
                moves: Vec::new(),
                sampled: 0,
                values: Vec::new(),
                state: puzzle.start(),
                legal: Vec::new(),
                sampler: Sampler::default(),
            };
            this.begin();
            this
        };
        (0..workers).map(make).collect()
    }

    /// Begins the next game.
    fn begin(&mut self) {
        self.rng = Rng::stream(self.seed, self.worker + self.workers * self.begun);
        self.begun += 1;
        self.moves.clear();
        self.state = self.puzzle.start();
        self.arrive();
    }

    /// Makes ready to try the moves of a position.
    fn arrive(&mut self) {
        self.puzzle.moves(&self.state, &mut self.legal);
        self.sampled = 0;
        self.values.clear();
        self.values.resize(self.legal.len(), (0, Score::MIN));
    }

    /// Plays out from every move, in one batch if it is not too large.
    fn sample(&mut self, meter: &mut Meter<P::Move>) {
        let each = self.config.playouts as usize;
        let done = self.sampled as usize;
        let from = (&self.state, &self.legal[..]);
        let (puzzle, kit) = (&self.puzzle, &self.kit);
        let jobs = self.sampler.run(puzzle, kit, from, (each, done), &mut self.rng, meter);
        for (index, job) in jobs.iter().enumerate() {
            let child = (done + index) / each;
            let (sum, max) = &mut self.values[child];
            *sum += job.score.0;
            *max = (*max).max(job.score);
            if let Some(tally) = meter.tally() {
                let first = self.moves.first().copied().unwrap_or(self.legal[child]);
                tally.playout(first, self.moves.len() + 1, job.score);
            }
            if meter.improves(job.score) {
                let before = self.moves.iter().copied().chain([self.legal[child]]);
                meter.offer(sample::line(puzzle, kit, before, job));
            }
        }
        self.sampled += jobs.len() as u64;
    }

    /// Plays the best move; of equal ones the first.
    fn play(&mut self) {
        let value = |&(sum, max): &(i64, Score)| match self.config.by {
            MoveBy::Average => sum,
            MoveBy::Maximum => max.0,
        };
        let best = (0..self.values.len()).rev().max_by_key(|&child| value(&self.values[child]));
        if let Some(child) = best {
            let mv = self.legal[child];
            self.puzzle.play(&mut self.state, mv);
            self.moves.push(mv);
        }
        self.arrive();
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for McRws<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if self.moves.is_empty() && self.legal.is_empty() {
            meter.offer(Line { score: self.puzzle.score(&self.state), moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        let before = meter.counters().playouts;
        while meter.counters().playouts - before < BATCH as u64 {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            if self.config.runs > 0
                && self.worker + self.workers * (self.begun - 1) >= self.config.runs
            {
                return Status::Done(StopReason::Finished);
            }
            self.sample(meter);
            if self.sampled >= self.config.playouts * self.legal.len() as u64 {
                self.play();
                if self.legal.is_empty() {
                    self.begin();
                }
            }
        }
        Status::Going
    }

    fn save(&self) -> Vec<u8> {
        let game = (&self.rng, &self.moves, self.sampled, &self.values);
        postcard::to_stdvec(&(self.begun, game)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (begun, game) = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let (rng, moves, sampled, values) = game;
        let (moves, values): (Vec<P::Move>, Vec<(i64, Score)>) = (moves, values);
        self.state = replay(&self.puzzle, &moves).map_err(|error| error.to_string())?;
        self.puzzle.moves(&self.state, &mut self.legal);
        if values.len() != self.legal.len() {
            return Err("not as many values as moves".to_owned());
        }
        (self.begun, self.rng, self.moves) = (begun, rng, moves);
        (self.sampled, self.values) = (sampled, values);
        Ok(())
    }
}
