//! Tuning by the Cross-Entropy Method.
//!
//! Each iteration draws parameters from a Gaussian each, tries every sample on
//! the same fresh boards, and moves the Gaussians to the best samples. All that is
//! kept is the scores, one line each: from these the rest follows, so a tuning
//! that was stopped goes on where it was.
//!
//! # References
//! - R. Rubinstein, "The Cross-Entropy Method for Combinatorial and Continuous
//!   Optimization", Methodology and Computing in Applied Probability 1 (1999).
//! - G. Chaslot, M. Winands, I. Szita, J. van den Herik, "Cross-Entropy for
//!   Monte-Carlo Tree Search", ICGA Journal 31 (2008).
//! - M. Schadd, M. Winands, M. Tak, J. Uiterwijk, "Single-Player Monte-Carlo Tree
//!   Search for SameGame", Knowledge-Based Systems 34 (2012), section 6.6: 100
//!   samples, 10 of them elite, 30 boards.

mod contest;
mod page;
mod space;

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_core::{Budget, Rng, mix};

pub use contest::agent_parameters;
pub use space::{Axis, Belief};

use crate::experiment::SIGNATURE;
use crate::journal::{Appender, each_line, hold, write_whole};
use crate::measured::measured;
use crate::parallel::parallel;
use crate::stats::{Paired, paired};
use crate::{Failure, GameName, Setup, Task, toml_text};

/// What is tuned and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tuning {
    /// The algorithm and preset to start from, or an agent.
    pub algorithm: String,
    /// Of an agent: whom it meets. A board is then a pair of games, and a score
    /// thousandths of their points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// Parameters that are set and not tuned, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// The parameters that are tuned.
    pub axes: Vec<Axis>,
    /// Samples of an iteration.
    pub samples: u64,
    /// Samples that the next iteration is drawn after.
    pub elite: u64,
    /// Boards of an iteration, new ones each time.
    pub boards: u64,
    /// The size of the boards, such as `15x15x5`.
    pub size: String,
    /// Iterations.
    pub iterations: u64,
    /// How much of the old belief stays.
    pub smoothing: f64,
    /// Boards on which the result is held against the start, never seen before.
    pub validation: u64,
    /// The budget of a run.
    pub nodes: Option<u64>,
    /// Or this one.
    pub playouts: Option<u64>,
    /// The seed of it all.
    pub seed: u64,
}

/// A score of the tuning.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Trial {
    /// The signature of the searches: trials of others are done again.
    signature: String,
    iteration: u64,
    sample: u64,
    board: u64,
    score: i64,
}

/// An iteration that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u64,
    /// The belief after it.
    pub belief: Belief,
    /// The mean score of the elite and of all samples.
    pub fitness: (f64, f64),
}

/// How a tuning ended.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Every iteration.
    pub iterations: Vec<Iteration>,
    /// The parameters found, as `KEY=VALUE`.
    pub values: Vec<(String, String)>,
    /// Tuned against the start, on boards that were never seen.
    pub validation: Option<Paired>,
}

/// A preset as a file, which `solve --preset` takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetFile {
    /// The algorithm and preset it is based on.
    pub algorithm: String,
    /// What differs from that.
    pub set: toml::Table,
}

impl PresetFile {
    /// Reads one.
    pub fn read(path: &Path) -> Result<PresetFile> {
        let failed =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        toml_text::parse(&text).map_err(|error| failed(&error))
    }

    /// The parameters as `KEY=VALUE`.
    #[must_use]
    pub fn settings(&self) -> Vec<String> {
        let text = |(key, value): (&String, &toml::Value)| match value {
            toml::Value::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        };
        self.set.iter().map(text).collect()
    }
}

