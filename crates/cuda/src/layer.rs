//! What the kernels work on: arrays for a layer, and the list of their
//! addresses that every kernel is given.

use std::sync::Arc;

use crate::machine::{Array, Machine};

/// Addresses of positions; the same in samegame.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    boards: u64,
    scores: u64,
    blocks: u64,
    keys: u64,
    parents: u64,
    cells: u64,
}

/// Everything a kernel is told; the same in samegame.cu, where each is explained.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    kept: Positions,
    found: Positions,
    to: Positions,
    slots: u64,
    claims: u64,
    table_keys: u64,
    table_claims: u64,
    list: u64,
    values: u64,
    bests: u64,
    ranks: u64,
    bins: u64,
    counts: u64,
    best: u64,
    points: u64,
    left: u64,
    pub(crate) seeds: u64,
    pub(crate) prefix: u64,
    pub(crate) last: u64,
    pub(crate) bonus: f64,
    pub(crate) many_kept: u32,
    pub(crate) many_found: u32,
    pub(crate) many_listed: u32,
    room_found: u32,
    room_kept: u32,
    mask: u32,
    pub(crate) samples: u32,
    pub(crate) shift: u32,
    pub(crate) from: u32,
    pub(crate) until: u32,
    pub(crate) last_colour: u32,
    pub(crate) second_colour: u32,
}

/// Bins that ranks are counted in.
pub const BINS: usize = 4096;

/// Arrays of positions.
#[derive(Debug)]
pub struct PositionArrays {
    pub(crate) boards: Array<u32>,
    pub(crate) scores: Array<i32>,
    pub(crate) blocks: Array<u64>,
    pub(crate) keys: Array<u64>,
    pub(crate) parents: Array<u32>,
    pub(crate) cells: Array<u32>,
}

impl PositionArrays {
    fn new(machine: &Arc<dyn Machine>, words: usize, room: usize) -> Result<Self, String> {
        Ok(PositionArrays {
            boards: Array::new(machine, room * words)?,
            scores: Array::new(machine, room)?,
            blocks: Array::new(machine, room)?,
            keys: Array::new(machine, room)?,
            parents: Array::new(machine, room)?,
            cells: Array::new(machine, room)?,
        })
    }

    fn addresses(&self) -> Positions {
        Positions {
            boards: self.boards.address(),
            scores: self.scores.address(),
            blocks: self.blocks.address(),
            keys: self.keys.address(),
            parents: self.parents.address(),
            cells: self.cells.address(),
        }
    }
}

/// All arrays of a pass.
#[derive(Debug)]
pub struct Arrays {
    /// The layer, and room for the next one.
    pub(crate) kept: [PositionArrays; 2],
    /// What the layer leads to.
    pub(crate) found: PositionArrays,
    slots: Array<u32>,
    claims: Array<u64>,
    pub(crate) table_keys: Array<u64>,
    pub(crate) table_claims: Array<u64>,
    pub(crate) list: Array<u32>,
    pub(crate) values: Array<u32>,
    pub(crate) bests: Array<u64>,
    ranks: Array<u64>,
    pub(crate) bins: Array<u32>,
    pub(crate) counts: Array<u32>,
    pub(crate) best: Array<u64>,
    pub(crate) points: Array<i32>,
    pub(crate) left: Array<i32>,
}

/// Positions there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// In a layer.
    pub kept: usize,
    /// In what it leads to.
    pub found: usize,
}

impl Room {
    /// Bytes that it takes, for boards of so many words.
    #[must_use]
    pub fn bytes(self, words: usize) -> u64 {
        let position = 4 * words + 28;
        let found = position + 4 + 8 + 4 + 4 + 8 + 8;
        (2 * self.kept * position + self.found * found + 16 * self.table()) as u64
    }

    /// Places in the tables: a power of two, and twice what is found at least.
    fn table(self) -> usize {
        (2 * self.found).next_power_of_two()
    }
}

impl Arrays {
    /// Takes the memory.
    pub fn new(machine: &Arc<dyn Machine>, words: usize, room: Room) -> Result<Arrays, String> {
        let Room { kept, found } = room;
        let layer = || PositionArrays::new(machine, words, kept);
        Ok(Arrays {
            kept: [layer()?, layer()?],
            found: PositionArrays::new(machine, words, found)?,
            slots: Array::new(machine, found)?,
            claims: Array::new(machine, found)?,
            table_keys: Array::new(machine, room.table())?,
            table_claims: Array::new(machine, room.table())?,
            list: Array::new(machine, found)?,
            values: Array::new(machine, found)?,
            bests: Array::new(machine, found)?,
            ranks: Array::new(machine, found)?,
            bins: Array::new(machine, BINS)?,
            counts: Array::new(machine, 4)?,
            best: Array::new(machine, 1)?,
            points: Array::new(machine, 513)?,
            left: Array::new(machine, 513)?,
        })
    }

    /// What there is room for.
    #[must_use]
    pub fn room(&self) -> Room {
        Room { kept: self.kept[0].scores.len(), found: self.found.scores.len() }
    }

    /// The addresses, with nothing to be done. The layer is the first of the two.
    #[must_use]
    pub fn layer(&self) -> Layer {
        let Room { kept, found } = self.room();
        Layer {
            kept: self.kept[0].addresses(),
            found: self.found.addresses(),
            to: self.kept[1].addresses(),
            slots: self.slots.address(),
            claims: self.claims.address(),
            table_keys: self.table_keys.address(),
            table_claims: self.table_claims.address(),
            list: self.list.address(),
            values: self.values.address(),
            bests: self.bests.address(),
            ranks: self.ranks.address(),
            bins: self.bins.address(),
            counts: self.counts.address(),
            best: self.best.address(),
            points: self.points.address(),
            left: self.left.address(),
            seeds: 0,
            prefix: 0,
            last: 0,
            bonus: 0.0,
            many_kept: 0,
            many_found: 0,
            many_listed: 0,
            room_found: found as u32,
            room_kept: kept as u32,
            mask: self.table_keys.len() as u32 - 1,
            samples: 1,
            shift: 0,
            from: 0,
            until: 0,
            last_colour: 0,
            second_colour: 0,
        }
    }
}

impl Layer {
    /// Uses only as much of the arrays as so many positions need, for the tables
    /// have to be cleared. Returns the places of a table in use.
    pub(crate) fn limit(&mut self, found: usize) -> usize {
        self.room_found = self.room_found.min(found as u32);
        let used = Room { kept: 0, found: self.room_found as usize }.table();
        self.mask = used as u32 - 1;
        used
    }
}
