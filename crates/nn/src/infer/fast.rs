//! A network computed fast on one core.
//!
//! Batch normalisation is folded into the convolution before it, and what
//! follows a convolution (a bias, a sum, ReLU) is done while its result is in
//! registers. A batch is computed some positions at a time, so that they stay in
//! the nearest caches.

use std::sync::Arc;

use super::plain::EPSILON;
use super::{Answers, Evaluator};
use crate::encoder::Input;
use crate::frame::Frame;
use crate::math::elu;
use crate::network::{Act, Network, Op, Outputs, Shape};
use crate::pack::{Sizes, pad};
use crate::params::Params;
use crate::simd::{Cells, Finish, Marks, SPARE, Simd, Stretch, padded};

/// Positions computed together.
const TOGETHER: usize = 8;

/// Evaluates with vector instructions; within rounding the same as
/// [`super::PlainEvaluator`].
#[derive(Clone, Debug)]
pub struct FastEvaluator {
    plan: Arc<Plan>,
    simd: Simd,
    marks: Vec<u8>,
    /// What each step says; empty for nodes that are fused with a later one.
    done: Vec<Vec<f32>>,
    /// A grid as a linear layer reads it.
    flat: Vec<f32>,
}

/// What to compute, and the weights for it.
#[derive(Debug)]
struct Plan {
    input: Input,
    frame: Frame,
    outputs: Outputs,
    steps: Vec<Step>,
    nodes: usize,
}

/// Several nodes of a network that are computed in one go.
#[derive(Debug)]
struct Step {
    work: Work,
    /// Which node this is the result of.
    node: usize,
    shape: Shape,
    bias: Vec<f32>,
    /// Added before the function is applied.
    residual: Option<usize>,
    act: Option<Act>,
}

#[derive(Debug)]
enum Work {
    Lookup { table: Vec<f32> },
    Conv { from: usize, taps: usize, weights: Vec<f32> },
    /// A 1x1 convolution with one filter: a sum of products a cell.
    Project { from: usize, weights: Vec<f32> },
    Mean { from: usize },
    Dense { from: usize, inputs: usize, weights: Vec<f32> },
}

impl FastEvaluator {
    /// An evaluator of a network with these weights, on the best instructions
    /// there are.
    #[must_use]
    pub fn new(network: &Network, params: &Params) -> FastEvaluator {
        FastEvaluator::with_simd(network, params, Simd::best())
    }

    /// The same on given instructions, for tests and measurements.
    #[must_use]
    pub fn with_simd(network: &Network, params: &Params, simd: Simd) -> FastEvaluator {
        let plan = Plan::new(network, params);
        let cells = plan.frame.room(TOGETHER, SPARE);
        let mut done = vec![Vec::new(); plan.nodes];
        let mut flat = 0;
        for step in &plan.steps {
            let channels = padded(step.shape.channels());
            done[step.node] = match step.shape {
                Shape::Grid { .. } => vec![0.0; cells * channels],
                Shape::Flat(_) => vec![0.0; (TOGETHER + SPARE) * channels],
            };
            if let Work::Dense { inputs, .. } = step.work {
                flat = flat.max((TOGETHER + SPARE) * padded(inputs));
            }
        }
        let marks = vec![plan.input.planes as u8; cells * plan.input.marks];
        FastEvaluator { plan: Arc::new(plan), simd, marks, done, flat: vec![0.0; flat] }
    }

    fn run(&mut self, positions: &[u8]) {
        let plan = Arc::clone(&self.plan);
        let count = positions.len() / plan.input.bytes();
        set_marks(plan.frame, plan.input, positions, &mut self.marks);
        for step in &plan.steps {
            let mut output = std::mem::take(&mut self.done[step.node]);
            self.step(&plan, step, count, &mut output);
            self.done[step.node] = output;
        }
    }

