//! Plans: lists of decisions that are followed as far as they can be.
//!
//! A *plan* is a list of marks. A mark names a decision in whatever position it is
//! met, so that a plan still says something after one of its marks has been changed:
//! marks that have come to mean nothing are skipped. Searches that change plans bit by
//! bit ask a domain for [`Plans`] through its kit.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Puzzle, Rng, Score};

/// How plans are followed in one puzzle.
///
/// A value belongs to one searcher, so that it may keep memory between calls. What its
/// methods do depends on their arguments alone.
pub trait Plans<P: Puzzle>: Send {
    /// A position, with what following a plan needs to know of it.
    type Spot: Clone + Send;
    /// What names a decision, as small as it can be.
    type Mark: Copy + PartialEq + Debug + Send + Serialize + DeserializeOwned + 'static;

    /// Whether marks outlast changes: most of a plan still says something, and much the
    /// same, after one of its marks has been changed.
    const STEADY: bool = false;

    /// The starting position.
    fn start(&mut self) -> Self::Spot;

    /// Plays the move that a mark names here; `false`, and nothing changed, if it
    /// names none.
    fn follow(&mut self, spot: &mut Self::Spot, mark: Self::Mark) -> bool;

    /// The same as [`follow`](Plans::follow), with the knowledge of what the mark did
    /// elsewhere: it led from `before` to `after`. Where little has changed since, that
    /// may be the quicker way.
    fn follow_again(
        &mut self,
        spot: &mut Self::Spot,
        mark: Self::Mark,
        before: &Self::Spot,
        after: &Self::Spot,
    ) -> bool {
        let _ = (before, after);
        self.follow(spot, mark)
    }

    /// Plays a random move as games are finished once their plan has ended, and returns
    /// its mark; none if the game is over.
    fn draw(&mut self, spot: &mut Self::Spot, rng: &mut Rng) -> Option<Self::Mark>;

    /// Plays a random move to be inserted into a plan, and returns its mark; none if the
    /// game is over.
    fn stray(&mut self, spot: &mut Self::Spot, rng: &mut Rng) -> Option<Self::Mark> {
        self.draw(spot, rng)
    }

    /// Whether the rest of the game is the same from both, the points so far apart:
    /// every mark does the same, and earns the same.
    fn same(&self, one: &Self::Spot, other: &Self::Spot) -> bool;

    /// The points so far.
    fn points(&self, spot: &Self::Spot) -> Score;

    /// Adds to the points so far: of two spots that are the same, one becomes the other.
    fn pay(&self, spot: &mut Self::Spot, points: Score);

    /// The score of a game that is over.
    fn score(&self, spot: &Self::Spot) -> Score;

    /// What a game that is over with this score is worth on the way to better ones, never
    /// less than the score: things that are left undone cost `price` points each, where the
    /// rules say worse. So a search may pass through games that nobody would want to end with.
    fn worth(&self, spot: &Self::Spot, score: Score, price: Score) -> Score {
        let _ = (spot, price);
        score
    }

    /// The mark of a legal move.
    fn mark(&self, spot: &Self::Spot, mv: P::Move) -> Self::Mark;

    /// The moves, from the start, of marks that can all be followed.
    fn line(&mut self, marks: &[Self::Mark]) -> Vec<P::Move>;
}

/// Plans for any puzzle: a mark is a move code ([`Puzzle::move_code`]), and random
/// moves are drawn from all alike.
#[derive(Clone, Debug)]
pub struct CodePlans<P: Puzzle> {
    puzzle: P,
    /// Kept for its memory.
    legal: Vec<P::Move>,
}

/// A position of [`CodePlans`].
#[derive(Clone, Debug)]
pub struct CodeSpot<S> {
    state: S,
    key: u64,
    /// Points beside those of the state.
    paid: Score,
}

impl<P: Puzzle> CodePlans<P> {
    /// Plans for a puzzle.
    #[must_use]
    pub fn new(puzzle: &P) -> Self {
        CodePlans { puzzle: puzzle.clone(), legal: Vec::new() }
    }

    /// The legal move with a code, the first if there are several.
    fn named(&mut self, state: &P::State, code: u64) -> Option<P::Move> {
        self.puzzle.moves(state, &mut self.legal);
        self.legal.iter().copied().find(|&mv| self.puzzle.move_code(state, mv) == code)
    }

    fn play(&self, spot: &mut CodeSpot<P::State>, mv: P::Move) {
        self.puzzle.play(&mut spot.state, mv);
        spot.key = self.puzzle.key(&spot.state);
    }
}

impl<P: Puzzle> Plans<P> for CodePlans<P> {
    type Spot = CodeSpot<P::State>;
    type Mark = u64;

    fn start(&mut self) -> Self::Spot {
        let state = self.puzzle.start();
        CodeSpot { key: self.puzzle.key(&state), state, paid: Score(0) }
    }

    fn follow(&mut self, spot: &mut Self::Spot, mark: u64) -> bool {
        let Some(mv) = self.named(&spot.state, mark) else { return false };
        self.play(spot, mv);
        true
    }

    fn draw(&mut self, spot: &mut Self::Spot, rng: &mut Rng) -> Option<u64> {
        self.puzzle.moves(&spot.state, &mut self.legal);
        let &drawn = self.legal.get(rng.below(self.legal.len() as u32) as usize)?;
        let code = self.puzzle.move_code(&spot.state, drawn);
        // Where moves share a code, the one that the code will name.
        let mv = self.named(&spot.state, code)?;
        self.play(spot, mv);
        Some(code)
    }

    fn same(&self, one: &Self::Spot, other: &Self::Spot) -> bool {
        one.key == other.key
    }

    fn points(&self, spot: &Self::Spot) -> Score {
        self.puzzle.score(&spot.state) + spot.paid
    }

    fn pay(&self, spot: &mut Self::Spot, points: Score) {
        spot.paid += points;
    }

    fn score(&self, spot: &Self::Spot) -> Score {
        self.points(spot)
    }

    fn mark(&self, spot: &Self::Spot, mv: P::Move) -> u64 {
        self.puzzle.move_code(&spot.state, mv)
    }

    fn line(&mut self, marks: &[u64]) -> Vec<P::Move> {
        let mut state = self.puzzle.start();
        let mut moves = Vec::with_capacity(marks.len());
        for &mark in marks {
            let Some(mv) = self.named(&state, mark) else { break };
            self.puzzle.play(&mut state, mv);
            moves.push(mv);
        }
        moves
    }
}
