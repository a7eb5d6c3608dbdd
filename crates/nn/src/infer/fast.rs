//! A network computed fast on one core.
//!
//! Batch normalisation is folded into the convolution before it, and what
//! follows a convolution (a bias, a sum, ReLU) is done while its result is in
//! registers. A batch is computed some positions at a time, so that they stay in
//! the nearest caches.

use std::sync::Arc;

use super::layout::{flatten, set_marks};
use super::plan::{Plan, Step, Work};
use super::{Answers, Evaluator};
use crate::encoder::Input;
use crate::math::elu;
use crate::network::{Act, Network, Shape};
use crate::params::Params;
use crate::simd::{Cells, Finish, Marks, SPARE, Simd, Stretch, Whole, padded};

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
    /// A grid in whole numbers.
    whole: Vec<u8>,
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
        FastEvaluator {
            plan: Arc::new(plan),
            simd,
            marks,
            done,
            flat: vec![0.0; flat],
            whole: Vec::new(),
        }
    }

    /// The same with convolutions of small whole numbers where that is possible
    /// (behind ReLU), which is about twice as fast on processors with the
    /// instructions for it (and slower on others), and wrong by about one part in a hundred. How large
    /// numbers become is learnt from some encoded positions; what exceeds it
    /// later is clipped. A network with nothing but a policy head, as `tiny` and
    /// `residual` have it, gives the same answers bit for bit on every
    /// processor.
    #[must_use]
    pub fn quantised(network: &Network, params: &Params, positions: &[u8]) -> FastEvaluator {
        FastEvaluator::quantised_with_simd(network, params, positions, Simd::best())
    }

    /// The same on given instructions, for tests and measurements.
    #[must_use]
    pub fn quantised_with_simd(
        network: &Network,
        params: &Params,
        positions: &[u8],
        simd: Simd,
    ) -> FastEvaluator {
        // On plain instructions, so that the scales are the same everywhere.
        let mut measured = FastEvaluator::with_simd(network, params, Simd::PLAIN);
        let mut highest = vec![0.0_f32; network.nodes.len()];
        for together in positions.chunks(TOGETHER * network.input.bytes()) {
            measured.run(together);
            for (highest, said) in highest.iter_mut().zip(&measured.done) {
                *highest = said.iter().fold(*highest, |highest, &number| highest.max(number));
            }
        }
        let mut plan = Plan::new(network, params);
        plan.quantise(|node| highest[node]);
        let longest = measured.done.iter().map(Vec::len).max().unwrap_or(0);
        FastEvaluator { plan: Arc::new(plan), simd, whole: vec![0; longest], ..measured }
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
                let marks = Marks {
                    data: &self.marks,
                    each: plan.input.marks,
                    planes: plan.input.planes + 1,
                };
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
            Work::Whole { from, taps, layer } => {
                let input = &self.done[*from];
                let whole = &mut self.whole[..input.len()];
                self.simd.quantise(input, layer.factor, whole);
                let around = frame.neighbours();
                let neighbours = if *taps == 9 { &around[..] } else { &[0] };
                let layer =
                    Whole { from: layer.from, weights: &layer.weights, worth: &layer.worth };
                for index in 0..count {
                    self.simd.whole(whole, layer, neighbours, finish, grid(index), output);
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
            self.simd.run(|| output.iter_mut().for_each(|number| *number = elu(*number)));
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
        assert!(positions.len().is_multiple_of(bytes), "positions are whole");
        for together in positions.chunks(TOGETHER * bytes) {
            self.run(together);
            self.answers(together.len() / bytes, out);
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
