//! The boards that have names, and the best scores known of them.

use std::fmt;
use std::sync::OnceLock;

use serde::Deserialize;

use super::board::Board;
use super::generate::{Generator, GeneratorError};
use super::text::BoardTextError;

const STANDARD: &str = include_str!("../../../../data/samegame/standard.txt");
const RECORDS: &str = include_str!("../../../../data/records.toml");

/// The seeds of `r250` are this plus the number of the board.
const R250_SEED: u64 = 250_000;

/// A set of boards with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSet {
    /// The name before the colon.
    pub name: &'static str,
    /// How many boards it has.
    pub len: usize,
    /// What it is.
    pub about: &'static str,
}

/// Every set.
pub const SETS: &[BoardSet] = &[
    BoardSet {
        name: "std",
        len: 20,
        about: "the 20 standard positions of the literature, first published on js-games.de",
    },
    BoardSet {
        name: "r250",
        len: 250,
        about: "250 uniform random 15x15 boards of five colours: the papers' kind of test set",
    },
];

/// A board by name: `std:1`, `r250:17`, `random:SEED[:WxHxC][;counts=…]`, or
/// its rows written out with `/` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardName {
    /// A board of the standard set, from 1.
    Standard(usize),
    /// A board of the random set, from 1.
    Random250(usize),
    /// A board of the generator.
    Random(Generator),
    /// A board written out.
    Inline(Board),
}

/// Why a text names no board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardNameError {
    /// Neither a set nor `random` nor rows.
    #[error(
        "no board is called '{0}': use std:1 to std:20, r250:1 to r250:250, random:SEED[:WxHxC], or rows such as 12/21"
    )]
    Unknown(String),
    /// Not a number of the set.
    #[error("'{number}' is not a board of {set}: it has 1 to {len}")]
    Number {
        /// The name of the set.
        set: &'static str,
        /// What was given.
        number: String,
        /// How many there are.
        len: usize,
    },
    /// A mistake in what follows `random:`.
    #[error("random board: {0}")]
    Random(#[from] GeneratorError),
    /// A mistake in rows.
    #[error("board '{0}': {1}")]
    Inline(String, BoardTextError),
}

impl std::str::FromStr for BoardName {
    type Err = BoardNameError;

    fn from_str(text: &str) -> Result<Self, BoardNameError> {
        if let Some((head, tail)) = text.split_once(':') {
            if head == "random" {
                return Ok(BoardName::Random(tail.parse()?));
            }
            if let Some(set) = SETS.iter().find(|set| set.name == head) {
                let number = tail.parse().ok().filter(|n| (1..=set.len).contains(n));
                return number.and_then(|n| set.board(n)).ok_or_else(|| BoardNameError::Number {
                    set: set.name,
                    number: tail.to_owned(),
                    len: set.len,
                });
            }
        } else if text.contains('/') && !text.contains(['\\', '~']) {
            let rows = text.parse();
            return rows
                .map(BoardName::Inline)
                .map_err(|error| BoardNameError::Inline(text.to_owned(), error));
        }
        Err(BoardNameError::Unknown(text.to_owned()))
    }
}

impl fmt::Display for BoardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardName::Standard(number) => write!(f, "std:{number}"),
            BoardName::Random250(number) => write!(f, "r250:{number}"),
            BoardName::Random(generator) => write!(f, "random:{generator}"),
            BoardName::Inline(board) => f.write_str(&board.to_inline()),
        }
    }
}

impl BoardName {
    /// The board itself.
    #[must_use]
    pub fn board(&self) -> Board {
        match self {
            BoardName::Standard(number) => standard()[number - 1].clone(),
            BoardName::Random250(number) => Generator::standard(R250_SEED + *number as u64).board(),
            BoardName::Random(generator) => generator.board(),
            BoardName::Inline(board) => board.clone(),
        }
    }
}

impl BoardSet {
    /// The set of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static BoardSet> {
        SETS.iter().find(|set| set.name == name)
    }

    /// The board of a number from 1 to [`len`](BoardSet::len).
    #[must_use]
    pub fn board(&self, number: usize) -> Option<BoardName> {
        let name = if self.name == "std" { BoardName::Standard } else { BoardName::Random250 };
        (1..=self.len).contains(&number).then(|| name(number))
    }
}

