//! What a client asks for, turned into a task within the limits.

use std::time::Duration;

use serde_json::{Map, Value};
use solitree_core::{Budget, Score};
use solitree_lab::{GameName, Setup, Task, full_name};

use crate::boards;
use crate::config::Limits;
use crate::protocol::{BudgetAsk, Refusal, SolveAsk};

const DEFAULT_ALGORITHM: &str = "portfolio:default";
const DEFAULT_SEED: u64 = 1;
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// The largest seed that a page can name without rounding.
const LARGEST_SEED: u64 = 1 << 53;

/// The task, on one thread: cores are shared by searches.
pub fn task(ask: &SolveAsk, limits: &Limits) -> Result<Task, Refusal> {
    let instance = boards::instance(&ask.board, ask.rules.as_deref(), limits.board)?;
    let algorithm = full_name(ask.algorithm.as_deref().unwrap_or(DEFAULT_ALGORITHM));
    let given = settings(ask.params.as_ref())?;
    let setup = |field: &str, given: &[String]| {
        Setup::given(GameName::SameGame, &algorithm, given)
            .map_err(|error| Refusal::of(field, error.to_string()))
    };
    // Alone first, to tell a wrong name from a wrong parameter.
    setup("algorithm", &[])?;
    let params = setup("params", &given)?.values();
    let seed = ask.seed.unwrap_or(DEFAULT_SEED);
    if seed > LARGEST_SEED {
        return Err(Refusal::of("seed", "not a whole number up to 2^53"));
    }
    Ok(Task {
        board: instance.name(),
        rules: Some(ask.rules.clone().unwrap_or_else(|| "samegame".to_owned())),
        algorithm,
        params,
        seed,
        threads: 1,
        budget: budget(ask.budget.as_ref(), limits)?,
        line: None,
    })
}

/// Parameters as `KEY=VALUE`.
fn settings(params: Option<&Map<String, Value>>) -> Result<Vec<String>, Refusal> {
    let text = |(key, value): (&String, &Value)| match value {
        Value::String(text) => Ok(format!("{key}={text}")),
        Value::Number(_) | Value::Bool(_) => Ok(format!("{key}={value}")),
        _ => Err(Refusal::of("params", format!("{key}: not a number, a word or a truth value"))),
    };
    params.into_iter().flatten().map(text).collect()
}

fn budget(ask: Option<&BudgetAsk>, limits: &Limits) -> Result<Budget, Refusal> {
    let ask = ask.cloned().unwrap_or_default();
    for (field, value) in
        [("time_ms", ask.time_ms), ("nodes", ask.nodes), ("playouts", ask.playouts)]
    {
        if value == Some(0) {
            return Err(Refusal::of("budget", format!("{field}: not a number above 0")));
        }
    }
    let longest = limits.search_time;
    let time = match ask.time_ms.map(Duration::from_millis) {
        Some(time) if time > longest => {
            let most = longest.as_millis();
            return Err(Refusal::of("budget", format!("time_ms: at most {most} here")));
        }
        Some(time) => time,
        None if ask.nodes.is_some() || ask.playouts.is_some() => longest,
        None => DEFAULT_TIME.min(longest),
    };
    Ok(Budget {
        time: Some(time),
        nodes: ask.nodes,
        playouts: ask.playouts,
        target: ask.target.map(Score),
        memory: Some(limits.search_memory),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(text: &str) -> Result<Task, Refusal> {
        task(&serde_json::from_str(text).unwrap(), &Limits::default())
    }

    #[test]
    fn the_limits_always_count() {
        let small = planned(r#"{"board":"std:1","budget":{"nodes":9,"target":5}}"#).unwrap();
        let limits = Limits::default();
        assert_eq!(small.budget.time, Some(limits.search_time));
        assert_eq!(small.budget.memory, Some(limits.search_memory));
        assert_eq!((small.budget.nodes, small.threads), (Some(9), 1));
        assert_eq!(planned(r#"{"board":"std:1"}"#).unwrap().budget.time, Some(DEFAULT_TIME));
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| {
            let refusal = planned(text).unwrap_err();
            format!("{}: {}", refusal.field, refusal.message)
        };
        assert_eq!(
            said(r#"{"board":"std:1","budget":{"time_ms":99999999}}"#),
            "budget: time_ms: at most 600000 here"
        );
        assert!(said(r#"{"board":"std:1","budget":{"nodes":0}}"#).contains("nodes: not a number"));
        assert!(said(r#"{"board":"std:1","algorithm":"sp-mtcs"}"#).starts_with("algorithm: "));
        assert!(said(r#"{"board":"std:1","params":{"zzz":1}}"#).starts_with("params: unknown"));
        assert!(said(r#"{"board":"std:1","params":{"c":[1]}}"#).starts_with("params: c: not"));
        assert!(said(r#"{"board":"std:1","seed":18446744073709551615}"#).starts_with("seed: "));
        assert!(said(r#"{"board":"hello"}"#).starts_with("board: no board is called"));
    }
}
