//! The folder of a training: what is taught, every game, the weights and figures
//! of every generation.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use solitree_nn::{NetConfig, Precision, TrainError, Weights, WeightsError};

use super::{Baseline, Game, Generation, Training};
use crate::Failure;
use crate::journal::{Appender, each_line, hold, write_whole};

/// The file of the latest weights.
const LATEST: &str = "policy.safetensors";

/// A folder that is held as long as this lives.
pub(super) struct Folder {
    path: PathBuf,
    games: Vec<Game>,
    /// Those that are done, in order.
    pub(super) generations: Vec<Generation>,
    game_file: Appender,
    generation_file: Appender,
    _lock: File,
}

impl Folder {
    /// Opens a folder or makes one. It must hold this training or none.
    pub(super) fn open(path: &Path, training: &Training) -> Result<Folder> {
        let lock = hold(path)?;
        agree(path, training)?;
        let (mut games, mut generations): (Vec<Game>, Vec<Generation>) = Default::default();
        let game_path = path.join("games.jsonl");
        each_line(&game_path, |number, game: Game| {
            let ours =
                game.game < training.runs && (1..=training.generations).contains(&game.generation);
            if !ours {
                let place = game_path.display();
                return Err(Failure::input(format!(
                    "{place}, line {number}: generation {}, game {}: not a game of this training",
                    game.generation, game.game
                )));
            }
            games.push(game);
            Ok(())
        })?;
        let generation_path = path.join("generations.jsonl");
        each_line(&generation_path, |number, generation: Generation| {
            generations.push(generation);
            if generations[number - 1].number == number as u64 {
                return Ok(());
            }
            let place = generation_path.display();
            Err(Failure::input(format!("{place}, line {number}: not generation {number}")))
        })?;
        let (game_file, _) = Appender::open(&game_path)?;
        let (generation_file, _) = Appender::open(&generation_path)?;
        let path = path.to_owned();
        Ok(Folder { path, games, generations, game_file, generation_file, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The games of a generation, by their numbers.
    pub(super) fn games_of(&self, generation: u64) -> Vec<&Game> {
        let mut games: Vec<&Game> =
            self.games.iter().filter(|game| game.generation == generation).collect();
        games.sort_by_key(|game| game.game);
        games.dedup_by_key(|game| game.game);
        games
    }

    pub(super) fn add_game(&mut self, game: Game) -> Result<()> {
        self.game_file.add(&game)?;
        self.games.push(game);
        Ok(())
    }

    pub(super) fn sync(&self) -> Result<()> {
        self.game_file.sync()
    }

    /// Stores the weights of a generation, and as the latest: in half precision, unless
    /// one of them is too large for it.
    pub(super) fn write_weights(&self, number: u64, weights: &Weights) -> Result<()> {
        for path in [self.weights_path(number), self.path.join(LATEST)] {
            let failed = |error| Failure::input(format!("{}: {error}", path.display()));
            match weights.write(&path, Precision::Half) {
                Err(WeightsError::TooLarge(_)) => weights.write(&path, Precision::Single),
                written => written,
            }
            .map_err(failed)?;
        }
        Ok(())
    }

    /// The weights of a generation, which must be of the network that is taught.
    pub(super) fn read_weights(&self, number: u64, net: NetConfig) -> Result<Weights> {
        let path = self.weights_path(number);
        let failed =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let weights = Weights::read(&path).map_err(|error| failed(&error))?;
        let found = weights.header.net;
        if found != net {
            return Err(failed(&format!("weights of {found}, and {net} is taught here")));
        }
        Ok(weights)
    }

    /// What is reached without learning: as it was measured before, or as it is now.
    pub(super) fn baseline(
        &self,
        measure: impl FnOnce() -> Result<Option<Baseline>>,
    ) -> Result<Option<Baseline>> {
        let path = self.path.join("baseline.json");
        let failed =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(serde_json::from_str(&text).map_err(|error| failed(&error))?)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let baseline = measure()?;
                if let Some(baseline) = &baseline {
                    let text = serde_json::to_string(baseline)?;
                    write_whole(&path, &text).map_err(|error| failed(&error))?;
                }
                Ok(baseline)
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// Notes that a generation is done.
    pub(super) fn finish(&mut self, generation: &Generation) -> Result<()> {
        self.generation_file.add(generation)?;
        self.generation_file.sync()
    }

    /// Why teaching failed, and what is left.
    pub(super) fn explained(&self, number: u64, error: &TrainError) -> anyhow::Error {
        let kept = match number {
            1 => "no generation is done yet".to_owned(),
            _ => format!(
                "the weights of generation {} are in {}",
                number - 1,
                self.path.join(LATEST).display()
            ),
        };
        Failure::Condition(format!("generation {number}, {error}; {kept}")).into()
    }

    fn weights_path(&self, number: u64) -> PathBuf {
        weights_path(&self.path, number)
    }
}

/// Where the folder of a training has the weights of a generation.
pub(crate) fn weights_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("generation-{number:03}.safetensors"))
}

/// That the folder holds this training and no other. One with more generations is
/// the same training, longer.
fn agree(path: &Path, training: &Training) -> Result<()> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let text = |training: &Training| toml::to_string(training).map_err(|error| failed(&error));
    let spec = path.join("training.toml");
    let there = match std::fs::read_to_string(&spec) {
        Ok(there) => there,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(&format!("training.toml: {error}"))),
    };
    let ours = text(training)?;
    if !there.is_empty() {
        let old: Training = crate::toml_text::parse(&there)
            .map_err(|error| failed(&format!("training.toml: {error}")))?;
        let longer = Training { generations: training.generations.max(old.generations), ..old };
        if *training != (Training { generations: training.generations, ..longer.clone() }) {
            let there = text(&Training { generations: training.generations, ..longer })?;
            let differs = there.lines().zip(ours.lines()).find(|(old, new)| old != new);
            let (old, new) = differs.unwrap_or(("(its end)", "(its end)"));
            return Err(Failure::usage(format!(
                "{}: holds another training: it has `{old}` where this has `{new}`. Choose \
                 another --out, or delete the folder",
                path.display()
            )));
        }
        if longer.generations != training.generations {
            return Err(Failure::usage(format!(
                "{}: holds a training of {} generations: ask for as many or more",
                path.display(),
                longer.generations
            )));
        }
    }
    write_whole(&spec, &ours).map_err(|error| failed(&error))
}
