//! Weights in the order in which the lanes of a warp want them: see net.cu.

use solitree_nn::{Convolution, Digits, Folded, Matrix, NumberHead, PolicyHead, to_half};

use super::machine::{Convolving, NetCall};
use super::shape::{Dense, NetShape, Policy};

/// Everything learnt, as the kernels read it.
pub(super) struct Arranged {
    /// Words, four to a lane.
    pub(super) weights: Vec<u32>,
    pub(super) numbers: Vec<f32>,
    pub(super) convolutions: Vec<Convolving>,
    /// Where the heads are; no addresses.
    pub(super) call: NetCall,
}

impl Arranged {
    pub(super) fn new(shape: &NetShape, folded: &Folded) -> Arranged {
        let mut arranged = Arranged {
            weights: Vec::new(),
            numbers: Vec::new(),
            convolutions: Vec::new(),
            call: NetCall::default(),
        };
        let (plane_steps, filter_steps) = shape.steps();
        for (number, conv) in folded.convolutions.iter().enumerate() {
            let steps = if number == 0 { plane_steps } else { filter_steps };
            arranged.convolution(shape, conv, steps);
        }
        arranged.call.many_convolutions = folded.convolutions.len() as u32;
        match (&folded.policy, shape.policy) {
            (Some(PolicyHead::Cells { weights, bias }), _) => {
                arranged.call.policy_weights = arranged.add(weights, shape.filters);
                arranged.call.policy_bias = arranged.add(&[*bias], 1);
            }
            (Some(PolicyHead::Whole { weights, bias }), Policy::Whole(dense)) => {
                arranged.call.policy_weights = (arranged.weights.len() / 4) as u32;
                arranged.whole(shape, dense, weights);
                arranged.call.policy_bias = arranged.add(bias, bias.len());
            }
            _ => {}
        }
        arranged.call.value_head = arranged.head(shape, folded.value.as_ref());
        arranged.call.clear_head = arranged.head(shape, folded.clear.as_ref());
        // A step that is loaded and never used.
        let behind = arranged.weights.len() + shape.tiling.channels * 32 * 4;
        arranged.weights.resize(behind, 0);
        arranged
    }

    /// Numbers, and noughts up to a length; returns where they begin.
    fn add(&mut self, numbers: &[f32], len: usize) -> u32 {
        let begin = self.numbers.len();
        self.numbers.extend_from_slice(numbers);
        self.numbers.resize(begin + len, 0.0);
        begin as u32
    }

    fn convolution(&mut self, shape: &NetShape, conv: &Convolution, steps: usize) {
        let bias = self.add(&conv.bias, shape.filters);
        self.convolutions.push(Convolving {
            weights: (self.weights.len() / 4) as u32,
            bias,
            taps: conv.taps.len() as u32,
            residual: u32::from(conv.residual),
            margin: conv.margin as u32,
        });
        for share in 0..shape.filters / 8 / shape.tiling.channels {
            for tap in &conv.taps {
                for step in 0..steps {
                    let word = |lane: usize, which: usize| step * 8 + which * 4 + lane % 4;
                    self.step(shape, share, word, |from, to| tap.at(from, to));
                }
            }
        }
    }

    fn whole(&mut self, shape: &NetShape, dense: Dense, weights: &Matrix) {
        let at = |from: usize, to: usize| {
            let (cell, channel) = (from / shape.filters, from % shape.filters);
            weights.at(channel * dense.inner + cell, to)
        };
        for share in 0..dense.outputs / 8 / shape.tiling.channels {
            for group in 0..dense.parts * dense.part_groups {
                for step in 0..2 {
                    let word =
                        |lane: usize, which: usize| group * 16 + lane % 4 * 4 + step * 2 + which;
                    self.step(shape, share, word, at);
                }
            }
        }
    }

    /// The weights of one step for the tiles of a share. `word` says which word of the
    /// input belongs to a lane's first or second, `at` what is between two channels.
    fn step(
        &mut self,
        shape: &NetShape,
        share: usize,
        word: impl Fn(usize, usize) -> usize,
        at: impl Fn(usize, usize) -> f32,
    ) {
        let tile = |tile: usize, lane: usize| (share * shape.tiling.channels + tile) * 8 + lane / 4;
        match shape.digits {
            Digits::Half => {
                for load in 0..shape.tiling.channels / 2 {
                    for lane in 0..32 {
                        for part in 0..4 {
                            let to = tile(load * 2 + part / 2, lane);
                            let from = 2 * word(lane, part % 2);
                            let [low, high] = [0, 1].map(|odd| to_half(at(from + odd, to)));
                            self.weights.push(u32::from(high) << 16 | u32::from(low));
                        }
                    }
                }
            }
            Digits::Single => {
                for load in 0..shape.tiling.channels {
                    for lane in 0..32 {
                        let to = tile(load, lane);
                        let both = [0, 1].map(|which| at(word(lane, which), to));
                        let most = both.map(tensor);
                        let rest = [0, 1].map(|which| tensor(both[which] - most[which]));
                        self.weights.extend([most[0], most[1], rest[0], rest[1]].map(f32::to_bits));
                    }
                }
            }
        }
    }

    fn head(&mut self, shape: &NetShape, head: Option<&NumberHead>) -> u32 {
        let Some(head) = head else { return 0 };
        let rows = (0..shape.filters).flat_map(|from| (0..shape.hidden).map(move |to| (from, to)));
        let hidden: Vec<f32> = rows.map(|(from, to)| head.hidden.at(from, to)).collect();
        let begin = self.add(&hidden, hidden.len());
        self.add(&head.hidden_bias, shape.hidden);
        self.add(&head.weights, shape.hidden);
        self.add(&[head.bias], 1);
        begin
    }
}

/// The nearest number that tensor cores take (TF32).
fn tensor(number: f32) -> f32 {
    f32::from_bits((number.to_bits() + 0x1000) & !0x1fff)
}
