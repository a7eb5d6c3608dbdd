//! A network of a configuration for boards of a size: its layers and tensors.

mod build;
mod outline;

use crate::config::{Body, NetConfig};
use crate::encoder::Input;
use crate::frame::Frame;
use crate::pack::Sizes;

/// The layers of a network in the order they are computed, and the names and
/// shapes of what is learnt. It holds no weights.
///
/// The paper's network, as far as it is told: the board with a border of one
/// cell all around (nothing is marked there); thirteen convolutions with 64
/// filters and ELU, the 11th and 13th 1x1, the others 3x3; 1 to 8 and 12 keep
/// the size, which for 3x3 means a border of noughts, 9 to 11 and 13 have none;
/// a linear layer from all of it to one logit a cell. There is no batch
/// normalisation. (It says that 11 and 13 reduce the size; without a border
/// 1x1 convolutions keep it. So 15x15 becomes 17x17, then 15x15 and 13x13:
/// 2.8 million weights.)
///
/// Tensors have PyTorch's shapes: `[out, in, 3, 3]` for a convolution, its last
/// two axes columns and rows, and `[out, in]` for a linear layer, a grid being
/// flattened channel by channel.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) input: Input,
    pub(crate) config: NetConfig,
    pub(crate) frame: Frame,
    pub(crate) nodes: Vec<Node>,
    pub(crate) tensors: Vec<TensorSpec>,
    pub(crate) outputs: Outputs,
}

/// Something learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Its name in files.
    pub name: String,
    /// Its shape, as PyTorch would have it.
    pub shape: Vec<usize>,
    pub(crate) role: Role,
}

impl TensorSpec {
    /// How many numbers it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Of a convolution or a linear layer, with what its inputs are drawn for.
    Weight { fan_in: usize },
    /// Added; starts at 0.
    Bias,
    /// Multiplied after normalisation; starts at 1.
    Gain,
    /// Mean seen in training; not learnt by gradients.
    Mean,
    /// Variance seen in training; not learnt by gradients.
    Variance,
}

impl Role {
    /// Whether gradients move it.
    pub(crate) fn learns(self) -> bool {
        !matches!(self, Role::Mean | Role::Variance)
    }
}

/// A layer: what it computes from which others, and what comes out.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) shape: Shape,
}

/// What a layer gives for one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Channels in every cell of the frame that is `margin` away from its rim.
    Grid { channels: usize, margin: usize },
    /// So many numbers.
    Flat(usize),
}

impl Shape {
    pub(crate) fn channels(self) -> usize {
        match self {
            Shape::Grid { channels, .. } | Shape::Flat(channels) => channels,
        }
    }
}

/// What a layer does. Numbers are those of earlier nodes and of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// A 3x3 convolution of the input's planes.
    Lookup { weight: usize, bias: Option<usize> },
    /// A convolution, 3x3 or 1x1; the margin of the result says whether it has
    /// a border of noughts.
    Conv { from: usize, size: usize, weight: usize, bias: Option<usize> },
    /// Batch normalisation; gain, bias, mean and variance follow each other.
    Norm { from: usize, gain: usize },
    /// A function of each number.
    Act { from: usize, act: Act },
    /// A sum.
    Add { from: usize, other: usize },
    /// The mean of each channel over all cells.
    Mean { from: usize },
    /// A linear layer from everything.
    Dense { from: usize, weight: usize, bias: usize },
}

/// A function of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Relu,
    Elu,
}

/// The nodes that answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) policy: Option<usize>,
    pub(crate) value: Option<usize>,
    pub(crate) clear: Option<usize>,
}

/// The board is too small for the network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network {config} needs boards of 3x3 and more; this is {width}x{height}")]
pub struct TooSmall {
    config: NetConfig,
    width: usize,
    height: usize,
}