fn standard() -> &'static [Board] {
    static BOARDS: OnceLock<Vec<Board>> = OnceLock::new();
    BOARDS.get_or_init(|| {
        let rows = STANDARD.split("std:").skip(1).map(|section| {
            let (_number, rows) = section.split_once('\n').unwrap_or_default();
            rows.parse().expect("the boards in the program are well formed")
        });
        rows.collect()
    })
}

/// The best score known of a board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The name of the board.
    pub board: String,
    /// The score under the standard rules.
    pub score: i64,
    /// Where it is from.
    pub source: String,
}

/// The best score known of a board under the standard rules, if any is.
#[must_use]
pub fn record(board: &BoardName) -> Option<&'static Record> {
    #[derive(Deserialize)]
    struct File {
        record: Vec<Record>,
    }
    static RECORD_LIST: OnceLock<Vec<Record>> = OnceLock::new();
    let records = RECORD_LIST.get_or_init(|| {
        let file: File =
            toml::from_str(RECORDS).expect("the records in the program are well formed");
        file.record
    });
    let name = board.to_string();
    records.iter().find(|record| record.board == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_boards_are_as_the_literature_has_them() {
        let boards: Vec<Board> = (1..=20).map(|n| BoardName::Standard(n).board()).collect();
        for (index, board) in boards.iter().enumerate() {
            assert_eq!(
                (board.width(), board.height(), board.blocks()),
                (15, 15, 225),
                "std:{}",
                index + 1
            );
            let mut counts: Vec<usize> = (1..=5).map(|c| board.count(c)).collect();
            counts.sort_unstable();
            match index + 1 {
                11..=15 => assert_eq!(counts, [45; 5]),
                16..=20 => assert_eq!(counts, [40, 40, 40, 40, 65]),
                _ => assert!((46..=62).contains(&counts[4])),
            }
        }
    }

    #[test]
    fn names_read_back() {
        for text in [
            "std:1",
            "std:20",
            "r250:250",
            "random:7:15x15x5",
            "random:7:3x2x2;counts=3,3",
            "12/21",
            "1122/",
        ] {
            assert_eq!(text.parse::<BoardName>().unwrap().to_string(), text);
        }
        assert_eq!("random:7".parse::<BoardName>().unwrap().to_string(), "random:7:15x15x5");
    }

    #[test]
    fn says_what_there_is_instead() {
        let message = |text: &str| text.parse::<BoardName>().unwrap_err().to_string();
        assert_eq!(message("std:21"), "'21' is not a board of std: it has 1 to 20");
        assert_eq!(message("r250:x"), "'x' is not a board of r250: it has 1 to 250");
        assert!(message("sdt:1").starts_with("no board is called 'sdt:1': use std:1"));
        assert_eq!(
            message("random:x"),
            "random board: 'x' is not a seed: a whole number below 2^64"
        );
        assert_eq!(
            message("12/1"),
            "board '12/1': line 1, column 5: this row has 1 cells, the first has 2"
        );
    }

    #[test]
    fn every_standard_board_has_a_record_that_a_cleared_board_can_reach() {
        let records: Vec<&Record> =
            (1..=20).filter_map(|n| record(&BoardName::Standard(n))).collect();
        assert_eq!(records.len(), 20);
        assert!(
            records.iter().all(|record| record.score % 2 == 1),
            "cleared boards score odd totals"
        );
        // What ours are more than the best of all others: boards 7, 9, 12 to 15, 19 and 20.
        let more = [
            3_473 - 3_435,
            5_049 - 5_041,
            4_013 - 3_921,
            3_829 - 3_821,
            3_465 - 3_263,
            4_395 - 4_161,
            5_347 - 5_343,
            5_265 - 5_217,
        ];
        let ours: i64 = more.iter().sum();
        assert_eq!(records.iter().map(|record| record.score).sum::<i64>(), 87_858 + ours);
    }
}
