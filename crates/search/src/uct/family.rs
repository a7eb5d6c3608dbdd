//! How the numbers of a family are laid out in memory.
//!
//! Most families lie at the edge of the tree and were visited a few times: their
//! numbers fit in bytes. A family is made wide when a count would not fit any more;
//! the wide ones are few and always in the cache, so that they can afford numbers
//! that save work.

/// The children of a node, by where their block begins, in units of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family(pub(super) u32);

impl Family {
    /// The root is alone in the first. No node has it for its children.
    pub(super) const ROOT: Family = Family(0);

    /// One of the children.
    #[inline(always)]
    pub(super) fn member(self, lane: u32) -> Node {
        Node { family: self, lane }
    }
}

/// A node, by its place in its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) family: Family,
    pub(super) lane: u32,
}

impl Node {
    /// The position that the tree is of.
    pub(super) const ROOT: Node = Node { family: Family::ROOT, lane: 0 };
}

/// The most visits that fit in a narrow family; twice as many halves do.
pub(super) const NARROW: u32 = 127;

/// Bytes before the numbers: how many nodes there are, whether it is wide, whether it
/// has moved, the favourite, and the number of the first move or where it is now.
const HEADER: usize = 8;

/// The bits of a header that say so.
const WIDE: u64 = 1 << 16;
const MOVED: u64 = 1 << 17;

/// The byte of a header that has the favourite.
const FAVOURITE: usize = 3;

/// Where a family's numbers are. Those of one kind follow each other: a byte each
/// in a narrow family and four in a wide one, children always four and proofs one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    begin: usize,
    pub(super) count: usize,
    pub(super) wide: bool,
    /// The lane that is likely to be selected next. Nothing depends on it but speed.
    pub(super) favourite: u32,
    pub(super) first_move: usize,
}

impl Block {
    /// Bytes of a family, in whole units.
    pub(super) fn size(count: usize, wide: bool) -> usize {
        (HEADER + count * if wide { 25 } else { 7 }).next_multiple_of(4)
    }

    #[inline(always)]
    fn header(bytes: &[u8], family: Family) -> u64 {
        let begin = 4 * family.0 as usize;
        u64::from_le_bytes(bytes[begin..begin + HEADER].try_into().expect("as long"))
    }

    fn set_header(bytes: &mut [u8], family: Family, header: u64) {
        let begin = 4 * family.0 as usize;
        bytes[begin..begin + HEADER].copy_from_slice(&header.to_le_bytes());
    }

    #[inline(always)]
    pub(super) fn read(bytes: &[u8], family: Family) -> Block {
        let header = Block::header(bytes, family);
        Block {
            begin: 4 * family.0 as usize,
            count: header as u16 as usize,
            wide: header & WIDE != 0,
            favourite: u32::from((header >> (8 * FAVOURITE)) as u8),
            first_move: (header >> 32) as usize,
        }
    }

    /// Writes the header of a new family.
    pub(super) fn write(
        bytes: &mut [u8],
        family: Family,
        (count, wide): (usize, bool),
        first_move: usize,
    ) {
        let wide = if wide { WIDE } else { 0 };
        Block::set_header(bytes, family, count as u64 | wide | (first_move as u64) << 32);
    }

    /// Takes note of the lane that is likely to be selected next. One byte of it is kept:
    /// of a family that is larger, a guess may be wrong more often.
    #[inline(always)]
    pub(super) fn set_favourite(self, bytes: &mut [u8], lane: u32) {
        bytes[self.begin + FAVOURITE] = lane as u8;
    }

    /// Leaves word of where a family is now.
    pub(super) fn forward(bytes: &mut [u8], family: Family, now: Family) {
        Block::set_header(bytes, family, MOVED | u64::from(now.0) << 32);
    }

    /// Where a family is now.
    #[inline(always)]
    pub(super) fn followed(bytes: &[u8], family: Family) -> Family {
        let header = Block::header(bytes, family);
        if header & MOVED == 0 { family } else { Family((header >> 32) as u32) }
    }

    #[inline(always)]
    fn field(self, before: usize) -> usize {
        self.begin + HEADER + before * self.count
    }

    /// What is known for certain, a byte each.
    #[inline(always)]
    pub(super) fn proofs(self) -> usize {
        self.field(0)
    }

    #[inline(always)]
    pub(super) fn visits(self) -> usize {
        self.field(1)
    }

    /// Two for each win and one for each draw.
    #[inline(always)]
    pub(super) fn halves(self) -> usize {
        self.field(if self.wide { 5 } else { 2 })
    }

    /// One by the root of the visits; of wide families.
    #[inline(always)]
    pub(super) fn inverses(self) -> usize {
        self.field(9)
    }

    /// The root of the logarithm of the visits; of wide families.
    #[inline(always)]
    pub(super) fn roots(self) -> usize {
        self.field(13)
    }

    /// The families of children, 0 for none.
    #[inline(always)]
    pub(super) fn children(self) -> usize {
        self.field(if self.wide { 17 } else { 3 })
    }

    /// The numbers of ledgers, 0 for none; of wide families.
    #[inline(always)]
    pub(super) fn ledgers(self) -> usize {
        self.field(21)
    }
}
