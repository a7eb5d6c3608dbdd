//! The solver as a search of its own.

use solitree_core::{Puzzle, Score};

use super::solver::SavedSolver;
use super::{Outcome, Solver};
use crate::bounded::{Engine, Host, Progress};

/// Branch and bound from one position.
pub(super) struct BranchAndBound<P: Puzzle> {
    solver: Solver<P>,
}

impl<P: Puzzle> BranchAndBound<P> {
    pub(super) fn new(puzzle: &P, entries: u64, turn: (u64, u64)) -> Self {
        BranchAndBound { solver: Solver::turned(puzzle, entries, turn) }
    }
}

impl<P: Puzzle, K> Engine<P, K> for BranchAndBound<P> {
    fn begin(&mut self, puzzle: &P, root: &P::State) {
        self.solver.begin(puzzle, root, Score::MIN);
    }

    fn expand(&mut self, puzzle: &P, _: &K, host: &mut Host<P::Move>) -> Progress {
        self.solver.raise(host.floor);
        host.expands(|| self.solver.ahead());
        let outcome = self.solver.expand(puzzle);
        if let Some(score) = self.solver.best()
            && score > host.floor
        {
            host.found(score, self.solver.moves().to_vec());
        }
        match outcome {
            None => Progress::Going,
            Some(Outcome::GaveUp(_)) => Progress::Ended,
            Some(Outcome::Optimal(_) | Outcome::NotAbove) => Progress::Proven,
        }
    }

    fn position(&self, _: &P, path: &mut Vec<P::Move>) -> P::State {
        self.solver.position(path)
    }

    fn depth(&self) -> usize {
        self.solver.depth()
    }

    fn choice(&self) -> Option<P::Move> {
        self.solver.moves().first().copied()
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.solver.save()).unwrap_or_default()
    }

    fn load(&mut self, puzzle: &P, _: &K, root: &P::State, bytes: &[u8]) -> Result<(), String> {
        let saved: SavedSolver<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        self.solver.load(puzzle, root, saved)
    }
}
