//! Positions as the blocks of the starting board that are still there.
//!
//! A block has its number for the whole game, by where it started; where it lies now
//! follows from what is gone below it and which columns are empty. One column at a time
//! is settled, by gathering the bits of what is left; only the columns that a group
//! reaches need that, and taking a group away moves nothing.

use super::board::Cell;

/// A bit for every block, sixteen a column, in the places of the starting board or settled.
pub(super) type Columns<const W: usize> = [[u16; 4]; W];

/// What the kernels here need of a processor.
pub(super) trait Tools {
    /// The bits of a word at the places of a mask, side by side from the lowest on.
    fn gather(bits: u16, mask: u16) -> u16;
    /// The lowest bits of a word, put in the places of a mask: the inverse.
    fn scatter(bits: u16, mask: u16) -> u16;
    /// The same of a word of 64 bits.
    fn scatter_word(bits: u64, mask: u64) -> u64;
    /// Takes away what went from one position to another.
    fn remove<const W: usize>(live: &mut Columns<W>, before: &Columns<W>, after: &Columns<W>);
    /// The columns that differ, a bit for each.
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u32;
}

/// What every processor can do.
pub(super) struct Portable;

impl Tools for Portable {
    #[inline(always)]
    fn gather(bits: u16, mut mask: u16) -> u16 {
        let (mut gathered, mut place) = (0, 0);
        while mask != 0 {
            gathered |= (bits >> mask.trailing_zeros() & 1) << place;
            mask &= mask - 1;
            place += 1;
        }
        gathered
    }

    #[inline(always)]
    fn scatter(mut bits: u16, mut mask: u16) -> u16 {
        let mut scattered = 0;
        while mask != 0 && bits != 0 {
            scattered |= (bits & 1) << mask.trailing_zeros();
            mask &= mask - 1;
            bits >>= 1;
        }
        scattered
    }

    #[inline(always)]
    fn scatter_word(mut bits: u64, mut mask: u64) -> u64 {
        let mut scattered = 0;
        while mask != 0 && bits != 0 {
            scattered |= (bits & 1) << mask.trailing_zeros();
            mask &= mask - 1;
            bits >>= 1;
        }
        scattered
    }

    #[inline(always)]
    fn remove<const W: usize>(live: &mut Columns<W>, before: &Columns<W>, after: &Columns<W>) {
        let gone = before.as_flattened().iter().zip(after.as_flattened());
        for (left, (before, after)) in live.as_flattened_mut().iter_mut().zip(gone) {
            *left &= !(before ^ after);
        }
    }

    #[inline(always)]
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u32 {
        let pairs = one.as_flattened().iter().zip(other.as_flattened());
        pairs.rev().fold(0, |mask, (one, other)| mask << 1 | u32::from(one != other))
    }
}

/// The starting board.
#[derive(Clone, Debug)]
pub(super) struct Blocks<const W: usize, const P: usize> {
    /// The colours in binary.
    planes: [Columns<W>; P],
    /// The blocks of each colour; there are none of colour 0.
    of: [Columns<W>; 16],
}

impl<const W: usize, const P: usize> Blocks<W, P> {
    /// The blocks of a board given as planes.
    pub(super) fn new(words: &[[u64; W]; P]) -> Self {
        let mut blocks = Blocks { planes: [[[0; 4]; W]; P], of: [[[0; 4]; W]; 16] };
        for column in 0..4 * W {
            let bits = words.map(|plane| (plane[column / 4] >> (column % 4 * 16)) as u16);
            for (plane, bits) in blocks.planes.iter_mut().zip(bits) {
                plane[column / 4][column % 4] = bits;
            }
            for row in 0..16 {
                let colour: usize = (0..P).map(|k| usize::from(bits[k] >> row & 1) << k).sum();
                if colour > 0 {
                    blocks.of[colour][column / 4][column % 4] |= 1 << row;
                }
            }
        }
        blocks
    }

    /// All of them.
    pub(super) fn all(&self) -> Columns<W> {
        let mut all = [[0; 4]; W];
        for of in &self.of {
            for (all, of) in all.as_flattened_mut().iter_mut().zip(of.as_flattened()) {
                *all |= of;
            }
        }
        all
    }

    /// The colour that a block has or had, 0 if there never was one.
    #[inline(always)]
    fn colour(&self, column: usize, row: usize) -> usize {
        let bit = |k: usize| usize::from(self.planes[k][column / 4 % W][column % 4] >> row & 1);
        let mut colour = 0;
        for k in 0..P {
            colour |= bit(k) << k;
        }
        colour
    }

