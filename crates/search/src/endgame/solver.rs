//! The search itself, for whoever has a position to solve.

use serde::{Deserialize, Serialize};
use solitree_core::{PlainKit, Puzzle, Score};

use super::table::Table;
use crate::bounded::{Dive, Rank, UNBOUNDED};

/// What became of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The final score of the best game from here; [`Solver::moves`] are its
    /// moves.
    Optimal(Score),
    /// No game from here ends above the floor.
    NotAbove,
    /// Not known: there were too many positions. With a score, the best game
    /// found that ends above the floor; [`Solver::moves`] are its moves.
    GaveUp(Option<Score>),
}

/// An open position, beside what the stack knows of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Mark {
    key: u64,
    score: Score,
    /// The most that a game through the moves behind us can end with.
    most: Score,
    /// Positions expanded before this one.
    before: u64,
}

/// Finds the best game from a position, or shows that there is none worth
/// having. It keeps its memory and all it learned about positions from one call
/// to the next, so one solver serves one puzzle; [`clear`](Solver::clear) makes
/// it forget.
pub struct Solver<P: Puzzle> {
    dive: Dive<P>,
    marks: Vec<Mark>,
    table: Table,
    /// No game at or below this is wanted.
    floor: Score,
    best: Option<Score>,
    moves: Vec<P::Move>,
    /// What the root can earn at most, and its key and points.
    bound: Score,
    root: (u64, Score),
    expanded: u64,
}

/// What is written down of a search in progress.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub(super) struct SavedSolver<M> {
    cursors: Vec<u32>,
    marks: Vec<Mark>,
    table: Table,
    floor: Score,
    best: Option<Score>,
    moves: Vec<M>,
    expanded: u64,
}

impl<P: Puzzle> Solver<P> {
    /// A solver for a puzzle, with a table of at most so many entries (of 16
    /// bytes).
    #[must_use]
    pub fn new(puzzle: &P, entries: u64) -> Self {
        Self::turned(puzzle, entries, (0, 1))
    }

    /// The same with another part of the root's moves first: this of so many.
    pub(super) fn turned(puzzle: &P, entries: u64, turn: (u64, u64)) -> Self {
        let start = puzzle.start();
        let mut solver = Solver {
            dive: Dive::new(start.clone(), Rank::Bound, turn),
            marks: Vec::new(),
            table: Table::new(entries),
            floor: Score::MIN,
            best: None,
            moves: Vec::new(),
            bound: UNBOUNDED,
            root: (0, Score(0)),
            expanded: 0,
        };
        solver.begin(puzzle, &start, Score::MIN);
        solver
    }

    /// Forgets what it learned about positions.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The moves of the best game found by the last call, from its position.
    #[must_use]
    pub fn moves(&self) -> &[P::Move] {
        &self.moves
    }

    /// Positions expanded by the last call.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Searches for the best game from a position that ends above a floor,
    /// points so far included, and gives up after so many expanded positions.
    pub fn solve(&mut self, puzzle: &P, state: &P::State, floor: Score, max_nodes: u64) -> Outcome {
        self.begin(puzzle, state, floor);
        if self.bound <= floor {
            return Outcome::NotAbove;
        }
        if puzzle.is_over(state) {
            let score = puzzle.score(state);
            return if score > floor { Outcome::Optimal(score) } else { Outcome::NotAbove };
        }
        while self.expanded < max_nodes {
            if let Some(outcome) = self.expand(puzzle) {
                return outcome;
            }
        }
        Outcome::GaveUp(self.best)
    }

    /// Begins at a position.
    pub(super) fn begin(&mut self, puzzle: &P, state: &P::State, floor: Score) {
        let (key, score) = (puzzle.key(state), puzzle.score(state));
        self.root = (key, score);
        self.bound = puzzle.upper_bound(state).unwrap_or(UNBOUNDED);
        if let Some(most) = self.table.get(key) {
            self.bound = self.bound.min(score + most);
        }
        self.dive.begin(state, self.bound);
        self.marks.clear();
        self.floor = floor;
        self.best = None;
        self.moves.clear();
        self.expanded = 0;
    }

    /// The best score found since the beginning, above the floor.
    pub(super) fn best(&self) -> Option<Score> {
        self.best
    }

    /// Says that a game with this score is known.
    pub(super) fn raise(&mut self, floor: Score) {
        self.floor = self.floor.max(floor);
    }

    /// The position to be expanded next: the root's move before it, its depth and its
    /// points; none for the root.
    pub(super) fn ahead(&self) -> Option<(P::Move, usize, Score)> {
        self.dive.ahead()
    }

    /// Expands one position; the outcome when there is none left.
    pub(super) fn expand(&mut self, puzzle: &P) -> Option<Outcome> {
        let (key, score) = match self.dive.current() {
            Some((child, _)) => (child.key, child.score),
            None => self.root,
        };
        self.dive.open(puzzle, &PlainKit);
        self.marks.push(Mark { key, score, most: Score::MIN, before: self.expanded });
        self.expanded += 1;
        // On to the next position worth expanding.
        while let Some(mark) = self.marks.last_mut() {
            let Some((child, bound)) = self.dive.current() else {
                let Mark { key, score, most, before } = *mark;
                self.table.put(key, most - score, self.expanded - before);
                self.marks.pop();
                self.dive.close();
                if let Some(parent) = self.marks.last_mut() {
                    parent.most = parent.most.max(most);
                }
                continue;
            };
            if child.over {
                let (mv, score) = (child.mv, child.score);
                mark.most = mark.most.max(score);
                if score > self.floor {
                    self.floor = score;
                    self.best = Some(score);
                    self.dive.path(&mut self.moves);
                    self.moves.push(mv);
                }
            } else {
                let mut most = bound;
                if most > self.floor
                    && let Some(known) = self.table.get(child.key)
                {
                    most = most.min(child.score + known);
                }
                if most > self.floor {
                    return None;
                }
                mark.most = mark.most.max(most);
            }
            self.dive.skip();
        }
        Some(self.best.map_or(Outcome::NotAbove, Outcome::Optimal))
    }

    /// The position expanded last and the moves that lead there.
    pub(super) fn position(&self, path: &mut Vec<P::Move>) -> P::State {
        self.dive.path(path);
        self.dive.state().clone()
    }

    /// How many moves lead there.
    pub(super) fn depth(&self) -> usize {
        self.dive.depth().saturating_sub(1)
    }

    pub(super) fn save(&self) -> SavedSolver<P::Move> {
        SavedSolver {
            cursors: self.dive.cursors(),
            marks: self.marks.clone(),
            table: self.table.clone(),
            floor: self.floor,
            best: self.best,
            moves: self.moves.clone(),
            expanded: self.expanded,
        }
    }

    pub(super) fn load(
        &mut self,
        puzzle: &P,
        root: &P::State,
        saved: SavedSolver<P::Move>,
    ) -> Result<(), String> {
        let SavedSolver { cursors, marks, table, floor, best, moves, expanded } = saved;
        if marks.len() != cursors.len() {
            return Err(format!("{} positions, {} marks", cursors.len(), marks.len()));
        }
        // The bound at the time: the table knew nothing of the root yet.
        self.table.clear();
        self.begin(puzzle, root, floor);
        self.dive.restore(puzzle, &PlainKit, &cursors, |_| {})?;
        (self.marks, self.table, self.best, self.moves) = (marks, table, best, moves);
        self.expanded = expanded;
        Ok(())
    }
}
