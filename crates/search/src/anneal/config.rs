//! The parameters of annealing.

use solitree_core::params::Range;
use solitree_core::{Score, params};

params! {
    /// Everything that can be set in annealing.
    pub struct AnnealConfig {
        /// The temperature that a run begins with, in points: a plan worse by so many is taken with a probability of 1/e.
        hot ("hot"): f64 = 60.0, Range::Real(0.001, 1e9);
        /// The same for one that begins with a line.
        warm ("warm"): f64 = 12.0, Range::Real(0.001, 1e9);
        /// The temperature that it ends with.
        cold ("cold"): f64 = 5.0, Range::Real(0.001, 1e9);
        /// What a plan pays on its way for each thing left undone, a block of SameGame, in points, where the rules say worse.
        price ("price"): u64 = 20, Range::Count(0, 1_000_000_000);
        /// The part of the budget in which every variant is tried by a run of its own.
        first ("first"): f64 = 0.3, Range::Real(0.0, 1.0);
        /// How many runs, by the best variants, the rest of the budget is for.
        runs ("runs"): u64 = 1, Range::Count(1, 1_000_000);
        /// How often a move is inserted, as a weight beside those of the other two changes.
        insert ("insert"): u64 = 60, Range::Count(0, 1_000);
        /// How often a mark is put elsewhere.
        shift ("move"): u64 = 30, Range::Count(0, 1_000);
        /// How often a mark is dropped.
        drop ("drop"): u64 = 10, Range::Count(0, 1_000);
        /// How far a mark is moved at most, three times of four.
        near ("near"): u64 = 8, Range::Count(1, 1_000);
        /// On a GPU: lines that are not alike, which plans begin with again.
        elites ("elites"): u64 = 24, Range::Count(1, 1_000);
        /// On a GPU: how many times as hot, or as cold, as the others some of them begin.
        spread ("spread"): f64 = 2.0, Range::Real(1.0, 1_000.0);
    }
}

impl AnnealConfig {
    /// What a plan pays for each thing left undone.
    pub(super) fn price(&self) -> Score {
        Score(self.price as i64)
    }
}
