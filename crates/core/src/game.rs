//! The two-player sibling of a puzzle.

use std::fmt::Debug;
use std::hash::Hash;

use crate::Rng;

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

    /// Plays a legal move that is known not to end the game.
    #[inline]
    fn replay(&self, state: &mut Self::State, mv: Self::Move) {
        self.play(state, mv);
    }

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

    /// The legal move that a text names, if there is one.
    fn parse_move(&self, state: &Self::State, name: &str) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.into_iter().find(|&mv| self.move_name(state, mv) == name)
    }

    /// Finishes a game in some manner.
    fn finish(&self, state: &Self::State, manner: Manner, rng: &mut Rng) -> Outcome {
        self.play_out(&mut state.clone(), manner, rng)
    }

    /// The same, and leaves a position from which
    /// [`played_between`](Game::played_between) tells the moves that were played; it is
    /// of no other use. What is left of a game that is decided need not be among them.
    fn play_out(&self, state: &mut Self::State, manner: Manner, rng: &mut Rng) -> Outcome {
        let mut moves = Vec::new();
        loop {
            if let Some(outcome) = self.outcome(state) {
                return outcome;
            }
            match manner {
                Manner::Random => self.moves(state, &mut moves),
                Manner::Decisive => match self.winning_move(state) {
                    Some(_) => return Outcome::Won(self.to_move(state)),
                    None => self.moves(state, &mut moves),
                },
                Manner::Careful => match self.look_ahead(state, &mut moves) {
                    Sight::Won(_) => return Outcome::Won(self.to_move(state)),
                    Sight::Lost => return Outcome::Won(self.to_move(state).other()),
                    Sight::Open => {}
                },
            }
            let mv = moves[rng.below(moves.len() as u32) as usize];
            self.play(state, mv);
        }
    }

    /// A move that wins at once, if there is one.
    fn winning_move(&self, state: &Self::State) -> Option<Self::Move> {
        let won = Some(Outcome::Won(self.to_move(state)));
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.into_iter().find(|&mv| {
            let mut next = state.clone();
            self.play(&mut next, mv);
            self.outcome(&next) == won
        })
    }

    /// Looks two moves ahead in a game that is not over. If it is open, the
    /// contents of `out` are replaced by the moves that neither lose at once nor
    /// let the opponent win at once, in the order of [`moves`](Game::moves).
    fn look_ahead(&self, state: &Self::State, out: &mut Vec<Self::Move>) -> Sight<Self::Move> {
        if let Some(mv) = self.winning_move(state) {
            return Sight::Won(mv);
        }
        self.moves(state, out);
        out.retain(|&mv| {
            let mut next = state.clone();
            self.play(&mut next, mv);
            match self.outcome(&next) {
                Some(outcome) => outcome == Outcome::Draw,
                None => self.winning_move(&next).is_none(),
            }
        });
        if out.is_empty() { Sight::Lost } else { Sight::Open }
    }

    /// Replaces the contents of `out` by the moves that a player should look at
    /// early in a game, by what is known of it: some of the legal ones, and at
    /// least one of them unless the game is over.
    fn early_moves(&self, state: &Self::State, out: &mut Vec<Self::Move>) {
        self.moves(state, out);
    }

    /// How many moves have been played.
    fn played(&self, state: &Self::State) -> usize;

    /// How good a position looks to the player who has just moved, from 0 to 1, by
    /// what is known of the game; none if nothing is.
    fn impression(&self, _: &Self::State) -> Option<f32> {
        None
    }

    /// Moves that are the same whenever they are played have one code: how many
    /// codes there are, 0 if the game knows of none.
    fn codes(&self) -> usize {
        0
    }

    /// The code of a legal move of a game that has codes, below their number.
    fn code(&self, _: &Self::State, _: Self::Move) -> usize {
        0
    }

    /// Says of every move by which one position became another who made it and its
    /// code, in any order, in a game that has codes.
    fn played_between(
        &self,
        _before: &Self::State,
        _after: &Self::State,
        _tell: impl FnMut(Player, usize),
    ) {
    }
}

/// How the moves of a playout are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manner {
    /// All alike.
    Random,
    /// A move that wins at once if there is one, otherwise all alike.
    Decisive,
    /// The same, and no move that lets the opponent win at once if there is
    /// another.
    Careful,
}

/// What a look two moves ahead shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight<M> {
    /// This move wins at once.
    Won(M),
    /// Whatever is played, the opponent has won at once or can.
    Lost,
    /// Neither.
    Open,
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
