//! How the work of a network is dealt out to the threads of a GPU.

use std::fmt::Write;

use solitree_nn::{Digits, Folded, Input, PolicyHead};

/// What there is of a GPU, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that a block of threads may share.
    pub block: usize,
    /// The same for all blocks that run on a multiprocessor.
    pub multiprocessor: usize,
}

/// Tiles of sixteen cells that a warp computes together.
const MT: usize = 4;
/// Groups of tiles that a block should have, at least.
const FEW: usize = 4;
/// Memory that a block takes beside its own.
const RESERVED: usize = 1024;
/// Registers of a quarter of a multiprocessor, for one lane of each warp there.
const REGISTERS: usize = 512;
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
    warps: usize,
    splits: usize,
    pub(super) nt: usize,
    blocks: usize,
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
        let most = if digits == Digits::Half { 8 } else { 4 };
        let nt = (1..=most / 2).map(|n| 2 * n).filter(|nt| filters / 8 % nt == 0).max();
        let nt = nt.ok_or("no tiles fit its channels")?;
        let shares = filters / 8 / nt;
        let grid = folded.grid();
        let mut shape = NetShape {
            digits,
            input: folded.input,
            border: folded.border,
            grid,
            channels: filters.max(folded.input.planes.next_multiple_of(16)),
            filters,
            grids: 1,
            warps: 1,
            splits: if shares % 2 == 0 { 2 } else { 1 },
            nt,
            blocks: 1,
            elu: first.elu,
            residual: folded.convolutions.iter().any(|conv| conv.residual),
            policy: Policy::None,
            value: folded.value.is_some(),
            clear: folded.clear.is_some(),
            hidden: folded.value.as_ref().or(folded.clear.as_ref()).map_or(1, |h| h.hidden.to),
        };
        shape.policy = match &folded.policy {
            None => Policy::None,
            Some(PolicyHead::Cells { .. }) => Policy::Cells,
            Some(PolicyHead::Whole { .. }) => {
                let margin = folded.convolutions.last().map_or(0, |conv| conv.margin);
                Policy::Whole(shape.dense(margin)?)
            }
        };
        shape.deal(limits)?;
        Ok(shape)
    }

    /// Finds how many boards a block takes, and how many blocks a multiprocessor.
    fn deal(&mut self, limits: Limits) -> Result<(), String> {
        let fits =
            |shape: &NetShape| shape.shared_bytes() <= limits.block && shape.threads() <= 1024;
        let of = |shape: &NetShape, grids: usize| {
            let mut other = shape.clone();
            other.grids = grids;
            other.warps = other.groups() * other.splits;
            other
        };
        *self = of(self, 1);
        if !fits(self) {
            return Err(format!(
                "{}x{} boards of {} channels need {} kB in a block, and there are {}",
                self.input.width,
                self.input.height,
                self.channels,
                self.shared_bytes() / 1000,
                limits.block / 1000
            ));
        }
        while self.groups() < FEW {
            let more = of(self, self.grids + 1);
            // Two blocks at a time hide what each waits for.
            if !fits(&more) || 2 * (more.shared_bytes() + RESERVED) > limits.multiprocessor {
                break;
            }
            *self = more;
        }
        let room = limits.multiprocessor / (self.shared_bytes() + RESERVED);
        let loads = if self.digits == Digits::Half { self.nt / 2 } else { self.nt };
        let needed = MT * self.nt * 4 + loads * 4 + 20;
        let runs = |&blocks: &usize| REGISTERS / (blocks * self.warps).div_ceil(4) >= needed;
        self.blocks = (1..=room.clamp(1, 8)).filter(runs).max().unwrap_or(1);
        Ok(())
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
            outputs: self.input.cells().next_multiple_of(8 * self.nt),
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

    /// Groups of tiles over all boards of a block.
    fn groups(&self) -> usize {
        let stride = self.grid.1 + 1;
        let stretch = self.grids * (self.grid.0 + 1) * stride - stride - 1;
        stretch.div_ceil(16 * MT)
    }

    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.warps * 32
    }

    /// Memory that the threads of a block share, in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let rows = 2 * (self.grid.1 + 2) + self.groups() * MT * 16;
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
            ("WARPS", self.warps),
            ("SPLITS", self.splits),
            ("MT", MT),
            ("NT", self.nt),
            ("BLOCKS", self.blocks),
            ("AHEAD", 0),
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
