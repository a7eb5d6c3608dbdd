//! Morpion Solitaire: on a cross of points, add a point and draw a line of
//! four or five through it, again and again. The score is the number of moves.
//!
//! All points of a line but the new one must be there already. Two lines of
//! one direction may share an end in the touching games (T), and no point in
//! the disjoint ones (D). [`Morpion`] is the puzzle that the searches play, and
//! [`plain`] the same game written the obvious way.
//!
//! The sheet has 56 by 56 cells with the cross in the middle, so that lines may
//! reach 23 cells beyond it; the records stay far within.
//!
//! # References
//! - E.D. Demaine, M.L. Demaine, A. Langerman, S. Langerman, "Morpion
//!   Solitaire", Theory of Computing Systems 39, 2006.
//! - C. Boyer, morpionsolitaire.com: the records.

mod kit;
pub mod plain;
mod sheet;
mod stroke;
mod variant;

use solitree_core::{Puzzle, Score, mix};

pub use kit::MorpionKit;
pub use stroke::{Direction, NotAStroke, SHEET, Stroke};
pub use variant::{Best, NotAVariant, Variant};

use sheet::{Sheet, Tables};

/// One of the four games.
#[derive(Clone, Debug)]
pub struct Morpion {
    variant: Variant,
    tables: &'static Tables,
    start: State,
}

/// A position.
#[derive(Clone, Debug)]
pub struct State {
    sheet: Sheet,
    /// The legal moves, oldest first.
    legal: Vec<Stroke>,
    played: u32,
    key: u64,
}

impl State {
    /// The legal moves in the order in which they came to be: the same for the
    /// same game, another for the same position reached otherwise.
    #[must_use]
    pub fn legal(&self) -> &[Stroke] {
        &self.legal
    }
}

impl Morpion {
    /// The game of a variant.
    #[must_use]
    pub fn new(variant: Variant) -> Morpion {
        let tables = Tables::of(variant);
        let sheet = Sheet::new(variant);
        let start = State { legal: sheet.strokes(tables), sheet, played: 0, key: 0 };
        Morpion { variant, tables, start }
    }

    /// Which of the games it is.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }
}

impl Puzzle for Morpion {
    type State = State;
    type Move = Stroke;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn moves(&self, state: &State, out: &mut Vec<Stroke>) {
        out.clear();
        out.extend_from_slice(&state.legal);
        out.sort_unstable();
    }

    /// A move ends some of the legal ones and adds those through its point.
    #[inline]
    fn play(&self, state: &mut State, mv: Stroke) {
        debug_assert!(state.legal.contains(&mv), "{mv} is not a legal move");
        let State { sheet, legal, played, key } = state;
        legal.retain(|&stroke| self.tables.remains(stroke, mv));
        sheet.draw(self.tables, mv, |stroke| legal.push(stroke));
        *played += 1;
        // The lines drawn say which points there are.
        *key ^= mix(u64::from(mv.line()) + 1);
    }

    fn score(&self, state: &State) -> Score {
        Score(i64::from(state.played))
    }

    fn key(&self, state: &State) -> u64 {
        state.key
    }

    fn upper_bound(&self, state: &State) -> Option<Score> {
        let over = state.legal.is_empty();
        Some(if over { self.score(state) } else { Score(self.variant.longest() as i64) })
    }

    fn move_code(&self, _: &State, mv: Stroke) -> u64 {
        u64::from(mv.0)
    }

    fn move_name(&self, _: &State, mv: Stroke) -> String {
        mv.to_string()
    }

    fn parse_move(&self, state: &State, name: &str) -> Option<Stroke> {
        name.parse().ok().filter(|stroke| state.legal.contains(stroke))
    }

    fn max_moves(&self) -> usize {
        self.variant.longest()
    }

    fn is_over(&self, state: &State) -> bool {
        state.legal.is_empty()
    }
}
