//! How a search is run: the one place that knows the laboratory's way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use solitree_core::Event;
use solitree_games::samegame::Path;
use solitree_lab::wire::{SearchEvent, Solution, Work};
use solitree_lab::{Listeners, Run, Task, replay};

/// How a search, or the part of it until a pause, ended.
#[derive(Debug)]
pub struct Ended {
    /// The work done so far.
    pub work: Work,
    /// Why it stopped.
    pub stop: String,
    /// What it found, if it came so far.
    pub solution: Option<Solution>,
    /// The state to go on from.
    pub saved: Option<Vec<u8>>,
}

/// States are taken at the end only.
const NO_SNAPSHOTS: Duration = Duration::from_secs(1 << 30);

/// Whether a task can be run at all.
pub fn check(task: &Task) -> Result<(), String> {
    task.prepare_named().map(|_| ()).map_err(|error| format!("{error:#}"))
}

/// Runs a task from the beginning or from where it was paused, on this thread and
/// one more. The observer hears of better lines and of progress. An error says what
/// was wrong with the task, or that there is a bug.
pub fn run(
    task: &Task,
    resume: Option<Vec<u8>>,
    interrupt: &AtomicBool,
    observer: &mut dyn FnMut(SearchEvent),
) -> Result<Ended, String> {
    let whole = AssertUnwindSafe(|| run_checked(task, resume, interrupt, observer));
    catch_unwind(whole).unwrap_or_else(|_| Err("the search failed: this is a bug".to_owned()))
}

fn run_checked(
    task: &Task,
    resume: Option<Vec<u8>>,
    interrupt: &AtomicBool,
    observer: &mut dyn FnMut(SearchEvent),
) -> Result<Ended, String> {
    let prepared = task.prepare_named().map_err(|error| format!("{error:#}"))?;
    let run = Run {
        interrupt,
        resume,
        snapshots: Some(NO_SNAPSHOTS),
        path: Path::best(),
        accelerator: None,
    };
    let listeners = Listeners {
        observer: &mut |event| {
            // The end is told by what is returned: it may be a pause.
            if !matches!(event, Event::Stopped { .. }) {
                observer(SearchEvent::of(task, &event));
            }
        },
        keep: &mut |_| {},
    };
    let outcome = task.run(&prepared, run, listeners).map_err(|error| format!("{error:#}"))?;
    let report = outcome.report;
    let solution = match &report.best {
        None => None,
        Some(line) => {
            let replay = replay(&prepared.instance, &line.moves)?;
            assert_eq!(replay.score, line.score, "the plain rules give another score");
            Some(Solution::of(task, &prepared.instance, &report, Some(&replay)))
        }
    };
    Ok(Ended {
        work: Work::of(report.counters, report.elapsed),
        stop: report.reason.to_string(),
        solution,
        saved: outcome.saved.and_then(Result::ok),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use std::sync::atomic::Ordering;

    fn task(text: &str) -> Task {
        crate::plan::task(&serde_json::from_str(text).unwrap(), &Limits::default()).unwrap()
    }

    #[test]
    fn a_search_that_was_paused_ends_as_if_it_had_not_been() {
        let task =
            task(r#"{"board":"random:3:8x8x4","algorithm":"sp-mcts","budget":{"nodes":4000}}"#);
        let never = AtomicBool::new(false);
        let straight = run(&task, None, &never, &mut |_| {}).unwrap();
        let stop = AtomicBool::new(false);
        let first = run(&task, None, &stop, &mut |event| {
            if matches!(event, SearchEvent::Best { .. }) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let first = first.unwrap();
        let second = run(&task, first.saved, &never, &mut |_| {}).unwrap();
        let (a, b) = (straight.solution.unwrap(), second.solution.unwrap());
        assert_eq!((a.score, a.moves, straight.work.nodes), (b.score, b.moves, second.work.nodes));
        assert_eq!(second.stop, "nodes");
    }

    /// A core must soon be free, whatever runs on it.
    #[test]
    fn every_search_stops_soon_after_it_is_asked_to() {
        for algorithm in solitree_search::ALGORITHMS {
            let ask = serde_json::json!({
                "board": "random:1:32x16x9", "algorithm": algorithm.name,
                "budget": {"time_ms": 60_000},
            });
            let (task, stop) = (task(&ask.to_string()), AtomicBool::new(false));
            let asked = std::thread::scope(|scope| {
                let search = scope.spawn(|| run(&task, None, &stop, &mut |_| {}));
                std::thread::sleep(Duration::from_millis(300));
                stop.store(true, Ordering::Relaxed);
                let asked = std::time::Instant::now();
                search.join().unwrap().unwrap();
                asked
            });
            assert!(asked.elapsed() < Duration::from_secs(5), "{}", algorithm.name);
        }
    }

    #[test]
    fn what_cannot_work_is_said() {
        let playouts = r#"{"board":"std:1","algorithm":"beam","budget":{"playouts":5}}"#;
        let mut playouts = task(playouts);
        playouts.budget.time = None;
        let never = AtomicBool::new(false);
        assert!(run(&playouts, None, &never, &mut |_| {}).unwrap_err().contains("would never end"));
    }
}
