//! The parameters of large-neighbourhood search.

use solitree_core::params;
use solitree_core::params::Range;

use crate::nrpa::NrpaConfig;

params! {
    /// Everything that can be set in large-neighbourhood search.
    pub struct LnsConfig {
        /// Lines that are kept and improved.
        pool ("pool"): u64 = 8, Range::Count(1, 1_000);
        /// Levels of the search that finds the first lines.
        first_level ("first-level"): u64 = 2, Range::Count(1, 5);
        /// Iterations of each level of that search.
        first_iterations ("first-iterations"): u64 = 100, Range::Count(1, 100_000);
        /// Levels of the search that repairs a line.
        level ("level"): u64 = 2, Range::Count(1, 4);
        /// Iterations of each level of that search.
        iterations ("iterations"): u64 = 15, Range::Count(1, 100_000);
        /// Playouts before each adaptation there.
        stabilise ("level-playouts"): u64 = 4, Range::Count(1, 100);
        /// A level of that search ends when it has found its best sequence again so often; 0 for never.
        repetitions ("repetitions"): u64 = 0, Range::Count(0, 1_000_000);
        /// Adaptations towards the old line before a repair.
        warm ("warm"): u64 = 5, Range::Count(0, 100);
        /// Learning rate alpha.
        alpha ("alpha"): f64 = 1.0, Range::Real(0.0, 100.0);
        /// The longest part of a line that is kept, as a share of its length.
        longest ("longest"): f64 = 0.8, Range::Real(0.0, 1.0);
    }
}

impl LnsConfig {
    /// The search for first lines.
    pub(super) fn first(&self) -> NrpaConfig {
        NrpaConfig {
            level: self.first_level,
            iterations: self.first_iterations,
            alpha: self.alpha,
            ..NrpaConfig::default()
        }
    }

    /// The search that repairs a line.
    pub(super) fn repair(&self) -> NrpaConfig {
        NrpaConfig {
            level: self.level,
            iterations: self.iterations,
            playouts: self.stabilise,
            repetitions: self.repetitions,
            alpha: self.alpha,
            ..NrpaConfig::default()
        }
    }
}
