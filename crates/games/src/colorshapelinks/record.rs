//! Games as they are recorded, one JSON object a line.

use serde::{Deserialize, Serialize};
use solitree_core::{Outcome, Player};

use super::plain::{LineOf, PlainGame, Refusal};
use super::{Layout, LayoutError, Placement, Shape};

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedGame {
    /// Board, line and supplies.
    #[serde(flatten)]
    pub layout: Layout,
    /// The moves, such as `3o`.
    pub moves: Vec<String>,
    /// `W`, `R` or `D`.
    pub result: String,
    /// By which line: `o` or `s` of a shape, `W` or `R` of a colour.
    #[serde(default)]
    pub by: Option<String>,
}

/// Why a recorded game does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is no such board.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A move that cannot be read.
    #[error("move {number}: {what}")]
    Unreadable {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A move that is not legal.
    #[error("move {number} ({name}): {refusal}")]
    Illegal {
        /// Which, from 1.
        number: usize,
        /// The move.
        name: String,
        /// Why.
        refusal: Refusal,
    },
    /// It ended otherwise than it says.
    #[error("says {said}, but it is {found}")]
    Result {
        /// What the record says.
        said: String,
        /// What it is.
        found: String,
    },
}

impl RecordedGame {
    /// Plays it under the plain rules, and compares the result.
    pub fn replay(&self) -> Result<PlainGame, ReplayError> {
        let mut game = PlainGame::new(self.layout)?;
        for (index, name) in self.moves.iter().enumerate() {
            let number = index + 1;
            let mv: Placement =
                name.parse().map_err(|what| ReplayError::Unreadable { number, what })?;
            game.play(mv).map_err(|refusal| ReplayError::Illegal {
                number,
                name: name.clone(),
                refusal,
            })?;
        }
        let result = match game.outcome() {
            Some(Outcome::Won(Player::First)) => "W",
            Some(Outcome::Won(Player::Second)) => "R",
            Some(Outcome::Draw) => "D",
            None => "not over",
        };
        let by = game.line().map(|line| match line {
            LineOf::Shape(Shape::Round) => "o",
            LineOf::Shape(Shape::Square) => "s",
            LineOf::Colour(Player::First) => "W",
            LineOf::Colour(Player::Second) => "R",
        });
        let told = |result: &str, by: Option<&str>| match by {
            Some(by) => format!("{result} by {by}"),
            None => result.to_owned(),
        };
        let said_by = self.by.as_deref().filter(|by| !by.is_empty());
        if self.result != result || said_by.is_some() && said_by != by {
            let (said, found) = (told(&self.result, said_by), told(result, by));
            return Err(ReplayError::Result { said, found });
        }
        Ok(game)
    }
}
