//! Putting the layers of a network together.

use super::{Act, Network, Node, Op, Role, Shape, TensorSpec};
use crate::config::Body;

/// Of the paper's network.
const PAPER_FILTERS: usize = 64;
/// Numbers between the mean over the board and a value.
const HIDDEN: usize = 32;

impl Network {
    /// Adds the convolutions; returns the last node.
    pub(super) fn body(&mut self) -> usize {
        match self.config.body {
            Body::Paper => {
                let mut last = self.conv("conv1", None, 3, PAPER_FILTERS, 0, true);
                last = self.node(Op::Act { from: last, act: Act::Elu }, self.nodes[last].shape);
                for layer in 2..=13 {
                    let size = if matches!(layer, 11 | 13) { 1 } else { 3 };
                    let margin = [0, 1, 2][(layer.max(8) - 8).min(2)];
                    let name = format!("conv{layer}");
                    last = self.conv(&name, Some(last), size, PAPER_FILTERS, margin, true);
                    last = self.node(Op::Act { from: last, act: Act::Elu }, self.nodes[last].shape);
                }
                last
            }
            Body::Tiny { layers, filters } => {
                let mut last = self.unit("conv1", None, filters, true);
                for layer in 2..=layers {
                    last = self.unit(&format!("conv{layer}"), Some(last), filters, true);
                }
                last
            }
            Body::Residual { blocks, filters } => {
                let mut last = self.unit("stem", None, filters, true);
                for block in 1..=blocks {
                    let inner = self.unit(&format!("block{block}.a"), Some(last), filters, true);
                    let outer = self.unit(&format!("block{block}.b"), Some(inner), filters, false);
                    let shape = self.nodes[outer].shape;
                    let sum = self.node(Op::Add { from: outer, other: last }, shape);
                    last = self.node(Op::Act { from: sum, act: Act::Relu }, shape);
                }
                last
            }
        }
    }

    /// Adds what is asked of the last node of the body.
    pub(super) fn heads(&mut self, body: usize) {
        let Shape::Grid { channels, margin } = self.nodes[body].shape else {
            unreachable!("a body ends in a grid");
        };
        let heads = self.config.heads;
        if heads.policy {
            let cells = self.input.cells();
            let policy = match self.config.body {
                Body::Paper => {
                    let count = channels * self.frame.cells(margin);
                    self.dense("policy", body, count, cells)
                }
                _ => self.conv("policy", Some(body), 1, 1, 0, true),
            };
            self.outputs.policy = Some(policy);
        }
        if !heads.value && !heads.clear {
            return;
        }
        let mean = self.node(Op::Mean { from: body }, Shape::Flat(channels));
        for (there, name) in [(heads.value, "value"), (heads.clear, "clear")] {
            if there {
                let hidden = self.dense(&format!("{name}.hidden"), mean, channels, HIDDEN);
                let act = Op::Act { from: hidden, act: Act::Relu };
                let hidden = self.node(act, Shape::Flat(HIDDEN));
                let answer = self.dense(name, hidden, HIDDEN, 1);
                let output =
                    if name == "value" { &mut self.outputs.value } else { &mut self.outputs.clear };
                *output = Some(answer);
            }
        }
    }

    /// A 3x3 convolution that keeps the size, normalised, with or without ReLU.
    fn unit(&mut self, name: &str, from: Option<usize>, filters: usize, relu: bool) -> usize {
        let conv = self.conv(name, from, 3, filters, 0, false);
        let gain = self.tensor(&format!("{name}.norm.weight"), &[filters], Role::Gain);
        self.tensor(&format!("{name}.norm.bias"), &[filters], Role::Bias);
        self.tensor(&format!("{name}.norm.running_mean"), &[filters], Role::Mean);
        self.tensor(&format!("{name}.norm.running_var"), &[filters], Role::Variance);
        let shape = self.nodes[conv].shape;
        let norm = self.node(Op::Norm { from: conv, gain }, shape);
        if relu { self.node(Op::Act { from: norm, act: Act::Relu }, shape) } else { norm }
    }

    fn conv(
        &mut self,
        name: &str,
        from: Option<usize>,
        size: usize,
        filters: usize,
        margin: usize,
        bias: bool,
    ) -> usize {
        let inputs = from.map_or(self.input.planes, |from| self.nodes[from].shape.channels());
        let fan_in = inputs * size * size;
        let shape = [filters, inputs, size, size];
        let weight = self.tensor(&format!("{name}.weight"), &shape, Role::Weight { fan_in });
        let bias = bias.then(|| self.tensor(&format!("{name}.bias"), &[filters], Role::Bias));
        let op = match from {
            None => Op::Lookup { weight, bias },
            Some(from) => Op::Conv { from, size, weight, bias },
        };
        self.node(op, Shape::Grid { channels: filters, margin })
    }

    fn dense(&mut self, name: &str, from: usize, inputs: usize, outputs: usize) -> usize {
        let role = Role::Weight { fan_in: inputs };
        let weight = self.tensor(&format!("{name}.weight"), &[outputs, inputs], role);
        let bias = self.tensor(&format!("{name}.bias"), &[outputs], Role::Bias);
        self.node(Op::Dense { from, weight, bias }, Shape::Flat(outputs))
    }

    fn tensor(&mut self, name: &str, shape: &[usize], role: Role) -> usize {
        self.tensors.push(TensorSpec { name: name.to_owned(), shape: shape.to_vec(), role });
        self.tensors.len() - 1
    }

    fn node(&mut self, op: Op, shape: Shape) -> usize {
        self.nodes.push(Node { op, shape });
        self.nodes.len() - 1
    }
}
