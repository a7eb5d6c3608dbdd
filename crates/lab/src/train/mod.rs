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
//! position are learnt, each by the score of its line; if asked for, so are moves
//! of a line that may as well be played first.

mod buffers;
mod folder;
mod measure;
mod order;
mod page;
mod play;
mod spec;
mod teach;
mod torch;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_nn::{TrainError, Weights};

pub use measure::{Baseline, Mean};
pub use spec::Training;
pub use torch::{Device, Torch};

use crate::parallel::parallel;
use crate::{Failure, Machines};
use buffers::Buffers;
use folder::Folder;
pub(crate) use folder::weights_path;
use measure::{Measured, mean};
use play::{Ground, Player};
use teach::{Class, Taught};

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

/// A generation that is done. Means come with their standard errors; those after
/// learning are on boards that are the same for every generation and never learnt
/// from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u64,
    /// The mean score of its games.
    pub games: Mean,
    /// The mean score of the policy alone afterwards, always its likeliest move.
    pub policy: Mean,
    /// That of the search with the policy.
    pub search: Mean,
    /// How much better that is than the search that knows nothing, with as many
    /// simulations, board by board.
    pub gain: Mean,
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
    /// What has been learnt is measured.
    Measure,
}

/// Who hears of a training while it goes on.
pub struct Watchers<'a> {
    /// Hears who teaches, if it is not this program itself.
    pub teacher: &'a mut dyn FnMut(&str),
    /// Sees what is reached without learning.
    pub baseline: &'a mut dyn FnMut(&Baseline),
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
    /// Who teaches networks; none for the trainer of this program.
    pub torch: Option<&'a Torch>,
    /// What games are played with.
    pub machines: &'a Machines,
    /// Set to stop early.
    pub interrupt: &'a AtomicBool,
}

/// Games for each thread of the processor where a machine apart answers: most of them are
/// waiting for it, and it gets their questions by the hundred.
const WAITING: usize = 16;

impl Crew<'_> {
    /// Games that are played at a time, if they ask a network or not.
    fn players(self, asking: bool) -> usize {
        let waits = asking && self.machines.nets.is_some();
        self.threads * if waits { WAITING } else { 1 }
    }

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
        let mut teacher = String::new();
        if let Some(torch) = crew.torch {
            let Some(found) = torch.check(crew)? else { return Ok(None) };
            (watchers.teacher)(&found);
            teacher = found;
        }
        let mut folder = Folder::open(folder, self)?;
        (watchers.step)(0, Step::Measure);
        let Some(baseline) = folder.baseline(|| Baseline::measure(&ground, crew))? else {
            return Ok(None);
        };
        (watchers.baseline)(&baseline);
        let mut buffers = Buffers::new(self);
        let mut done: Vec<Generation> = Vec::new();
        let mut weights: Option<Weights> = None;
        let command = self.command(crew);
        if folder.generations.is_empty() {
            page::write((self, &command), &baseline, &done, folder.path())?;
        }
        for number in 1..=self.generations {
            let mut see = |step: Step| (watchers.step)(number, step);
            let finished = folder.generations.get(number as usize - 1).cloned();
            if finished.is_none() {
                let learnt = weights.as_ref().map(|weights| ground.fitting(weights)).transpose()?;
                let player = ground.player(learnt.as_ref(), crew.machines)?;
                self.play(&player, &mut folder, number, crew, &mut see)?;
            }
            if crew.is_stopped() {
                return Ok(None);
            }
            buffers.add(&ground, number, &folder.games_of(number), crew.threads)?;
            let generation = match finished {
                Some(generation) => generation,
                None => {
                    let before = weights.take();
                    let class = Class {
                        training: self,
                        ground: &ground,
                        buffers: &buffers,
                        number,
                        before,
                        torch: crew.torch,
                        command: &command,
                    };
                    let taught = class.teach(&folder, crew, &teacher, &mut see);
                    let taught = taught.map_err(|error| match error.downcast::<TrainError>() {
                        Ok(error) => folder.explained(number, &error),
                        Err(other) => other,
                    })?;
                    let Some((taught, new)) = taught else { return Ok(None) };
                    folder.write_weights(number, &new)?;
                    see(Step::Measure);
                    let new = folder.read_weights(number, self.net)?;
                    let Some(measured) = baseline.compare(&ground, &new, crew)? else {
                        return Ok(None);
                    };
                    let games = folder.games_of(number);
                    let generation = described(number, &games, &buffers, &taught, &measured);
                    folder.finish(&generation)?;
                    generation
                }
            };
            // What is stored is rounded: a training that was stopped goes on with
            // the same weights as one that was not.
            weights = Some(folder.read_weights(number, self.net)?);
            (watchers.generation)(&generation);
            done.push(generation);
            page::write((self, &command), &baseline, &done, folder.path())?;
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
        let players = crew.players(player.asks());
        parallel(self.runs, players, crew.interrupt, job, |game| {
            folder.add_game(game)?;
            done += 1;
            see(Step::Games(done, self.runs));
            Ok(())
        })?;
        folder.sync()
    }
}

/// The figures of a generation.
fn described(
    number: u64,
    games: &[&Game],
    buffers: &Buffers,
    taught: &Taught,
    measured: &Measured,
) -> Generation {
    let scores: Vec<f64> = games.iter().map(|game| game.score as f64).collect();
    Generation {
        number,
        games: mean(&scores),
        policy: measured.policy,
        search: measured.search,
        gain: measured.gain,
        samples: buffers.len(),
        loss: taught.loss,
        accuracy: taught.accuracy,
        epochs: taught.epochs,
    }
}

/// Something about the training that cannot be.
fn wrong(text: impl std::fmt::Display) -> anyhow::Error {
    Failure::usage(text)
}

#[cfg(test)]
pub(crate) mod tests;
