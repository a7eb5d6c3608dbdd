//! From a position to what a network sees, and from its answers to moves.
//!
//! A network sees a grid of binary planes. In every cell the same number of
//! planes is set (one colour out of six, one class of group out of some), so
//! that a position is stored and handed on as the numbers of the planes that
//! are set, a byte each, and the first layer of a network adds up rows of a
//! table instead of multiplying by noughts and ones.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use solitree_core::{Puzzle, Rng};

/// The grid of binary planes a network is given.
///
/// Cells are numbered column by column, from the bottom of each: the cell of
/// column `x` and row `y` is `x * height + y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// How many planes there are, at most 255.
    pub planes: usize,
    /// How many planes are set in each cell.
    pub marks: usize,
}

impl Input {
    /// How many cells there are: the size of a policy.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.width * self.height
    }

    /// How many bytes an encoded position has.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cells() * self.marks
    }
}

/// What a network was taught to see, without the size of the board:
/// `GAME/FEATURES/vN`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EncoderId {
    /// The game.
    pub game: String,
    /// Which planes there are.
    pub features: String,
    /// Raised whenever the same position would be encoded otherwise.
    pub version: u32,
}

impl fmt::Display for EncoderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/v{}", self.game, self.features, self.version)
    }
}

/// The text is not the name of an encoder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an encoder such as samegame/colours5/v1")]
pub struct NotAnEncoder(String);

impl FromStr for EncoderId {
    type Err = NotAnEncoder;

    fn from_str(text: &str) -> Result<EncoderId, NotAnEncoder> {
        let parts: Vec<&str> = text.split('/').collect();
        let version = |text: &str| text.strip_prefix('v')?.parse().ok();
        match parts[..] {
            [game, features, number] if !game.is_empty() && !features.is_empty() => {
                let version = version(number).ok_or_else(|| NotAnEncoder(text.to_owned()))?;
                Ok(EncoderId { game: game.to_owned(), features: features.to_owned(), version })
            }
            _ => Err(NotAnEncoder(text.to_owned())),
        }
    }
}

impl TryFrom<String> for EncoderId {
    type Error = NotAnEncoder;

    fn try_from(text: String) -> Result<EncoderId, NotAnEncoder> {
        text.parse()
    }
}

impl From<EncoderId> for String {
    fn from(id: EncoderId) -> String {
        id.to_string()
    }
}

/// Encodes positions of one game on boards of one size.
///
/// A position comes as *contents*, a byte a cell with a meaning of the game's
/// own: small enough to keep millions of them for training.
pub trait Encoder: Send + Sync {
    /// What is encoded, and how.
    fn id(&self) -> EncoderId;

    /// The shape of the planes.
    fn input(&self) -> Input;

    /// Whether the contents are those of a position.
    fn accepts(&self, contents: &[u8]) -> bool;

    /// Writes the numbers of the planes that are set, [`Input::marks`] a cell.
    fn encode(&self, contents: &[u8], marks: &mut [u8]);

    /// Replaces the contents of `out` by the cells that stand for legal moves,
    /// in ascending order.
    fn legal(&self, contents: &[u8], out: &mut Vec<u16>);

    /// Turns a position and moves in it into a randomly drawn twin: another
    /// position that the rules cannot tell apart. Games without symmetries
    /// leave everything as it is.
    fn twin(&self, contents: &mut [u8], moves: &mut [u16], rng: &mut Rng) {
        let _ = (contents, moves, rng);
    }
}

/// Knows the positions and moves of a puzzle.
pub trait PuzzleEncoder<P: Puzzle>: Encoder {
    /// Writes the contents of a position, a byte a cell.
    fn contents(&self, puzzle: &P, state: &P::State, out: &mut [u8]);

    /// The cell that stands for a move.
    fn index(&self, puzzle: &P, state: &P::State, mv: P::Move) -> u16;

    /// The same of a move as [`Puzzle::moves`] lists it, which may be faster.
    fn legal_index(&self, puzzle: &P, state: &P::State, mv: P::Move) -> u16 {
        self.index(puzzle, state, mv)
    }

    /// The legal move that a cell stands for, if it is one.
    fn move_at(&self, puzzle: &P, state: &P::State, index: u16) -> Option<P::Move>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_and_parse() {
        let text = "samegame/colours5+groups/v2";
        let id: EncoderId = text.parse().unwrap();
        assert_eq!((id.game.as_str(), id.version), ("samegame", 2));
        assert_eq!(id.to_string(), text);
        for wrong in
            ["", "samegame", "samegame/colours5", "samegame/colours5/2", "//v1", "a/b/v1/c"]
        {
            let error = wrong.parse::<EncoderId>().unwrap_err().to_string();
            assert_eq!(error, format!("'{wrong}' is not an encoder such as samegame/colours5/v1"));
        }
    }
}