    /// How many blocks are left of each colour.
    #[inline(always)]
    pub(super) fn counts(&self, live: &Columns<W>) -> [u32; 16] {
        let (live, mut counts) = (words(live), [0; 16]);
        for (counted, of) in counts.iter_mut().zip(&self.of).take(1 << P) {
            let of = words(of);
            for at in 0..W {
                *counted += (live[at] & of[at]).count_ones();
            }
        }
        counts
    }

    /// The group that a block is in, of one block or more; of none, if the block is gone.
    #[inline(always)]
    pub(super) fn group<T: Tools>(&self, live: &Columns<W>, block: Cell) -> Found<W> {
        let (column, row) = (block.column(), block.row());
        let mut found = Found { settled: [[0; 4]; W], first: 0, last: 0 };
        let columns = live.as_flattened();
        if column >= 4 * W || columns[column] >> row & 1 == 0 {
            return found;
        }
        let here = columns[column];
        let of = self.of[self.colour(column, row)].as_flattened();
        let there = T::differ(live, &[[0; 4]; W]);
        let mut runs = [[0; 4]; W];
        let (runs, settled) = (runs.as_flattened_mut(), found.settled.as_flattened_mut());
        runs[column] = T::gather(of[column], here);
        let below = (here & ((1 << row) - 1)).count_ones();
        settled[column] = spread(1 << below, runs[column]);
        let (mut first, mut last) = (column, column);
        // To the right and to the left in turn, until one of them finds nothing new.
        let mut begun = false;
        loop {
            let (mut at, mut grown) = (first, false);
            loop {
                let right = there & (!1 << at);
                if right == 0 {
                    break;
                }
                let next = right.trailing_zeros() as usize % (4 * W);
                if next > last {
                    runs[next] = T::gather(of[next], columns[next]);
                }
                let seeds = settled[at] & runs[next] & !settled[next];
                if seeds != 0 {
                    settled[next] = spread(settled[next] | seeds, runs[next]);
                    last = last.max(next);
                    grown = true;
                } else if at >= last {
                    break;
                }
                at = next;
            }
            if begun && !grown {
                break;
            }
            begun = true;
            (at, grown) = (last, false);
            loop {
                let left = there & !(!0 << at);
                if left == 0 {
                    break;
                }
                let next = (31 - left.leading_zeros() as usize) % (4 * W);
                if next < first {
                    runs[next] = T::gather(of[next], columns[next]);
                }
                let seeds = settled[at] & runs[next] & !settled[next];
                if seeds != 0 {
                    settled[next] = spread(settled[next] | seeds, runs[next]);
                    first = first.min(next);
                    grown = true;
                } else if at <= first {
                    break;
                }
                at = next;
            }
            if !grown {
                break;
            }
        }
        (found.first, found.last) = (first, last);
        found
    }

    /// The group that a block is in, if it has two blocks or more.
    #[inline(always)]
    pub(super) fn whole<T: Tools>(&self, live: &Columns<W>, block: Cell) -> Option<Found<W>> {
        let group = self.group::<T>(live, block);
        (count(&words(&group.settled)) >= 2).then_some(group)
    }

    /// Takes away the group that a block is in and returns its size; 0, and nothing
    /// changed, if there is none of two or more.
    #[inline(always)]
    pub(super) fn take<T: Tools>(&self, live: &mut Columns<W>, block: Cell) -> u32 {
        let group = self.group::<T>(live, block);
        let settled = &group.settled.as_flattened()[group.first..=group.last];
        let mut size = 0;
        for cells in settled {
            size += cells.count_ones();
        }
        if size < 2 {
            return 0;
        }
        for (left, &cells) in live.as_flattened_mut()[group.first..].iter_mut().zip(settled) {
            if cells != 0 {
                *left &= !T::scatter(cells, *left);
            }
        }
        size
    }

    /// Takes away the same blocks that went from `before` to `after`, which a block's group
    /// was, if the group is the same here for certain; whether it was.
    #[inline(always)]
    pub(super) fn take_again<T: Tools>(
        live: &mut Columns<W>,
        before: &Columns<W>,
        after: &Columns<W>,
    ) -> bool {
        let gone = T::differ(before, after);
        let there = T::differ(before, &[[0; 4]; W]);
        // What decides are the group's columns and its neighbours on both sides.
        let (first, last) = (gone.trailing_zeros(), 31 - gone.leading_zeros());
        let left = there & !(!0 << first);
        let right = there & (!1 << last);
        let low = if left == 0 { 0 } else { 31 - left.leading_zeros() };
        let high = if right == 0 { 31 } else { right.trailing_zeros() };
        let around = !0 << low & !0 >> (31 - high);
        if T::differ(live, before) & around != 0 {
            return false;
        }
        T::remove(live, before, after);
        true
    }

