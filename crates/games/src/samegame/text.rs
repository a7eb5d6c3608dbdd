//! Reading boards as people write them.

use super::board::{Board, BoardError, MAX_COLOURS, MAX_HEIGHT, MAX_WIDTH};

/// What is wrong with the text of a board, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextError {
    /// A symbol that is no block.
    #[error("line {line}, column {column}: {what}")]
    Symbol {
        /// The line, from 1.
        line: usize,
        /// The character within the line, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A row longer or shorter than the first.
    #[error("line {line}, column {column}: this row has {found} cells, the first has {expected}")]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// Where the row ends, from 1.
        column: usize,
        /// Its cells.
        found: usize,
        /// The cells of the first row.
        expected: usize,
    },
    /// No rows at all.
    #[error("no rows: a board is lines of digits or letters, the top row first")]
    Empty,
    /// A rectangle that is not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
}

struct Symbol {
    text: char,
    line: usize,
    column: usize,
}

impl Symbol {
    fn error(&self, what: String) -> BoardTextError {
        BoardTextError::Symbol { line: self.line, column: self.column, what }
    }
}

impl std::str::FromStr for Board {
    type Err = BoardTextError;

    /// Reads rows from the top. Blocks are digits or letters, one character a
    /// cell or separated by spaces or commas; `.`, `-`, `_` and `-1` are empty;
    /// `#` starts a comment. If any `0` occurs the colours count from 0, else
    /// from 1. Rows may also be separated by `/`.
    fn from_str(text: &str) -> Result<Board, BoardTextError> {
        let mut rows: Vec<Vec<Symbol>> = Vec::new();
        // Some editors begin a file with a byte-order mark.
        let text = text.trim_start_matches('\u{FEFF}');
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let mut column = 1;
            for part in line.split('/') {
                let row = read_row(part, index + 1, column)?;
                column += part.chars().count() + 1;
                let end = column - 1;
                match rows.first() {
                    _ if row.is_empty() => continue,
                    Some(first) if first.len() != row.len() => {
                        let (found, expected) = (row.len(), first.len());
                        return Err(BoardTextError::Ragged {
                            line: index + 1,
                            column: end,
                            found,
                            expected,
                        });
                    }
                    _ => rows.push(row),
                }
            }
        }
        let (Some(width), height) = (rows.first().map(Vec::len), rows.len()) else {
            return Err(BoardTextError::Empty);
        };
        if width > MAX_WIDTH || height > MAX_HEIGHT {
            return Err(BoardError::Size { width, height }.into());
        }
        let colours = colours(&rows)?;
        Ok(Board::new(width, height, |column, row| colours[height - 1 - row][column])?)
    }
}

fn read_row(part: &str, line: usize, first_column: usize) -> Result<Vec<Symbol>, BoardTextError> {
    let separated = part.contains([' ', ',', '\t', ';']);
    let mut row: Vec<Symbol> = Vec::new();
    let mut token_open = false;
    for (offset, text) in part.chars().enumerate() {
        let symbol = Symbol { text, line, column: first_column + offset };
        if matches!(text, ' ' | ',' | '\t' | ';' | '\r') {
            token_open = false;
            continue;
        }
        if separated && token_open {
            // The one token of two characters: -1 is empty on CodinGame.
            if text == '1' && row.last().is_some_and(|last| last.text == '-') {
                continue;
            }
            return Err(symbol
                .error("cells are separated in this row, but here are two together".to_owned()));
        }
        token_open = true;
        if !text.is_ascii_alphanumeric() && !is_empty(text) {
            return Err(symbol.error(format!("'{text}' is neither a digit, a letter nor '.'")));
        }
        row.push(symbol);
    }
    Ok(row)
}

fn is_empty(symbol: char) -> bool {
    matches!(symbol, '.' | '-' | '_')
}

