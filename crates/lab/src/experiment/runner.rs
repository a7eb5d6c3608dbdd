//! Runs what is left of an experiment, on all cores.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::folder::Folder;
use super::plan::{Plan, Shard};
use super::record::Record;
use crate::measured::{Measured, measured};
use crate::parallel::parallel;

/// How far the runs have come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Runs done, those of earlier times too.
    pub done: u64,
    /// Runs in all.
    pub total: u64,
    /// Runs done since it began.
    pub fresh: u64,
    /// The time since it began.
    pub elapsed: Duration,
}

/// How often what is written is made to last.
const SYNC: Duration = Duration::from_secs(2);

/// Runs what is left of a shard and adds it to the folder. Returns early, with
/// all that was finished kept, when `interrupt` is set. Says whether a line that
/// was cut short had to be dropped first.
pub fn run(
    plan: &Plan,
    folder: &Folder,
    shard: Shard,
    build: &str,
    interrupt: &AtomicBool,
    see: &mut dyn FnMut(Progress),
) -> Result<bool> {
    let (mut out, dropped) = folder.appender(shard)?;
    let found = folder.read(plan, |_, _| {})?;
    let ours = || (0..plan.len()).filter(|&number| shard.has(number));
    let mut progress = Progress {
        done: ours().filter(|&number| found.has(number)).count() as u64,
        total: ours().count() as u64,
        fresh: 0,
        elapsed: Duration::ZERO,
    };
    see(progress);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let job = |number| {
        if !shard.has(number) || found.has(number) {
            return Ok(None);
        }
        record(plan, number, build, interrupt).map(Some)
    };
    let start = Instant::now();
    let mut synced = start;
    let threads = cores / plan.spec.threads.max(1) as usize;
    parallel(plan.len(), threads, interrupt, job, |record| {
        out.add(&record)?;
        if synced.elapsed() >= SYNC {
            out.sync()?;
            synced = Instant::now();
        }
        progress.done += 1;
        progress.fresh += 1;
        progress.elapsed = start.elapsed();
        see(progress);
        Ok(())
    })?;
    out.sync()?;
    Ok(dropped)
}

fn record(plan: &Plan, number: u64, build: &str, interrupt: &AtomicBool) -> Result<Record> {
    let unit = plan.unit(number);
    let task = plan.task(&unit);
    let Measured { replay, branching, counters, elapsed, reason } = measured(&task, interrupt)
        .with_context(|| format!("{} with {}", task.board, task.algorithm))?;
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    Ok(Record {
        setting: plan.spec.settings[unit.setting].name.clone(),
        budget: plan.budgets()[unit.budget].to_owned(),
        instance: unit.instance,
        repetition: unit.repetition,
        seed: unit.seed,
        score: replay.score.0,
        cleared: replay.cleared,
        branching: rounded(branching),
        playouts: counters.playouts,
        nodes: counters.nodes,
        average_depth: rounded(counters.average_depth()),
        deepest: counters.deepest,
        seconds: rounded(elapsed.as_secs_f64()),
        stop: reason.to_string(),
        version: build.to_owned(),
        moves: replay.moves,
    })
}
