//! ColorShapeLinks: four in a row with two kinds of lines.
//!
//! White and Red drop pieces into columns. A piece has its player's colour and a
//! shape that the player chooses, while he has one left: round, which is White's,
//! or square, which is Red's, whoever plays it. A line of one shape wins for the
//! shape's owner, otherwise a line of one colour for the colour's; so one can
//! lose by one's own move.
//!
//! # References
//! - N. Fachada, "ColorShapeLinks: a board game AI competition for educators and
//!   students", Computers and Education: Artificial Intelligence 2 (2021).
//! - K. Oppenhuis, "Variants of Monte Carlo Tree Search in the game
//!   ColorShapeLinks", bachelor thesis, Leiden University (2022).

mod bits;
mod board;
mod layout;
mod placement;
pub mod plain;
mod playouts;
mod record;
mod tactics;

pub use board::{ColorShapeLinks, State};
pub use layout::{Layout, LayoutError};
pub use placement::{Placement, Shape};
pub use record::{RecordedGame, ReplayError};

/// Boards of at most 64 bits with a row to spare: the base board among them.
pub type SmallGame = ColorShapeLinks<1>;
/// Boards of a few words: those of the competition.
pub type MediumGame = ColorShapeLinks<8>;
/// Boards up to 33 x 42 and somewhat beyond.
pub type LargeGame = ColorShapeLinks<24>;

/// A game on a board of any size.
#[derive(Clone, Debug)]
pub enum AnyGame {
    /// In one word.
    Small(SmallGame),
    /// In a few.
    Medium(Box<MediumGame>),
    /// In many.
    Large(Box<LargeGame>),
}

impl AnyGame {
    /// The game of a layout, in as few words as it fits.
    pub fn new(layout: Layout) -> Result<AnyGame, LayoutError> {
        let fits = |error: &LayoutError| !matches!(error, LayoutError::TooLarge { .. });
        match SmallGame::new(layout) {
            Ok(game) => return Ok(AnyGame::Small(game)),
            Err(error) if fits(&error) => return Err(error),
            Err(_) => {}
        }
        match MediumGame::new(layout) {
            Ok(game) => Ok(AnyGame::Medium(Box::new(game))),
            Err(_) => Ok(AnyGame::Large(Box::new(LargeGame::new(layout)?))),
        }
    }
}