    fn step(&mut self, plan: &Plan, step: &Step, count: usize, output: &mut [f32]) {
        let frame = plan.frame;
        let grid = |index: usize| Stretch { first: frame.first(index), count: frame.span() };
        let finish = Finish {
            bias: Some(&step.bias),
            residual: step.residual.map(|node| self.done[node].as_slice()),
            relu: step.act == Some(Act::Relu),
        };
        let to = padded(step.shape.channels());
        match &step.work {
            Work::Lookup { table } => {
                let marks =
                    Marks { data: &self.marks, each: plan.input.marks, planes: plan.input.planes + 1 };
                let last = frame.first(count - 1) + frame.span();
                let all = Stretch { first: frame.first(0), count: last - frame.first(0) };
                self.simd.lookup(marks, table, &frame.neighbours(), finish, all, output);
            }
            Work::Conv { from, taps, weights } => {
                let channels = weights.len() / (taps * to);
                let input = Cells { data: &self.done[*from], channels };
                let around = frame.neighbours();
                let neighbours = if *taps == 9 { &around[..] } else { &[0] };
                for index in 0..count {
                    self.simd.conv(input, weights, neighbours, finish, grid(index), output);
                }
            }
            Work::Project { from, weights } => {
                let input = &self.done[*from];
                for index in 0..count {
                    for cell in frame.columns(index, 0).flatten() {
                        let numbers = &input[cell * weights.len()..][..weights.len()];
                        output[cell * to] = step.bias[0] + dot(numbers, weights);
                    }
                }
                return;
            }
            Work::Mean { from } => {
                let input = &self.done[*from];
                let Shape::Grid { margin, .. } = plan.shape(*from) else { return };
                let share = 1.0 / frame.cells(margin) as f32;
                for (index, means) in output.chunks_exact_mut(to).take(count).enumerate() {
                    means.fill(0.0);
                    for cell in frame.columns(index, margin).flatten() {
                        for (mean, number) in means.iter_mut().zip(&input[cell * to..]) {
                            *mean += number * share;
                        }
                    }
                }
                return;
            }
            Work::Dense { from, inputs, weights } => {
                let shape = plan.shape(*from);
                flatten(frame, shape, count, &self.done[*from], &mut self.flat);
                let input = Cells { data: &self.flat, channels: padded(*inputs) };
                let all = Stretch { first: 0, count };
                self.simd.conv(input, weights, &[0], finish, all, output);
            }
        }
        if step.act == Some(Act::Elu) {
            for number in &mut *output {
                *number = elu(*number);
            }
        }
        if let Shape::Grid { margin, .. } = step.shape {
            frame.clear_rim(count, margin, to, output);
        }
    }

    fn answers(&self, count: usize, out: &mut Answers) {
        let plan = &self.plan;
        let cells = plan.input.cells();
        for (node, answers) in [
            (plan.outputs.policy, &mut out.policy),
            (plan.outputs.value, &mut out.value),
            (plan.outputs.clear, &mut out.clear),
        ] {
            let Some(node) = node else { continue };
            let said = &self.done[node];
            let channels = padded(plan.shape(node).channels());
            match plan.shape(node) {
                Shape::Flat(numbers) => {
                    for row in said.chunks_exact(channels).take(count) {
                        answers.extend_from_slice(&row[..numbers]);
                    }
                }
                Shape::Grid { .. } => {
                    for index in 0..count {
                        let place = |cell| plan.frame.cell(index, cell) * channels;
                        answers.extend((0..cells).map(|cell| said[place(cell)]));
                    }
                }
            }
        }
    }
}

impl Evaluator for FastEvaluator {
    fn input(&self) -> Input {
        self.plan.input
    }

    fn evaluate(&mut self, positions: &[u8], out: &mut Answers) {
        out.policy.clear();
        out.value.clear();
        out.clear.clear();
        let bytes = self.plan.input.bytes();
        for together in positions.chunks(TOGETHER * bytes) {
            self.run(together);
            self.answers(together.len() / bytes, out);
        }
    }
}

