//! The moves of the fast engine: groups, gravity and closing, on any [`Plane`].

use std::mem::MaybeUninit;

use super::plane::Plane;

/// Which neighbours share a cell's colour.
#[derive(Clone, Copy)]
pub(super) struct Links<const W: usize, V: Plane<W>> {
    /// The cell above is of the same colour.
    pub(super) above: V,
    /// The cell to the right is of the same colour.
    pub(super) right: V,
    /// Cells of a group with no such neighbour to the left or below. Every
    /// group has at least one: the lowest cell of its leftmost column.
    pub(super) corners: V,
    tools: V::Tools,
}

impl<const W: usize, V: Plane<W>> Links<W, V> {
    #[inline(always)]
    pub(super) fn none(tools: V::Tools) -> Self {
        let none = V::empty();
        Links { above: none, right: none, corners: none, tools }
    }

    #[inline(always)]
    pub(super) fn of<const P: usize>(planes: &[V; P], tools: V::Tools) -> Self {
        let occupied = occupied(planes);
        let mut differs_above = planes[0].xor(planes[0].down());
        let mut differs_right = planes[0].xor(planes[0].left(tools));
        for plane in &planes[1..] {
            differs_above = differs_above.or(plane.xor(plane.down()));
            differs_right = differs_right.or(plane.xor(plane.left(tools)));
        }
        let above = occupied.without(differs_above);
        // Nothing is to the right of the last column, so no bit that wraps
        // around there passes a link.
        let right = occupied.without(differs_right.or(V::last_column()));
        let corners = above.or(right).without(above.up().or(right.right(tools)));
        Links { above, right, corners, tools }
    }

    /// Every cell that belongs to a group.
    #[inline(always)]
    pub(super) fn cells(&self) -> V {
        self.above.or(self.right).or(self.above.up()).or(self.right.right(self.tools))
    }

    /// The cells that a move has touched, if no column has closed up: those that
    /// blocks were taken from or fell into, and those with a neighbour that was
    /// of the same colour and is not, or is and was not. A group without any is
    /// the same group, of the same blocks, after the move.
    #[inline(always)]
    pub(super) fn touched(&self, before: &Self, group: V) -> V {
        let above = self.above.xor(before.above);
        let right = self.right.xor(before.right);
        let links = above.or(above.up()).or(right).or(right.right(self.tools));
        group.upwards().or(links)
    }

    /// The cells of the same colour next to some cells, and these.
    #[inline(always)]
    pub(super) fn grow(&self, cells: V) -> V {
        let vertical = cells.and(self.above).up().or(cells.down().and(self.above));
        let horizontal =
            cells.and(self.right).right(self.tools).or(cells.left(self.tools).and(self.right));
        cells.or(vertical).or(horizontal)
    }

    /// The group that covers some of its cells.
    #[inline(always)]
    pub(super) fn flood(&self, seed: V) -> V {
        let mut group = self.grow(self.grow(seed));
        loop {
            let grown = self.grow(group);
            if grown.xor(group).is_empty() {
                return group;
            }
            group = self.grow(self.grow(grown));
        }
    }
}

/// The cells that hold a block.
#[inline(always)]
pub(super) fn occupied<const W: usize, const P: usize, V: Plane<W>>(planes: &[V; P]) -> V {
    let mut occupied = planes[0];
    for plane in &planes[1..] {
        occupied = occupied.or(*plane);
    }
    occupied
}

/// The cells of one colour.
#[inline(always)]
pub(super) fn of_colour<const W: usize, const P: usize, V: Plane<W>>(
    planes: &[V; P],
    colour: u32,
) -> V {
    if colour >> P != 0 {
        return V::empty();
    }
    let mut cells = occupied(planes);
    for (k, plane) in planes.iter().enumerate() {
        cells = if colour >> k & 1 != 0 { cells.and(*plane) } else { cells.without(*plane) };
    }
    cells
}

/// Takes away a group and lets the rest fall and close up.
#[inline(always)]
pub(super) fn remove<const W: usize, const P: usize, V: Plane<W>>(planes: &mut [V; P], group: V) {
    settle(planes, group);
    V::close_columns(planes);
}

/// [`remove`]; says whether columns have closed up.
#[inline(always)]
pub(super) fn remove_and_tell<const W: usize, const P: usize, V: Plane<W>>(
    planes: &mut [V; P],
    group: V,
) -> bool {
    let floor = V::from_words([0x0001_0001_0001_0001; W]);
    let columns = occupied(planes).and(floor);
    settle(planes, group);
    let closed = !columns.without(occupied(planes)).is_empty();
    if closed {
        V::close_columns(planes);
    }
    closed
}

/// Takes away a group and lets the rest fall.
#[inline(always)]
fn settle<const W: usize, const P: usize, V: Plane<W>>(planes: &mut [V; P], group: V) {
    let mut holes = V::settle_step(planes, group);
    while !holes.is_empty() {
        holes = V::settle_step(planes, holes);
    }
}