impl Tuning {
    /// Checks what can be wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(Failure::usage(text));
        if self.axes.is_empty() {
            return wrong("nothing to tune: name parameters with --param KEY=LOW:HIGH");
        }
        for (index, axis) in self.axes.iter().enumerate() {
            if self.axes[..index].iter().any(|other| other.key == axis.key) {
                return Err(Failure::usage(format!("parameter '{}' is named twice", axis.key)));
            }
        }
        if self.elite == 0 || self.elite > self.samples {
            return wrong("the elite must be some of the samples");
        }
        if self.boards == 0 || self.iterations == 0 {
            return wrong("there must be at least one board and one iteration");
        }
        let runs = self.samples.saturating_mul(self.boards).max(self.validation);
        if runs > 10_000_000 || self.seed > i64::MAX as u64 {
            return wrong("more than ten million runs in an iteration, or a seed of 2^63 or more");
        }
        if self.nodes.is_none() && self.playouts.is_none() {
            return wrong("a budget for each run is needed: --nodes or --playouts");
        }
        let first = self.values(&Belief::first(&self.axes).means);
        if let Some(opponent) = &self.opponent {
            if self.playouts.is_none() || self.nodes.is_some() {
                return wrong("agents are tuned with --playouts for a move");
            }
            contest::agent(opponent, &[])?;
            return contest::agent(&self.algorithm, &self.settings(&first)).map(|_| ());
        }
        self.task(&self.board(1, 0), &first, 1)?.prepare().map(|_| ())
    }

    /// Runs what is left, in a folder, and tells of every iteration that is done.
    /// None if it was stopped before the end.
    pub fn run(
        &self,
        folder: &Path,
        interrupt: &AtomicBool,
        see: &mut dyn FnMut(&Iteration),
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Option<Tuned>> {
        self.check()?;
        let mut book = Book::open(folder, self)?;
        let mut belief = Belief::first(&self.axes);
        let mut iterations = Vec::new();
        for number in 1..=self.iterations {
            let mut rng = Rng::stream(self.seed, number);
            let samples: Vec<Vec<f64>> =
                (0..self.samples).map(|_| belief.draw(&self.axes, &mut rng)).collect();
            let Some(fitness) = self.fitness(&mut book, number, &samples, interrupt, progress)?
            else {
                return Ok(None);
            };
            let mut order: Vec<usize> = (0..samples.len()).collect();
            order.sort_by(|&one, &other| fitness[other].total_cmp(&fitness[one]));
            let elite = &order[..self.elite as usize];
            belief = belief
                .after(&elite.iter().map(|&i| &samples[i]).collect::<Vec<_>>(), self.smoothing);
            let mean = |of: &[usize]| of.iter().map(|&i| fitness[i]).sum::<f64>() / of.len() as f64;
            let iteration =
                Iteration { number, belief: belief.clone(), fitness: (mean(elite), mean(&order)) };
            see(&iteration);
            iterations.push(iteration);
            page::write(self, &iterations, folder)?;
        }
        let values = self.values(&belief.means);
        let Some(validation) = self.validate(&mut book, &belief, interrupt, progress)? else {
            return Ok(None);
        };
        let preset = PresetFile { algorithm: self.algorithm.clone(), set: self.preset(&values) };
        let text = toml::to_string(&preset)?;
        let path = folder.join("preset.toml");
        write_whole(&path, &text)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        Ok(Some(Tuned { iterations, values, validation: validation.0 }))
    }

    /// The parameters of a preset file: those that were set and those found.
    fn preset(&self, values: &[(String, String)]) -> toml::Table {
        let set = self.set.iter().filter_map(|text| text.split_once('='));
        let found = values.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        set.chain(found)
            .map(|(key, value)| {
                let typed = value
                    .parse::<i64>()
                    .map(toml::Value::Integer)
                    .or_else(|_| value.parse::<f64>().map(toml::Value::Float))
                    .unwrap_or_else(|_| toml::Value::String(value.to_owned()));
                (key.to_owned(), typed)
            })
            .collect()
    }

    /// The mean score of every sample; none if it was stopped.
    fn fitness(
        &self,
        book: &mut Book,
        number: u64,
        samples: &[Vec<f64>],
        interrupt: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Option<Vec<f64>>> {
        let values: Vec<_> = samples.iter().map(|sample| self.values(sample)).collect();
        let scores = self.scores(book, number, self.boards, &values, interrupt, progress)?;
        let mean = |scores: &Vec<i64>| scores.iter().sum::<i64>() as f64 / scores.len() as f64;
        Ok(scores.map(|scores| scores.iter().map(mean).collect()))
    }

    /// Tuned and start on fresh boards.
    fn validate(
        &self,
        book: &mut Book,
        belief: &Belief,
        interrupt: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Option<(Option<Paired>,)>> {
        if self.validation == 0 {
            return Ok(Some((None,)));
        }
        let both = [self.values(&belief.means), Vec::new()];
        // No iteration has this number, so its boards are new.
        let scores = self.scores(book, 0, self.validation, &both, interrupt, progress)?;
        Ok(scores.map(|scores| {
            let pairs: Vec<(f64, f64)> = scores[0]
                .iter()
                .zip(&scores[1])
                .map(|(&tuned, &start)| (tuned as f64, start as f64))
                .collect();
            (paired(&pairs),)
        }))
    }

    /// The scores of some settings on the boards of an iteration, from the book or
    /// by running; none if it was stopped.
    fn scores(
        &self,
        book: &mut Book,
        iteration: u64,
        boards: u64,
        values: &[Vec<(String, String)>],
        interrupt: &AtomicBool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Option<Vec<Vec<i64>>>> {
        let mut scores: Vec<Vec<Option<i64>>> = vec![vec![None; boards as usize]; values.len()];
        let ours = |trial: &&Trial| trial.iteration == iteration && trial.signature == signature();
        for trial in book.trials.iter().filter(ours) {
            let row = scores.get_mut(trial.sample as usize);
            if let Some(place) = row.and_then(|row| row.get_mut(trial.board as usize)) {
                *place = Some(trial.score);
            }
        }
        let known = scores.clone();
        let total = boards * values.len() as u64;
        let mut done = known.iter().flatten().flatten().count() as u64;
        progress(done, total);
        let job = |number: u64, stop: &AtomicBool| {
            let (sample, board) = (number / boards, number % boards);
            if known[sample as usize][board as usize].is_some() {
                return Ok(None);
            }
            let score = self.score(iteration, board, &values[sample as usize], stop)?;
            Ok(Some(Trial { signature: signature(), iteration, sample, board, score }))
        };
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        parallel(total, cores, interrupt, job, |trial| {
            scores[trial.sample as usize][trial.board as usize] = Some(trial.score);
            book.add(trial)?;
            done += 1;
            progress(done, total);
            Ok(())
        })?;
        book.file.sync()?;
        if interrupt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(scores.into_iter().map(|row| row.into_iter().collect()).collect())
    }

    /// What some parameters reach on a board of an iteration.
    fn score(
        &self,
        iteration: u64,
        board: u64,
        values: &[(String, String)],
        stop: &AtomicBool,
    ) -> Result<i64> {
        let seed = mix(self.seed ^ mix(iteration << 32 | board)) >> 16;
        if let Some(opponent) = &self.opponent {
            let agent = contest::agent(&self.algorithm, &self.settings(values))?;
            let opponent = contest::agent(opponent, &[])?;
            return contest::pair(&agent, &opponent, self.playouts.unwrap_or(1), seed);
        }
        let task = self.task(&self.board(iteration, board), values, seed)?;
        Ok(measured(&task, stop)?.replay.score.0)
    }

    /// Everything that is set, as `KEY=VALUE`.
    fn settings(&self, values: &[(String, String)]) -> Vec<String> {
        let found = values.iter().map(|(key, value)| format!("{key}={value}"));
        self.set.iter().cloned().chain(found).collect()
    }

    fn board(&self, iteration: u64, index: u64) -> String {
        let seed = mix(mix(self.seed ^ 0xB0A2D) ^ (iteration << 32 | index)) >> 16;
        format!("random:{seed}:{}", self.size)
    }

    /// The parameters of a sample, as texts.
    #[must_use]
    pub fn values(&self, sample: &[f64]) -> Vec<(String, String)> {
        let text = |(axis, &coordinate): (&Axis, &f64)| (axis.key.clone(), axis.text(coordinate));
        self.axes.iter().zip(sample).map(text).collect()
    }

    fn task(&self, board: &str, values: &[(String, String)], seed: u64) -> Result<Task> {
        let given = self.settings(values);
        let params = Setup::given(GameName::SameGame, &self.algorithm, &given)?.values();
        Ok(Task {
            board: board.to_owned(),
            rules: Some("samegame".to_owned()),
            algorithm: self.algorithm.clone(),
            params,
            seed,
            threads: 1,
            budget: Budget { nodes: self.nodes, playouts: self.playouts, ..Budget::default() },
            line: None,
        })
    }
}

fn signature() -> String {
    SIGNATURE.trim().to_owned()
}

/// The trials of a tuning, in a file that is only ever added to.
struct Book {
    trials: Vec<Trial>,
    file: Appender,
    /// Held as long as trials are added.
    _lock: File,
}

impl Book {
    fn open(folder: &Path, tuning: &Tuning) -> Result<Book> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::input(format!("{}: {error}", folder.display()))
        };
        let lock = hold(folder)?;
        let text = toml::to_string(tuning).map_err(|error| failed(&error))?;
        let spec = folder.join("tuning.toml");
        match std::fs::read_to_string(&spec) {
            Ok(there) if there == text => {}
            Ok(there) => {
                let differs = there.lines().zip(text.lines()).find(|(old, new)| old != new);
                let (old, new) = differs.unwrap_or(("(its end)", "(its end)"));
                return Err(Failure::usage(format!(
                    "{}: holds another tuning: it has `{old}` where this has `{new}`. Choose \
                     another --out, or delete the folder",
                    folder.display()
                )));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                write_whole(&spec, &text).map_err(|error| failed(&error))?;
            }
            Err(error) => return Err(failed(&format!("tuning.toml: {error}"))),
        }
        let path = folder.join("trials.jsonl");
        let mut trials = Vec::new();
        each_line(&path, |_, trial| {
            trials.push(trial);
            Ok(())
        })?;
        let (file, _) = Appender::open(&path)?;
        Ok(Book { trials, file, _lock: lock })
    }

    fn add(&mut self, trial: Trial) -> Result<()> {
        self.file.add(&trial)?;
        self.trials.push(trial);
        Ok(())
    }
}
