//! The parameters of NRPA with a policy.

use solitree_core::params;
use solitree_core::params::Range;

use crate::nrpa::NrpaConfig;

params! {
    /// Everything that can be set in NRPA with a policy.
    pub struct PolicyNrpaConfig {
        /// How much the policy counts: its probabilities are raised to this power; 0 for not at all.
        favour ("favour"): f64 = 1.0, Range::Real(0.0, 10.0);
        /// Levels of nesting above the playouts.
        level ("level"): u64 = 3, Range::Count(1, 8);
        /// Iterations N of each level.
        iterations ("iterations"): u64 = 50, Range::Count(1, 1_000_000);
        /// Learning rate alpha.
        alpha ("alpha"): f64 = 1.0, Range::Real(0.0, 100.0);
        /// Playouts at the lowest level before each adaptation (Stabilised NRPA).
        playouts ("level-playouts"): u64 = 4, Range::Count(1, 1_000);
        /// Searches to make, each from new weights; 0 for as many as the budget allows.
        runs ("runs"): u64 = 0, Range::Count(0, 1_000_000_000);
    }
}

impl PolicyNrpaConfig {
    /// The part that any NRPA has.
    pub(super) fn engine(&self) -> NrpaConfig {
        NrpaConfig {
            level: self.level,
            iterations: self.iterations,
            alpha: self.alpha,
            playouts: self.playouts,
            runs: self.runs,
            ..NrpaConfig::default()
        }
    }
}
