//! Some positions through a network and back.
//!
//! Forwards every node keeps what it said; backwards every node is told how the
//! loss would move with each of its numbers (its *slopes*), adds to the slopes
//! of its tensors and tells the nodes it was computed from.
//!
//! Batch normalisation takes mean and variance of the positions of one pass,
//! which may be a part of a batch (known as ghost batch normalisation): the
//! parts of a batch need not wait for each other.

use super::norm::{self, Moments};
use super::slopes::{Packed, Slopes};
use crate::infer::{flatten, set_marks, unflatten};
use crate::math::elu;
use crate::network::{Act, Network, Op, Shape};
use crate::simd::{Cells, Finish, Marks, SPARE, Simd, Stretch, padded};

/// Working memory for up to so many positions.
pub(super) struct Pass {
    network: Network,
    simd: Simd,
    count: usize,
    marks: Vec<u8>,
    /// What each node said, and how the loss moves with it.
    pub(super) said: Vec<Vec<f32>>,
    pub(super) slopes: Vec<Vec<f32>>,
    /// Whether anything was added to the slopes of a node yet.
    told: Vec<bool>,
    /// Mean and variance of normalised nodes.
    pub(super) moments: Vec<Moments>,
    /// What linear layers read, and where they answer.
    flat: Vec<Vec<f32>>,
    spare: Vec<f32>,
}

impl Pass {
    pub(super) fn new(network: &Network, most: usize, simd: Simd) -> Pass {
        let cells = network.frame.room(most, SPARE);
        let buffer = |shape: Shape| match shape {
            Shape::Grid { channels, .. } => vec![0.0; cells * padded(channels)],
            Shape::Flat(numbers) => vec![0.0; (most + SPARE) * padded(numbers)],
        };
        let said: Vec<Vec<f32>> = network.nodes.iter().map(|node| buffer(node.shape)).collect();
        let flat = (0..network.nodes.len()).map(|node| {
            match (network.nodes[node].op, network.sizes(node)) {
                (Op::Dense { .. }, Some((_, sizes))) => {
                    vec![0.0; (most + SPARE) * padded(sizes.from)]
                }
                _ => Vec::new(),
            }
        });
        let flat: Vec<Vec<f32>> = flat.collect();
        let longest = said.iter().chain(&flat).map(Vec::len).max().unwrap_or(0);
        Pass {
            simd,
            count: 0,
            marks: vec![network.input.planes as u8; cells * network.input.marks],
            slopes: said.clone(),
            told: vec![false; said.len()],
            moments: vec![Moments::default(); said.len()],
            said,
            flat,
            spare: vec![0.0; longest],
            network: network.clone(),
        }
    }

    /// Where the number of a node for a position is: of a cell of the board in
    /// a grid of one channel, or of a plain list.
    pub(super) fn place(&self, node: usize, position: usize, number: usize) -> usize {
        match self.network.nodes[node].shape {
            Shape::Grid { channels, .. } => {
                self.network.frame.cell(position, number) * padded(channels)
            }
            Shape::Flat(numbers) => position * padded(numbers) + number,
        }
    }

