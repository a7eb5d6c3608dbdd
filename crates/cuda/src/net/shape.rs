//! How the work of a network is dealt out to the threads of a GPU.

use std::fmt::Write;

use solitree_nn::{Digits, Folded, Input, PolicyHead};

use super::tiling::Tiling;

/// What there is of a GPU, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a block of threads may share.
    pub block: usize,
    /// The same for all blocks that run on a multiprocessor.
    pub multiprocessor: usize,
}

/// Tiles of sixteen cells that a block should have, at least.
const FEW: usize = 13;
/// Memory that a block takes beside its own.
const RESERVED: usize = 1024;
/// Threads of a block at most.
const MOST_THREADS: usize = 1024;
/// Blocks of a multiprocessor at most.
const MOST_BLOCKS: usize = 8;
/// Warps of a block of the linear layer, sixteen positions each.
pub(super) const DENSE_WARPS: usize = 4;
/// Threads of a block that adds up.
pub(super) const SUM_THREADS: usize = 256;

/// The kernels for one network: everything that net.cu has set from outside.
#[derive(Clone, Debug)]
pub struct NetShape {
    pub(super) digits: Digits,
    pub(super) input: Input,
    border: usize,
    grid: (usize, usize),
    /// Channels of a row, and of a convolution's result, padded.
    channels: usize,
    pub(super) filters: usize,
    pub(super) grids: usize,
    pub(super) tiling: Tiling,
    blocks: usize,
    /// Whether weights are loaded a step ahead.
    ahead: bool,
    elu: bool,
    residual: bool,
    pub(super) policy: Policy,
    value: bool,
    clear: bool,
    pub(super) hidden: usize,
}

/// How the policy comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    None,
    Cells,
    Whole(Dense),
}

/// A linear layer over everything, cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dense {
    pub(super) inner: usize,
    margin: usize,
    pub(super) parts: usize,
    /// Sixteen words, two steps.
    pub(super) part_groups: usize,
    /// Outputs, padded.
    pub(super) outputs: usize,
}

impl NetShape {
    /// For a network, on a GPU; the error says why it is not for one.
    pub fn new(folded: &Folded, digits: Digits, limits: Limits) -> Result<NetShape, String> {
        let first = folded.convolutions.first().ok_or("a network without convolutions")?;
        let same = |conv: &&solitree_nn::Convolution| {
            conv.elu == first.elu && conv.bias.len() == first.bias.len() && conv.margin <= 2
        };
        if !folded.convolutions.iter().all(|conv| same(&conv)) {
            return Err("its convolutions are of several kinds".to_owned());
        }
        let filters = first.bias.len().next_multiple_of(16);
        let tilings = Tiling::all(filters);
        let tiling = *tilings.first().ok_or("no tiles fit its channels")?;
        let grid = folded.grid();
        let mut shape = NetShape {
            digits,
            input: folded.input,
            border: folded.border,
            grid,
            channels: filters.max(folded.input.planes.next_multiple_of(16)),
            filters,
            grids: 1,
            tiling,
            blocks: 1,
            ahead: false,
            elu: first.elu,
            residual: folded.convolutions.iter().any(|conv| conv.residual),
            policy: Policy::None,
            value: folded.value.is_some(),
            clear: folded.clear.is_some(),
            hidden: folded.value.as_ref().or(folded.clear.as_ref()).map_or(1, |h| h.hidden.to),
        };
        shape = shape.dealt(&tilings, limits)?;
        shape.policy = match &folded.policy {
            None => Policy::None,
            Some(PolicyHead::Cells { .. }) => Policy::Cells,
            Some(PolicyHead::Whole { .. }) => {
                let margin = folded.convolutions.last().map_or(0, |conv| conv.margin);
                Policy::Whole(shape.dense(margin)?)
            }
        };
        Ok(shape)
    }

