//! Where an experiment is kept: `spec.toml`, `environment.json` and
//! `results.jsonl`, one line a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::record::Record;
use super::shard::Shard;
use super::spec::Spec;
use crate::Failure;
use crate::journal::{Appender, each_line, hold, write_whole};
use crate::matches;

/// The folder of one experiment at one scale.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held as long as runs are added.
    lock: Option<File>,
}

/// Where results come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The program and its commit.
    pub build: String,
    /// The processor.
    pub cpu: String,
    /// How many cores.
    pub cores: usize,
    /// The operating system and the kind of machine.
    pub system: String,
    /// The instructions that SameGame used.
    pub instructions: String,
}

impl Environment {
    /// This machine and this program.
    #[must_use]
    pub fn here(build: &str) -> Environment {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Environment {
            build: build.to_owned(),
            cpu: cpu.unwrap_or_else(|| "unknown".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            instructions: solitree_games::samegame::Path::best().to_string(),
        }
    }
}

/// What a folder has of a plan.
#[derive(Debug)]
pub struct Found {
    /// A bit for every run that is done.
    done: Vec<u64>,
    /// How many.
    pub count: u64,
    /// Lines of searches that have changed since: their runs are done again.
    pub stale: u64,
}

impl Found {
    /// Whether a run is done.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.done[number as usize / 64] >> (number % 64) & 1 != 0
    }

    /// Takes note of a run; says whether it is the first time.
    fn add(&mut self, number: u64) -> bool {
        let fresh = !self.has(number);
        self.done[number as usize / 64] |= 1 << (number % 64);
        self.count += u64::from(fresh);
        fresh
    }
}

impl Folder {
    /// The folder of a plan, made if it is not there. It must be of the same
    /// experiment, and nobody else may be writing to it.
    pub fn open(path: &Path, plan: &Plan, environment: &Environment) -> Result<Folder> {
        let failed =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let folder = Folder { path: path.to_owned(), lock: Some(hold(path)?) };
        // Results that are there must be of the same runs.
        folder.read(plan, |_, _| {})?;
        let text = plan.spec.text().map_err(|error| failed(&error))?;
        write_whole(&path.join("spec.toml"), &format!("{SCALE}{}\n{text}", plan.scale))
            .map_err(|error| failed(&error))?;
        let known = path.join("environment.json");
        let mut all: Vec<Environment> = std::fs::read_to_string(&known)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        if !all.contains(environment) {
            all.push(environment.clone());
            let text = serde_json::to_string_pretty(&all)?;
            write_whole(&known, &(text + "\n")).map_err(|error| failed(&error))?;
        }
        Ok(folder)
    }

    /// A folder that is only read.
    #[must_use]
    pub fn existing(path: &Path) -> Folder {
        Folder { path: path.to_owned(), lock: None }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The experiment and the scale it was made for.
    pub fn plan(&self) -> Result<Plan> {
        let file = self.path.join("spec.toml");
        let failed =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", file.display()));
        let text = std::fs::read_to_string(&file).map_err(|error| failed(&error))?;
        let (spec, scale) = Self::spec_of(&text).map_err(|error| failed(&error))?;
        Plan::new(&spec, scale)
    }

    /// The same, from the text of its file.
    pub(crate) fn spec_of(text: &str) -> Result<(Spec, &str), String> {
        let scale = text.lines().next().and_then(|line| line.strip_prefix(SCALE));
        let scale = scale.ok_or("the first line does not name a scale")?;
        Ok((Spec::parse(text)?, scale.trim()))
    }

    /// Reads every whole record of the plan, each run once, and hands it to `see`
    /// with its number. Passed over are a line that is cut short at the end of a
    /// file, runs that the plan does not have, and those of other searches than
    /// this program's. A run of the same name that was asked for something else is
    /// an error: results of different experiments are not mixed.
    pub fn read(&self, plan: &Plan, mut see: impl FnMut(u64, &Record)) -> Result<Found> {
        let words = (plan.len() as usize).div_ceil(64);
        let mut found = Found { done: vec![0; words], count: 0, stale: 0 };
        for file in self.result_files()? {
            each_line(&file, |line, record: Record| {
                let Some(number) = plan.number(&record) else { return Ok(()) };
                if record.signature != signature(plan) {
                    found.stale += 1;
                    return Ok(());
                }
                if record.task != plan.hash(&plan.unit(number)) {
                    let name = file.display();
                    return Err(Failure::usage(format!(
                        "{name}, line {line}: a run of another experiment: '{}' under '{}' on {} \
                         was asked for something else. Choose another --out, or delete the folder",
                        record.setting, record.budget, record.instance
                    )));
                }
                if found.add(number) {
                    see(number, &record);
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The files of results, those of shards too.
    fn result_files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let entries = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) => {
                return Err(Failure::input(format!("{}: {error}", self.path.display())));
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("results") && name.ends_with(".jsonl") {
                files.push(entry.path());
            }
        }
        files.sort();
        Ok(files)
    }

    /// The file that results of a shard are added to; says too whether a line
    /// at its end had to be dropped.
    pub(super) fn appender(&self, shard: Shard) -> Result<(Appender, bool)> {
        assert!(self.lock.is_some(), "a folder that is only read is not written to");
        let name = if shard == Shard::WHOLE {
            "results.jsonl".to_owned()
        } else {
            format!("results-{}-of-{}.jsonl", shard.index, shard.count)
        };
        Appender::open(&self.path.join(name))
    }
}

const SCALE: &str = "# scale: ";

/// The signature of the searches that a plan uses.
pub(super) fn signature(plan: &Plan) -> &'static str {
    if plan.spec.meet.is_some() { matches::signature() } else { SIGNATURE.trim() }
}

/// The signature of the searches of this program: see `solitree bench`.
pub(crate) const SIGNATURE: &str = include_str!("../../../../data/bench-signature.txt");