/// The colours of the symbols, from 1: digits keep their order (and a `0`
/// anywhere makes them count from 0), letters are numbered in alphabetical order.
fn colours(rows: &[Vec<Symbol>]) -> Result<Vec<Vec<u8>>, BoardTextError> {
    let blocks = || rows.iter().flatten().filter(|symbol| !is_empty(symbol.text));
    let digits = blocks().next().is_some_and(|first| first.text.is_ascii_digit());
    if let Some(odd) = blocks().find(|symbol| symbol.text.is_ascii_digit() != digits) {
        return Err(odd.error("digits and letters do not mix in one board".to_owned()));
    }
    let mut letters: Vec<char> = Vec::new();
    if !digits {
        for symbol in blocks() {
            let letter = symbol.text.to_ascii_lowercase();
            if !letters.contains(&letter) {
                letters.push(letter);
                if letters.len() > MAX_COLOURS {
                    return Err(symbol
                        .error(format!("'{letter}' is the tenth colour; at most {MAX_COLOURS}")));
                }
            }
        }
        letters.sort_unstable();
    }
    let from_zero = u8::from(blocks().any(|symbol| symbol.text == '0'));
    let colour = |symbol: &Symbol| {
        if is_empty(symbol.text) {
            return Ok(0);
        }
        if !digits {
            let letter = symbol.text.to_ascii_lowercase();
            return Ok(1 + letters.iter().position(|&l| l == letter).unwrap_or_default() as u8);
        }
        let colour = symbol.text as u8 - b'0' + from_zero;
        if usize::from(colour) > MAX_COLOURS {
            return Err(
                symbol.error(format!("9 beside 0 makes ten colours; at most {MAX_COLOURS}"))
            );
        }
        Ok(colour)
    };
    rows.iter().map(|row| row.iter().map(colour).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Board>().unwrap().to_inline()
    }

    #[test]
    fn understands_the_usual_forms() {
        assert_eq!(canonical("01\n12\n"), "12/23");
        assert_eq!(canonical("12\n23"), "12/23");
        assert_eq!(canonical("# a comment\n 1 2 # and one behind\n\n2,3\r\n"), "12/23");
        assert_eq!(canonical("1, 2\n2, 3"), "12/23");
        assert_eq!(canonical("rg\nGB"), "32/21");
        assert_eq!(canonical("./a\n"), "./1");
        assert_eq!(canonical("1./22"), "1./22");
        assert_eq!(canonical("-1 -1\n0 1"), "../12");
        assert_eq!(canonical("-1 0\n0 1"), ".1/12");
    }

    #[test]
    fn a_printed_board_reads_back() {
        for text in ["12/23", "1./22", "9/", "112233/", "3../31./311"] {
            assert_eq!(canonical(text), text);
        }
    }

    #[test]
    fn names_the_place_of_a_mistake() {
        let message = |text: &str| text.parse::<Board>().unwrap_err().to_string();
        assert_eq!(message("12\n1"), "line 2, column 2: this row has 1 cells, the first has 2");
        assert_eq!(message("12\n1*"), "line 2, column 2: '*' is neither a digit, a letter nor '.'");
        assert_eq!(
            message("12\nab"),
            "line 2, column 1: digits and letters do not mix in one board"
        );
        assert_eq!(message("09"), "line 1, column 2: 9 beside 0 makes ten colours; at most 9");
        assert_eq!(message("abcdefghij"), "line 1, column 10: 'j' is the tenth colour; at most 9");
        assert_eq!(
            message("1 23"),
            "line 1, column 4: cells are separated in this row, but here are two together"
        );
        assert_eq!(
            message("# nothing\n"),
            "no rows: a board is lines of digits or letters, the top row first"
        );
        assert_eq!(
            message(&"1".repeat(40)),
            "a board is 1 to 32 wide and 1 to 16 high; this one is 40x1"
        );
        assert_eq!(message("11/1."), "the block at b2 floats above an empty cell");
    }
}