/// Removes the group that covers a cell and returns its size, or 0 (and
/// changes nothing) if there is no group of two or more.
#[inline(always)]
pub(super) fn play<const W: usize, const P: usize, V: Plane<W>>(
    words: &mut [[u64; W]; P],
    bit: u32,
) -> u32 {
    let mut planes = words.map(V::from_words);
    let links = Links::of(&planes, V::tools());
    let seed = V::single(bit).and(links.cells());
    if seed.is_empty() {
        return 0;
    }
    let group = links.flood(seed);
    remove(&mut planes, group);
    *words = planes.map(V::words);
    group.count()
}

/// The group that covers a cell, empty if it is not of two or more.
#[inline(always)]
pub(super) fn group_at<const W: usize, const P: usize, V: Plane<W>>(
    words: &[[u64; W]; P],
    bit: u32,
) -> [u64; W] {
    let planes = words.map(V::from_words);
    let links = Links::of(&planes, V::tools());
    links.flood(V::single(bit).and(links.cells())).words()
}

/// How many groups are flooded side by side, to hide the latency of each.
const ABREAST: usize = 8;

/// Calls `found` with the cells of the group at every corner, the corner's bit,
/// and whether that is the group's first cell: each group comes with a `true`
/// once, in the order of these cells. A caller that writes first and then
/// counts the `true` ones needs no branch.
#[inline(always)]
pub(super) fn each_group<const W: usize, const P: usize, V: Plane<W>>(
    planes: &[V; P],
    found: impl FnMut(V, u32, bool),
) {
    let links = Links::of(planes, V::tools());
    each_group_from(&links, links.corners, found);
}

/// [`each_group`], of the groups that some of the corners belong to: for each
/// group all of its corners or none.
#[inline(always)]
pub(super) fn each_group_from<const W: usize, V: Plane<W>>(
    links: &Links<W, V>,
    from: V,
    mut found: impl FnMut(V, u32, bool),
) {
    // Filled below as far as it is read; clearing it all would take a tenth of
    // the time.
    let mut bits = [const { MaybeUninit::<u16>::uninit() }; MAX_CORNERS + ABREAST];
    let mut corners = 0;
    for (index, mut word) in from.words().into_iter().enumerate() {
        while word != 0 {
            bits[corners].write(index as u16 * 64 + word.trailing_zeros() as u16);
            corners += 1;
            word &= word - 1;
        }
    }
    for bit in &mut bits[corners..corners + ABREAST] {
        bit.write(0);
    }
    let mut before = V::empty();
    for first in (0..corners).step_by(ABREAST) {
        // Loops, not closures: a closure would not be compiled for the
        // instructions of the function it ends up in.
        let mut here = [0; ABREAST];
        let mut singles = [V::empty(); ABREAST];
        let mut groups = [V::empty(); ABREAST];
        for i in 0..ABREAST {
            // SAFETY: `first` is below `corners`, and the corners and `ABREAST`
            // more have been written.
            here[i] = u32::from(unsafe { bits[first + i].assume_init() });
            singles[i] = V::single(here[i]);
            groups[i] = links.grow(links.grow(singles[i]));
        }
        loop {
            let mut changed = V::empty();
            for group in &mut groups {
                let grown = links.grow(*group);
                changed = changed.or(grown.xor(*group));
                *group = grown;
            }
            if changed.is_empty() {
                break;
            }
            for group in &mut groups {
                *group = links.grow(*group);
            }
        }
        for i in 0..ABREAST.min(corners - first) {
            // The first corner of a group is its first cell.
            found(groups[i], here[i], groups[i].and(before).is_empty());
            before = before.or(singles[i]);
        }
    }
}

/// A group has at least two of at most 512 cells.
pub(super) const MAX_GROUPS: usize = 256;

/// A group with `k` corners has cells between them, `2k - 1` in all at least,
/// and no group has fewer than two: at most two of three cells are corners.
const MAX_CORNERS: usize = 342;

/// A number for a group: its cells and their colour, whatever is around it.
#[inline(always)]
pub(super) fn group_code<const W: usize>(cells: [u64; W], colour: u32) -> u64 {
    const SALT: [u64; 8] = [
        0x243F_6A88_85A3_08D3,
        0x1319_8A2E_0370_7344,
        0xA409_3822_299F_31D0,
        0x082E_FA98_EC4E_6C89,
        0x4528_21E6_38D0_1377,
        0xBE54_66CF_34E9_0C6C,
        0xC0AC_29B7_C97C_50DD,
        0x3F84_D5B5_B547_0917,
    ];
    let mut code = u64::from(colour);
    for i in (0..W).step_by(2) {
        let one = u128::from(cells[i] ^ SALT[i] ^ code << 32);
        let product = one * u128::from(cells[i + 1] ^ SALT[i + 1]);
        code ^= product as u64 ^ (product >> 64) as u64;
    }
    code
}

/// A 64-bit key of a position.
pub(super) fn key<const W: usize, const P: usize>(words: &[[u64; W]; P]) -> u64 {
    let mut key = 0x243F_6A88_85A3_08D3u64;
    for &word in words.iter().flatten() {
        let product =
            u128::from(key ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64 ^ key.rotate_left(29));
        key = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(17);
    }
    solitree_core::mix(key)
}
