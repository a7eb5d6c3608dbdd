//! The parameters of NRPA and its family.

use solitree_core::params::Range;
use solitree_core::{Budget, Weights, params};

use crate::method::Request;

/// Playouts a second on a thread that no machine exceeds.
const FASTEST: f64 = 5e6;

params! {
    /// Everything that can be set in NRPA.
    pub struct NrpaConfig {
        /// Levels of nesting above the playouts.
        level ("level"): u64 = 3, Range::Count(1, 8);
        /// Iterations N of each level.
        iterations ("iterations"): u64 = 100, Range::Count(1, 1_000_000);
        /// Learning rate alpha.
        alpha ("alpha"): f64 = 1.0, Range::Real(0.0, 100.0);
        /// Playouts at the lowest level before each adaptation (Stabilised NRPA).
        playouts ("level-playouts"): u64 = 1, Range::Count(1, 1_000);
        /// Pairs of weights and sequence that the lowest level keeps (Beam-NRPA).
        beam ("beam"): u64 = 1, Range::Count(1, 64);
        /// Pairs that the other levels keep.
        beam_above ("beam-above"): u64 = 1, Range::Count(1, 16);
        /// Whether sequences of a beam must differ (Diversity-NRPA).
        diverse ("diverse"): bool = false, Range::Flag;
        /// Whether weights are adapted only when the best sequence has been found or found again.
        lazy ("lazy"): bool = false, Range::Flag;
        /// A level ends when its best sequence has been found again so often (limited repetitions); 0 for never.
        repetitions ("repetitions"): u64 = 0, Range::Count(0, 1_000_000);
        /// Searches to make, each from new weights; 0 for as many as the budget allows.
        runs ("runs"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// With a line to improve: adaptations towards it before a search begins.
        warm ("warm"): u64 = 10, Range::Count(0, 1_000);
    }
}

impl NrpaConfig {
    /// Playouts of one whole search, if it is not cut short.
    fn playouts_of_a_run(&self) -> u64 {
        let above = self.iterations.saturating_mul(self.beam_above);
        let lowest = self.iterations.saturating_mul(self.playouts).saturating_mul(self.beam);
        (1..self.level).fold(lowest, |total, _| total.saturating_mul(above))
    }

    /// Whether there is memory for the weights.
    pub(crate) fn check_memory<M>(&self, request: &Request<'_, M>) -> Result<(), String> {
        let pairs = self.beam + (self.level - 1) * self.beam_above;
        // The pairs, copies of the lowest level's while it chooses, and the
        // weights that every search begins with.
        let tables = pairs + self.beam + 1;
        let bytes = tables * Weights::BYTES * request.threads as u64;
        if bytes > request.memory() {
            return Err(format!(
                "weights for {pairs} pairs on {} threads take {} MiB, and the memory limit is {} MiB",
                request.threads,
                bytes >> 20,
                request.memory() >> 20
            ));
        }
        Ok(())
    }

    /// Whether the settings can work within the budget.
    pub(crate) fn check<M>(&self, request: &Request<'_, M>) -> Result<(), String> {
        self.check_memory(request)?;
        // Less than one iteration of the highest level: the levels above the
        // lowest would never learn anything.
        let one = self.playouts_of_a_run() / self.iterations.max(1);
        let Budget { time, nodes, playouts, .. } = request.budget;
        let in_time = time.map(|time| (time.as_secs_f64() * FASTEST) as u64);
        let threads = request.threads.max(1) as u64;
        let counted = [*nodes, *playouts].into_iter().flatten().map(|all| all / threads);
        if let Some(given) = counted.chain(in_time).min()
            && self.level > 1
            && one > given
        {
            return Err(format!(
                "level {} needs {one} playouts for its first iteration, and the budget has room for {given} a thread: take a lower level, fewer iterations or a larger budget",
                self.level
            ));
        }
        Ok(())
    }
}
