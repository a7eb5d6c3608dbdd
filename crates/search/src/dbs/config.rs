//! The parameters of Depth-Budgeted Search.

use solitree_core::params::Range;
use solitree_core::{choice, params};

choice! {
    /// What puts the moves of a position in order.
    pub enum DbsOrder {
        /// What a move pays at once, then what the position it leads to is
        /// worth.
        Gain = "gain",
        /// What the position it leads to is worth.
        Value = "value",
        /// What a greedy playout after it ends with.
        Playout = "playout",
    }
}

params! {
    /// Everything that can be set in Depth-Budgeted Search.
    pub struct DbsConfig {
        /// The share of a move in that of the move before it.
        ratio ("ratio"): f64 = 0.7, Range::Real(0.0, 1.0);
        /// What puts the moves of a position in order.
        order ("order"): DbsOrder = DbsOrder::Playout, Range::Choice(DbsOrder::WORDS);
        /// The budget of a position in the first game; after a game by each variant it is doubled.
        budget ("budget"): f64 = 4.0, Range::Real(1.0, 1e12);
        /// Moves whose share is less than this are not even played out, unless order=playout.
        least ("least"): f64 = 0.0, Range::Real(0.0, 1.0);
    }
}
