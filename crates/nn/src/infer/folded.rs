//! A network with its weights as other machines compute it: batch normalisation
//! folded in, one convolution after another, then the heads.

use super::plan::{Plan, Step, Work};
use crate::encoder::Input;
use crate::network::{Act, Network, Shape};
use crate::params::Params;
use crate::simd::padded;

/// A network as a row of convolutions and what is asked of the last.
#[derive(Clone, Debug)]
pub struct Folded {
    /// What a position looks like.
    pub input: Input,
    /// Noughts around the board that are cells of the grid, too.
    pub border: usize,
    /// In the order they are computed, each from the one before; the first from
    /// the planes.
    pub convolutions: Vec<Convolution>,
    /// What is said of moves.
    pub policy: Option<PolicyHead>,
    /// What the rest of the game will bring.
    pub value: Option<NumberHead>,
    /// Whether the board will be cleared.
    pub clear: Option<NumberHead>,
}

/// A convolution and the function behind it.
#[derive(Clone, Debug)]
pub struct Convolution {
    /// Weights from channel to channel, one matrix a neighbour (9 or 1, column by
    /// column).
    pub taps: Vec<Matrix>,
    /// Added to each channel.
    pub bias: Vec<f32>,
    /// Whether the function is ELU; otherwise ReLU.
    pub elu: bool,
    /// Whether the result of the convolution before the last is added before the
    /// function.
    pub residual: bool,
    /// How far from the rim of the grid the results are; nought everywhere else.
    pub margin: usize,
}

/// How a policy comes out of the last convolution.
#[derive(Clone, Debug)]
pub enum PolicyHead {
    /// A sum of products in every cell of the board.
    Cells {
        /// One a channel.
        weights: Vec<f32>,
        /// Added.
        bias: f32,
    },
    /// A linear layer from everything, channel by channel.
    Whole {
        /// From every number to every cell of the board.
        weights: Matrix,
        /// Added to each cell.
        bias: Vec<f32>,
    },
}

/// One number from the means of the channels: a linear layer, ReLU, another.
#[derive(Clone, Debug)]
pub struct NumberHead {
    /// From every channel.
    pub hidden: Matrix,
    /// Added.
    pub hidden_bias: Vec<f32>,
    /// To the answer.
    pub weights: Vec<f32>,
    /// Added.
    pub bias: f32,
}

/// Weights from some numbers to others.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// How many there are.
    pub from: usize,
    /// How many come out.
    pub to: usize,
    stride: usize,
    numbers: Vec<f32>,
}

impl Matrix {
    /// The weight from one to another; nought outside.
    #[must_use]
    pub fn at(&self, from: usize, to: usize) -> f32 {
        if from < self.from && to < self.to { self.numbers[from * self.stride + to] } else { 0.0 }
    }

    fn of(packed: &[f32], from: usize, to: usize) -> Matrix {
        Matrix { from, to, stride: padded(to), numbers: packed.to_vec() }
    }
}

impl Folded {
    /// The same network as the processor computes it.
    #[must_use]
    pub fn new(network: &Network, params: &Params) -> Folded {
        let plan = Plan::new(network, params);
        let mut folded = Folded {
            input: plan.input,
            border: (plan.frame.size(0).0 - plan.input.width) / 2,
            convolutions: Vec::new(),
            policy: None,
            value: None,
            clear: None,
        };
        let mut from = plan.input.planes;
        for step in &plan.steps {
            match &step.work {
                Work::Lookup { table } => {
                    let rows = plan.input.planes + 1;
                    folded.convolutions.push(convolution(step, (from, rows, 9), table));
                }
                Work::Conv { taps, weights, .. } => {
                    folded.convolutions.push(convolution(
                        step,
                        (from, padded(from), *taps),
                        weights,
                    ));
                }
                Work::Project { weights, .. } => {
                    let weights = weights[..from].to_vec();
                    folded.policy = Some(PolicyHead::Cells { weights, bias: step.bias[0] });
                    continue;
                }
                Work::Dense { inputs, weights, .. } if plan.outputs.policy == Some(step.node) => {
                    let to = step.shape.channels();
                    let weights = Matrix::of(weights, *inputs, to);
                    let bias = step.bias[..to].to_vec();
                    folded.policy = Some(PolicyHead::Whole { weights, bias });
                    continue;
                }
                // Of the numbers, taken together below; nothing is whole here.
                Work::Mean { .. } | Work::Dense { .. } | Work::Whole { .. } => continue,
            }
            from = step.shape.channels();
        }
        folded.value = plan.outputs.value.map(|node| number_head(&plan, node));
        folded.clear = plan.outputs.clear.map(|node| number_head(&plan, node));
        folded
    }

