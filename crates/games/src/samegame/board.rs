//! A board as people write it: a rectangle of coloured blocks.

use std::fmt;

/// The widest board.
pub const MAX_WIDTH: usize = 32;
/// The highest board.
pub const MAX_HEIGHT: usize = 16;
/// The most colours.
pub const MAX_COLOURS: usize = 9;

/// A settled rectangle of blocks: nothing floats, and empty columns are all on
/// the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    width: usize,
    height: usize,
    /// Colours 1 to 9, or 0 for empty, column by column from the bottom.
    cells: Vec<u8>,
}

/// Why a rectangle is not a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Too large, or empty.
    #[error(
        "a board is 1 to {MAX_WIDTH} wide and 1 to {MAX_HEIGHT} high; this one is {width}x{height}"
    )]
    Size {
        /// How wide it is.
        width: usize,
        /// How high it is.
        height: usize,
    },
    /// A block with nothing under it.
    #[error("the block at {0} floats above an empty cell")]
    Floating(Cell),
    /// An empty column with blocks to the right of it.
    #[error("column {} is empty but has blocks to its right", column_name(*.0))]
    Gap(usize),
}

/// A cell of a board, which in a move stands for the group that covers it.
///
/// It prints as a column letter (`a` to `z`, then `aa` to `af`) and a row
/// number from the bottom: `a1` is the lowest left cell.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Cell(u16);

impl Cell {
    /// The cell of a column from the left and a row from the bottom, both from
    /// 0; it must lie within the largest board.
    #[must_use]
    pub fn new(column: usize, row: usize) -> Cell {
        debug_assert!(column < MAX_WIDTH && row < MAX_HEIGHT);
        Cell((column * MAX_HEIGHT + row) as u16)
    }

    /// The cell whose bit in a plane has this number.
    #[inline(always)]
    #[must_use]
    pub const fn from_bit(bit: u32) -> Cell {
        Cell(bit as u16)
    }

    /// The number of its bit in a plane: sixteen to a column.
    #[inline(always)]
    #[must_use]
    pub const fn bit(self) -> u32 {
        self.0 as u32
    }

    /// The column from the left, from 0.
    #[must_use]
    pub const fn column(self) -> usize {
        self.0 as usize / MAX_HEIGHT
    }

    /// The row from the bottom, from 0.
    #[must_use]
    pub const fn row(self) -> usize {
        self.0 as usize % MAX_HEIGHT
    }
}

fn column_name(column: usize) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    if column < 26 { letter(column).to_string() } else { format!("a{}", letter(column - 26)) }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_name(self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Cell {
    type Err = NotACell;

    fn from_str(text: &str) -> Result<Cell, NotACell> {
        let digits = text.find(|c: char| c.is_ascii_digit()).ok_or(NotACell)?;
        let (letters, number) = text.split_at(digits);
        let letters = letters.to_ascii_lowercase();
        let column =
            (0..MAX_WIDTH).find(|&column| column_name(column) == letters).ok_or(NotACell)?;
        let row: usize = number.parse().map_err(|_| NotACell)?;
        if number.starts_with('0') || !(1..=MAX_HEIGHT).contains(&row) {
            return Err(NotACell);
        }
        Ok(Cell::new(column, row - 1))
    }
}

/// The text does not name a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cell such as a1 or k12")]
pub struct NotACell;

impl Board {
    /// A board from a function of column and row (from the bottom) that gives
    /// colours 1 to 9, or 0 for empty.
    pub fn new(
        width: usize,
        height: usize,
        mut colour: impl FnMut(usize, usize) -> u8,
    ) -> Result<Board, BoardError> {
        if !(1..=MAX_WIDTH).contains(&width) || !(1..=MAX_HEIGHT).contains(&height) {
            return Err(BoardError::Size { width, height });
        }
        let mut cells = Vec::with_capacity(width * height);
        for column in 0..width {
            for row in 0..height {
                let colour = colour(column, row);
                assert!(usize::from(colour) <= MAX_COLOURS, "colours are 1 to {MAX_COLOURS}");
                cells.push(colour);
            }
        }
        let board = Board { width, height, cells };
        board.check_settled()?;
        Ok(board)
    }

    fn check_settled(&self) -> Result<(), BoardError> {
        let mut empty_column = None;
        for column in 0..self.width {
            match (self.colour(column, 0), empty_column) {
                (0, None) => empty_column = Some(column),
                (1.., Some(empty)) => return Err(BoardError::Gap(empty)),
                _ => {}
            }
            for row in 1..self.height {
                if self.colour(column, row) != 0 && self.colour(column, row - 1) == 0 {
                    return Err(BoardError::Floating(Cell::new(column, row)));
                }
            }
        }
        Ok(())
    }

    /// How many columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour at a column and a row from the bottom: 1 to 9, 0 for empty.
    #[must_use]
    pub fn colour(&self, column: usize, row: usize) -> u8 {
        self.cells[column * self.height + row]
    }

    /// The highest colour on the board.
    #[must_use]
    pub fn colours(&self) -> usize {
        usize::from(self.cells.iter().copied().max().unwrap_or(0))
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.cells.iter().filter(|&&colour| colour != 0).count()
    }

    /// How many blocks of a colour there are.
    #[must_use]
    pub fn count(&self, colour: u8) -> usize {
        self.cells.iter().filter(|&&c| c == colour).count()
    }

    /// The board in one word: rows from the top, `/` between them (and behind a
    /// single one), colours from 1, `.` for empty.
    #[must_use]
    pub fn to_inline(&self) -> String {
        let rows = self.to_string().replace('\n', "/");
        if self.height == 1 { rows } else { rows.trim_end_matches('/').to_owned() }
    }
}

/// The board in the canonical text form, one line a row, the top row first.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.height).rev() {
            for column in 0..self.width {
                match self.colour(column, row) {
                    0 => f.write_str(".")?,
                    colour => write!(f, "{colour}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_names() {
        for (column, row, name) in
            [(0, 0, "a1"), (14, 14, "o15"), (25, 0, "z1"), (26, 3, "aa4"), (31, 15, "af16")]
        {
            assert_eq!(Cell::new(column, row).to_string(), name);
            assert_eq!(name.parse(), Ok(Cell::new(column, row)));
        }
        for name in ["", "a", "1", "a0", "a17", "ag1", "b2x", "a01", "é1"] {
            assert_eq!(name.parse::<Cell>(), Err(NotACell), "{name}");
        }
    }

    #[test]
    fn refuses_what_is_not_settled() {
        let from = |rows: [&str; 2]| {
            Board::new(3, 2, |column, row| match rows[1 - row].as_bytes()[column] {
                b'.' => 0,
                digit => digit - b'0',
            })
        };
        assert!(from(["1..", "12."]).is_ok());
        assert_eq!(
            from(["1..", ".2."]).unwrap_err().to_string(),
            "the block at a2 floats above an empty cell"
        );
        assert_eq!(from(["...", "1.2"]).unwrap_err(), BoardError::Gap(1));
        assert!(matches!(Board::new(33, 2, |_, _| 1), Err(BoardError::Size { .. })));
        assert!(matches!(Board::new(0, 2, |_, _| 1), Err(BoardError::Size { .. })));
    }
}