    fn marks(&self) -> Marks<'_> {
        let input = self.network.input;
        Marks { data: &self.marks, each: input.marks, planes: input.planes + 1 }
    }

    /// All cells of all positions, and what lies between.
    fn all(&self) -> Stretch {
        let frame = self.network.frame;
        let first = frame.first(0);
        Stretch { first, count: frame.first(self.count - 1) + frame.span() - first }
    }

    /// Computes every node for some encoded positions, as many as there is room
    /// for at most.
    pub(super) fn forwards(&mut self, packed: &Packed, positions: &[u8]) {
        let input = self.network.input;
        self.count = positions.len() / input.bytes();
        set_marks(self.network.frame, input, positions, &mut self.marks);
        for node in 0..self.network.nodes.len() {
            let mut output = std::mem::take(&mut self.said[node]);
            self.compute(packed, node, &mut output);
            self.said[node] = output;
        }
    }

    fn compute(&mut self, packed: &Packed, node: usize, output: &mut [f32]) {
        let (frame, count) = (self.network.frame, self.count);
        let layer = self.network.nodes[node].clone();
        let channels = padded(layer.shape.channels());
        let bias = |bias: Option<usize>| Finish {
            bias: bias.map(|bias| packed.forwards[bias].as_slice()),
            ..Finish::default()
        };
        let around = frame.neighbours();
        match layer.op {
            Op::Lookup { weight, bias: added } => {
                let table = &packed.forwards[weight];
                self.simd.lookup(self.marks(), table, &around, bias(added), self.all(), output);
            }
            Op::Conv { from, size, weight, bias: added } => {
                let input = self.cells(from);
                let neighbours = if size == 3 { &around[..] } else { &[0] };
                let weights = &packed.forwards[weight];
                for index in 0..count {
                    let grid = Stretch { first: frame.first(index), count: frame.span() };
                    self.simd.conv(input, weights, neighbours, bias(added), grid, output);
                }
            }
            Op::Norm { from, gain } => {
                let columns = self.columns(node);
                let gains = &packed.forwards[gain..gain + 2];
                let input = &self.said[from];
                self.moments[node] =
                    self.simd.run(|| norm::forwards(input, &columns, channels, gains, output));
                return;
            }
            Op::Act { from, act } => {
                let both = output.iter_mut().zip(&self.said[from]);
                self.simd.run(|| match act {
                    Act::Relu => both.for_each(|(y, &x)| *y = x.max(0.0)),
                    Act::Elu => both.for_each(|(y, &x)| *y = elu(x)),
                });
                return;
            }
            Op::Add { from, other } => {
                for (sum, (a, b)) in
                    output.iter_mut().zip(self.said[from].iter().zip(&self.said[other]))
                {
                    *sum = a + b;
                }
                return;
            }
            Op::Mean { from } => {
                let Shape::Grid { margin, .. } = self.network.nodes[from].shape else { return };
                let share = 1.0 / frame.cells(margin) as f32;
                for (index, means) in output.chunks_exact_mut(channels).take(count).enumerate() {
                    means.fill(0.0);
                    for cell in frame.columns(index, margin).flatten() {
                        let numbers = &self.said[from][cell * channels..];
                        means.iter_mut().zip(numbers).for_each(|(mean, x)| *mean += x * share);
                    }
                }
            }
            Op::Dense { from, weight, bias: added } => {
                let shape = self.network.nodes[from].shape;
                let mut flat = std::mem::take(&mut self.flat[node]);
                flatten(frame, shape, count, &self.said[from], &mut flat);
                let rows = packed.forwards[weight].len() / channels;
                let input = Cells { data: &flat, channels: rows };
                let all = Stretch { first: 0, count };
                let weights = &packed.forwards[weight];
                self.simd.conv(input, weights, &[0], bias(Some(added)), all, output);
                self.flat[node] = flat;
            }
        }
        if let Shape::Grid { margin, .. } = layer.shape {
            frame.clear_rim(count, margin, channels, output);
        }
    }

    /// Forgets all slopes, before those of the answers are set.
    pub(super) fn begin_backwards(&mut self) {
        self.slopes.iter_mut().for_each(|slopes| slopes.fill(0.0));
        self.told.fill(false);
    }

    /// Adds to the slopes of the tensors, from those of the answers.
    pub(super) fn backwards(&mut self, packed: &Packed, slopes: &mut Slopes) {
        for node in (0..self.network.nodes.len()).rev() {
            let moved = std::mem::take(&mut self.slopes[node]);
            self.teach(packed, node, &moved, slopes);
            self.slopes[node] = moved;
        }
    }

    fn teach(&mut self, packed: &Packed, node: usize, moved: &[f32], slopes: &mut Slopes) {
        let (frame, count) = (self.network.frame, self.count);
        let layer = self.network.nodes[node].clone();
        let channels = padded(layer.shape.channels());
        let around = frame.neighbours();
        let push = Cells { data: moved, channels };
        match layer.op {
            Op::Lookup { weight, bias } => {
                self.sum_bias(node, moved, bias, slopes);
                let table = &mut slopes.tensors[weight];
                self.simd.lookup_slopes(self.marks(), push, &around, self.all(), table);
            }
            Op::Conv { from, size, weight, bias } => {
                self.sum_bias(node, moved, bias, slopes);
                let neighbours = if size == 3 { &around[..] } else { &[0] };
                let weights = &mut slopes.tensors[weight];
                self.simd.weight_slopes(self.cells(from), push, neighbours, self.all(), weights);
                let mut back = std::mem::take(&mut self.slopes[from]);
                let mut spare = std::mem::take(&mut self.spare);
                let first_told = !std::mem::replace(&mut self.told[from], true);
                let output = if first_told { &mut back } else { &mut spare };
                let weights = &packed.backwards[weight];
                for index in 0..count {
                    let grid = Stretch { first: frame.first(index), count: frame.span() };
                    self.simd.conv(push, weights, neighbours, Finish::default(), grid, output);
                }
                if let Shape::Grid { channels, margin } = self.network.nodes[from].shape {
                    frame.clear_rim(count, margin, padded(channels), output);
                }
                if !first_told {
                    back.iter_mut().zip(&spare).for_each(|(sum, x)| *sum += x);
                }
                (self.slopes[from], self.spare) = (back, spare);
            }
            Op::Norm { from, gain } => {
                self.told[from] = true;
                let columns = self.columns(node);
                let (gains, rest) = slopes.tensors[gain..].split_at_mut(1);
                let seen = norm::Seen {
                    input: &self.said[from],
                    moments: &self.moments[node],
                    gains: &packed.forwards[gain],
                };
                let (slopes, back) = ([&mut gains[0], &mut rest[0]], &mut self.slopes[from]);
                self.simd.run(|| norm::backwards(seen, &columns, moved, slopes, back));
            }
            Op::Act { from, act } => {
                self.told[from] = true;
                let said = self.said[node].iter().zip(moved);
                let all = self.slopes[from].iter_mut().zip(said);
                self.simd.run(|| match act {
                    Act::Relu => {
                        all.for_each(|(back, (&y, &push))| {
                            *back += if y > 0.0 { push } else { 0.0 }
                        });
                    }
                    Act::Elu => {
                        all.for_each(|(back, (&y, &push))| *back += push * (y + 1.0).min(1.0));
                    }
                });
            }
            Op::Add { from, other } => {
                for node in [from, other] {
                    self.told[node] = true;
                    self.slopes[node].iter_mut().zip(moved).for_each(|(back, push)| *back += push);
                }
            }
            Op::Mean { from } => {
                self.told[from] = true;
                let Shape::Grid { margin, .. } = self.network.nodes[from].shape else { return };
                let share = 1.0 / frame.cells(margin) as f32;
                for (index, means) in moved.chunks_exact(channels).take(count).enumerate() {
                    for cell in frame.columns(index, margin).flatten() {
                        let back = &mut self.slopes[from][cell * channels..][..channels];
                        back.iter_mut().zip(means).for_each(|(back, push)| *back += push * share);
                    }
                }
            }
            Op::Dense { from, weight, bias } => {
                self.told[from] = true;
                self.sum_bias(node, moved, Some(bias), slopes);
                let rows = packed.forwards[weight].len() / channels;
                let all = Stretch { first: 0, count };
                let input = Cells { data: &self.flat[node], channels: rows };
                self.simd.weight_slopes(input, push, &[0], all, &mut slopes.tensors[weight]);
                let weights = &packed.backwards[weight];
                let spare = &mut self.spare;
                self.simd.conv(push, weights, &[0], Finish::default(), all, spare);
                let shape = self.network.nodes[from].shape;
                unflatten(frame, shape, count, spare, &mut self.slopes[from]);
            }
        }
    }

    fn cells(&self, node: usize) -> Cells<'_> {
        let channels = padded(self.network.nodes[node].shape.channels());
        Cells { data: &self.said[node], channels }
    }

    /// The stretches of cells that belong to a node, of all positions.
    fn columns(&self, node: usize) -> Vec<std::ops::Range<usize>> {
        match self.network.nodes[node].shape {
            Shape::Flat(_) => std::iter::once(0..self.count).collect(),
            Shape::Grid { margin, .. } => {
                let frame = self.network.frame;
                (0..self.count).flat_map(|index| frame.columns(index, margin)).collect()
            }
        }
    }

    fn sum_bias(&self, node: usize, moved: &[f32], bias: Option<usize>, slopes: &mut Slopes) {
        let Some(bias) = bias else { return };
        let sums = &mut slopes.tensors[bias];
        for column in self.columns(node) {
            for cell in
                moved[column.start * sums.len()..column.end * sums.len()].chunks_exact(sums.len())
            {
                sums.iter_mut().zip(cell).for_each(|(sum, push)| *sum += push);
            }
        }
    }
}
