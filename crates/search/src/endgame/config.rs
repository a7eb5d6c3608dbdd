//! The parameters of branch and bound.

use solitree_core::params;
use solitree_core::params::Range;

params! {
    /// Everything that can be set in branch and bound.
    pub struct BranchAndBoundConfig {
        /// Entries of the transposition table of each worker, as far as there is memory for them.
        table ("table"): u64 = 1 << 20, Range::Count(0, 1 << 32);
        /// One position in so many is finished greedily.
        finish ("finish"): u64 = 256, Range::Count(1, 1_000_000_000);
    }
}