    /// Every block that is in a group of two or more, settled in its column and the empty
    /// columns closed; and of these the ones that have not the kept colour.
    #[inline(always)]
    pub(super) fn grouped<T: Tools>(&self, live: &Columns<W>, kept: usize) -> Grouped<W> {
        let kept = self.of[kept % 16].as_flattened();
        let mut planes = [[[0; 4]; W]; P];
        let (mut full, mut keeps) = ([[0; 4]; W], [[0; 4]; W]);
        let mut closed = 0;
        for (at, &mask) in live.as_flattened().iter().enumerate() {
            for (plane, of) in planes.iter_mut().zip(&self.planes) {
                plane.as_flattened_mut()[closed] = T::gather(of.as_flattened()[at], mask);
            }
            keeps.as_flattened_mut()[closed] = T::gather(kept[at], mask);
            full.as_flattened_mut()[closed] = ((1u32 << mask.count_ones()) - 1) as u16;
            closed = (closed + usize::from(mask != 0)) % (4 * W);
        }
        let full = words(&full);
        let (mut up, mut side) = ([0; W], [0; W]);
        for at in 0..W {
            let next = if at + 1 < W { full[at + 1] } else { 0 };
            up[at] = full[at] & full[at] >> 1 & LOW;
            side[at] = full[at] & (full[at] >> 16 | next << 48);
        }
        for plane in &planes {
            let plane = words(plane);
            for at in 0..W {
                let next = if at + 1 < W { plane[at + 1] } else { 0 };
                up[at] &= !(plane[at] ^ plane[at] >> 1);
                side[at] &= !(plane[at] ^ (plane[at] >> 16 | next << 48));
            }
        }
        let (mut every, mut others) = ([0; W], words(&keeps));
        for at in 0..W {
            let before = if at > 0 { side[at - 1] } else { 0 };
            every[at] = up[at] | up[at] << 1 | side[at] | side[at] << 16 | before >> 48;
            others[at] = every[at] & !others[at];
        }
        Grouped { every, others }
    }

    /// The block of a rank among settled cells, column by column from the lowest on.
    #[inline(always)]
    pub(super) fn ranked<T: Tools>(
        live: &Columns<W>,
        settled: &[u64; W],
        mut rank: u32,
    ) -> Option<Cell> {
        for (word, &cells) in settled.iter().enumerate() {
            let count = cells.count_ones();
            if rank < count {
                let bit = T::scatter_word(1 << rank, cells).trailing_zeros();
                let closed = word as u32 * 4 + bit / 16;
                let there = T::differ(live, &[[0; 4]; W]);
                let column = T::scatter_word(1 << closed, u64::from(there)).trailing_zeros();
                let column = column as usize % (4 * W);
                let mask = live.as_flattened()[column];
                let row = T::scatter(1 << (bit % 16), mask).trailing_zeros();
                return Some(Cell::new(column, row as usize));
            }
            rank -= count;
        }
        None
    }
}

/// All bits of a word of four columns but the highest of each.
const LOW: u64 = 0x7FFF_7FFF_7FFF_7FFF;

/// Columns four to a word.
#[inline(always)]
fn words<const W: usize>(columns: &Columns<W>) -> [u64; W] {
    let mut words = [0; W];
    for (word, columns) in words.iter_mut().zip(columns) {
        for (place, &column) in columns.iter().enumerate() {
            *word |= u64::from(column) << (16 * place);
        }
    }
    words
}

/// The blocks that are in groups, settled, four columns to a word.
pub(super) struct Grouped<const W: usize> {
    /// All of them.
    pub(super) every: [u64; W],
    /// Those that have not the kept colour.
    pub(super) others: [u64; W],
}

/// A group.
pub(super) struct Found<const W: usize> {
    /// Its cells, settled within their columns, which stay in the places they started in.
    pub(super) settled: Columns<W>,
    /// Its first column.
    pub(super) first: usize,
    /// Its last column.
    pub(super) last: usize,
}

/// How many cells.
#[inline(always)]
pub(super) fn count<const W: usize>(cells: &[u64; W]) -> u32 {
    let mut count = 0;
    for cells in cells {
        count += cells.count_ones();
    }
    count
}

/// The runs of ones that have a seed in them; every seed is in one.
#[inline(always)]
fn spread(seeds: u16, runs: u16) -> u16 {
    let (seeds, runs) = (u32::from(seeds), u32::from(runs));
    // Upwards a carry does it.
    let up = runs & !(runs + seeds);
    let (mut down, mut runs) = (seeds, runs);
    for step in [1, 2, 4, 8] {
        down |= runs & down >> step;
        runs &= runs >> step;
    }
    (up | down) as u16
}
