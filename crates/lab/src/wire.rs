//! Runs as JSON: the same objects on the command line, in `--jsonl` and in answers
//! of the analysis.

use std::time::Duration;

use serde_json::{Map, Value, json};
use solitree_core::{Counters, Event};
use solitree_search::Report;

use crate::instance::Instance;
use crate::task::Task;
use crate::verification::Replay;

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What `solve --json` prints for a board: what was asked, and the line that was
/// found, if any was.
#[must_use]
pub fn solution(
    task: &Task,
    instance: &Instance,
    report: &Report<String>,
    replay: Option<&Replay>,
) -> Value {
    let mut fields = asked(task);
    fields.insert("score".into(), json!(replay.map(|replay| replay.score)));
    fields.insert("cleared".into(), json!(replay.and_then(|replay| replay.cleared)));
    let moves: &[String] = replay.map_or(&[], |replay| &replay.moves);
    fields.insert("moves".into(), json!(moves));
    counters(&mut fields, report.counters, report.elapsed);
    fields.insert("stop".into(), json!(report.reason.to_string()));
    fields.insert("best_known".into(), json!(instance.best_known().map(|(score, _)| score)));
    fields.insert("version".into(), json!(VERSION));
    Value::Object(fields)
}

/// What a task asks for.
#[must_use]
pub fn asked(task: &Task) -> Map<String, Value> {
    let params: Map<String, Value> =
        task.params.iter().map(|(key, value)| (key.clone(), typed(value))).collect();
    let fields = [
        ("board", json!(task.board)),
        ("rules", json!(task.rules)),
        ("algorithm", json!(task.algorithm)),
        ("params", Value::Object(params)),
        ("seed", json!(task.seed)),
        ("threads", json!(task.threads)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The first line of `--jsonl`.
#[must_use]
pub fn started(task: &Task) -> Value {
    let mut fields = asked(task);
    fields.insert("event".into(), json!("started"));
    fields.insert("version".into(), json!(VERSION));
    Value::Object(fields)
}

/// An event as a line of `--jsonl`.
#[must_use]
pub fn event(task: &Task, event: &Event<'_, String>) -> Value {
    let mut fields = Map::new();
    let (name, work, elapsed) = match event {
        Event::NewBest { counters, elapsed, .. } => ("best", counters, elapsed),
        Event::Progress { counters, elapsed } => ("progress", counters, elapsed),
        Event::Checkpoint { counters, elapsed } => ("checkpoint", counters, elapsed),
        Event::Stopped { counters, elapsed, .. } => ("stopped", counters, elapsed),
    };
    fields.insert("event".into(), json!(name));
    fields.insert("board".into(), json!(task.board));
    if let Event::NewBest { line, .. } = event {
        fields.insert("score".into(), json!(line.score));
        fields.insert("moves".into(), json!(line.moves));
    }
    counters(&mut fields, *work, *elapsed);
    if let Event::Stopped { reason, .. } = event {
        fields.insert("stop".into(), json!(reason.to_string()));
    }
    Value::Object(fields)
}

fn counters(fields: &mut Map<String, Value>, work: Counters, elapsed: Duration) {
    fields.insert("playouts".into(), json!(work.playouts));
    fields.insert("nodes".into(), json!(work.nodes));
    fields.insert("average_depth".into(), json!((work.average_depth() * 1e3).round() / 1e3));
    fields.insert("deepest".into(), json!(work.deepest));
    fields.insert("seconds".into(), seconds(elapsed));
}

/// A time in seconds, to the microsecond.
#[must_use]
pub fn seconds(time: Duration) -> Value {
    json!((time.as_secs_f64() * 1e6).round() / 1e6)
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
