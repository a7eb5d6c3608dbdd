//! Into which tiles a network is cut, and what that is expected to take. The figures
//! were chosen so that of the tilings measured on an H200 the fastest ones, or such as
//! are within a few hundredths of them, come first: docs/learning.md.

use solitree_nn::Digits;

/// Tiles of sixteen cells that a warp may compute together.
const CELL_TILES: [usize; 2] = [4, 2];
/// Tiles of eight channels, likewise.
const CHANNEL_TILES: [usize; 4] = [8, 6, 4, 2];
/// Parts of a multiprocessor, to which its warps are dealt out.
const QUARTERS: usize = 4;
/// Registers of a quarter, for one lane of each warp there.
const REGISTERS: usize = 512;
/// Registers of a lane at most.
const MOST_REGISTERS: usize = 255;
/// How much slower a quarter with a single warp is, which nothing hides the waiting of.
const ALONE: f64 = 1.25;
/// How much slower it is when registers do not suffice.
const SPILLED: f64 = 4.0;

/// What a warp computes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// Tiles of sixteen cells.
    pub(super) cells: usize,
    /// Tiles of eight channels.
    pub(super) channels: usize,
    /// Warps among which the channels of the same cells are dealt out.
    pub(super) splits: usize,
}

impl Tiling {
    /// All for so many channels; there is always one, as they come in sixteens.
    pub(super) fn all(filters: usize) -> Vec<Tiling> {
        let mut all = Vec::new();
        for cells in CELL_TILES {
            for channels in CHANNEL_TILES {
                let shares = filters / 8 / channels;
                let whole = filters.is_multiple_of(8 * channels);
                let splits = [1, 2].into_iter().filter(|splits| shares.is_multiple_of(*splits));
                all.extend(splits.filter(|_| whole).map(|splits| Tiling {
                    cells,
                    channels,
                    splits,
                }));
            }
        }
        all
    }

    /// Sixteen bytes of weights that a lane loads for a step.
    fn loads(self, digits: Digits) -> usize {
        match digits {
            Digits::Half => self.channels / 2,
            Digits::Single => self.channels,
        }
    }

    /// What a lane keeps: sums, weights, and what it is just multiplying.
    fn registers(self, digits: Digits) -> usize {
        4 * (self.cells * self.channels + self.loads(digits) + 2 * self.cells)
    }

    /// Whether weights are best loaded a step ahead: where there is room for them. In
    /// single precision that brings nothing.
    pub(super) fn ahead(self, digits: Digits, warps: usize) -> bool {
        let needed = self.registers(digits) + 4 * self.loads(digits);
        digits == Digits::Half && needed <= registers_of(warps)
    }

    /// How long the warps of a multiprocessor take for a convolution of so many
    /// channels, in products of two tiles.
    pub(super) fn effort(self, digits: Digits, filters: usize, warps: usize) -> f64 {
        let products = self.cells * self.channels;
        let step = match digits {
            Digits::Half => products + self.cells + self.loads(digits),
            // Three products each, and the cells' numbers are split into two.
            Digits::Single => 3 * products + 5 * self.cells + self.loads(digits),
        };
        let turns = warps.div_ceil(QUARTERS);
        let shares = filters / 8 / self.channels / self.splits;
        let alone = if turns == 1 { ALONE } else { 1.0 };
        let spilled = if self.registers(digits) > registers_of(warps) { SPILLED } else { 1.0 };
        (turns * shares * step) as f64 * alone * spilled
    }
}

/// Registers of a lane, of so many warps on a multiprocessor; they come in eights.
fn registers_of(warps: usize) -> usize {
    (REGISTERS / warps.div_ceil(QUARTERS) / 8 * 8).min(MOST_REGISTERS)
}
