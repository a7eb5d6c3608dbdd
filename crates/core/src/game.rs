//! The two-player sibling of a puzzle.

use std::fmt::Debug;
use std::hash::Hash;

/// Whose move it is, or who has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// The player who moves first.
    First,
    /// The other one.
    Second,
}

impl Player {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One player has won.
    Won(Player),
    /// Nobody has.
    Draw,
}

impl Outcome {
    /// What the outcome is worth to a player: 1 for a win, 0.5 for a draw, 0.
    #[must_use]
    pub fn value_for(self, player: Player) -> f64 {
        match self {
            Outcome::Won(winner) if winner == player => 1.0,
            Outcome::Won(_) => 0.0,
            Outcome::Draw => 0.5,
        }
    }
}

/// A deterministic two-player game with perfect information, the sibling of
/// [`Puzzle`](crate::Puzzle): instance and position are apart in the same way.
pub trait Game: Clone + Send + Sync {
    /// A position, without the rules.
    type State: Clone + Send + Sync;
    /// A move, as small as it can be.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;

    /// The starting position.
    fn start(&self) -> Self::State;

    /// Replaces the contents of `out` by the legal moves in a fixed order;
    /// leaves it empty if and only if the game is over.
    fn moves(&self, state: &Self::State, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&self, state: &mut Self::State, mv: Self::Move);

    /// Who moves next in a game that is not over.
    fn to_move(&self, state: &Self::State) -> Player;

    /// The result, once the game is over.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// A 64-bit key of the position, the player to move included.
    fn key(&self, state: &Self::State) -> u64;

    /// The move in the notation people read.
    fn move_name(&self, state: &Self::State, mv: Self::Move) -> String;

    /// The longest a game can be, in moves.
    fn max_moves(&self) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_worth_the_same_to_both_together() {
        for outcome in [Outcome::Won(Player::First), Outcome::Won(Player::Second), Outcome::Draw] {
            let total = outcome.value_for(Player::First) + outcome.value_for(Player::First.other());
            assert_eq!(total, 1.0);
        }
    }
}