    /// Finds the tiling that promises most, how many boards a block takes, and how many
    /// blocks a multiprocessor.
    fn dealt(&self, tilings: &[Tiling], limits: Limits) -> Result<NetShape, String> {
        let of = |&tiling: &Tiling| NetShape { tiling, ..self.clone() };
        let fitting = tilings.iter().map(of).filter(|shape| shape.fits(limits));
        let mut best: Option<(f64, NetShape)> = None;
        for shape in fitting.map(|shape| shape.filled(limits)) {
            let room = limits.multiprocessor / (shape.shared_bytes() + RESERVED);
            for blocks in (1..=room.clamp(1, MOST_BLOCKS)).rev() {
                let (digits, warps) = (shape.digits, blocks * shape.warps());
                let effort = shape.tiling.effort(digits, shape.filters, warps);
                let promise = (blocks * shape.grids) as f64 / effort;
                if best.as_ref().is_none_or(|(most, _)| promise > *most) {
                    let ahead = shape.tiling.ahead(digits, warps);
                    best = Some((promise, NetShape { blocks, ahead, ..shape.clone() }));
                }
            }
        }
        best.map(|(_, shape)| shape).ok_or_else(|| self.too_large(limits))
    }

    fn fits(&self, limits: Limits) -> bool {
        self.shared_bytes() <= limits.block && self.threads() <= MOST_THREADS
    }

    /// With so many boards in a block that its warps have enough to do.
    fn filled(mut self, limits: Limits) -> NetShape {
        while self.tiles() < FEW {
            let more = NetShape { grids: self.grids + 1, ..self.clone() };
            // Two blocks at a time hide what each waits for.
            if !more.fits(limits) || 2 * (more.shared_bytes() + RESERVED) > limits.multiprocessor {
                break;
            }
            self = more;
        }
        self
    }

    fn too_large(&self, limits: Limits) -> String {
        let (needed, there) = match self.shared_bytes() {
            bytes if bytes > limits.block => {
                (format!("{} kB", bytes / 1000), format!("{}", limits.block / 1000))
            }
            _ => (format!("{} threads", self.threads()), MOST_THREADS.to_string()),
        };
        let Input { width, height, .. } = self.input;
        let channels = self.channels;
        format!(
            "{width}x{height} boards of {channels} channels need {needed} in a block, and there \
             are {there}"
        )
    }

    fn dense(&self, margin: usize) -> Result<Dense, String> {
        let (columns, rows) = (self.grid.0 - 2 * margin, self.grid.1 - 2 * margin);
        let words = rows * self.filters / self.per_word();
        if !words.is_multiple_of(16) {
            return Err(format!("{rows} rows of {} channels cannot be halved", self.filters));
        }
        Ok(Dense {
            inner: columns * rows,
            margin,
            parts: columns,
            part_groups: words / 16,
            outputs: self.input.cells().next_multiple_of(8 * self.tiling.channels),
        })
    }

    pub(super) fn per_word(&self) -> usize {
        match self.digits {
            Digits::Half => 2,
            Digits::Single => 1,
        }
    }

    /// Channels of a step through the input.
    pub(super) fn step(&self) -> usize {
        8 * self.per_word()
    }

    /// Channels of the planes and of a result, as steps go through them.
    pub(super) fn steps(&self) -> (usize, usize) {
        let planes = self.input.planes.next_multiple_of(self.step());
        (planes / self.step(), self.filters / self.step())
    }

    /// Bytes of an encoded position, whole sixteens.
    pub(super) fn mark_bytes(&self) -> usize {
        self.input.bytes().next_multiple_of(16)
    }

    /// Tiles of sixteen cells over all boards of a block.
    fn tiles(&self) -> usize {
        let stride = self.grid.1 + 1;
        let stretch = self.grids * (self.grid.0 + 1) * stride - stride - 1;
        stretch.div_ceil(16)
    }

    /// Those of a warp together, in groups.
    fn groups(&self) -> usize {
        self.tiles().div_ceil(self.tiling.cells)
    }

