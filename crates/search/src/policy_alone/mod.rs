//! A trained policy by itself, without a search.
//!
//! The first game is played by the likeliest move of every position: `--playouts 1`
//! shows what the policy has learnt. In the games after it every move is drawn by its
//! probability, many games side by side. The answer is the best game.
//!
//! # References
//! - A. Seify, M. Buro, "Single-Agent Optimization Through Policy Iteration Using
//!   Monte-Carlo Tree Search", 2020: what the policy alone can do is measured so.

mod config;
mod method;

use std::sync::Arc;

use solitree_core::{Counters, Job, Kit, Line, Puzzle, Rng, StopReason, UniformPolicy};

pub use config::PolicyAloneConfig;

use crate::method::Request;
use crate::opinions::Opinions;
use crate::{Meter, Search, Status};

/// The part of the memory in which is kept what the policy said.
const SHARE: u64 = 8;

/// One worker: one batch of games after another.
pub struct PolicyAlone<P: Puzzle, K> {
    puzzle: P,
    kit: K,
    batch: usize,
    /// What the policy said, shared by all threads.
    opinions: Arc<Opinions>,
    rng: Rng,
    /// Whether the game of the likeliest moves is this worker's, and still to be played.
    plainly: bool,
}

impl<P: Puzzle, K: Kit<P>> PolicyAlone<P, K> {
    /// The workers of a run, one a thread, each with games of its own.
    pub fn workers(
        puzzle: &P,
        kit: &K,
        config: &PolicyAloneConfig,
        request: &Request<'_, P::Move>,
    ) -> Vec<Self> {
        let opinions = Arc::new(Opinions::new(request.memory() / SHARE));
        let preferred = kit.policy().unwrap_or(&UniformPolicy).preferred_batch();
        let batch = if config.batch > 0 { config.batch as usize } else { preferred };
        let make = |worker| PolicyAlone {
            puzzle: puzzle.clone(),
            kit: kit.clone(),
            batch,
            opinions: Arc::clone(&opinions),
            rng: Rng::stream(request.seed, worker),
            plainly: worker == 0,
        };
        (0..request.threads.max(1) as u64).map(make).collect()
    }

    /// The game of the likeliest moves; of equally likely ones the first.
    fn likeliest(&self) -> Line<P::Move> {
        let policy = self.kit.policy().unwrap_or(&UniformPolicy);
        let (mut state, mut line) = (self.puzzle.start(), Vec::new());
        loop {
            let mut moves = Vec::new();
            self.puzzle.moves(&state, &mut moves);
            if moves.is_empty() {
                return Line { score: self.puzzle.score(&state), moves: line };
            }
            let found = [(state, moves)];
            let priors = self.opinions.ask(&self.puzzle, policy, &found);
            let [(position, moves)] = found;
            let better = |&a: &usize, &b: &usize| priors[0][a].total_cmp(&priors[0][b]);
            let best = (0..moves.len()).rev().max_by(better).unwrap_or(0);
            state = position;
            self.puzzle.play(&mut state, moves[best]);
            line.push(moves[best]);
        }
    }

    /// Games whose moves are drawn.
    fn drawn(&mut self, count: usize) -> Vec<Job<P>> {
        let policy = self.kit.policy().unwrap_or(&UniformPolicy);
        let start = self.puzzle.start();
        let mut jobs: Vec<Job<P>> =
            (0..count).map(|_| Job::new(start.clone(), self.rng.next_u64())).collect();
        self.opinions.play_out(&self.puzzle, policy, &mut jobs);
        jobs
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for PolicyAlone<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let start = self.puzzle.start();
        if self.puzzle.is_over(&start) {
            meter.offer(Line { score: self.puzzle.score(&start), moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        }
        if let Some(reason) = meter.stop() {
            return Status::Done(reason);
        }
        let (nodes, playouts) = meter.allowance();
        let room = usize::try_from(nodes.min(playouts)).unwrap_or(usize::MAX);
        let played = if std::mem::take(&mut self.plainly) {
            meter.offer(self.likeliest());
            1
        } else {
            let jobs = self.drawn(self.batch.min(room));
            let count = jobs.len();
            for Job { score, moves, .. } in jobs {
                if meter.improves(score) {
                    meter.offer(Line { score, moves });
                }
            }
            count as u64
        };
        meter.count(Counters { playouts: played, spent: played, ..Counters::default() });
        Status::Going
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.rng, self.plainly)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        (self.rng, self.plainly) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        Ok(())
    }
}
