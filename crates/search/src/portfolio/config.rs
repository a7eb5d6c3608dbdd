//! The parameters of the portfolios.

use solitree_core::params::Range;
use solitree_core::{choice, params};

use super::board::Cutting;

choice! {
    /// What repairs lines in the default solver.
    pub enum Repair {
        /// Annealing, where plans outlast changes and no number of playouts is the limit: it
        /// makes ten times as many in a time; else large-neighbourhood search.
        Auto = "auto",
        /// Large-neighbourhood search by NRPA.
        Lns = "lns",
        /// Annealing.
        Anneal = "anneal",
    }
}

params! {
    /// The default solver.
    pub struct PortfolioConfig {
        /// The part of the budget in which every variant is tried once.
        tried ("tried"): f64 = 0.25, Range::Real(0.01, 1.0);
        /// How many slices the whole budget would make after that.
        slices ("slices"): f64 = 10.0, Range::Real(1.0, 10_000.0);
        /// Playouts of a slice at most: several short runs of NRPA find more than a long one.
        longest ("longest"): u64 = 500_000, Range::Count(1_000, 1_000_000_000_000);
        /// Whether refinements of the best variant are tried where there is time.
        refine ("refine"): bool = true, Range::Flag;
        /// The last part of the budget, in which good lines are cut and repaired.
        repairs ("repairs"): f64 = 0.15, Range::Real(0.0, 1.0);
        /// How likely the best arm is to get the next slice; the next best is of the rest, and so on.
        favour ("favour"): f64 = 0.6, Range::Real(0.0, 1.0);
        /// Lines that are kept for repair.
        pool ("pool"): u64 = 8, Range::Count(1, 1_000);
        /// The part of the budget that an exact search gets where games are short; 0 for none.
        proof ("proof"): f64 = 0.2, Range::Real(0.0, 1.0);
        /// Playouts before each adaptation in its runs of NRPA.
        stabilise ("level-playouts"): u64 = 4, Range::Count(1, 100);
        /// What repairs lines: annealing where that is expected to find more, or one of the two in any case.
        repair ("repair"): Repair = Repair::Auto, Range::Choice(Repair::WORDS);
        /// The part of the budget after which everything is annealed, if annealing is what improves lines.
        scouts ("scouts"): f64 = 0.1, Range::Real(0.0, 1.0);
    }
}

params! {
    /// A portfolio after HGSTS.
    pub struct HgstsConfig {
        /// The part of the budget in which every member is tried once with every variant.
        tried ("tried"): f64 = 0.3, Range::Real(0.01, 1.0);
        /// How many slices the whole budget would make after that.
        slices ("slices"): f64 = 30.0, Range::Real(1.0, 10_000.0);
        /// How likely the fittest arm is to get the next slice; the next fittest is of the rest, and so on.
        favour ("favour"): f64 = 0.4, Range::Real(0.0, 1.0);
    }
}

/// The part of the time before annealing in which every variant is tried once.
const TRIED: f64 = 0.8;

impl PortfolioConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let PortfolioConfig { tried, slices, longest, repairs, favour, proof, .. } = *self;
        Cutting { tried, slices, longest: longest as f64, repairs, favour, proof }
    }

    /// The same where the last part of the budget is for annealing.
    pub(super) fn scouting(&self) -> Cutting {
        Cutting { tried: TRIED * self.scouts, repairs: 0.0, ..self.cutting() }
    }
}

impl HgstsConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let HgstsConfig { tried, slices, favour } = *self;
        let (longest, repairs, proof) = (f64::INFINITY, 0.0, 0.0);
        Cutting { tried, slices, longest, repairs, favour, proof }
    }
}
