//! What a puzzle is.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Score;

/// A deterministic one-player game with a score to maximise.
///
/// The value that implements this trait is one *instance*: its rules and its
/// starting position. Positions are a separate, cheaply copied type, so that a
/// search can keep millions of them without carrying the rules along.
///
/// Methods with a default need not be written; a domain overrides them when it
/// knows better.
pub trait Puzzle: Clone + Send + Sync {
    /// A position, without the rules.
    type State: Clone + Send + Sync;
    /// A move, as small as it can be: searches store one in every node.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static;

    /// The starting position.
    fn start(&self) -> Self::State;

    /// Replaces the contents of `out` by the legal moves, in a fixed order and
    /// without repeats; leaves it empty if and only if the game is over.
    fn moves(&self, state: &Self::State, out: &mut Vec<Self::Move>);

    /// Plays a legal move. That it is legal is the caller's promise: see
    /// [`replay`] for moves from outside.
    fn play(&self, state: &mut Self::State, mv: Self::Move);

    /// The points earned so far, and in a finished game the final score with
    /// every bonus and penalty.
    fn score(&self, state: &Self::State) -> Score;

    /// A 64-bit key of the position alone: equal positions have equal keys
    /// whatever the moves and points that led there.
    fn key(&self, state: &Self::State) -> u64;

    /// A score that no game through this position can exceed.
    fn upper_bound(&self, state: &Self::State) -> Option<Score> {
        let _ = state;
        None
    }

    /// A number that stands for the same decision in different positions, for
    /// searches that learn weights of moves.
    fn move_code(&self, state: &Self::State, mv: Self::Move) -> u64;

    /// The move in the notation people read.
    fn move_name(&self, state: &Self::State, mv: Self::Move) -> String;

    /// The legal move that a text names, if there is one. Domains may accept
    /// several names of one move.
    fn parse_move(&self, state: &Self::State, name: &str) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.into_iter().find(|&mv| self.move_name(state, mv) == name)
    }

    /// The longest a game can be, in moves.
    fn max_moves(&self) -> usize;

    /// Whether no move is left.
    fn is_over(&self, state: &Self::State) -> bool {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.is_empty()
    }
}

/// A sequence of moves from the start of a puzzle and the score it ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Line<M> {
    /// The final score, bonus and penalties included.
    pub score: Score,
    /// Every move from the starting position to the end.
    pub moves: Vec<M>,
}

/// The first move of a sequence that the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {} ({name}) is not legal here", index + 1)]
pub struct IllegalMove {
    /// Its place in the sequence, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
}

/// Plays moves from the start, checking each against the legal moves.
pub fn replay<P: Puzzle>(puzzle: &P, moves: &[P::Move]) -> Result<P::State, IllegalMove> {
    let mut state = puzzle.start();
    let mut legal = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        puzzle.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(IllegalMove { index, name: format!("{mv:?}") });
        }
        puzzle.play(&mut state, mv);
    }
    Ok(state)
}
