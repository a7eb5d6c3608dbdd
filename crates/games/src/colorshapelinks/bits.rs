//! Sets of cells in one word or several. A column is as many bits as there are
//! rows and one more, which is always empty: nothing runs from the top of a
//! column into the next.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// A set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells<const N: usize>(pub(super) [u64; N]);

impl<const N: usize> Cells<N> {
    pub(super) const NONE: Cells<N> = Cells([0; N]);

    /// One cell.
    #[inline(always)]
    pub(super) fn only(bit: u32) -> Cells<N> {
        let mut cells = Cells::NONE;
        cells.insert(bit);
        cells
    }

    #[inline(always)]
    pub(super) fn has(&self, bit: u32) -> bool {
        self.0[(bit / 64) as usize % N] >> (bit % 64) & 1 != 0
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, bit: u32) {
        self.0[(bit / 64) as usize % N] |= 1 << (bit % 64);
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The first cell of a set that is not empty.
    #[inline(always)]
    pub(super) fn first(&self) -> u32 {
        let word = self.0.iter().position(|&word| word != 0).unwrap_or(0);
        64 * word as u32 + self.0[word].trailing_zeros()
    }

    /// The set without its first cell.
    #[inline(always)]
    pub(super) fn without_first(mut self) -> Cells<N> {
        if let Some(word) = self.0.iter_mut().find(|word| **word != 0) {
            *word &= *word - 1;
        }
        self
    }

    /// The set, or none of it.
    #[inline(always)]
    pub(super) fn only_if(self, condition: bool) -> Cells<N> {
        let mask = u64::from(condition).wrapping_neg();
        Cells(self.0.map(|word| word & mask))
    }

    /// At most 64 bits from a place on; what is above them counts for nothing.
    #[inline(always)]
    pub(super) fn from(&self, bit: u32) -> u64 {
        let (word, shift) = ((bit / 64) as usize % N, bit % 64);
        if N == 1 || shift == 0 {
            return self.0[word] >> shift;
        }
        let above = self.0.get(word + 1).copied().unwrap_or(0);
        self.0[word] >> shift | above << (64 - shift)
    }

    /// The sum as of one number.
    #[inline(always)]
    pub(super) fn plus(self, other: Cells<N>) -> Cells<N> {
        let mut carry = false;
        Cells(from_fn(|word| {
            let (sum, over) = self.0[word].overflowing_add(other.0[word]);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            sum
        }))
    }
}

impl<const N: usize> BitAnd for Cells<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Cells(from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const N: usize> BitOr for Cells<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Cells(from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl<const N: usize> Not for Cells<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Cells(self.0.map(|word| !word))
    }
}

impl<const N: usize> Shr<u32> for Cells<N> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        if N == 1 {
            return Cells(self.0.map(|word| word.checked_shr(by).unwrap_or(0)));
        }
        let (words, bits) = ((by / 64) as usize, by % 64);
        let get = |word: usize| if word < N { self.0[word] } else { 0 };
        // Twice, since a shift by 64 is none.
        Cells(from_fn(|word| get(word + words) >> bits | get(word + words + 1) << 1 << (63 - bits)))
    }
}

impl<const N: usize> Shl<u32> for Cells<N> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        if N == 1 {
            return Cells(self.0.map(|word| word.checked_shl(by).unwrap_or(0)));
        }
        let (words, bits) = ((by / 64) as usize, by % 64);
        let get = |word: Option<usize>| word.map_or(0, |word| self.0[word]);
        Cells(from_fn(|word| {
            let below = get(word.checked_sub(words + 1)) >> 1 >> (63 - bits);
            get(word.checked_sub(words)) << bits | below
        }))
    }
}

/// The length of a line and the bits of a column.
pub(super) trait Geometry: Copy {
    fn line(self) -> u32;
    fn stride(self) -> u32;
}

/// A geometry that the compiler knows: shifts by constants, loops unrolled.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const LINE: u32, const STRIDE: u32>;

impl<const LINE: u32, const STRIDE: u32> Geometry for Fixed<LINE, STRIDE> {
    #[inline(always)]
    fn line(self) -> u32 {
        LINE
    }
    #[inline(always)]
    fn stride(self) -> u32 {
        STRIDE
    }
}

/// Any other.
#[derive(Clone, Copy)]
pub(super) struct Free {
    pub(super) line: u32,
    pub(super) stride: u32,
}

impl Geometry for Free {
    #[inline(always)]
    fn line(self) -> u32 {
        self.line
    }
    #[inline(always)]
    fn stride(self) -> u32 {
        self.stride
    }
}

/// The four ways a line can run, as distances between its cells.
#[inline(always)]
fn ways(stride: u32) -> [u32; 4] {
    [1, stride, stride - 1, stride + 1]
}

/// Whether a set has a line somewhere.
#[inline(always)]
pub(super) fn has_line(cells: Cells<1>, geometry: impl Geometry) -> bool {
    let (line, stride) = (geometry.line(), geometry.stride());
    let mut found = Cells::NONE;
    for way in ways(stride) {
        // Runs of one cell, then of two, of four, and so on.
        let (mut runs, mut length) = (cells, 1);
        while length < line {
            let step = length.min(line - length);
            runs = runs & (runs >> (step * way));
            length += step;
        }
        found = found | runs;
    }
    !found.is_empty()
}

/// The empty cells of a board that would be in a line if they were in the set.
#[inline(always)]
pub(super) fn missing<const N: usize>(
    cells: Cells<N>,
    board: Cells<N>,
    geometry: impl Geometry,
) -> Cells<N> {
    let (line, stride) = (geometry.line(), geometry.stride());
    let empty = !cells & board;
    let mut found = Cells::NONE;
    for way in ways(stride) {
        // Rows of some cells, by the first: those that are all in the set, and those
        // that all but one are. Twice as long each time, and the whole by its parts.
        let (mut full, mut but_one, mut length) = (cells, empty, 1);
        let (mut all_full, mut all_but_one, mut whole) = (!Cells::NONE, Cells::NONE, 0);
        loop {
            if line & length != 0 {
                let (next_full, next_but_one) = (full >> (whole * way), but_one >> (whole * way));
                all_but_one = (all_but_one & next_full) | (all_full & next_but_one);
                all_full = all_full & next_full;
                whole += length;
            }
            if whole == line {
                break;
            }
            let (next_full, next_but_one) = (full >> (length * way), but_one >> (length * way));
            but_one = (but_one & next_full) | (full & next_but_one);
            full = full & next_full;
            length *= 2;
        }
        // From the first cells of such rows to all of them.
        let (mut rows, mut length) = (all_but_one, 1);
        while length < line {
            let step = length.min(line - length);
            rows = rows | (rows << (step * way));
            length += step;
        }
        found = found | rows;
    }
    found & empty
}

/// Whether a line runs through a cell of the set.
pub(super) fn line_through<const N: usize>(
    cells: &Cells<N>,
    bit: u32,
    line: u32,
    stride: u32,
) -> bool {
    let size = 64 * N as u32;
    ways(stride).into_iter().any(|way| {
        let up = (1..line).take_while(|step| {
            let at = bit + step * way;
            at < size && cells.has(at)
        });
        let down = (1..line)
            .take_while(|step| bit.checked_sub(step * way).is_some_and(|at| cells.has(at)));
        1 + up.count() + down.count() >= line as usize
    })
}
