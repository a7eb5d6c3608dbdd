//! A move: a column and a shape.

use solitree_core::Player;

/// The shape of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// White's, whoever plays it.
    Round,
    /// Red's, whoever plays it.
    Square,
}

impl Shape {
    /// Both.
    pub const ALL: [Shape; 2] = [Shape::Round, Shape::Square];

    /// Whose line of this shape wins.
    #[must_use]
    pub const fn owner(self) -> Player {
        match self {
            Shape::Round => Player::First,
            Shape::Square => Player::Second,
        }
    }

    /// The shape of a player.
    #[must_use]
    pub const fn of(player: Player) -> Shape {
        match player {
            Player::First => Shape::Round,
            Player::Second => Shape::Square,
        }
    }
}

/// A piece of a shape dropped into a column; the colour is the mover's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement(u8);

impl Placement {
    /// A piece of a shape in a column below 128.
    #[inline(always)]
    #[must_use]
    pub const fn new(column: u32, shape: Shape) -> Placement {
        Placement((column as u8) << 1 | shape as u8)
    }

    /// The column, from the left, from 0.
    #[inline(always)]
    #[must_use]
    pub const fn column(self) -> u32 {
        (self.0 >> 1) as u32
    }

    /// The shape.
    #[inline(always)]
    #[must_use]
    pub const fn shape(self) -> Shape {
        if self.0 & 1 == 0 { Shape::Round } else { Shape::Square }
    }
}

/// As in the protocol: `3o` is a round piece in column 3, `12s` a square one in
/// column 12.
impl std::fmt::Display for Placement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letter = match self.shape() {
            Shape::Round => 'o',
            Shape::Square => 's',
        };
        write!(f, "{}{letter}", self.column())
    }
}

impl std::str::FromStr for Placement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{}' is not a move such as 3o or 12s", text.escape_debug());
        let (shape, column) = match text.as_bytes().split_last() {
            Some((b'o', column)) => (Shape::Round, column),
            Some((b's', column)) => (Shape::Square, column),
            _ => return Err(wrong()),
        };
        if column.is_empty() || column.len() > 3 || !column.iter().all(u8::is_ascii_digit) {
            return Err(wrong());
        }
        let number = column.iter().fold(0, |number, &digit| 10 * number + u32::from(digit - b'0'));
        if number < 128 { Ok(Placement::new(number, shape)) } else { Err(wrong()) }
    }
}
