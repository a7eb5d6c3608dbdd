//! Epochs, batches and when to stop.

use std::ops::ControlFlow;

use solitree_core::Rng;

use super::TrainConfig;
use super::adam::Adam;
use super::batch::{Batch, Found};
use super::loss::{Lesson, Losses, Shares, Tally, judge};
use super::pass::Pass;
use super::slopes::{Packed, Slopes};
use crate::config::NetConfig;
use crate::encoder::{Encoder, EncoderId};
use crate::infer::{Answers, Evaluator, FastEvaluator};
use crate::network::{Network, TooSmall};
use crate::params::Params;
use crate::samples::Samples;
use crate::simd::Simd;

/// Samples that go through the network together. Batches are cut into parts of
/// this many whatever the number of threads, and what the parts found is added
/// up in order: so threads do not change the result.
const PART: usize = 16;

/// How much of the mean and variance seen so far each step replaces.
const MOMENTUM: f32 = 0.1;

/// How many times shorter steps become at a cut.
const CUT: f32 = 4.0;

/// Why teaching failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// The board is too small for the network.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
    /// Samples of something else.
    #[error("samples of {found}, and the network is taught {expected}")]
    OtherSamples {
        /// What the samples are of.
        found: String,
        /// What is taught.
        expected: String,
    },
    /// Nothing to learn from.
    #[error("no samples to {0}")]
    NoSamples(&'static str),
    /// The loss or its slopes are no longer numbers.
    #[error(
        "epoch {epoch}, batch {batch}: the loss is not a finite number; a smaller learning rate or clipping may help"
    )]
    NotFinite {
        /// The epoch, from 1.
        epoch: usize,
        /// The batch of the epoch, from 1.
        batch: usize,
    },
}

/// One time through all samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: usize,
    /// The mean loss while learning.
    pub training: Losses,
    /// The loss on the samples kept for validation afterwards.
    pub validation: Losses,
    /// Whether it is the best so far.
    pub best: bool,
}

/// How teaching went.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Every epoch.
    pub epochs: Vec<Epoch>,
    /// The number of the best, whose weights were kept.
    pub best: usize,
}

/// Teaches one network.
pub struct Trainer<'a> {
    encoder: &'a dyn Encoder,
    network: Network,
    params: Params,
    adam: Adam,
    /// How far a step goes at present.
    rate: f32,
    config: TrainConfig,
    simd: Simd,
    /// Working memory, one a thread.
    passes: Vec<Pass>,
    /// What each part of a batch found, in order.
    slopes: Vec<Slopes>,
}

