//! Runs what is left of an experiment, on all cores.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::folder::{Folder, signature};
use super::game;
use super::plan::Plan;
use super::record::Record;
use super::shard::Shard;
use super::taught::teach;
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
    /// How many times as much is left as has been done since, by budgets.
    pub left: f64,
    /// The generation that is being taught, while there are no runs yet.
    pub teaching: Option<u64>,
}

/// What a run of the experiment met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remarks {
    /// A last line had been cut short; its run was left to be done again.
    pub cut: bool,
    /// Lines of searches that have changed since.
    pub stale: u64,
}

/// How often what is written is made to last.
const SYNC: Duration = Duration::from_secs(2);

/// Runs what is left of a shard and adds it to the folder. Returns early, with
/// all that was finished kept, when `interrupt` is set.
pub fn run(
    plan: &Plan,
    folder: &Folder,
    shard: Shard,
    build: &str,
    interrupt: &AtomicBool,
    see: &mut dyn FnMut(Progress),
) -> Result<Remarks> {
    let mut progress = Progress {
        done: 0,
        total: plan.len(),
        fresh: 0,
        elapsed: Duration::ZERO,
        left: 0.0,
        teaching: None,
    };
    let taught = teach(plan, folder, interrupt, &mut |generation| {
        see(Progress { teaching: Some(generation), ..progress });
    })?;
    if !taught {
        return Ok(Remarks { cut: false, stale: 0 });
    }
    suits(plan, folder)?;
    let (mut out, cut) = folder.appender(shard)?;
    let found = folder.read(plan, |_, _| {})?;
    let ours = || (0..plan.len()).filter(|&number| shard.has(number));
    progress.done = ours().filter(|&number| found.has(number)).count() as u64;
    progress.total = ours().count() as u64;
    see(progress);
    let cost = |number: u64| plan.cost(number);
    let mut rest: f64 = ours().filter(|&number| !found.has(number)).map(cost).sum();
    let mut done = 0.0;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let start = Instant::now();
    let mut synced = start;
    let mut take = |(number, record): (u64, Record)| {
        out.add(&record)?;
        if synced.elapsed() >= SYNC {
            out.sync()?;
            synced = Instant::now();
        }
        progress.done += 1;
        progress.fresh += 1;
        progress.elapsed = start.elapsed();
        rest -= cost(number);
        done += cost(number);
        progress.left = rest.max(0.0) / done;
        see(progress);
        Ok(())
    };
    // Runs beside each other have as many threads each, so that they share the
    // cores alike.
    for threads in plan.spec.thread_counts() {
        let job = |number, stop: &AtomicBool| {
            let setting = &plan.spec.settings[plan.place(number).entry.setting()];
            let due = shard.has(number) && !found.has(number);
            if !due || plan.spec.threads_of(setting) != threads {
                return Ok(None);
            }
            record(plan, number, (folder, build), stop).map(|record| Some((number, record)))
        };
        parallel(plan.len(), cores / threads.max(1) as usize, interrupt, job, &mut take)?;
    }
    out.sync()?;
    Ok(Remarks { cut, stale: found.stale })
}

/// Whether every setting can work within its budgets: said before the first run,
/// not hours later.
fn suits(plan: &Plan, folder: &Folder) -> Result<()> {
    if plan.spec.meet.is_some() {
        // An agent can play with any.
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    for number in 0..plan.len() {
        let place = plan.place(number);
        if place.instance > 0 || !seen.insert((place.entry.setting(), place.budget)) {
            continue;
        }
        // A run that is stopped before it begins: what it is made of is made.
        let task = plan.task_in(&plan.unit(number), folder);
        measured(&task, &AtomicBool::new(true))
            .with_context(|| format!("{} with {}", task.board, task.algorithm))?;
    }
    Ok(())
}

fn record(
    plan: &Plan,
    number: u64,
    (folder, build): (&Folder, &str),
    interrupt: &AtomicBool,
) -> Result<Record> {
    let unit = plan.unit(number);
    if let Some(meeting) = plan.meeting(&unit) {
        return Ok(game::played(plan, unit, &meeting, build));
    }
    let (task, hash) = (plan.task_in(&unit, folder), plan.hash(&unit));
    let Measured { replay, branching, counters, elapsed, reason } = measured(&task, interrupt)
        .with_context(|| format!("{} with {}", task.board, task.algorithm))?;
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    Ok(Record {
        setting: plan.spec.settings[unit.entry.setting()].name.clone(),
        opponent: None,
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
        signature: signature(plan).to_owned(),
        task: hash,
        moves: replay.moves,
    })
}
