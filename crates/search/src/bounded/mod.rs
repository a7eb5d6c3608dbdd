//! What searches that are led by an upper bound have in common: a depth-first
//! stack that can stop anywhere, greedy playouts, and the loop that spends a
//! budget on a game or on each of its moves.

mod dive;
mod driver;

use solitree_core::{Child, Puzzle, Score};

pub(crate) use dive::{Dive, Rank};
pub(crate) use driver::{Driver, Engine, Host, Pace, Progress};

/// More than every score a puzzle can pay: the bound of a position without one.
pub(crate) const UNBOUNDED: Score = Score(i64::MAX / 4);

/// Adds to `out` every position one move on, in the order of the moves, without
/// asking what it is worth.
pub(crate) fn children<P: Puzzle>(
    puzzle: &P,
    state: &P::State,
    legal: &mut Vec<P::Move>,
    out: &mut Vec<Child<P>>,
) {
    puzzle.moves(state, legal);
    out.extend(legal.iter().map(|&mv| {
        let mut state = state.clone();
        puzzle.play(&mut state, mv);
        let (key, score, over) = (puzzle.key(&state), puzzle.score(&state), puzzle.is_over(&state));
        Child { mv, state, key, score, value: 0.0, over }
    }));
}
