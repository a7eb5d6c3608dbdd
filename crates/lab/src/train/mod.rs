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
//! position are learnt, each by the score of its line. Blocks as
//! [`Training::features`] says.

mod buffers;
mod folder;
mod page;
mod play;
mod spec;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::mix;
use solitree_nn::{Encoder, Fit, Scale, TrainConfig, TrainError, Trainer, TrainingRecord, Weights};

pub use spec::{FeatureSet, Training};

use crate::Failure;
use crate::parallel::parallel;
use crate::policy::LoadedWeights;
use crate::stats::Summary;
use buffers::Buffers;
use folder::Folder;
use play::Ground;

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

impl Training {
    /// Does what is left, in a folder. None if it was stopped before the end.
    pub fn run(
        &self,
        folder: &Path,
        threads: usize,
        interrupt: &AtomicBool,
        watchers: &mut Watchers<'_>,
    ) -> Result<Option<Vec<Generation>>> {
        let ground = Ground::new(self)?;
        let mut folder = Folder::open(folder, self)?;
        let mut buffers = Buffers::new(self);
        let mut done: Vec<Generation> = Vec::new();
        let mut weights: Option<Weights> = None;
        for number in 1..=self.generations {
            let finished = folder.generations.get(number as usize - 1).cloned();
            if finished.is_none() {
                let learnt = weights.as_ref().map(|weights| ground.fitting(weights)).transpose()?;
                let went =
                    self.play(&ground, &mut folder, number, learnt.as_ref(), threads, |n, all| {
                        (watchers.step)(number, Step::Games(n, all));
                        interrupt
                    })?;
                if !went {
                    return Ok(None);
                }
            }
            let games = folder.games_of(number);
            buffers.add(&ground, number, &games)?;
            let generation = match finished {
                Some(generation) => generation,
                None => {
                    let taught = self.teach(
                        &ground,
                        &buffers,
                        number,
                        weights.take(),
                        threads,
                        &mut |epoch, loss| {
                            (watchers.step)(number, Step::Epoch(epoch, loss));
                            interrupt.load(Ordering::Relaxed)
                        },
                    );
                    let (fit, new) = taught.map_err(|error| folder.explained(number, &error))?;
                    if interrupt.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    folder.write_weights(number, &new)?;
                    let (policy, stopped) =
                        self.alone(&ground, &folder.read_weights(number)?, threads, interrupt)?;
                    if stopped {
                        return Ok(None);
                    }
                    let generation = described(number, &games, &buffers, &fit, policy);
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

    /// Plays the games of a generation that are missing; whether it got to the end.
    fn play<'a>(
        &self,
        ground: &Ground,
        folder: &mut Folder,
        generation: u64,
        learnt: Option<&LoadedWeights>,
        threads: usize,
        mut see: impl FnMut(u64, u64) -> &'a AtomicBool,
    ) -> Result<bool> {
        let known: Vec<u64> = folder.games_of(generation).iter().map(|game| game.game).collect();
        let mut done = known.len() as u64;
        let interrupt = see(done, self.runs);
        let player = ground.player(learnt)?;
        let job = |game: u64, stop: &AtomicBool| {
            if known.contains(&game) {
                return Ok(None);
            }
            player.play(generation, game, stop)
        };
        parallel(self.runs, threads, interrupt, job, |game| {
            folder.add_game(game)?;
            done += 1;
            see(done, self.runs);
            Ok(())
        })?;
        folder.sync()?;
        Ok(!interrupt.load(Ordering::Relaxed))
    }

    /// Teaches a network what is in the buffers.
    fn teach(
        &self,
        ground: &Ground,
        buffers: &Buffers,
        number: u64,
        before: Option<Weights>,
        threads: usize,
        see: &mut dyn FnMut(u64, f64) -> bool,
    ) -> Result<(Fit, Weights), TrainError> {
        let encoder = ground.encoder();
        let config = TrainConfig {
            seed: mix(self.seed ^ mix(number)),
            batch: self.batch,
            learning_rate: self.learning_rate,
            epochs: self.epochs,
            patience: self.patience,
            threads,
            ..TrainConfig::default()
        };
        let mut trainer = match before.filter(|_| self.keep_weights) {
            Some(weights) => {
                let network = solitree_nn::Network::new(self.net, encoder.input())?;
                Trainer::with_params(encoder, network, weights.params, config)
            }
            None => Trainer::new(encoder, self.net, config)?,
        };
        let (training, validation) = buffers.samples(ground);
        let fit = trainer.fit(&training, &validation, |epoch| {
            match see(epoch.number as u64, epoch.validation.total) {
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

    /// The mean score of the policy alone on boards kept for that, and whether it
    /// was stopped.
    fn alone(
        &self,
        ground: &Ground,
        weights: &Weights,
        threads: usize,
        interrupt: &AtomicBool,
    ) -> Result<(Vec<f64>, bool)> {
        let learnt = ground.fitting(weights)?;
        let player = ground.player(Some(&learnt))?;
        let mut scores = vec![0.0; self.validation as usize];
        let job = |board: u64, _: &AtomicBool| Ok(Some((board, player.alone(board))));
        parallel(self.validation, threads, interrupt, job, |(board, score)| {
            scores[board as usize] = score as f64;
            Ok(())
        })?;
        Ok((scores, interrupt.load(Ordering::Relaxed)))
    }
}

/// The figures of a generation.
fn described(
    number: u64,
    games: &[&Game],
    buffers: &Buffers,
    fit: &Fit,
    policy: Vec<f64>,
) -> Generation {
    let mean = |values: &[f64]| {
        Summary::of(values).map_or((0.0, 0.0), |summary| (summary.mean, summary.error))
    };
    let scores: Vec<f64> = games.iter().map(|game| game.score as f64).collect();
    let kept = &fit.epochs[fit.best - 1];
    Generation {
        number,
        games: mean(&scores),
        policy: mean(&policy),
        samples: buffers.len(),
        loss: (kept.training.total, kept.validation.total),
        accuracy: kept.validation.accuracy,
        epochs: (fit.epochs.len() as u64, fit.best as u64),
    }
}

/// Something about the training that cannot be.
fn wrong(text: impl std::fmt::Display) -> anyhow::Error {
    Failure::usage(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole loop in a second or so.
    pub(super) fn tiny() -> Training {
        Training {
            size: "5x5x3".to_owned(),
            rules: "samegame".to_owned(),
            net: "tiny(layers=2,filters=8)+policy".parse().unwrap(),
            features: "groups".to_owned(),
            generations: 3,
            runs: 24,
            lines: 1,
            simulations: 12,
            first_simulations: 20,
            set: Vec::new(),
            buffer: 200,
            batch: 32,
            learning_rate: 3e-3,
            epochs: 6,
            patience: 2,
            keep_weights: false,
            validation: 20,
            seed: 1,
        }
    }

    fn trained(
        training: &Training,
        folder: &Path,
        threads: usize,
        stop_after: Option<u64>,
    ) -> Option<Vec<Generation>> {
        let interrupt = AtomicBool::new(false);
        let mut left = stop_after;
        let mut watchers = Watchers {
            generation: &mut |_| {},
            step: &mut |_, _| {
                if let Some(left) = &mut left {
                    *left = left.saturating_sub(1);
                    interrupt.store(*left == 0, Ordering::Relaxed);
                }
            },
        };
        training.run(folder, threads, &interrupt, &mut watchers).unwrap()
    }

    fn bytes(folder: &Path) -> Vec<Vec<u8>> {
        let names = ["generation-001", "generation-002", "generation-003", "policy"];
        let read = |name: &&str| std::fs::read(folder.join(format!("{name}.safetensors"))).unwrap();
        let mut files: Vec<Vec<u8>> = names.iter().map(read).collect();
        files.push(std::fs::read(folder.join("generations.jsonl")).unwrap());
        files
    }

    #[test]
    fn stopped_anywhere_it_ends_with_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let done = trained(&tiny(), &at("whole"), 1, None).unwrap();
        assert_eq!(done.len(), 3);
        let report = std::fs::read_to_string(at("whole").join("report.html")).unwrap();
        assert!(report.contains("the policy alone") && report.contains("3 of 3 generations"));
        let whole = bytes(&at("whole"));
        trained(&tiny(), &at("threads"), 3, None).unwrap();
        assert_eq!(bytes(&at("threads")), whole, "whatever the number of threads");
        let mut stops = 0;
        for after in [5, 27, 40, 70] {
            let folder = at(&format!("stopped-{after}"));
            stops += u64::from(trained(&tiny(), &folder, 2, Some(after)).is_none());
            assert_eq!(trained(&tiny(), &folder, 1, None).unwrap(), done, "stopped at {after}");
            assert_eq!(bytes(&folder), whole, "stopped at {after}");
        }
        assert!(stops >= 3, "it was really stopped");
        let longer = Training { generations: 4, ..tiny() };
        assert_eq!(trained(&longer, &at("whole"), 1, None).unwrap()[..3], done);
        let error = tiny().run(
            &at("whole"),
            1,
            &AtomicBool::new(false),
            &mut silent(&mut |_| {}, &mut |_, _| {}),
        );
        assert!(error.unwrap_err().to_string().contains("a training of 4 generations"));
    }

    fn silent<'a>(
        generation: &'a mut dyn FnMut(&Generation),
        step: &'a mut dyn FnMut(u64, Step),
    ) -> Watchers<'a> {
        Watchers { generation, step }
    }

    fn refused(training: &Training, folder: &Path) -> String {
        let (mut one, mut other) = (|_: &Generation| {}, |_: u64, _: Step| {});
        let mut watchers = silent(&mut one, &mut other);
        let error = training.run(folder, 1, &AtomicBool::new(false), &mut watchers).unwrap_err();
        error.to_string()
    }

    #[test]
    fn options_change_what_is_learnt() {
        let dir = tempfile::tempdir().unwrap();
        let run = |name: &str, training: Training| {
            trained(&Training { generations: 2, ..training }, &dir.path().join(name), 2, None)
                .unwrap()
        };
        let plain = run("plain", tiny());
        for (name, training) in [
            ("keep", Training { keep_weights: true, ..tiny() }),
            ("lines", Training { lines: 3, ..tiny() }),
            ("colours", Training { features: "colours".to_owned(), ..tiny() }),
            ("set", Training { set: vec!["c=1".to_owned()], ..tiny() }),
            ("seed", Training { seed: 2, ..tiny() }),
        ] {
            assert_ne!(run(name, training)[1], plain[1], "{name}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for (training, word) in [
            (Training { size: "7x7".to_owned(), ..tiny() }, "--size: '7x7' is not a size"),
            (Training { size: "1x1x2".to_owned(), ..tiny() }, "no move is possible on 1x1x2"),
            (Training { size: "99x1x2".to_owned(), ..tiny() }, "--size: 99x1x2"),
            (Training { rules: "nim".to_owned(), ..tiny() }, "--rules: "),
            (
                Training {
                    net: "tiny(layers=2,filters=8)+policy+value".parse().unwrap(),
                    ..tiny()
                },
                "a policy and nothing else",
            ),
            (
                Training {
                    net: "paper+policy".parse().unwrap(),
                    size: "3x3x2".to_owned(),
                    ..tiny()
                },
                "--net paper+policy: ",
            ),
            (Training { lines: 5, ..tiny() }, "--runs 24: not a multiple of --lines 5"),
            (Training { set: vec!["cc=1".to_owned()], ..tiny() }, "unknown parameter 'cc'"),
            (Training { learning_rate: f32::NAN, ..tiny() }, "--learning-rate"),
        ] {
            let message = refused(&training, &dir.path().join("new"));
            assert!(message.contains(word), "{message}");
            assert!(!dir.path().join("new").exists(), "nothing is left behind");
        }
    }

    #[test]
    fn a_folder_is_of_one_training_and_its_weights_are_checked() {
        let dir = tempfile::tempdir().unwrap();
        let short = Training { generations: 1, ..tiny() };
        trained(&short, dir.path(), 1, None).unwrap();
        let other = refused(&Training { seed: 2, ..short.clone() }, dir.path());
        assert!(other.contains("it has `seed = 1` where this has `seed = 2`"), "{other}");
        let path = dir.path().join("generation-001.safetensors");
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let broken = refused(&Training { generations: 2, ..short }, dir.path());
        assert!(broken.contains("generation-001.safetensors: damaged"), "{broken}");
    }

    #[test]
    fn a_loss_that_is_no_number_stops_it_and_keeps_the_last_weights() {
        let dir = tempfile::tempdir().unwrap();
        let wild = Training { learning_rate: 1e30, ..tiny() };
        let message = refused(&wild, dir.path());
        assert!(message.starts_with("generation 1, epoch 1, batch "), "{message}");
        assert!(message.ends_with("no generation is done yet"), "{message}");
    }
}