impl Plan {
    fn new(network: &Network, params: &Params) -> Plan {
        let mut steps: Vec<Step> = Vec::new();
        for (node, layer) in network.nodes.iter().enumerate() {
            let shape = layer.shape;
            let bias = |bias: Option<usize>| match bias {
                Some(bias) => pad(params.tensors[bias].iter().copied()),
                None => vec![0.0; padded(shape.channels())],
            };
            let sizes = network.sizes(node);
            let packed = |(weight, sizes): (usize, Sizes)| sizes.pack(&params.tensors[weight]);
            let weights = sizes.map(packed).unwrap_or_default();
            let (work, bias) = match layer.op {
                Op::Norm { .. } | Op::Act { .. } | Op::Add { .. } => {
                    let step = steps.last_mut().expect("the input comes first");
                    step.fuse(layer.op, params);
                    step.node = node;
                    continue;
                }
                Op::Lookup { bias: added, .. } => (Work::Lookup { table: weights }, bias(added)),
                Op::Conv { from, size: 1, weight, bias: added } if shape.channels() == 1 => {
                    let weights = pad(params.tensors[weight].iter().copied());
                    (Work::Project { from, weights }, bias(added))
                }
                Op::Conv { from, size, bias: added, .. } => {
                    (Work::Conv { from, taps: size * size, weights }, bias(added))
                }
                Op::Mean { from } => (Work::Mean { from }, Vec::new()),
                Op::Dense { from, bias: added, .. } => {
                    let inputs = sizes.map_or(0, |(_, sizes)| sizes.from);
                    (Work::Dense { from, inputs, weights }, bias(Some(added)))
                }
            };
            steps.push(Step { work, node, shape, bias, residual: None, act: None });
        }
        Plan {
            input: network.input,
            frame: network.frame,
            outputs: network.outputs,
            steps,
            nodes: network.nodes.len(),
        }
    }

    /// The shape of a node that is the result of a step.
    fn shape(&self, node: usize) -> Shape {
        let step = self.steps.iter().find(|step| step.node == node);
        step.expect("only results of steps are asked for").shape
    }
}

impl Step {
    /// Makes the layer behind it part of the step.
    fn fuse(&mut self, op: Op, params: &Params) {
        match op {
            Op::Norm { gain, .. } => {
                let [gain, bias, mean, variance] = [0, 1, 2, 3].map(|i| &params.tensors[gain + i]);
                let root = |c: usize| (f64::from(variance[c]) + EPSILON).sqrt();
                let factor =
                    pad((0..gain.len()).map(|c| (f64::from(gain[c]) / root(c)) as f32));
                let (Work::Lookup { table: weights } | Work::Conv { weights, .. }) = &mut self.work
                else {
                    unreachable!("only convolutions are normalised");
                };
                for row in weights.chunks_exact_mut(factor.len()) {
                    for (weight, factor) in row.iter_mut().zip(&factor) {
                        *weight *= factor;
                    }
                }
                for channel in 0..gain.len() {
                    let moved = self.bias[channel] - mean[channel];
                    self.bias[channel] = bias[channel] + moved * factor[channel];
                }
            }
            Op::Act { act, .. } => self.act = Some(act),
            Op::Add { other, .. } => self.residual = Some(other),
            _ => unreachable!("only these follow a convolution"),
        }
    }
}

/// Writes the marks of positions into their places in a frame.
pub(crate) fn set_marks(frame: Frame, input: Input, positions: &[u8], marks: &mut [u8]) {
    for (index, position) in positions.chunks_exact(input.bytes()).enumerate() {
        for (cell, from) in position.chunks_exact(input.marks).enumerate() {
            marks[frame.cell(index, cell) * input.marks..][..input.marks].copy_from_slice(from);
        }
    }
}

/// Writes the numbers of a node as a linear layer reads them, channel by channel.
pub(crate) fn flatten(
    frame: Frame,
    shape: Shape,
    count: usize,
    said: &[f32],
    flat: &mut [f32],
) {
    each_flat(frame, shape, count, |place, flat_place| flat[flat_place] = said[place]);
}

/// Adds numbers in the order of a linear layer to those of a node.
pub(crate) fn unflatten(
    frame: Frame,
    shape: Shape,
    count: usize,
    flat: &[f32],
    said: &mut [f32],
) {
    each_flat(frame, shape, count, |place, flat_place| said[place] += flat[flat_place]);
}

/// Where each number of a node is, and where a linear layer looks for it.
fn each_flat(frame: Frame, shape: Shape, count: usize, mut visit: impl FnMut(usize, usize)) {
    match shape {
        Shape::Flat(numbers) => (0..count * padded(numbers)).for_each(|place| visit(place, place)),
        Shape::Grid { channels, margin } => {
            let (cells, step) = (frame.cells(margin), padded(channels));
            let inputs = padded(channels * cells);
            for index in 0..count {
                for (number, cell) in frame.columns(index, margin).flatten().enumerate() {
                    for channel in 0..channels {
                        let flat = index * inputs + channel * cells + number;
                        visit(cell * step + channel, flat);
                    }
                }
            }
        }
    }
}

/// A sum of products, in sixteen lanes.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}
