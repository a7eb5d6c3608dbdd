//! Runs as JSON: the same objects on the command line, in the answers of the analysis
//! and in what the server sends.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};
use solitree_core::{Counters, Event};
use solitree_search::Report;

use crate::{Instance, Replay, Task};

/// The version of the project, which every run carries.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunHead {
    /// The board's name, or its rows.
    pub board: String,
    /// The rules, where the game has some to choose from.
    pub rules: Option<String>,
    /// The algorithm and preset.
    pub algorithm: String,
    /// Every parameter.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number | boolean | string>"))]
    pub params: Map<String, Value>,
    /// The seed.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

/// The work done so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Work {
    /// Games finished at random.
    pub playouts: u64,
    /// Nodes added to search trees.
    pub nodes: u64,
    /// The mean depth of the nodes.
    pub average_depth: f64,
    /// The depth of the deepest.
    pub deepest: u64,
    /// The time it took.
    pub seconds: f64,
}

/// A moment in the life of a search: a line of `solve --jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum SearchEvent {
    /// It begins.
    Started {
        /// What is asked.
        #[serde(flatten)]
        run: RunHead,
        /// The version that searches.
        version: String,
    },
    /// A better line than any before.
    Best {
        /// The board.
        board: String,
        /// What the line earns.
        score: i64,
        /// Its moves.
        moves: Vec<String>,
        /// The work done until then.
        #[serde(flatten)]
        work: Work,
    },
    /// Still searching.
    Progress {
        /// The board.
        board: String,
        /// The work done.
        #[serde(flatten)]
        work: Work,
    },
    /// The state of the search was saved.
    Checkpoint {
        /// The board.
        board: String,
        /// The work done.
        #[serde(flatten)]
        work: Work,
    },
    /// It is over.
    Stopped {
        /// The board.
        board: String,
        /// The work done in all.
        #[serde(flatten)]
        work: Work,
        /// Why.
        stop: String,
    },
}

/// A solved board: what `solve --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Solution {
    /// What was asked.
    #[serde(flatten)]
    pub run: RunHead,
    /// What the line earns, if one was found.
    pub score: Option<i64>,
    /// Whether no block is left, in games that have blocks.
    pub cleared: Option<bool>,
    /// The line.
    pub moves: Vec<String>,
    /// The work done.
    #[serde(flatten)]
    pub work: Work,
    /// Why the search stopped.
    pub stop: String,
    /// The best score known.
    pub best_known: Option<i64>,
    /// The version that searched.
    pub version: String,
}

impl RunHead {
    /// What a task asks.
    #[must_use]
    pub fn of(task: &Task) -> RunHead {
        RunHead {
            board: task.board.clone(),
            rules: task.rules.clone(),
            algorithm: task.algorithm.clone(),
            params: task.params.iter().map(|(key, value)| (key.clone(), typed(value))).collect(),
            seed: task.seed,
            threads: task.threads,
        }
    }
}

impl Work {
    /// Counters and a clock.
    #[must_use]
    pub fn of(counters: Counters, elapsed: Duration) -> Work {
        Work {
            playouts: counters.playouts,
            nodes: counters.nodes,
            average_depth: (counters.average_depth() * 1e3).round() / 1e3,
            deepest: counters.deepest,
            seconds: seconds(elapsed),
        }
    }
}

impl SearchEvent {
    /// The first event of a run.
    #[must_use]
    pub fn started(task: &Task) -> SearchEvent {
        SearchEvent::Started { run: RunHead::of(task), version: VERSION.to_owned() }
    }

    /// An event of a run.
    #[must_use]
    pub fn of(task: &Task, event: &Event<'_, String>) -> SearchEvent {
        let board = task.board.clone();
        match event {
            Event::NewBest { line, counters, elapsed } => SearchEvent::Best {
                board,
                score: line.score.0,
                moves: line.moves.clone(),
                work: Work::of(*counters, *elapsed),
            },
            Event::Progress { counters, elapsed } => {
                SearchEvent::Progress { board, work: Work::of(*counters, *elapsed) }
            }
            Event::Checkpoint { counters, elapsed } => {
                SearchEvent::Checkpoint { board, work: Work::of(*counters, *elapsed) }
            }
            Event::Stopped { reason, counters, elapsed } => SearchEvent::Stopped {
                board,
                work: Work::of(*counters, *elapsed),
                stop: reason.to_string(),
            },
        }
    }
}

impl Solution {
    /// What came of a task: its line replayed, if it found one.
    #[must_use]
    pub fn of(
        task: &Task,
        instance: &Instance,
        report: &Report<String>,
        replay: Option<&Replay>,
    ) -> Solution {
        Solution {
            run: RunHead::of(task),
            score: replay.map(|replay| replay.score.0),
            cleared: replay.and_then(|replay| replay.cleared),
            moves: replay.map(|replay| replay.moves.clone()).unwrap_or_default(),
            work: Work::of(report.counters, report.elapsed),
            stop: report.reason.to_string(),
            best_known: instance.best_known().map(|(score, _)| score),
            version: VERSION.to_owned(),
        }
    }
}

/// A time in seconds, to the microsecond.
#[must_use]
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

/// A parameter's value as JSON: a number or a truth value where it is one.
#[must_use]
pub fn typed(text: &str) -> Value {
    match text.parse::<Value>() {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => json!(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_types() {
        assert_eq!(typed("0.1"), json!(0.1));
        assert_eq!(typed("10"), json!(10));
        assert_eq!(typed("true"), json!(true));
        assert_eq!(typed("top-score"), json!("top-score"));
        assert_eq!(typed("\"x\""), json!("\"x\""));
    }
}
