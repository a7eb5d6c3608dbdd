//! A network computed the obvious way: one loop a dimension, in double
//! precision. Slow, and right at a glance; everything fast is tested against it.

use super::{Answers, Evaluator};
use crate::encoder::Input;
use crate::network::{Act, Network, Op, Shape};
use crate::params::Params;

/// Evaluates the obvious way.
#[derive(Clone, Debug)]
pub struct PlainEvaluator {
    network: Network,
    params: Params,
}

impl PlainEvaluator {
    /// An evaluator of a network with these weights.
    #[must_use]
    pub fn new(network: &Network, params: &Params) -> PlainEvaluator {
        PlainEvaluator { network: network.clone(), params: params.clone() }
    }
}

impl Evaluator for PlainEvaluator {
    fn input(&self) -> Input {
        self.network.input
    }

    fn evaluate(&mut self, positions: &[u8], out: &mut Answers) {
        let tensors: Vec<Vec<f64>> =
            self.params.tensors.iter().map(|t| t.iter().map(|&x| f64::from(x)).collect()).collect();
        let nodes = forward(&self.network, &tensors, positions, Norms::Running);
        let answers = |node: Option<usize>| {
            node.map_or_else(Vec::new, |node| nodes[node].iter().map(|&x| x as f32).collect())
        };
        let outputs = self.network.outputs;
        out.policy = answers(outputs.policy);
        out.value = answers(outputs.value);
        out.clear = answers(outputs.clear);
    }
}

/// Where normalisation takes mean and variance from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Norms {
    /// What was seen in training.
    Running,
    /// This batch, as in training.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare training with it"))]
    Batch,
}

/// What keeps a variance from being nought.
pub(crate) const EPSILON: f64 = 1e-5;

/// Everything every node says: `[position][channel][column][row]` or
/// `[position][number]`.
pub(crate) fn forward(
    network: &Network,
    tensors: &[Vec<f64>],
    positions: &[u8],
    norms: Norms,
) -> Vec<Vec<f64>> {
    let batch = positions.len() / network.input.bytes();
    let mut done: Vec<Vec<f64>> = Vec::new();
    for node in &network.nodes {
        let bias = |bias: Option<usize>, to: usize| bias.map_or(0.0, |bias| tensors[bias][to]);
        let mut result = Vec::new();
        match node.op {
            Op::Lookup { weight, bias: added } => {
                let planes = planes(network, positions);
                let conv = Conv { from: network.input.planes, size: 3, weights: &tensors[weight] };
                let (width, height) = network.frame.size(0);
                for planes in &planes {
                    let grid = Grid { planes, width, height };
                    for to in 0..node.shape.channels() {
                        conv.run(grid, to, bias(added, to), 1, &mut result);
                    }
                }
            }
            Op::Conv { from, size, weight, bias: added } => {
                let Shape::Grid { channels, margin } = network.nodes[from].shape else { panic!() };
                let Shape::Grid { channels: to, margin: after } = node.shape else { panic!() };
                let conv = Conv { from: channels, size, weights: &tensors[weight] };
                let (width, height) = network.frame.size(margin);
                let border = if size == 3 && margin == after { 1 } else { 0 };
                for planes in done[from].chunks(channels * width * height) {
                    for to in 0..to {
                        let grid = Grid { planes, width, height };
                        conv.run(grid, to, bias(added, to), border, &mut result);
                    }
                }
            }
            Op::Norm { from, gain } => {
                let channels = node.shape.channels();
                let cells = done[from].len() / (batch * channels);
                result = done[from].clone();
                let learnt = |tensor: usize, channel: usize| tensors[gain + tensor][channel];
                for channel in 0..channels {
                    let places = || {
                        (0..batch * cells)
                            .map(move |n| ((n / cells) * channels + channel) * cells + n % cells)
                    };
                    let count = (batch * cells) as f64;
                    let [factor, summand, mean, variance] =
                        [0, 1, 2, 3].map(|tensor| learnt(tensor, channel));
                    let (mean, variance) = match norms {
                        Norms::Running => (mean, variance),
                        Norms::Batch => {
                            let mean = places().map(|p| done[from][p]).sum::<f64>() / count;
                            let square = |p: usize| (done[from][p] - mean).powi(2);
                            (mean, places().map(square).sum::<f64>() / count)
                        }
                    };
                    for place in places() {
                        let unit = (result[place] - mean) / (variance + EPSILON).sqrt();
                        result[place] = unit * factor + summand;
                    }
                }
            }
            Op::Act { from, act } => {
                result.extend(done[from].iter().map(|&x| match act {
                    Act::Relu => x.max(0.0),
                    Act::Elu if x > 0.0 => x,
                    Act::Elu => libm::expm1(x),
                }));
            }
            Op::Add { from, other } => {
                result.extend(done[from].iter().zip(&done[other]).map(|(a, b)| a + b));
            }
            Op::Mean { from } => {
                let cells = done[from].len() / (batch * node.shape.channels());
                let mean = |cells: &[f64]| cells.iter().sum::<f64>() / cells.len() as f64;
                result.extend(done[from].chunks(cells).map(mean));
            }
            Op::Dense { from, weight, bias: added } => {
                for numbers in done[from].chunks(done[from].len() / batch) {
                    for to in 0..node.shape.channels() {
                        let row = &tensors[weight][to * numbers.len()..][..numbers.len()];
                        let sum: f64 = row.iter().zip(numbers).map(|(a, b)| a * b).sum();
                        result.push(sum + tensors[added][to]);
                    }
                }
            }
        }
        done.push(result);
    }
    done
}

/// The binary planes of each position, on the whole frame.
fn planes(network: &Network, positions: &[u8]) -> Vec<Vec<f64>> {
    let input = network.input;
    let (width, height) = network.frame.size(0);
    let border = (width - input.width) / 2;
    let grid = |position: &[u8]| {
        let mut planes = vec![0.0; input.planes * width * height];
        for (index, &plane) in position.iter().enumerate() {
            let cell = index / input.marks;
            let (x, y) = (cell / input.height + border, cell % input.height + border);
            planes[(usize::from(plane) * width + x) * height + y] = 1.0;
        }
        planes
    };
    positions.chunks(input.bytes()).map(grid).collect()
}

#[derive(Clone, Copy)]
struct Grid<'a> {
    planes: &'a [f64],
    width: usize,
    height: usize,
}

struct Conv<'a> {
    from: usize,
    size: usize,
    weights: &'a [f64],
}

impl Conv<'_> {
    /// One output channel, with `border` noughts around the input.
    fn run(&self, grid: Grid<'_>, to: usize, bias: f64, border: usize, out: &mut Vec<f64>) {
        let Grid { planes, width, height } = grid;
        let reach = self.size - 1;
        for x in 0..width + 2 * border - reach {
            for y in 0..height + 2 * border - reach {
                let mut sum = bias;
                for from in 0..self.from {
                    for kx in 0..self.size {
                        for ky in 0..self.size {
                            let place = ((to * self.from + from) * self.size + kx) * self.size + ky;
                            let (sx, sy) = (x + kx, y + ky);
                            let inside = sx >= border
                                && sy >= border
                                && sx - border < width
                                && sy - border < height;
                            if inside {
                                let cell = (from * width + sx - border) * height + sy - border;
                                sum += self.weights[place] * planes[cell];
                            }
                        }
                    }
                }
                out.push(sum);
            }
        }
    }
}
