//! One run from beginning to end, with its line replayed.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use solitree_core::{Counters, Event, StopReason};

use crate::task::{Listeners, Outcome, Run};
use crate::verification::{Replay, branching, replay};
use crate::{Failure, Task};

/// How a run went.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The best line under the plain rules.
    pub replay: Replay,
    /// Moves there were to choose from, on average over it.
    pub branching: f64,
    /// The work done.
    pub counters: Counters,
    /// The time it took.
    pub elapsed: Duration,
    /// Why it stopped.
    pub reason: StopReason,
}

/// Runs a task to its end.
pub fn measured(task: &Task, interrupt: &AtomicBool) -> Result<Measured> {
    let prepared = task.prepare()?;
    let run = Run::new(interrupt);
    let listeners = Listeners { observer: &mut |_: Event<'_, String>| {}, keep: &mut |_| {} };
    let Outcome { report, .. } = task.run(&prepared, run, listeners)?;
    let Some(line) = &report.best else {
        return Err(Failure::usage("the budget ended before the first playout"));
    };
    let replay = replay(&prepared.instance, &line.moves)
        .unwrap_or_else(|error| panic!("the plain rules refuse the line: {error}"));
    assert_eq!(replay.score, line.score, "the plain rules give another score");
    let branching = branching(&prepared.instance, &replay.moves);
    let (counters, elapsed, reason) = (report.counters, report.elapsed, report.reason);
    Ok(Measured { replay, branching, counters, elapsed, reason })
}
