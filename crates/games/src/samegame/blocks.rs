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
    /// The columns that differ, two equal bits for each.
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u64;
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
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u64 {
        let pairs = one.as_flattened().iter().zip(other.as_flattened());
        pairs.rev().fold(0, |mask, (one, other)| mask << 2 | 3 * u64::from(one != other))
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
        let mut counts = [0; 16];
        for (column, &left) in live.as_flattened().iter().enumerate() {
            let mut left = left;
            while left != 0 {
                counts[self.colour(column, left.trailing_zeros() as usize)] += 1;
                left &= left - 1;
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
                let right = there & (!3 << (2 * at));
                if right == 0 {
                    break;
                }
                let next = right.trailing_zeros() as usize / 2 % (4 * W);
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
                let left = there & !(!0 << (2 * at));
                if left == 0 {
                    break;
                }
                let next = (63 - left.leading_zeros() as usize) / 2 % (4 * W);
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
        let (first, last) = (gone.trailing_zeros(), 63 - gone.leading_zeros());
        let left = there & !(!0 << first);
        let right = there & (!1 << last);
        let low = if left == 0 { 0 } else { 63 - left.leading_zeros() };
        let high = if right == 0 { 63 } else { right.trailing_zeros() };
        let around = !0 << low & !0 >> (63 - high);
        if T::differ(live, before) & (around | around >> 1) != 0 {
            return false;
        }
        for (left, (before, after)) in live.iter_mut().zip(before.iter().zip(after)) {
            for i in 0..4 {
                left[i] &= !(before[i] ^ after[i]);
            }
        }
        true
    }

    /// Every block that is in a group of two or more, settled; and of these the ones that
    /// have not the kept colour.
    #[inline(always)]
    pub(super) fn grouped<T: Tools>(
        &self,
        live: &Columns<W>,
        kept: usize,
    ) -> (Columns<W>, Columns<W>) {
        let (mut every, mut others) = ([[0; 4]; W], [[0; 4]; W]);
        let grouped = every.as_flattened_mut();
        let columns = live.as_flattened();
        let mut there = T::differ(live, &[[0; 4]; W]) & 0x5555_5555_5555_5555;
        let (mut before, mut neighbour, mut height) = (0, [0; P], 0);
        while there != 0 {
            let at = there.trailing_zeros() as usize / 2 % (4 * W);
            there &= there - 1;
            let mask = columns[at];
            let full = ((1u32 << mask.count_ones()) - 1) as u16;
            // Blocks like the one above them, and like the one beside them.
            let (mut up, mut side) = (full >> 1, full & height);
            for k in 0..P {
                let plane = T::gather(self.planes[k].as_flattened()[at], mask);
                up &= !(plane ^ plane >> 1);
                side &= !(plane ^ neighbour[k]);
                neighbour[k] = plane;
            }
            grouped[at] = up | up << 1 | side;
            grouped[before] |= side;
            (before, height) = (at, full);
        }
        let kept = self.of[kept % 16].as_flattened();
        for (at, other) in others.as_flattened_mut().iter_mut().enumerate() {
            if grouped[at] != 0 {
                *other = grouped[at] & !T::gather(kept[at], columns[at]);
            }
        }
        (every, others)
    }

    /// The block of a rank among settled cells, column by column from the lowest on.
    #[inline(always)]
    pub(super) fn ranked<T: Tools>(live: &Columns<W>, settled: &Columns<W>, mut rank: u32) -> Cell {
        for (column, (&cells, &mask)) in
            settled.as_flattened().iter().zip(live.as_flattened()).enumerate()
        {
            let count = cells.count_ones();
            if rank < count {
                let cell = T::scatter(1 << rank, cells);
                return Cell::new(column, T::scatter(cell, mask).trailing_zeros() as usize);
            }
            rank -= count;
        }
        unreachable!("a rank below the number of cells")
    }
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
pub(super) fn count<const W: usize>(cells: &Columns<W>) -> u32 {
    let mut count = 0;
    for cells in cells.as_flattened() {
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
