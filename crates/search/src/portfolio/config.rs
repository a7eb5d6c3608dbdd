//! The parameters of the portfolios.

use solitree_core::params::Range;
use solitree_core::{choice, params};

use super::board::Cutting;

choice! {
    /// What the default solver is made of.
    pub enum MadeOf {
        /// Annealing, where plans outlast changes and no number of playouts is the limit;
        /// else NRPA, which makes more of each playout and has a tenth as many in a time.
        Auto = "auto",
        /// NRPA, and repairs by it.
        Nrpa = "nrpa",
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
        /// What it is made of: annealing where that is expected to find more, or one of the two in any case.
        made_of ("made-of"): MadeOf = MadeOf::Auto, Range::Choice(MadeOf::WORDS);
        /// Runs of annealing by each thread after every variant has been tried.
        runs ("runs"): u64 = 1, Range::Count(1, 10_000);
        /// The last part of the budget, in which good lines are annealed again at a lower temperature.
        reheats ("reheats"): f64 = 0.3, Range::Real(0.0, 1.0);
        /// How many runs that is for each thread.
        reheat_runs ("reheat-runs"): u64 = 4, Range::Count(1, 10_000);
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

impl PortfolioConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let PortfolioConfig { tried, slices, longest, repairs, favour, proof, .. } = *self;
        let longest = longest as f64;
        Cutting { tried, slices, longest, repairs, repair_slices: slices, favour, proof }
    }

    /// The same where slices are annealing runs, of so many threads.
    pub(super) fn annealing(&self, threads: usize) -> Cutting {
        let PortfolioConfig { tried, reheats, favour, proof, .. } = *self;
        let each = |runs: u64, part: f64| runs as f64 * threads as f64 / part.max(0.01);
        let slices = each(self.runs, 1.0 - tried - reheats);
        let repair_slices = each(self.reheat_runs, reheats);
        let longest = f64::INFINITY;
        Cutting { tried, slices, longest, repairs: reheats, repair_slices, favour, proof }
    }
}

impl HgstsConfig {
    pub(super) fn cutting(&self) -> Cutting {
        let HgstsConfig { tried, slices, favour } = *self;
        let longest = f64::INFINITY;
        let repair_slices = slices;
        Cutting { tried, slices, longest, repairs: 0.0, repair_slices, favour, proof: 0.0 }
    }
}
