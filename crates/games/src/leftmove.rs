//! Left Move: so many steps, each to the left or to the right, and a point for
//! every step to the left. The answer is plain to see, and a search that
//! learns must find it.
//!
//! # References
//! - T. Cazenave, "Nested Monte-Carlo Search", IJCAI 2009.

use serde::{Deserialize, Serialize};
use solitree_core::{Puzzle, Score, mix};

/// A number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftMove {
    depth: u32,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Worth a point.
    Left,
    /// Worth nothing.
    Right,
}

/// How far the game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    step: u32,
    left: u32,
}

/// A text that is not a number of steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a depth of leftmove: it is a whole number from 1 to {deepest}", deepest = LeftMove::DEEPEST)]
pub struct NotADepth(String);

impl LeftMove {
    /// The most steps there may be.
    pub const DEEPEST: u32 = 10_000;

    /// The game of so many steps, 1 to [`DEEPEST`](LeftMove::DEEPEST).
    #[must_use]
    pub fn new(depth: u32) -> Option<LeftMove> {
        (1..=Self::DEEPEST).contains(&depth).then_some(LeftMove { depth })
    }

    /// The number of steps, which is also the best score.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }
}

/// A hundred steps.
impl Default for LeftMove {
    fn default() -> Self {
        LeftMove { depth: 100 }
    }
}

impl std::str::FromStr for LeftMove {
    type Err = NotADepth;

    fn from_str(text: &str) -> Result<Self, NotADepth> {
        text.parse().ok().and_then(LeftMove::new).ok_or_else(|| NotADepth(text.to_owned()))
    }
}

impl Puzzle for LeftMove {
    type State = State;
    type Move = Side;

    fn start(&self) -> State {
        State { step: 0, left: 0 }
    }

    fn moves(&self, state: &State, out: &mut Vec<Side>) {
        out.clear();
        if state.step < self.depth {
            out.extend([Side::Left, Side::Right]);
        }
    }

    fn play(&self, state: &mut State, mv: Side) {
        state.step += 1;
        state.left += u32::from(mv == Side::Left);
    }

    fn score(&self, state: &State) -> Score {
        Score(i64::from(state.left))
    }

    fn key(&self, state: &State) -> u64 {
        mix(u64::from(state.step))
    }

    fn upper_bound(&self, state: &State) -> Option<Score> {
        Some(Score(i64::from(state.left + self.depth - state.step)))
    }

    fn move_code(&self, state: &State, mv: Side) -> u64 {
        u64::from(state.step) * 2 + mv as u64
    }

    fn move_name(&self, _: &State, mv: Side) -> String {
        match mv {
            Side::Left => "L".to_owned(),
            Side::Right => "R".to_owned(),
        }
    }

    fn max_moves(&self) -> usize {
        self.depth as usize
    }

    fn is_over(&self, state: &State) -> bool {
        state.step >= self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::check::check_puzzle;

    #[test]
    fn it_is_a_puzzle() {
        for depth in [1, 2, 60] {
            check_puzzle(&LeftMove::new(depth).unwrap(), 0..20);
        }
    }

    #[test]
    fn depths_have_a_range() {
        assert_eq!("100".parse(), Ok(LeftMove::default()));
        for text in ["0", "abc", "", "-1", "10001", "99999999999"] {
            let message = text.parse::<LeftMove>().unwrap_err().to_string();
            assert_eq!(
                message,
                format!(
                    "'{text}' is not a depth of leftmove: it is a whole number from 1 to 10000"
                )
            );
        }
    }
}
