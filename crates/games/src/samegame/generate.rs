//! Random boards that stay the same for ever.

use std::fmt;

use solitree_core::Rng;

use super::board::{Board, MAX_COLOURS, MAX_HEIGHT, MAX_WIDTH};

/// Raised whenever the same text would give another board.
pub const GENERATOR_VERSION: u32 = 1;

/// A random board as text: `SEED`, `SEED:WxHxC`, or
/// `SEED:WxHxC;counts=N,N,…` for a board with given numbers of each colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    seed: u64,
    width: usize,
    height: usize,
    colours: usize,
    counts: Option<Vec<usize>>,
}

/// What is wrong with the text of a [`Generator`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeneratorError {
    /// Not a number.
    #[error("'{0}' is not a seed: a whole number below 2^64")]
    Seed(String),
    /// Not three numbers.
    #[error("'{0}' is not a size such as 15x15x5 (width, height, colours)")]
    Size(String),
    /// Out of bounds.
    #[error(
        "{0}: a board is 1 to {MAX_WIDTH} wide, 1 to {MAX_HEIGHT} high and has 1 to {MAX_COLOURS} colours"
    )]
    Bounds(String),
    /// Something else behind the semicolon.
    #[error("'{0}' is not 'counts=N,N,…', one number a colour, {1} blocks in all")]
    Counts(String, usize),
}

impl std::str::FromStr for Generator {
    type Err = GeneratorError;

    fn from_str(text: &str) -> Result<Self, GeneratorError> {
        let (head, counts_text) = match text.split_once(';') {
            Some((head, counts)) => (head, Some(counts)),
            None => (text, None),
        };
        let (seed_text, size_text) = head.split_once(':').unwrap_or((head, "15x15x5"));
        let seed = seed_text.parse().map_err(|_| GeneratorError::Seed(seed_text.to_owned()))?;
        let numbers: Option<Vec<usize>> = size_text.split('x').map(|n| n.parse().ok()).collect();
        let Some(&[width, height, colours]) = numbers.as_deref() else {
            return Err(GeneratorError::Size(size_text.to_owned()));
        };
        if !(1..=MAX_WIDTH).contains(&width)
            || !(1..=MAX_HEIGHT).contains(&height)
            || !(1..=MAX_COLOURS).contains(&colours)
        {
            return Err(GeneratorError::Bounds(size_text.to_owned()));
        }
        let counts = match counts_text {
            None => None,
            Some(counts_text) => {
                let error = || GeneratorError::Counts(counts_text.to_owned(), width * height);
                let list = counts_text.strip_prefix("counts=").ok_or_else(error)?;
                let counts: Option<Vec<usize>> = list.split(',').map(|n| n.parse().ok()).collect();
                let whole = |counts: &Vec<usize>| {
                    let sum = counts.iter().try_fold(0usize, |sum, &n| sum.checked_add(n));
                    counts.len() == colours && sum == Some(width * height)
                };
                Some(counts.filter(whole).ok_or_else(error)?)
            }
        };
        Ok(Generator { seed, width, height, colours, counts })
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}x{}x{}", self.seed, self.width, self.height, self.colours)?;
        if let Some(counts) = &self.counts {
            let list: Vec<String> = counts.iter().map(usize::to_string).collect();
            write!(f, ";counts={}", list.join(","))?;
        }
        Ok(())
    }
}

impl Generator {
    /// The uniform board of a seed, in the papers' size.
    #[must_use]
    pub fn standard(seed: u64) -> Generator {
        Generator { seed, width: 15, height: 15, colours: 5, counts: None }
    }

    /// The board: every cell's colour uniform, or a uniform arrangement of the
    /// given numbers of blocks.
    #[must_use]
    pub fn board(&self) -> Board {
        let mut rng = Rng::new(self.seed);
        let cells: Vec<u8> = match &self.counts {
            None => {
                let colours = self.colours as u32;
                (0..self.width * self.height).map(|_| 1 + rng.below(colours) as u8).collect()
            }
            Some(counts) => {
                let blocks = |(colour, &n)| std::iter::repeat_n(1 + colour as u8, n);
                let mut cells: Vec<u8> = counts.iter().enumerate().flat_map(blocks).collect();
                rng.shuffle(&mut cells);
                cells
            }
        };
        Board::new(self.width, self.height, |x, y| cells[x * self.height + y])
            .expect("the size was checked and every cell is filled")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_gives_the_same_board_for_ever() {
        let board = |text: &str| text.parse::<Generator>().unwrap().board();
        assert_eq!(GENERATOR_VERSION, 1);
        assert_eq!(board("7:6x3x4").to_inline(), "233211/214121/314222");
        assert_eq!(board("7").to_string(), board("7:15x15x5").to_string());
    }

    #[test]
    fn counts_are_kept() {
        let generator: Generator = "3:15x15x5;counts=65,40,40,40,40".parse().unwrap();
        let board = generator.board();
        assert_eq!((1..=5).map(|c| board.count(c)).collect::<Vec<_>>(), [65, 40, 40, 40, 40]);
        assert_eq!(generator.to_string().parse(), Ok(generator));
    }

    #[test]
    fn says_what_is_wrong() {
        let message = |text: &str| text.parse::<Generator>().unwrap_err().to_string();
        assert_eq!(message("x"), "'x' is not a seed: a whole number below 2^64");
        assert_eq!(
            message("1:15x15"),
            "'15x15' is not a size such as 15x15x5 (width, height, colours)"
        );
        assert!(message("1:40x15x5").starts_with("40x15x5: a board is 1 to 32 wide"));
        assert!(message("1:15x15x10").starts_with("15x15x10: a board"));
        let counts = "is not 'counts=N,N,…', one number a colour, 4 blocks in all";
        assert_eq!(message("1:2x2x2;counts=1,2"), format!("'counts=1,2' {counts}"));
        assert_eq!(message("1:2x2x2;n=4"), format!("'n=4' {counts}"));
    }
}
