//! Games finished without chance: always the move that pays most at once.

use solitree_core::{Child, Choice, Evaluator, Guide, Puzzle, Score};

/// Plays greedy games; keeps its memory from one to the next.
pub(crate) struct Greedy<P: Puzzle> {
    children: Vec<Child<P>>,
    choices: Vec<Choice<P::Move>>,
    /// The moves of the last game, from where it began.
    pub(crate) moves: Vec<P::Move>,
}

impl<P: Puzzle> Default for Greedy<P> {
    fn default() -> Self {
        Greedy { children: Vec::new(), choices: Vec::new(), moves: Vec::new() }
    }
}

impl<P: Puzzle> Greedy<P> {
    /// Finishes a game after `played` moves: of the moves the guide offers the
    /// one with the largest gain, the first of equals. Returns the final score.
    pub(crate) fn play<K>(&mut self, puzzle: &P, kit: &K, state: &P::State, played: usize) -> Score
    where
        K: Guide<P> + Evaluator<P>,
    {
        let mut state = state.clone();
        self.moves.clear();
        loop {
            kit.choices(puzzle, &state, played + self.moves.len(), &mut self.choices);
            if self.choices.is_empty() {
                return puzzle.score(&state);
            }
            self.children.clear();
            kit.children(puzzle, &state, &mut self.children);
            let mut best: Option<&Child<P>> = None;
            // Both lists are in the order of the moves, if not of equal length.
            let mut rest = self.children.iter();
            for choice in &self.choices {
                let child = match rest.find(|child| child.mv == choice.mv) {
                    Some(child) => child,
                    None => match self.children.iter().find(|child| child.mv == choice.mv) {
                        Some(child) => child,
                        None => continue,
                    },
                };
                if best.is_none_or(|best| child.score > best.score) {
                    best = Some(child);
                }
            }
            let Some(best) = best else { return puzzle.score(&state) };
            self.moves.push(best.mv);
            state.clone_from(&best.state);
        }
    }
}
