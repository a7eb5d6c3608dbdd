//! What the fast evaluator computes: several layers of a network in one step.

use super::plain::EPSILON;
use crate::encoder::Input;
use crate::frame::Frame;
use crate::network::{Act, Network, Op, Outputs, Shape};
use crate::pack::{Sizes, pad};
use crate::params::Params;
use crate::simd::{FOUR, MOST, padded};

/// What to compute, and the weights for it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) input: Input,
    pub(super) frame: Frame,
    pub(super) outputs: Outputs,
    pub(super) steps: Vec<Step>,
    pub(super) nodes: usize,
}

/// Several nodes of a network that are computed in one go.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) work: Work,
    /// Which node this is the result of.
    pub(super) node: usize,
    pub(super) shape: Shape,
    pub(super) bias: Vec<f32>,
    /// Added before the function is applied.
    pub(super) residual: Option<usize>,
    pub(super) act: Option<Act>,
}

#[derive(Debug)]
pub(super) enum Work {
    Lookup {
        table: Vec<f32>,
    },
    Conv {
        from: usize,
        taps: usize,
        weights: Vec<f32>,
    },
    /// A convolution of whole numbers.
    Whole {
        from: usize,
        taps: usize,
        layer: WholeLayer,
    },
    /// A 1x1 convolution with one filter: a sum of products a cell.
    Project {
        from: usize,
        weights: Vec<f32>,
    },
    Mean {
        from: usize,
    },
    Dense {
        from: usize,
        inputs: usize,
        weights: Vec<f32>,
    },
}

impl Plan {
    pub(super) fn new(network: &Network, params: &Params) -> Plan {
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
    pub(super) fn shape(&self, node: usize) -> Shape {
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
                let factor = pad((0..gain.len()).map(|c| (f64::from(gain[c]) / root(c)) as f32));
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

/// The weights of a convolution of whole numbers.
#[derive(Debug)]
pub(super) struct WholeLayer {
    /// What numbers are multiplied with before they are rounded.
    pub(super) factor: f32,
    /// Input channels, padded.
    pub(super) from: usize,
    pub(super) weights: Vec<i8>,
    pub(super) worth: Vec<f32>,
}

impl WholeLayer {
    /// Rounds weights `[neighbour][from][to]` for inputs of up to `highest`, each
    /// output channel to 127 steps either way.
    pub(super) fn new(weights: &[f32], taps: usize, to: usize, highest: f32) -> WholeLayer {
        let from = weights.len() / (taps * to);
        let factor = MOST / highest.max(f32::MIN_POSITIVE * MOST);
        let largest = |channel: usize| {
            weights[channel..]
                .iter()
                .step_by(to)
                .fold(0.0_f32, |most, weight| most.max(weight.abs()))
        };
        let steps: Vec<f32> = (0..to).map(|channel| largest(channel) / MOST).collect();
        let mut whole = vec![0; weights.len()];
        for (place, &weight) in weights.iter().enumerate() {
            let (row, channel) = (place / to, place % to);
            let rounded = weight / steps[channel].max(f32::MIN_POSITIVE);
            let place = ((row / FOUR) * to + channel) * FOUR + row % FOUR;
            whole[place] = rounded.round_ties_even().clamp(-MOST, MOST) as i8;
        }
        let worth = steps.iter().map(|step| step / factor).collect();
        WholeLayer { factor, from, weights: whole, worth }
    }
}

impl Plan {
    /// Makes convolutions ones of whole numbers where their input is never
    /// negative; `highest` says how large the numbers of a node become.
    pub(super) fn quantise(&mut self, highest: impl Fn(usize) -> f32) {
        let positive: Vec<usize> = self
            .steps
            .iter()
            .filter(|step| step.act == Some(Act::Relu))
            .map(|step| step.node)
            .collect();
        for step in &mut self.steps {
            if let Work::Conv { from, taps, weights } = &step.work
                && positive.contains(from)
            {
                let (from, taps, to) = (*from, *taps, padded(step.shape.channels()));
                let layer = WholeLayer::new(weights, taps, to, highest(from));
                step.work = Work::Whole { from, taps, layer };
            }
        }
    }
}
