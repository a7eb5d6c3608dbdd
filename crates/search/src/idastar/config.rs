//! The parameters of IDA*.

use solitree_core::params::Range;
use solitree_core::{choice, params};

use crate::bounded::{Pace, Rank};
use crate::spmcts::{Answer, Control};

choice! {
    /// The order in which the moves of a position are searched.
    pub enum MoveOrder {
        /// As the puzzle lists them: the authors' program.
        Moves = "moves",
        /// The highest bound first.
        Bound = "bound",
    }
}

impl MoveOrder {
    pub(super) fn rank(self) -> Rank {
        match self {
            MoveOrder::Moves => Rank::Moves,
            MoveOrder::Bound => Rank::Bound,
        }
    }
}

params! {
    /// Everything that can be set in IDA*.
    pub struct IdaStarConfig {
        /// Whether the budget is spent on the whole game or move by move.
        control ("control"): Control = Control::Move, Range::Choice(Control::WORDS);
        /// With control=move: the expected length of a game, by which the budget is divided.
        game_length ("game-length"): f64 = 64.4, Range::Real(1.0, 1e6);
        /// With control=move: whether the answer is the best line seen or the game as played.
        answer ("answer"): Answer = Answer::Best, Range::Choice(Answer::WORDS);
        /// The order in which the moves of a position are searched.
        order ("order"): MoveOrder = MoveOrder::Moves, Range::Choice(MoveOrder::WORDS);
        /// One position in so many is finished greedily.
        finish ("finish"): u64 = 256, Range::Count(1, 1_000_000_000);
    }
}

impl IdaStarConfig {
    pub(super) fn pace(&self) -> Pace {
        let Self { control, game_length, answer, finish, .. } = *self;
        let answer = if control == Control::Move { answer } else { Answer::Best };
        Pace { control, game_length, answer, finish }
    }
}