impl<'a> Trainer<'a> {
    /// A network that has learnt nothing yet.
    pub fn new(
        encoder: &'a dyn Encoder,
        net: NetConfig,
        config: TrainConfig,
    ) -> Result<Trainer<'a>, TrainError> {
        let network = Network::new(net, encoder.input())?;
        let params = Params::random(&network, config.seed);
        Ok(Trainer::with_params(encoder, network, params, config))
    }

    /// A network that goes on learning.
    #[must_use]
    pub fn with_params(
        encoder: &'a dyn Encoder,
        network: Network,
        params: Params,
        config: TrainConfig,
    ) -> Trainer<'a> {
        let simd = Simd::best();
        let adam = Adam::new(&params);
        let threads = config.threads.clamp(1, config.batch.div_ceil(PART).max(1));
        let passes = (0..threads).map(|_| Pass::new(&network, PART, simd)).collect();
        let (rate, slopes) = (config.learning_rate, Vec::new());
        Trainer { encoder, network, params, adam, rate, config, simd, passes, slopes }
    }

    /// What is taught.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What has been learnt.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Learns from training samples until those for validation are no longer
    /// understood better, and keeps the best. `watch` sees every epoch and may
    /// end it. After an error the weights are those of the best epoch before.
    pub fn fit(
        &mut self,
        training: &Samples,
        validation: &Samples,
        mut watch: impl FnMut(&Epoch) -> ControlFlow<()>,
    ) -> Result<Fit, TrainError> {
        for (samples, what) in [(training, "learn from"), (validation, "validate with")] {
            self.check(samples)?;
            if samples.is_empty() {
                return Err(TrainError::NoSamples(what));
            }
        }
        let mut fit = Fit { epochs: Vec::new(), best: 0 };
        let mut lowest = f64::INFINITY;
        let mut kept = self.params.clone();
        let (mut cuts, mut since) = (self.config.cuts, 0);
        self.rate = self.config.learning_rate;
        let mut order: Vec<u32> = (0..training.len() as u32).collect();
        for number in 1..=self.config.epochs {
            let stream = self.config.seed.wrapping_add(number as u64);
            Rng::stream(stream, 0).shuffle(&mut order);
            let mut tally = Tally::default();
            for (batch, which) in order.chunks(self.config.batch.max(1)).enumerate() {
                let Some(part) = self.step(training, which, stream) else {
                    self.params = kept;
                    return Err(TrainError::NotFinite { epoch: number, batch: batch + 1 });
                };
                tally.add(&part);
            }
            let training = tally.losses(&self.config);
            let validation = self.measure(validation);
            let best = validation.total < lowest;
            if best {
                lowest = validation.total;
                (fit.best, since) = (number, number);
                kept = self.params.clone();
            }
            let epoch = Epoch { number, training, validation, best };
            fit.epochs.push(epoch);
            if watch(&epoch).is_break() {
                break;
            }
            if number - since >= self.config.patience.max(1) {
                if cuts == 0 {
                    break;
                }
                (cuts, since) = (cuts - 1, number);
                self.rate /= CUT;
                self.params = kept.clone();
                self.adam = Adam::new(&kept);
            }
        }
        self.params = kept;
        Ok(fit)
    }

    /// How wrong the network is on samples.
    #[must_use]
    pub fn measure(&self, samples: &Samples) -> Losses {
        let all: Vec<u32> = (0..samples.len() as u32).collect();
        let parts: Vec<&[u32]> = all.chunks(PART).collect();
        let share = parts.len().div_ceil(self.passes.len()).max(1);
        let evaluator = FastEvaluator::with_simd(&self.network, &self.params, self.simd);
        let tallies: Vec<Tally> = std::thread::scope(|scope| {
            let threads: Vec<_> = parts
                .chunks(share)
                .map(|parts| {
                    let evaluator = evaluator.clone();
                    scope.spawn(move || self.measure_parts(samples, parts, evaluator))
                })
                .collect();
            threads.into_iter().flat_map(joined).collect()
        });
        let mut tally = Tally::default();
        tallies.iter().for_each(|part| tally.add(part));
        tally.losses(&self.config)
    }

    fn measure_parts(
        &self,
        samples: &Samples,
        parts: &[&[u32]],
        mut evaluator: FastEvaluator,
    ) -> Vec<Tally> {
        let (outputs, cells) = (self.network.outputs, self.network.input.cells());
        let mut answers = Answers::default();
        let tally = |which: &&[u32]| {
            let lesson = Lesson::new(self.encoder, samples, which, None);
            evaluator.evaluate(&lesson.positions, &mut answers);
            let answer = |node: usize, position: usize, number: usize| match Some(node) {
                node if node == outputs.policy => answers.policy[position * cells + number],
                node if node == outputs.value => answers.value[position],
                _ => answers.clear[position],
            };
            let shares = Shares::new(&self.config, samples, which);
            judge(&lesson, outputs, &self.config, shares, answer, |_, _, _, _| {})
        };
        parts.iter().map(tally).collect()
    }

    /// Learns from one batch; `None`, and nothing changed, if a number is not
    /// finite.
    fn step(&mut self, samples: &Samples, which: &[u32], stream: u64) -> Option<Tally> {
        let parts: Vec<&[u32]> = which.chunks(PART).collect();
        let network = &self.network;
        while self.slopes.len() < parts.len() {
            self.slopes.push(Slopes::new(network));
        }
        let batch = Batch {
            encoder: self.encoder,
            samples,
            config: &self.config,
            network,
            packed: Packed::new(network, &self.params),
            shares: Shares::new(&self.config, samples, which),
            twins: self.config.twins.then_some(stream),
        };
        let share = parts.len().div_ceil(self.passes.len());
        let work = parts.chunks(share).zip(self.slopes.chunks_mut(share)).zip(&mut self.passes);
        let found: Vec<Found> = std::thread::scope(|scope| {
            let batch = &batch;
            let threads: Vec<_> = work
                .map(|((parts, slopes), pass)| {
                    let run = move || -> Vec<Found> {
                        parts
                            .iter()
                            .zip(slopes)
                            .map(|(part, s)| batch.learn(part, pass, s))
                            .collect()
                    };
                    scope.spawn(run)
                })
                .collect();
            threads.into_iter().flat_map(joined).collect()
        });
        let mut tally = Tally::default();
        found.iter().for_each(|found| tally.add(&found.tally));
        let (sum, rest) = self.slopes[..parts.len()].split_first_mut()?;
        rest.iter().for_each(|slopes| sum.add(slopes));
        let slopes = sum.unpacked(network);
        let finite = tally.losses(&self.config).total.is_finite()
            && self.adam.step(network, (&self.config, self.rate), slopes, &mut self.params);
        if !finite {
            return None;
        }
        self.remember(&found);
        Some(tally)
    }

    /// Mixes mean and variance of a batch into those kept for evaluation.
    fn remember(&mut self, found: &[Found]) {
        let norms = self.network.norms();
        let share = 1.0 / found.len() as f32;
        for (place, gain) in norms.into_iter().enumerate() {
            let channels = self.params.tensors[gain].len();
            for channel in 0..channels {
                let moments = found.iter().map(|found| &found.moments[place]);
                let mean: f32 = moments.clone().map(|m| m.mean[channel] * share).sum();
                let variance: f32 = moments
                    .map(|m| (m.variance[channel] + (m.mean[channel] - mean).powi(2)) * share)
                    .sum();
                for (tensor, seen) in [(gain + 2, mean), (gain + 3, variance)] {
                    let kept = &mut self.params.tensors[tensor][channel];
                    *kept += MOMENTUM * (seen - *kept);
                }
            }
        }
    }

    fn check(&self, samples: &Samples) -> Result<(), TrainError> {
        let name = |id: &EncoderId, (width, height)| format!("{id} on {width}x{height}");
        let input = self.network.input;
        let expected = name(&self.encoder.id(), (input.width, input.height));
        let found = name(samples.encoder(), samples.size());
        if found == expected { Ok(()) } else { Err(TrainError::OtherSamples { found, expected }) }
    }
}

/// What a thread returned; its panic goes on in this one.
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
