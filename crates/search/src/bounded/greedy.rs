//! Games finished without chance: always the move that pays most at once.

use solitree_core::{Choice, Guide, Puzzle, Score};

/// Plays greedy games; keeps its memory from one to the next.
pub(crate) struct Greedy<P: Puzzle> {
    choices: Vec<Choice<P::Move>>,
    /// The moves of the last game, from where it began.
    pub(crate) moves: Vec<P::Move>,
}

impl<P: Puzzle> Default for Greedy<P> {
    fn default() -> Self {
        Greedy { choices: Vec::new(), moves: Vec::new() }
    }
}

impl<P: Puzzle> Greedy<P> {
    /// Finishes a game after `played` moves: of the moves the guide offers the
    /// one with the largest gain, the first of equals. Returns the final score.
    pub(crate) fn play<G>(
        &mut self,
        puzzle: &P,
        guide: &G,
        state: &P::State,
        played: usize,
    ) -> Score
    where
        G: Guide<P>,
    {
        let mut state = state.clone();
        self.moves.clear();
        loop {
            guide.choices(puzzle, &state, played + self.moves.len(), &mut self.choices);
            let mut best: Option<(Score, P::Move, P::State)> = None;
            for choice in &self.choices {
                let mut next = state.clone();
                puzzle.play(&mut next, choice.mv);
                let score = puzzle.score(&next);
                if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                    best = Some((score, choice.mv, next));
                }
            }
            let Some((_, mv, next)) = best else { return puzzle.score(&state) };
            self.moves.push(mv);
            state = next;
        }
    }
}