    /// Columns and rows of the grid.
    #[must_use]
    pub fn grid(&self) -> (usize, usize) {
        (self.input.width + 2 * self.border, self.input.height + 2 * self.border)
    }
}

/// Weights `[neighbour][row][to]`, of which the first `from` rows count.
fn convolution(
    step: &Step,
    (from, rows, taps): (usize, usize, usize),
    weights: &[f32],
) -> Convolution {
    let to = step.shape.channels();
    let each = rows * padded(to);
    let Shape::Grid { margin, .. } = step.shape else { unreachable!("it gives a grid") };
    Convolution {
        taps: weights.chunks_exact(each).take(taps).map(|tap| Matrix::of(tap, from, to)).collect(),
        bias: step.bias[..to].to_vec(),
        elu: step.act == Some(Act::Elu),
        residual: step.residual.is_some(),
        margin,
    }
}

/// The two linear layers before an answer.
fn number_head(plan: &Plan, answer: usize) -> NumberHead {
    let dense = |node: usize| {
        let step = plan.steps.iter().find(|step| step.node == node);
        match step.map(|step| (step, &step.work)) {
            Some((step, Work::Dense { from, inputs, weights })) => {
                (*from, Matrix::of(weights, *inputs, step.shape.channels()), &step.bias)
            }
            _ => unreachable!("a number comes out of linear layers"),
        }
    };
    let (before, last, bias) = dense(answer);
    let (_, hidden, hidden_bias) = dense(before);
    NumberHead {
        hidden_bias: hidden_bias[..hidden.to].to_vec(),
        weights: (0..last.from).map(|from| last.at(from, 0)).collect(),
        bias: bias[0],
        hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoder, Features, SameGameEncoder};

    fn folded(config: &str) -> Folded {
        let encoder = SameGameEncoder::new(6, 5, 5, Features::Groups).unwrap();
        let network = Network::new(config.parse().unwrap(), encoder.input()).unwrap();
        Folded::new(&network, &Params::random(&network, 1))
    }

    #[test]
    fn every_network_is_a_row_of_convolutions() {
        let residual = folded("residual(blocks=2,filters=20)+policy+clear");
        let added: Vec<bool> = residual.convolutions.iter().map(|conv| conv.residual).collect();
        assert_eq!(added, [false, false, true, false, true]);
        assert_eq!(residual.convolutions[0].taps[8].from, 23);
        assert_eq!(residual.convolutions[4].taps[0].to, 20);
        assert!(
            matches!(&residual.policy, Some(PolicyHead::Cells { weights, .. }) if weights.len() == 20)
        );
        let head = residual.clear.unwrap();
        assert_eq!((head.hidden.from, head.hidden.to, head.weights.len()), (20, 32, 32));
        assert!(residual.value.is_none());
        let paper = folded("paper+policy");
        assert_eq!((paper.border, paper.grid()), (1, (8, 7)));
        let margins: Vec<usize> = paper.convolutions.iter().map(|conv| conv.margin).collect();
        assert_eq!(margins, [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2]);
        let Some(PolicyHead::Whole { weights, bias }) = paper.policy else { panic!("a whole one") };
        assert_eq!((weights.from, weights.to, bias.len()), (64 * 4 * 3, 30, 30));
    }
}
