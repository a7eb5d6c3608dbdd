//! How promising a position looks, without playing it out.

use crate::{Puzzle, Score};

/// A position one move on.
#[derive(Clone, Debug)]
pub struct Child<P: Puzzle> {
    /// The move that leads to it.
    pub mv: P::Move,
    /// The position.
    pub state: P::State,
    /// Its [`Puzzle::key`].
    pub key: u64,
    /// Its [`Puzzle::score`].
    pub score: Score,
    /// How promising it is.
    pub value: f32,
    /// Whether no move is left in it.
    pub over: bool,
}

/// What a domain, or a network, thinks of positions. Asked in batches.
pub trait Evaluator<P: Puzzle>: Send + Sync {
    /// Replaces the contents of `out` by a value for each position; more is
    /// better, in points of the puzzle.
    fn evaluate(&self, puzzle: &P, states: &[P::State], out: &mut Vec<f32>) {
        out.clear();
        out.extend(states.iter().map(|state| puzzle.score(state).as_f64() as f32));
    }

    /// How far the game has come, by the domain's own measure: it grows with
    /// every move, by more with some than with others. None where there is no
    /// better measure than the moves played.
    fn progress(&self, puzzle: &P, state: &P::State) -> Option<usize> {
        let _ = (puzzle, state);
        None
    }

    /// Adds to `out` every position one move on, in the order of the moves.
    /// Domains override it with the same positions found faster.
    fn children(&self, puzzle: &P, state: &P::State, out: &mut Vec<Child<P>>) {
        let mut legal = Vec::new();
        puzzle.moves(state, &mut legal);
        let begin = out.len();
        let mut states = Vec::with_capacity(legal.len());
        for mv in legal {
            let mut state = state.clone();
            puzzle.play(&mut state, mv);
            states.push(state.clone());
            let (key, score) = (puzzle.key(&state), puzzle.score(&state));
            let over = puzzle.is_over(&state);
            out.push(Child { mv, state, key, score, value: 0.0, over });
        }
        let mut values = Vec::new();
        self.evaluate(puzzle, &states, &mut values);
        for (child, value) in out[begin..].iter_mut().zip(values) {
            child.value = value;
        }
    }
}
