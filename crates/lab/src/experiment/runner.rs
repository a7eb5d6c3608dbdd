//! Runs what is left of an experiment, on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use solitree_core::Event;
use solitree_games::samegame::Path;

use super::folder::{Folder, Found};
use super::plan::{Plan, Shard, Unit};
use super::record::Record;
use crate::task::{Listeners, Outcome, Run};
use crate::verification::{branching, replay};
use crate::{Failure, Task};

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
/// all that was finished kept, when `interrupt` is set. Says whether a line that was
/// cut short had to be dropped first.
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
    let total = (0..plan.len()).filter(|&number| shard.has(number)).count() as u64;
    let before = (0..plan.len()).filter(|&number| shard.has(number) && found.has(number)).count();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let workers = (cores / plan.spec.threads as usize).clamp(1, (total as usize).max(1));
    let start = Instant::now();
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut progress = Progress { done: before as u64, total, fresh: 0, elapsed: Duration::ZERO };
    see(progress);
    // The first error of all ends the runs.
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(2 * workers);
        for _ in 0..workers {
            let worker = Worker {
                plan,
                found: &found,
                shard,
                build,
                next: &next,
                interrupt,
                stop: &stop,
                failure: &failure,
                sender: sender.clone(),
            };
            scope.spawn(move || worker.work());
        }
        drop(sender);
        let mut synced = Instant::now();
        for record in receiver {
            let mut added = out.add(&record);
            if added.is_ok() && synced.elapsed() >= SYNC {
                added = out.sync();
                synced = Instant::now();
            }
            if let Err(error) = added {
                crate::lock(&failure).get_or_insert(error);
                stop.store(true, Ordering::Relaxed);
                // Results that cannot be kept are not waited for.
                break;
            }
            progress.done += 1;
            progress.fresh += 1;
            progress.elapsed = start.elapsed();
            see(progress);
        }
    });
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => out.sync().map(|()| dropped),
    }
}

/// One of the threads that run.
struct Worker<'a> {
    plan: &'a Plan,
    found: &'a Found,
    shard: Shard,
    build: &'a str,
    next: &'a AtomicU64,
    interrupt: &'a AtomicBool,
    stop: &'a AtomicBool,
    failure: &'a Mutex<Option<anyhow::Error>>,
    sender: SyncSender<Record>,
}

impl Worker<'_> {
    fn work(self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.plan.len() || self.is_stopped() {
                return;
            }
            if !self.shard.has(number) || self.found.has(number) {
                continue;
            }
            let unit = self.plan.unit(number);
            match self.run(&unit) {
                // A run that was cut short is no result.
                Ok(_) if self.is_stopped() => return,
                Ok(record) => {
                    if self.sender.send(record).is_err() {
                        return;
                    }
                }
                Err(error) => {
                    let task = self.plan.task(&unit);
                    let place = format!("{} with {}", task.board, task.algorithm);
                    crate::lock(self.failure).get_or_insert(error.context(place));
                    self.stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }

    fn run(&self, unit: &Unit) -> Result<Record> {
        let task = self.plan.task(unit);
        let (record, moves) = measured(&task, self.interrupt)?;
        Ok(Record {
            instance: unit.instance.clone(),
            setting: self.plan.spec.settings[unit.setting].name.clone(),
            budget: self.plan.budgets()[unit.budget].to_owned(),
            repetition: unit.repetition,
            seed: unit.seed,
            version: self.build.to_owned(),
            moves,
            ..record
        })
    }
}

/// Runs a task and replays its line; names are left to the caller.
fn measured(task: &Task, interrupt: &AtomicBool) -> Result<(Record, Vec<String>)> {
    let prepared = task.prepare()?;
    let run = Run { interrupt, resume: None, snapshots: None, path: Path::best() };
    let ignore = &mut |_: Event<'_, String>| {};
    let listeners = Listeners { observer: ignore, keep: &mut |_| {} };
    let Outcome { report, .. } = task.run(&prepared, run, listeners)?;
    let Some(line) = &report.best else {
        return Err(Failure::usage("the budget ended before the first playout"));
    };
    let replayed = replay(&prepared.instance, &line.moves)
        .unwrap_or_else(|error| panic!("the plain rules refuse the line: {error}"));
    assert_eq!(replayed.score, line.score, "the plain rules give another score");
    let counters = report.counters;
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    let record = Record {
        instance: String::new(),
        setting: String::new(),
        budget: String::new(),
        repetition: 0,
        seed: task.seed,
        score: replayed.score.0,
        cleared: replayed.cleared,
        branching: rounded(branching(&prepared.instance, &replayed.moves)),
        playouts: counters.playouts,
        nodes: counters.nodes,
        average_depth: rounded(counters.average_depth()),
        deepest: counters.deepest,
        seconds: rounded(report.elapsed.as_secs_f64()),
        stop: report.reason.to_string(),
        version: String::new(),
        moves: Vec::new(),
    };
    Ok((record, replayed.moves))
}