impl Network {
    /// The network of a configuration for an input.
    pub fn new(config: NetConfig, input: Input) -> Result<Network, TooSmall> {
        let Input { width, height, .. } = input;
        if config.body == Body::Paper && (width < 3 || height < 3) {
            return Err(TooSmall { config, width, height });
        }
        let border = usize::from(config.body == Body::Paper);
        let frame = Frame::new(width + 2 * border, height + 2 * border, border);
        let mut network = Network {
            input,
            config,
            frame,
            nodes: Vec::new(),
            tensors: Vec::new(),
            outputs: Outputs::default(),
        };
        let body = network.body();
        network.heads(body);
        Ok(network)
    }

    /// Which network it is.
    #[must_use]
    pub fn config(&self) -> NetConfig {
        self.config
    }

    /// What it is given.
    #[must_use]
    pub fn input(&self) -> Input {
        self.input
    }

    /// What is learnt, in the order of files.
    #[must_use]
    pub fn tensors(&self) -> &[TensorSpec] {
        &self.tensors
    }

    /// How many numbers are learnt.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.tensors.iter().filter(|spec| spec.role.learns()).map(TensorSpec::len).sum()
    }

    /// The weights of a node and how they are packed.
    pub(crate) fn sizes(&self, node: usize) -> Option<(usize, Sizes)> {
        let to = self.nodes[node].shape.channels();
        match self.nodes[node].op {
            Op::Lookup { weight, .. } => Some((weight, Sizes::lookup(self.input.planes, to))),
            Op::Conv { from, size, weight, .. } => {
                Some((weight, Sizes::conv(self.nodes[from].shape.channels(), to, size * size)))
            }
            Op::Dense { from, weight, .. } => {
                let inputs = match self.nodes[from].shape {
                    Shape::Flat(numbers) => numbers,
                    Shape::Grid { channels, margin } => channels * self.frame.cells(margin),
                };
                Some((weight, Sizes::conv(inputs, to, 1)))
            }
            _ => None,
        }
    }

    /// The nodes that normalise.
    pub(crate) fn norm_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|&node| matches!(self.nodes[node].op, Op::Norm { .. }))
    }

    /// The first tensors of the nodes that normalise.
    pub(crate) fn norms(&self) -> Vec<usize> {
        let gain = |node: &Node| match node.op {
            Op::Norm { gain, .. } => Some(gain),
            _ => None,
        };
        self.nodes.iter().filter_map(gain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(config: &str, side: usize) -> Network {
        let input = Input { width: side, height: side, planes: 6, marks: 1 };
        Network::new(config.parse().unwrap(), input).unwrap()
    }

    #[test]
    fn the_papers_network_has_its_layers() {
        let paper = network("paper+policy", 15);
        let convs = paper.tensors.iter().filter(|spec| spec.shape.len() == 4);
        let sizes: Vec<usize> = convs.map(|spec| spec.shape[2]).collect();
        assert_eq!(sizes, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 3, 1]);
        let policy = paper.tensors.iter().find(|spec| spec.name == "policy.weight").unwrap();
        assert_eq!(policy.shape, [225, 64 * 13 * 13]);
        let weights = 54 * 64 + 10 * 9 * 64 * 64 + 2 * 64 * 64 + 13 * 64;
        assert_eq!(paper.parameters(), weights + 225 * (64 * 169 + 1));
    }

    #[test]
    fn only_the_papers_network_depends_on_the_size() {
        for config in
            ["tiny(layers=4,filters=16)+policy+value+clear", "residual(blocks=2,filters=8)+policy"]
        {
            assert_eq!(network(config, 7).tensors, network(config, 15).tensors);
        }
        assert_ne!(network("paper+policy", 7).tensors, network("paper+policy", 15).tensors);
        let input = Input { width: 2, height: 9, planes: 6, marks: 1 };
        let error = Network::new(NetConfig::PAPER, input).unwrap_err().to_string();
        assert_eq!(error, "the network paper+policy needs boards of 3x3 and more; this is 2x9");
    }
}
