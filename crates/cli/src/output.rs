//! Standard output is for results, standard error for everything else.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};
use solitree_core::{Counters, Event};
use solitree_lab::{Instance, Replay, Task};
use solitree_search::Report;

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version and what it was built from.
pub const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "\ncommit ", env!("SOLITREE_COMMIT"), "\nboard generator 1");

/// The build: a search only goes on in the one that began it.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("SOLITREE_COMMIT"), ")");

/// Prints a line of results.
pub fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Prints a line for people; if even that fails there is nobody to tell.
pub fn message(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Panics are bugs: one line, and no trace unless it is asked for.
pub fn quiet_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|panic| message(&format!("{panic}"))));
    }
}

/// A number with commas between thousands.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// A time people can read.
pub fn readable(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Work per second.
pub fn per_second(work: u64, time: Duration) -> i64 {
    (work as f64 / time.as_secs_f64().max(1e-9)) as i64
}

/// What `solve --json` prints for a board.
pub fn solution(
    task: &Task,
    instance: &Instance,
    report: &Report<String>,
    replay: &Replay,
) -> Value {
    let mut object = head(task);
    let fields = object.as_object_mut().into_iter();
    for fields in fields {
        fields.insert("score".into(), json!(replay.score));
        fields.insert("cleared".into(), json!(replay.cleared));
        fields.insert("moves".into(), json!(replay.moves));
        counters(fields, report.counters, report.elapsed);
        fields.insert("stop".into(), json!(report.reason.to_string()));
        fields.insert("best_known".into(), json!(instance.best_known().map(|(score, _)| score)));
        fields.insert("version".into(), json!(VERSION));
    }
    object
}

fn head(task: &Task) -> Value {
    let params: serde_json::Map<String, Value> =
        task.params.iter().map(|(key, value)| (key.clone(), typed(value))).collect();
    json!({
        "board": task.board,
        "rules": task.rules,
        "algorithm": task.algorithm,
        "params": params,
        "seed": task.seed,
        "threads": task.threads,
    })
}

fn counters(fields: &mut serde_json::Map<String, Value>, work: Counters, elapsed: Duration) {
    fields.insert("playouts".into(), json!(work.playouts));
    fields.insert("nodes".into(), json!(work.nodes));
    fields.insert("average_depth".into(), json!((work.average_depth() * 1e3).round() / 1e3));
    fields.insert("deepest".into(), json!(work.deepest));
    fields.insert("seconds".into(), json!((elapsed.as_secs_f64() * 1e6).round() / 1e6));
}

/// A parameter's value as JSON: a number or a truth value where it is one.
pub fn typed(text: &str) -> Value {
    match text.parse::<Value>() {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => json!(text),
    }
}

/// The first line of `--jsonl`.
pub fn started(task: &Task) -> Value {
    let mut object = head(task);
    if let Some(fields) = object.as_object_mut() {
        fields.insert("event".into(), json!("started"));
        fields.insert("version".into(), json!(VERSION));
    }
    object
}

/// An event as a line of `--jsonl`.
pub fn event(task: &Task, event: &Event<'_, String>) -> Value {
    let mut fields = serde_json::Map::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (-1234567, "-1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn values_have_their_types() {
        assert_eq!(typed("0.1"), json!(0.1));
        assert_eq!(typed("10"), json!(10));
        assert_eq!(typed("true"), json!(true));
        assert_eq!(typed("top-score"), json!("top-score"));
        assert_eq!(typed("\"x\""), json!("\"x\""));
    }
}
