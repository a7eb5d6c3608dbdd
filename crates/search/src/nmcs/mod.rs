//! Nested Monte-Carlo Search.
//!
//! A level plays a game; at every position it has each move tried by a search
//! of the level below, and level 0 is a playout. The best game that it has ever
//! seen is memorised, and the next move is that game's: a level never forgets
//! what a lucky playout found. Options leave out children that a bound excludes
//! or that a few playouts make look hopeless (Lazy NMCS).
//!
//! # References
//! - T. Cazenave, "Nested Monte-Carlo Search", IJCAI 2009.
//! - M. Roucairol's programs DrugSynthMC and refutation-COCOON2022 (Lazy NMCS).
//!
//! # Where we differ
//! Searches follow one another until the budget ends. The paper's SameGame keeps
//! the colour that is most frequent at the start of the game; our playouts keep
//! the one most frequent where they begin. The playouts that Lazy NMCS values a
//! child by are games like others, and a child left out is worth the best of
//! them instead of one more.

mod config;
mod method;
mod nest;

use solitree_core::{Kit, Line, Puzzle, Rng, StopReason};

pub use config::{Lazy, NmcsConfig, Tried};

use crate::method::Request;
use crate::sample::BATCH;
use crate::{Meter, Search, Status};
use nest::{Context, Nest};

/// One worker of NMCS: one search after another.
pub struct Nmcs<P: Puzzle, K> {
    puzzle: P,
    kit: K,
    config: NmcsConfig,
    seed: u64,
    worker: u64,
    workers: u64,
    /// Searches begun by this worker.
    begun: u64,
    nest: Nest<P>,
}

impl<P: Puzzle, K: Kit<P>> Nmcs<P, K> {
    /// The workers of a run, one a thread, each with searches of its own.
    pub fn workers(
        puzzle: &P,
        kit: &K,
        config: &NmcsConfig,
        request: &Request<'_, P::Move>,
    ) -> Vec<Self> {
        let workers = request.threads.max(1) as u64;
        let make = |worker| Nmcs {
            puzzle: puzzle.clone(),
            kit: kit.clone(),
            config: config.clone(),
            seed: request.seed,
            worker,
            workers,
            begun: 1,
            nest: Nest::new(puzzle, Rng::stream(request.seed, worker), config.level),
        };
        (0..workers).map(make).collect()
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Nmcs<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let start = self.puzzle.start();
        if self.puzzle.is_over(&start) {
            meter.offer(Line { score: self.puzzle.score(&start), moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        let before = meter.counters().playouts;
        // What takes no playouts takes little time, but not none.
        for _ in 0..2 * BATCH {
            if meter.counters().playouts - before >= BATCH as u64 {
                break;
            }
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            if self.config.runs > 0
                && self.worker + self.workers * (self.begun - 1) >= self.config.runs
            {
                return Status::Done(StopReason::Finished);
            }
            let context = Context { puzzle: &self.puzzle, kit: &self.kit, config: &self.config };
            if self.nest.advance(&context, meter) {
                let number = self.worker + self.workers * self.begun;
                self.begun += 1;
                let rng = Rng::stream(self.seed, number);
                self.nest = Nest::new(&self.puzzle, rng, self.config.level);
            }
        }
        Status::Going
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(self.begun, self.nest.save())).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (begun, nest) = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.nest = Nest::restore(&self.puzzle, nest).map_err(|error| error.to_string())?;
        self.begun = begun;
        Ok(())
    }
}
