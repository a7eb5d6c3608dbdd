//! One bit for every cell of a board: the unit the fast engine computes with.
//!
//! A plane has sixteen bits a column, the lowest bit the bottom row, four
//! columns a 64-bit word. A board is a few planes that together spell the
//! colour of each cell in binary, 0 for empty. [`Plane`] is what the kernels
//! need of such a bit set; it is implemented on plain words here, and on AVX2
//! and AVX-512 registers in the files beside this one.

/// A bit set with one bit for every cell; `W` words.
///
/// The register implementations must only be reached from code compiled for
/// their instructions: see `dispatch`.
pub trait Plane<const W: usize>: Copy {
    /// Constants that moving sideways needs. They are made once for a run of
    /// the kernel and hidden from the compiler, which would otherwise replace
    /// the one instruction they are for by two slower ones.
    type Tools: Copy;

    fn tools() -> Self::Tools;
    fn from_words(words: [u64; W]) -> Self;
    fn words(self) -> [u64; W];
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// The bits of `self` that `other` has not.
    fn without(self, other: Self) -> Self;
    /// Every bit one row higher.
    fn up(self) -> Self;
    /// Every bit one row lower.
    fn down(self) -> Self;
    /// Every bit one column to the left. What comes into the last column is
    /// not specified: it may be the first.
    fn left(self, tools: Self::Tools) -> Self;
    /// Every bit one column to the right. What comes into the first column is
    /// not specified: it may be the last.
    fn right(self, tools: Self::Tools) -> Self;
    fn is_empty(self) -> bool;
    /// The plane with this one bit.
    fn single(bit: u32) -> Self;
    /// All bits or none.
    fn all_if(condition: bool) -> Self;

    /// Lets blocks fall into some of the holes and returns the holes still
    /// open, moved along with what fell. Repeated until none is left it is
    /// gravity; it is cut in steps so that several games can take them together.
    fn settle_step<const P: usize>(planes: &mut [Self; P], holes: Self) -> Self;

    /// Closes empty columns by moving those to their right.
    fn close_columns<const P: usize>(planes: &mut [Self; P]);

    /// The position of the set bit with this rank within a word.
    fn select_in_word(word: u64, rank: u32) -> u32;

    /// Keeps some of the numbers of a column, moved down to close the gaps, and
    /// fills up with 0.
    #[inline(always)]
    fn drop_marks(column: &mut [u32; 16], keep: u16) {
        let mut to = 0;
        for from in 0..16 {
            column[to] = column[from];
            to += usize::from(keep >> from & 1);
        }
        for mark in &mut column[to..] {
            *mark = 0;
        }
    }

    /// The lowest bit of every column and all above it.
    #[inline(always)]
    fn upwards(self) -> Self {
        Self::from_words(self.words().map(|word| {
            let word = word | word << 1 & NOT_LOWEST_ROW;
            let word = word | word << 2 & 0xFFFC_FFFC_FFFC_FFFC;
            let word = word | word << 4 & 0xFFF0_FFF0_FFF0_FFF0;
            word | word << 8 & 0xFF00_FF00_FF00_FF00
        }))
    }

    /// The last column of all.
    #[inline(always)]
    fn last_column() -> Self {
        let mut words = [0; W];
        words[W - 1] = 0xFFFF << 48;
        Self::from_words(words)
    }

    #[inline(always)]
    fn empty() -> Self {
        Self::from_words([0; W])
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// The bits of two planes.
    #[inline(always)]
    fn count_both(one: Self, other: Self) -> (u32, u32) {
        (one.count(), other.count())
    }
}

/// A plane on plain 64-bit words: right everywhere, and the twin that the
/// register versions are tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words<const W: usize>([u64; W]);

const NOT_LOWEST_ROW: u64 = 0xFFFE_FFFE_FFFE_FFFE;
const NOT_HIGHEST_ROW: u64 = 0x7FFF_7FFF_7FFF_7FFF;

impl<const W: usize> Words<W> {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Words(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn map(self, op: impl Fn(u64) -> u64) -> Self {
        Words(self.0.map(op))
    }
}

impl<const W: usize> Plane<W> for Words<W> {
    type Tools = ();

    fn tools() {}

    #[inline(always)]
    fn from_words(words: [u64; W]) -> Self {
        Words(words)
    }

    #[inline(always)]
    fn words(self) -> [u64; W] {
        self.0
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn up(self) -> Self {
        self.map(|word| word << 1 & NOT_LOWEST_ROW)
    }

    #[inline(always)]
    fn down(self) -> Self {
        self.map(|word| word >> 1 & NOT_HIGHEST_ROW)
    }

    #[inline(always)]
    fn left(self, (): ()) -> Self {
        Words(std::array::from_fn(|i| {
            self.0[i] >> 16 | if i + 1 < W { self.0[i + 1] << 48 } else { 0 }
        }))
    }

    #[inline(always)]
    fn right(self, (): ()) -> Self {
        Words(std::array::from_fn(|i| {
            self.0[i] << 16 | if i > 0 { self.0[i - 1] >> 48 } else { 0 }
        }))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    fn single(bit: u32) -> Self {
        Words(std::array::from_fn(|i| u64::from(bit as usize / 64 == i) << (bit % 64)))
    }

    #[inline(always)]
    fn all_if(condition: bool) -> Self {
        Words([u64::from(condition).wrapping_neg(); W])
    }

    #[inline(always)]
    fn settle_step<const P: usize>(planes: &mut [Self; P], holes: Self) -> Self {
        for index in 0..W {
            let mut open = holes.0[index];
            while open != 0 {
                // The highest hole of all: nothing below it moves, so the
                // other holes stay where they are.
                let hole = 63 - open.leading_zeros();
                open ^= 1 << hole;
                let column = 0xFFFFu64 << (hole & !15);
                let above = column & (u64::MAX << hole);
                for plane in planes.iter_mut() {
                    let word = plane.0[index];
                    plane.0[index] = (word & !above) | ((word & above) >> 1 & above);
                }
            }
        }
        Self::empty()
    }

    #[inline(always)]
    fn close_columns<const P: usize>(planes: &mut [Self; P]) {
        let column = |word: [u64; W], i: usize| word[i / 4] >> (i % 4 * 16) & 0xFFFF;
        let mut closed = [[0u64; W]; P];
        let mut to = 0;
        for from in 0..4 * W {
            if planes.iter().any(|plane| column(plane.0, from) != 0) {
                for (k, plane) in planes.iter().enumerate() {
                    closed[k][to / 4] |= column(plane.0, from) << (to % 4 * 16);
                }
                to += 1;
            }
        }
        *planes = closed.map(Words);
    }

    #[inline(always)]
    fn select_in_word(mut word: u64, rank: u32) -> u32 {
        for _ in 0..rank {
            word &= word.wrapping_sub(1);
        }
        word.trailing_zeros() & 63
    }
}
