//! The parameters of the portfolios.

use solitree_core::params;
use solitree_core::params::Range;

use super::board::Cutting;

params! {
    /// The default solver.
    pub struct PortfolioConfig {
        /// Playouts of the first slices of the budget; each later one is larger.
        first ("first-slice"): u64 = 8_000, Range::Count(1, 1_000_000_000);
        /// How much larger each slice is than the one before.
        growth ("growth"): f64 = 1.15, Range::Real(1.0, 10.0);
        /// The part of the slices in which good lines are cut and repaired.
        repairs ("repairs"): f64 = 0.3, Range::Real(0.0, 1.0);
        /// How likely the best arm is to get the next slice; the next best is of the rest, and so on.
        favour ("favour"): f64 = 0.5, Range::Real(0.0, 1.0);
        /// Lines that are kept for repair.
        pool ("pool"): u64 = 8, Range::Count(1, 1_000);
        /// Playouts before each adaptation in its runs of NRPA.
        stabilise ("level-playouts"): u64 = 4, Range::Count(1, 100);
    }
}

params! {
    /// A portfolio after HGSTS.
    pub struct HgstsConfig {
        /// Playouts of the first slices of the budget; each later one is larger.
        first ("first-slice"): u64 = 8_000, Range::Count(1, 1_000_000_000);
        /// How much larger each slice is than the one before.
        growth ("growth"): f64 = 1.1, Range::Real(1.0, 10.0);
        /// How likely the fittest arm is to get the next slice; the next fittest is of the rest, and so on.
        favour ("favour"): f64 = 0.4, Range::Real(0.0, 1.0);
    }
}

impl PortfolioConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let PortfolioConfig { first, growth, repairs, favour, .. } = *self;
        Cutting { first, growth, repairs, favour }
    }
}

impl HgstsConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let HgstsConfig { first, growth, favour } = *self;
        Cutting { first, growth, repairs: 0.0, favour }
    }
}
