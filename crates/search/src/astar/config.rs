//! The parameters of A*.

use solitree_core::params;
use solitree_core::params::Range;

use crate::bounded::Pace;
use crate::spmcts::{Answer, Control};

params! {
    /// Everything that can be set in A*.
    pub struct AStarConfig {
        /// Whether the budget is spent on the whole game or move by move.
        control ("control"): Control = Control::Game, Range::Choice(Control::WORDS);
        /// With control=move: the expected length of a game, by which the budget is divided.
        game_length ("game-length"): f64 = 64.4, Range::Real(1.0, 1e6);
        /// With control=move: whether the answer is the best line seen or the game as played.
        answer ("answer"): Answer = Answer::Best, Range::Choice(Answer::WORDS);
        /// One position in so many is finished greedily.
        finish ("finish"): u64 = 256, Range::Count(1, 1_000_000_000);
        /// Positions to keep at most; 0 for as many as there is memory for.
        positions ("positions"): u64 = 0, Range::Count(0, 1 << 32);
    }
}

impl AStarConfig {
    pub(super) fn pace(&self) -> Pace {
        let Self { control, game_length, answer, finish, .. } = *self;
        let answer = if control == Control::Move { answer } else { Answer::Best };
        Pace { control, game_length, answer, finish }
    }
}
