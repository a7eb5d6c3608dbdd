//! Teaching a policy by policy iteration.
//!
//! A generation plays games on random boards by Policy-MCTS with what has been
//! learnt so far, puts the moves of the games into buffers that reach back over
//! some generations, and teaches a network these moves. The first generation
//! knows nothing. All that is kept is the games, a line each, and the weights
//! and figures of every generation: from these the rest follows, so a training
//! that was stopped goes on where it was.
//!
//! # References
//! - A. Seify, M. Buro, "Single-Agent Optimization Through Policy Iteration
//!   Using Monte-Carlo Tree Search", 2020: algorithm 1 and table 1.
//!
//! # Where we differ
//! Each sample is learnt as one of its twins (colours exchanged, columns
//! mirrored). With several lines a board, the moves of all lines through a
//! position are learnt, each by the score of its line.

mod buffers;
mod folder;
mod page;
mod play;
mod spec;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::mix;
use solitree_nn::{
    Encoder, Fit, Network, Scale, TrainConfig, TrainError, Trainer, TrainingRecord, Weights,
};

pub use spec::Training;

use crate::Failure;
use crate::parallel::parallel;
use crate::stats::Summary;
use buffers::Buffers;
use folder::Folder;
use play::{Ground, Player};

/// A game that was played to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Game {
    generation: u64,
    /// Its number in the generation, from 0.
    game: u64,
    score: i64,
    /// The moves, as the encoder numbers them.
    moves: Vec<u16>,
}

/// A generation that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u64,
    /// The mean score of its games, and the standard error.
    pub games: (f64, f64),
    /// The mean score of the policy alone afterwards, always its likeliest move,
    /// on boards that are the same for every generation; and the standard error.
    pub policy: (f64, f64),
    /// Samples to learn from, and those for validation.
    pub samples: (u64, u64),
    /// The loss while learning and on the samples for validation, at the epoch
    /// that was kept.
    pub loss: (f64, f64),
    /// How often the likeliest move is the one to learn, of those for validation.
    pub accuracy: f64,
    /// Epochs gone through, and the one that was kept.
    pub epochs: (u64, u64),
}

/// What a training is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Games of a generation are played: so many of all.
    Games(u64, u64),
    /// An epoch is done; the loss on the samples for validation.
    Epoch(u64, f64),
}

/// Who hears of a training while it goes on.
pub struct Watchers<'a> {
    /// Sees every generation, those from before too.
    pub generation: &'a mut dyn FnMut(&Generation),
    /// Sees what is being done in the generation of a number.
    pub step: &'a mut dyn FnMut(u64, Step),
}

/// Who does the work, and what stops it.
#[derive(Clone, Copy, Debug)]
pub struct Crew<'a> {
    /// Threads; the result does not depend on it.
    pub threads: usize,
    /// Set to stop early.
    pub interrupt: &'a AtomicBool,
}

