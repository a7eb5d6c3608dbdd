//! How a search is run: the one place that knows the laboratory's way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use solitree_core::Event;
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
/// How often to look inside.
const INSIGHTS: Duration = Duration::from_millis(250);

/// Whether a task can be run at all.
pub fn check(task: &Task) -> Result<(), String> {
    task.prepare_named().map(|_| ()).map_err(|error| format!("{error:#}"))
}

/// Runs a task from the beginning or from where it was paused, on this thread and
/// one more. The observer hears of better lines, of progress and, where that is asked
/// for, what is to be seen inside. An error says what
/// was wrong with the task, or that there is a bug.
pub fn run(
    task: &Task,
    (resume, insights): (Option<Vec<u8>>, bool),
    interrupt: &AtomicBool,
    observer: &mut dyn FnMut(SearchEvent),
) -> Result<Ended, String> {
    let whole = AssertUnwindSafe(|| run_checked(task, (resume, insights), interrupt, observer));
    catch_unwind(whole).unwrap_or_else(|_| Err("the search failed: this is a bug".to_owned()))
}

fn run_checked(
    task: &Task,
    (resume, insights): (Option<Vec<u8>>, bool),
    interrupt: &AtomicBool,
    observer: &mut dyn FnMut(SearchEvent),
) -> Result<Ended, String> {
    let prepared = task.prepare_named().map_err(|error| format!("{error:#}"))?;
    let run = Run {
        resume,
        snapshots: Some(NO_SNAPSHOTS),
        insights: insights.then_some(INSIGHTS),
        ..Run::new(interrupt)
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
        let straight = run(&task, (None, false), &never, &mut |_| {}).unwrap();
        let stop = AtomicBool::new(false);
        let first = run(&task, (None, false), &stop, &mut |event| {
            if matches!(event, SearchEvent::Best { .. }) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let first = first.unwrap();
        let second = run(&task, (first.saved, true), &never, &mut |_| {}).unwrap();
        let (a, b) = (straight.solution.unwrap(), second.solution.unwrap());
        assert_eq!((a.score, a.moves, straight.work.nodes), (b.score, b.moves, second.work.nodes));
        assert_eq!(second.stop, "nodes");
    }

    /// What is counted for those who watch goes on after a pause.
    #[test]
    fn counts_go_on_after_a_pause() {
        let task = task(r#"{"board":"std:1","algorithm":"nmcs","budget":{"time_ms":60000}}"#);
        // Pauses at such a look, with the visits that it showed.
        let paused = |resume, looks: u32| {
            let (stop, mut seen) = (AtomicBool::new(false), Vec::new());
            let ended = run(&task, (resume, true), &stop, &mut |event| {
                if let SearchEvent::Insight { insight, .. } = event {
                    let insight = serde_json::to_value(insight).unwrap();
                    let moves = insight["moves"].as_array().unwrap();
                    seen.push(moves.iter().filter_map(|tried| tried["visits"].as_u64()).sum());
                    stop.store(seen.len() >= looks as usize, Ordering::Relaxed);
                }
            });
            let visits: u64 = *seen.last().unwrap();
            (visits, ended.unwrap().saved)
        };
        let (before, saved) = paused(None, 3);
        let (after, _) = paused(saved, 1);
        assert!(after > before, "{before}, then {after}");
    }

    /// What each method shows, by the kind of its insight.
    #[test]
    fn a_search_shows_what_is_inside_to_those_who_ask() {
        for (algorithm, of) in [
            ("sp-mcts", Some("tree")),
            ("sp-mcts:exploitation", Some("tree")),
            ("parallel-mcts", Some("tree")),
            ("nrpa", Some("policy")),
            ("lns", Some("policy")),
            ("anneal", Some("tree")),
            ("portfolio", Some("policy")),
            ("beam", Some("beam")),
            ("mc-beam", Some("beam")),
            ("dbs", Some("tree")),
            ("dbs:gain", Some("tree")),
            ("nmcs", Some("tree")),
            ("mc-rws", Some("tree")),
            ("ida-star:exact", Some("tree")),
            ("a-star", Some("tree")),
            ("branch-and-bound", Some("tree")),
        ] {
            let ask = serde_json::json!({
                "board": "random:3:8x8x4", "algorithm": algorithm, "budget": {"nodes": 20_500},
            });
            let (task, never) = (task(&ask.to_string()), AtomicBool::new(false));
            let mut seen = Vec::new();
            for insights in [false, true] {
                let ended = run(&task, (None, insights), &never, &mut |event| {
                    if let SearchEvent::Insight { insight, .. } = event {
                        seen.push(serde_json::to_value(insight).unwrap());
                    }
                });
                assert!(ended.unwrap().solution.is_some());
                assert_eq!(seen.is_empty(), !insights, "{algorithm}");
            }
            let last = seen.last().map(|insight| insight["of"].as_str().unwrap());
            assert_eq!(last, of, "{algorithm}");
            if last == Some("tree") {
                let moves = seen.last().unwrap()["moves"].as_array().unwrap();
                assert!(moves.iter().all(|tried| tried["visits"].as_u64() > Some(0)));
                // One goes all the way below a move before it tries another.
                let several = moves.len() > 3 || algorithm == "branch-and-bound";
                assert!(several && !moves.is_empty(), "{algorithm}: {moves:?}");
            }
        }
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
                let search = scope.spawn(|| run(&task, (None, false), &stop, &mut |_| {}));
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
        assert!(
            run(&playouts, (None, false), &never, &mut |_| {})
                .unwrap_err()
                .contains("would never end")
        );
    }
}