    fn warps(&self) -> usize {
        self.groups() * self.tiling.splits
    }

    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.warps() * 32
    }

    /// Memory that the threads of a block share, in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let rows = 2 * (self.grid.1 + 2) + self.groups() * self.tiling.cells * 16;
        let row = self.channels / self.per_word() * 4;
        2 * rows * row + self.grids * self.mark_bytes() + (self.filters + self.hidden) * 4
    }

    /// What stands before the source.
    #[must_use]
    pub fn defines(&self) -> String {
        let (plane_steps, filter_steps) = self.steps();
        let dense = match self.policy {
            Policy::Whole(dense) => Some(dense),
            _ => None,
        };
        let of = |part: fn(&Dense) -> usize| dense.as_ref().map_or(1, part);
        let policy = match self.policy {
            Policy::None => 0,
            Policy::Cells => 1,
            Policy::Whole(_) => 2,
        };
        let all = [
            ("HALF", usize::from(self.digits == Digits::Half)),
            ("WIDTH", self.grid.0),
            ("HEIGHT", self.grid.1),
            ("BORDER", self.border),
            ("PLANES", self.input.planes),
            ("MARKS", self.input.marks),
            ("MARK_BYTES", self.mark_bytes()),
            ("CHANNELS", self.channels),
            ("FILTERS", self.filters),
            ("PLANE_STEPS", plane_steps),
            ("FILTER_STEPS", filter_steps),
            ("GRIDS", self.grids),
            ("WARPS", self.warps()),
            ("SPLITS", self.tiling.splits),
            ("MT", self.tiling.cells),
            ("NT", self.tiling.channels),
            ("BLOCKS", self.blocks),
            ("AHEAD", usize::from(self.ahead)),
            ("ELU", usize::from(self.elu)),
            ("RESIDUAL", usize::from(self.residual)),
            ("POLICY", policy),
            ("VALUE", usize::from(self.value)),
            ("CLEAR", usize::from(self.clear)),
            ("HIDDEN", self.hidden),
            ("INNER", of(|dense| dense.inner)),
            ("MARGIN", of(|dense| dense.margin)),
            ("PARTS", of(|dense| dense.parts)),
            ("PART_GROUPS", of(|dense| dense.part_groups)),
            ("OUTPUTS", of(|dense| dense.outputs)),
            ("DENSE_WARPS", DENSE_WARPS),
            ("SUM_THREADS", SUM_THREADS),
        ];
        let mut text = String::new();
        for (name, value) in all {
            let _ = writeln!(text, "#define {name} {value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use solitree_nn::{Encoder, Features, Network, Params, SameGameEncoder};

    use super::*;

    /// Tiles of cells and of channels, splits, blocks, whether ahead.
    fn tiling(net: &str, features: Features, digits: Digits) -> (usize, usize, usize, usize, bool) {
        let encoder = SameGameEncoder::new(15, 15, 5, features).unwrap();
        let network = Network::new(net.parse().unwrap(), encoder.input()).unwrap();
        let folded = Folded::new(&network, &Params::random(&network, 1));
        let limits = Limits { block: 232_448, multiprocessor: 233_472 };
        let NetShape { tiling, blocks, ahead, .. } =
            NetShape::new(&folded, digits, limits).unwrap();
        (tiling.cells, tiling.channels, tiling.splits, blocks, ahead)
    }

    #[test]
    fn what_was_fastest_on_an_h200_is_taken() {
        let (paper, colours) = ("paper+policy", Features::Colours);
        assert_eq!(tiling(paper, colours, Digits::Half), (2, 8, 1, 2, false));
        assert_eq!(tiling(paper, colours, Digits::Single), (2, 4, 2, 1, false));
        let (residual, groups) = ("residual(blocks=6,filters=64)+policy", Features::Groups);
        assert_eq!(tiling(residual, groups, Digits::Half), (4, 8, 1, 2, true));
        assert_eq!(tiling(residual, groups, Digits::Single), (2, 8, 1, 1, false));
        // Within six and one hundredths of the fastest.
        for small in ["tiny(layers=6,filters=32)+policy", "residual(blocks=4,filters=32)+policy"] {
            assert_eq!(tiling(small, groups, Digits::Half), (4, 4, 1, 4, true));
            assert_eq!(tiling(small, groups, Digits::Single), (4, 4, 1, 3, false));
        }
    }
}