impl Crew<'_> {
    fn is_stopped(self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl Training {
    /// Does what is left, in a folder. None if it was stopped before the end.
    pub fn run(
        &self,
        folder: &Path,
        crew: Crew<'_>,
        watchers: &mut Watchers<'_>,
    ) -> Result<Option<Vec<Generation>>> {
        let ground = Ground::new(self)?;
        let mut folder = Folder::open(folder, self)?;
        let mut buffers = Buffers::new(self);
        let mut done: Vec<Generation> = Vec::new();
        let mut weights: Option<Weights> = None;
        for number in 1..=self.generations {
            let mut see = |step: Step| (watchers.step)(number, step);
            let finished = folder.generations.get(number as usize - 1).cloned();
            if finished.is_none() {
                let learnt = weights.as_ref().map(|weights| ground.fitting(weights)).transpose()?;
                let player = ground.player(learnt.as_ref())?;
                self.play(&player, &mut folder, number, crew, &mut see)?;
            }
            if crew.is_stopped() {
                return Ok(None);
            }
            let games = folder.games_of(number);
            buffers.add(&ground, number, &games)?;
            let generation = match finished {
                Some(generation) => generation,
                None => {
                    let taught = self.teach(&ground, &buffers, number, weights, crew, &mut see);
                    let (fit, new) = taught.map_err(|error| folder.explained(number, &error))?;
                    if crew.is_stopped() {
                        return Ok(None);
                    }
                    folder.write_weights(number, &new)?;
                    let alone = self.alone(&ground, &folder.read_weights(number)?, crew)?;
                    if crew.is_stopped() {
                        return Ok(None);
                    }
                    let generation = described(number, &games, &buffers, &fit, &alone);
                    folder.finish(&generation)?;
                    generation
                }
            };
            // What is stored is rounded: a training that was stopped goes on with
            // the same weights as one that was not.
            weights = Some(folder.read_weights(number)?);
            (watchers.generation)(&generation);
            done.push(generation);
            page::write(self, &done, folder.path())?;
        }
        Ok(Some(done))
    }

    /// Plays the games of a generation that are missing, until it is stopped.
    fn play(
        &self,
        player: &Player<'_>,
        folder: &mut Folder,
        generation: u64,
        crew: Crew<'_>,
        see: &mut dyn FnMut(Step),
    ) -> Result<()> {
        let known: BTreeSet<u64> =
            folder.games_of(generation).iter().map(|game| game.game).collect();
        let mut done = known.len() as u64;
        see(Step::Games(done, self.runs));
        let job = |game: u64, stop: &AtomicBool| match known.contains(&game) {
            true => Ok(None),
            false => player.play(generation, game, stop),
        };
        parallel(self.runs, crew.threads, crew.interrupt, job, |game| {
            folder.add_game(game)?;
            done += 1;
            see(Step::Games(done, self.runs));
            Ok(())
        })?;
        folder.sync()
    }

    /// Teaches a network what is in the buffers.
    fn teach(
        &self,
        ground: &Ground,
        buffers: &Buffers,
        number: u64,
        before: Option<Weights>,
        crew: Crew<'_>,
        see: &mut dyn FnMut(Step),
    ) -> Result<(Fit, Weights), TrainError> {
        let encoder = ground.encoder();
        let config = TrainConfig {
            seed: mix(self.seed ^ mix(number)),
            batch: self.batch,
            learning_rate: self.learning_rate,
            epochs: self.epochs,
            patience: self.patience,
            threads: crew.threads,
            ..TrainConfig::default()
        };
        let mut trainer = match before.filter(|_| self.keep_weights) {
            Some(weights) => {
                let network = Network::new(self.net, encoder.input())?;
                Trainer::with_params(encoder, network, weights.params, config)
            }
            None => Trainer::new(encoder, self.net, config)?,
        };
        let (training, validation) = buffers.samples(ground);
        let fit = trainer.fit(&training, &validation, |epoch| {
            see(Step::Epoch(epoch.number as u64, epoch.validation.total));
            match crew.is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        let record = TrainingRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command(),
            seed: self.seed,
            samples: training.len() as u64,
            generations: number,
            validation_loss: fit.epochs[fit.best - 1].validation.total,
            notes: String::new(),
        };
        let (network, params) = (trainer.network(), trainer.params());
        let weights = Weights::new(encoder, &self.rules, network, params, Scale::default(), record);
        Ok((fit, weights))
    }

    /// The scores of the policy alone on boards kept for that, until it is
    /// stopped.
    fn alone(&self, ground: &Ground, weights: &Weights, crew: Crew<'_>) -> Result<Vec<f64>> {
        let learnt = ground.fitting(weights)?;
        let player = ground.player(Some(&learnt))?;
        let mut scores = vec![0.0; self.validation as usize];
        let job = |board: u64, _: &AtomicBool| Ok(Some((board, player.alone(board))));
        parallel(self.validation, crew.threads, crew.interrupt, job, |(board, score)| {
            scores[board as usize] = score as f64;
            Ok(())
        })?;
        Ok(scores)
    }
}

/// The figures of a generation.
fn described(
    number: u64,
    games: &[&Game],
    buffers: &Buffers,
    fit: &Fit,
    alone: &[f64],
) -> Generation {
    // Few digits, so that figures that were written are read as the same.
    let short = |number: f64| (number * 1e4).round() / 1e4;
    let mean = |values: &[f64]| {
        let summary = Summary::of(values);
        summary.map_or((0.0, 0.0), |summary| (short(summary.mean), short(summary.error)))
    };
    let scores: Vec<f64> = games.iter().map(|game| game.score as f64).collect();
    let kept = &fit.epochs[fit.best - 1];
    Generation {
        number,
        games: mean(&scores),
        policy: mean(alone),
        samples: buffers.len(),
        loss: (short(kept.training.total), short(kept.validation.total)),
        accuracy: short(kept.validation.accuracy),
        epochs: (fit.epochs.len() as u64, fit.best as u64),
    }
}

/// Something about the training that cannot be.
fn wrong(text: impl std::fmt::Display) -> anyhow::Error {
    Failure::usage(text)
}

#[cfg(test)]
mod tests;
