//! The size of a game: board, line and supplies.

use serde::{Deserialize, Serialize};

/// Everything that can be set. Both players get the same supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// Rows of the board.
    pub rows: u32,
    /// Columns of the board.
    pub cols: u32,
    /// How many in a line win.
    pub line: u32,
    /// Round pieces of each player.
    pub rounds: u32,
    /// Square pieces of each player.
    pub squares: u32,
}

impl Layout {
    /// The base board of the competition.
    pub const BASE: Layout = Layout { rows: 6, cols: 7, line: 4, rounds: 10, squares: 11 };
}

impl Default for Layout {
    fn default() -> Self {
        Layout::BASE
    }
}

/// Why there is no such game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A number that must be positive is zero.
    #[error("{what} must be at least 1")]
    Zero {
        /// Which.
        what: &'static str,
    },
    /// Neither side is long enough for a line.
    #[error("a line of {line} does not fit on a board of {rows} x {cols}")]
    LineTooLong {
        /// Its length.
        line: u32,
        /// Rows of the board.
        rows: u32,
        /// Columns of the board.
        cols: u32,
    },
    /// The board does not fit.
    #[error("a board of {rows} x {cols} is too large: at most {most} cells, a row more counted")]
    TooLarge {
        /// Its rows.
        rows: u32,
        /// Its columns.
        cols: u32,
        /// What there is room for.
        most: u32,
    },
    /// There are no pieces.
    #[error("there must be at least one piece")]
    NoPieces,
    /// More pieces than can be counted.
    #[error("{given} pieces of a shape are too many: at most {}", u16::MAX)]
    TooManyPieces {
        /// How many were asked for.
        given: u32,
    },
}

impl Layout {
    /// The largest number of columns: a move is a byte.
    pub const MOST_COLUMNS: u32 = 120;

    /// Checks everything but whether there is room for it in some number of bits.
    pub fn check(self) -> Result<Layout, LayoutError> {
        let Layout { rows, cols, line, rounds, squares } = self;
        for (number, what) in [(rows, "rows"), (cols, "columns"), (line, "line")] {
            if number == 0 {
                return Err(LayoutError::Zero { what });
            }
        }
        if line > rows.max(cols) {
            return Err(LayoutError::LineTooLong { line, rows, cols });
        }
        if let Some(given) = [rounds, squares].into_iter().find(|&n| n > u32::from(u16::MAX)) {
            return Err(LayoutError::TooManyPieces { given });
        }
        if rounds + squares == 0 {
            return Err(LayoutError::NoPieces);
        }
        if rows > 1_000 || cols > Layout::MOST_COLUMNS {
            return Err(LayoutError::TooLarge { rows, cols, most: 24 * 64 });
        }
        Ok(self)
    }

    /// The longest a game can be.
    #[must_use]
    pub fn max_moves(self) -> usize {
        (self.rows * self.cols).min(2 * (self.rounds + self.squares)) as usize
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Layout { rows, cols, line, rounds, squares } = self;
        write!(f, "{rows}x{cols}, {line} in a line, {rounds} rounds and {squares} squares each")
    }
}
