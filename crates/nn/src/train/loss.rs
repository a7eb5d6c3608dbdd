//! How wrong answers are, and in which direction they should move.

use solitree_core::Rng;

use super::{TrainConfig, ValueLoss};
use crate::encoder::Encoder;
use crate::math::{sigmoid, softmax};
use crate::network::Outputs;
use crate::samples::{Sample, Samples};

/// How wrong a network is, each part a mean over the samples that have it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross entropy between the moves to learn and the policy over legal
    /// moves.
    pub policy: f64,
    /// Of the value, on the network's scale.
    pub value: f64,
    /// Cross entropy of clearing the board.
    pub clear: f64,
    /// Their sum, each times its weight: what is minimised.
    pub total: f64,
    /// How often the likeliest move is the one to learn, or one of several.
    pub accuracy: f64,
}

/// Sums from which [`Losses`] are made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    policy: f64,
    value: f64,
    clear: f64,
    right: usize,
    policies: usize,
    values: usize,
    clears: usize,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Tally) {
        self.policy += other.policy;
        self.value += other.value;
        self.clear += other.clear;
        self.right += other.right;
        self.policies += other.policies;
        self.values += other.values;
        self.clears += other.clears;
    }

    pub(super) fn losses(&self, config: &TrainConfig) -> Losses {
        let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
        let (policy, value, clear) = (
            mean(self.policy, self.policies),
            mean(self.value, self.values),
            mean(self.clear, self.clears),
        );
        let total = policy
            + f64::from(config.value_weight) * value
            + f64::from(config.clear_weight) * clear;
        Losses { policy, value, clear, total, accuracy: mean(self.right as f64, self.policies) }
    }
}

/// Samples as a network is given them.
pub(super) struct Lesson {
    pub(super) positions: Vec<u8>,
    facts: Vec<Facts>,
}

struct Facts {
    legal: Vec<u16>,
    moves: Vec<u16>,
    weights: Vec<f32>,
    value: Option<f32>,
    cleared: Option<bool>,
}

impl Lesson {
    /// Some samples; with a seed, each as one of its twins, drawn by its number.
    pub(super) fn new(
        encoder: &dyn Encoder,
        samples: &Samples,
        which: &[u32],
        twins: Option<u64>,
    ) -> Lesson {
        let bytes = encoder.input().bytes();
        let mut positions = vec![0; which.len() * bytes];
        let mut contents = Vec::new();
        let facts = which.iter().zip(positions.chunks_exact_mut(bytes)).map(|(&index, marks)| {
            let Sample { contents: from, moves, weights, value, cleared } =
                samples.get(index as usize);
            contents.clear();
            contents.extend_from_slice(from);
            let mut moves = moves.to_vec();
            if let Some(seed) = twins {
                let mut rng = Rng::stream(seed, u64::from(index));
                encoder.twin(&mut contents, &mut moves, &mut rng);
            }
            encoder.encode(&contents, marks);
            let mut legal = Vec::new();
            encoder.legal(&contents, &mut legal);
            Facts { legal, moves, weights: weights.to_vec(), value, cleared }
        });
        let facts = facts.collect();
        Lesson { positions, facts }
    }
}

/// One step's shares: what each sample of a kind counts in the mean.
#[derive(Clone, Copy)]
pub(super) struct Shares {
    policy: f32,
    value: f32,
    clear: f32,
}

impl Shares {
    /// For a batch of these samples.
    pub(super) fn new(config: &TrainConfig, samples: &Samples, which: &[u32]) -> Shares {
        let share = |weight: f32, there: fn(&Sample<'_>) -> bool| {
            let count = which.iter().filter(|&&i| there(&samples.get(i as usize))).count();
            weight / count.max(1) as f32
        };
        Shares {
            policy: share(1.0, |sample| !sample.moves.is_empty()),
            value: share(config.value_weight, |sample| sample.value.is_some()),
            clear: share(config.clear_weight, |sample| sample.cleared.is_some()),
        }
    }
}

/// Compares answers with a lesson. `answer` gives an answer of a node for a
/// position, `slope` is told how the loss moves with it.
pub(super) fn judge(
    lesson: &Lesson,
    outputs: Outputs,
    config: &TrainConfig,
    shares: Shares,
    answer: impl Fn(usize, usize, usize) -> f32,
    mut slope: impl FnMut(usize, usize, usize, f32),
) -> Tally {
    let mut tally = Tally::default();
    let mut chances: Vec<f32> = Vec::new();
    for (position, facts) in lesson.facts.iter().enumerate() {
        if let (Some(node), false) = (outputs.policy, facts.moves.is_empty()) {
            chances.clear();
            chances.extend(facts.legal.iter().map(|&c| answer(node, position, usize::from(c))));
            softmax(&mut chances);
            let mut targets = vec![0.0; chances.len()];
            for (mv, &weight) in facts.moves.iter().zip(&facts.weights) {
                let place = facts.legal.iter().position(|cell| cell == mv);
                targets[place.expect("samples have legal moves")] += weight;
            }
            let mut loss = 0.0;
            for ((&cell, &chance), &target) in facts.legal.iter().zip(&chances).zip(&targets) {
                if target > 0.0 {
                    loss -= f64::from(target) * libm::log(f64::from(chance).max(1e-30));
                }
                slope(node, position, usize::from(cell), shares.policy * (chance - target));
            }
            tally.policy += loss;
            tally.policies += 1;
            let best = highest(&chances).zip(highest(&targets));
            tally.right +=
                usize::from(best.is_some_and(|(said, right)| targets[said] >= targets[right]));
        }
        if let (Some(node), Some(points)) = (outputs.value, facts.value) {
            let error = answer(node, position, 0) - config.scale.value(points);
            let (loss, push) = match config.value_loss {
                ValueLoss::Squared => (error * error, 2.0 * error),
                ValueLoss::Huber if error.abs() > 1.0 => {
                    (2.0 * error.abs() - 1.0, 2.0 * error.signum())
                }
                ValueLoss::Huber => (error * error, 2.0 * error),
            };
            slope(node, position, 0, shares.value * push);
            tally.value += f64::from(loss);
            tally.values += 1;
        }
        if let (Some(node), Some(cleared)) = (outputs.clear, facts.cleared) {
            let logit = answer(node, position, 0);
            let chance = sigmoid(logit);
            let said = f64::from(if cleared { -logit } else { logit });
            // The logarithm of 1 + e^said, without overflow.
            tally.clear += said.max(0.0) + libm::log1p(libm::exp(-said.abs()));
            slope(node, position, 0, shares.clear * (chance - f32::from(u8::from(cleared))));
            tally.clears += 1;
        }
    }
    tally
}

/// The place of the highest number, the first of equals; of no number if one is
/// not a number.
fn highest(numbers: &[f32]) -> Option<usize> {
    let best = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    numbers.iter().position(|&number| number == best)
}
