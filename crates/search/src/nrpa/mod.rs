//! Nested Rollout Policy Adaptation and its family.
//!
//! A playout chooses each move with a probability that grows with its weight.
//! A level plays many times with its own copy of the weights, keeps the best
//! sequence and moves the weights towards it; the level above does the same
//! with what the level below returns. Options turn NRPA into Stabilised,
//! Beam-, Diversity-, Selective and Generalised NRPA, or combine them.
//!
//! # References
//! - C.D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree
//!   Search", IJCAI 2011.
//! - T. Cazenave, F. Teytaud, "Beam Nested Rollout Policy Adaptation", 2012.
//! - S. Edelkamp, T. Cazenave, "Improved Diversity in Nested Rollout Policy
//!   Adaptation", KI 2016.
//! - T. Cazenave, "Nested Rollout Policy Adaptation with Selective Policies",
//!   CGW 2016; "Generalized Nested Rollout Policy Adaptation", 2020.
//! - B. Negrevergne, T. Cazenave, "Distributed Nested Rollout Policy for
//!   SameGame", CGW 2017.
//! - T. Cazenave et al., "Stabilized Nested Rollout Policy Adaptation", 2021;
//!   "Generalized Nested Rollout Policy Adaptation with Limited Repetitions",
//!   2024.
//!
//! # Where we differ
//! Weights live in a dense array that a hash of the move code indexes, as their
//! exponentials: an adaptation multiplies. Two codes may share a slot.

mod adapt;
mod config;
mod insight;
mod method;
pub(crate) mod nest;

use solitree_core::{Counters, Guide, Insight, Line, Puzzle, Rng, StopReason, Trace, Weights};

pub use adapt::adapt;
pub use config::NrpaConfig;

use crate::method::Request;
use crate::{Meter, Search, Status};
use nest::Nest;

/// Playouts between two looks at the outside.
const PLAYOUTS_PER_STEP: u64 = 32;

/// One worker of NRPA: one search after another.
pub struct Nrpa<P: Puzzle, G> {
    puzzle: P,
    guide: G,
    config: NrpaConfig,
    seed: u64,
    worker: u64,
    workers: u64,
    /// Searches begun by this worker.
    begun: u64,
    nest: Nest<P::Move>,
    /// Moves before the position that games begin in.
    prefix: Vec<P::Move>,
    start: P::State,
    /// The weights a search begins with.
    weights: Weights,
}

impl<P: Puzzle, G: Guide<P> + Clone> Nrpa<P, G> {
    /// The workers of a run, one a thread, each with searches of its own.
    pub fn workers(
        puzzle: &P,
        guide: &G,
        config: &NrpaConfig,
        request: &Request<'_, P::Move>,
    ) -> Vec<Self> {
        let Request { seed, threads, line, .. } = *request;
        let workers = threads.max(1) as u64;
        let make =
            |worker| Self::from_prefix(puzzle, guide, config, &[], line, seed, (worker, workers));
        (0..workers).map(make).collect()
    }

    /// A worker whose games all begin with the same moves; with a line to
    /// begin with, its weights are moved towards that line first.
    pub fn from_prefix(
        puzzle: &P,
        guide: &G,
        config: &NrpaConfig,
        prefix: &[P::Move],
        warm: Option<&Line<P::Move>>,
        seed: u64,
        (worker, workers): (u64, u64),
    ) -> Self {
        let mut start = puzzle.start();
        for &mv in prefix {
            puzzle.play(&mut start, mv);
        }
        let mut weights = Weights::default();
        if let Some(line) = warm {
            let trace = guide.retrace(puzzle, &puzzle.start(), 0, &line.moves);
            let mut scratch = Vec::new();
            for _ in 0..config.warm {
                adapt(&mut weights, &trace, config.alpha as f32, &mut scratch);
            }
        }
        let nest = Nest::new(Rng::stream(seed, worker), config.level, &weights);
        Nrpa {
            puzzle: puzzle.clone(),
            guide: guide.clone(),
            config: config.clone(),
            seed,
            worker,
            workers,
            begun: 1,
            nest,
            prefix: prefix.to_vec(),
            start,
            weights,
        }
    }
}

impl<P: Puzzle, G: Guide<P> + Clone> Search<P> for Nrpa<P, G> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let before = meter.counters().playouts;
        while meter.counters().playouts - before < PLAYOUTS_PER_STEP {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            if self.config.runs > 0
                && self.worker + self.workers * (self.begun - 1) >= self.config.runs
            {
                return Status::Done(StopReason::Finished);
            }
            let prefix = &self.prefix;
            let over = self.nest.advance(
                &self.puzzle,
                &self.guide,
                (&self.start, self.prefix.len()),
                &self.config,
                &mut |game: &Trace<P::Move>| {
                    meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
                    if meter.improves(game.score) {
                        let moves = prefix.iter().chain(&game.moves).copied().collect();
                        meter.offer(Line { score: game.score, moves });
                    }
                },
            );
            if over {
                let number = self.worker + self.workers * self.begun;
                self.begun += 1;
                let rng = Rng::stream(self.seed, number);
                self.nest.restart(rng, &self.weights);
            }
        }
        Status::Going
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        Some(Insight::Policy(self.nest.levels()))
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(self.begun, &self.nest)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (begun, nest) = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.begun = begun;
        self.nest = nest;
        Ok(())
    }
}
