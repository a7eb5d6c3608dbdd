//! Whatever is sent, nothing panics, and the answer is one that is described.

use std::fs;
use std::net::SocketAddr;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use serde_json::{Value, json};
use solitree_server::Config;

use crate::client::{Answer, get, id, open, raw, request, server};
use crate::description::described;
use crate::runs;

/// Panics of any thread since the start, those of other tests included.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            usual(panic);
        }));
    });
}

/// A server with runs to show and searches of a moment, where nobody is told to slow
/// down.
struct Ground {
    runtime: tokio::runtime::Runtime,
    address: SocketAddr,
    document: Value,
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Ground {
        let folder = runs::folder();
        let mut config = Config { runs: Some(folder.path().join("runs")), ..Config::default() };
        config.limits.search_time = Duration::from_millis(20);
        (config.limits.rate, config.limits.burst) = (1e9, 1e9);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let address = runtime.block_on(server(config));
        let document = runtime.block_on(described(address));
        Ground { runtime, address, document, folder }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        self.runtime.block_on(request(self.address, method, path, &[], body))
    }

    /// What the description says of an answer to a request.
    fn told(&self, path: &str, answer: &Answer) -> &Value {
        &self.document["paths"][path]["post"]["responses"][answer.status.to_string()]
    }
}

/// Any JSON, rather small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof!["std:1", "a1", "3o", "sp-mcts", "nrpa", "12/21", "champion", "-1", "1e999"]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(key(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// A key that means something somewhere, or none.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => proptest::sample::select(vec![
            "board", "rules", "moves", "algorithm", "params", "seed", "budget", "nodes", "time_ms",
            "playouts", "target", "agent", "layout", "rows", "cols", "line", "rounds", "squares",
            "ask", "id", "what", "insights", "c", "width",
        ]).prop_map(str::to_owned),
        1 => ".{0,6}",
    ]
}

/// A request that is right but for a field or two.
fn almost(right: Value) -> impl Strategy<Value = Value> {
    btree_map(key(), any_json(), 0..3).prop_map(move |changes| {
        let mut asked = right.clone();
        asked.as_object_mut().unwrap().extend(changes);
        asked
    })
}

/// Runs a property against a server in a runtime of its own.
fn against<S: Strategy>(
    strategy: S,
    cases: u32,
    check: impl Fn(&Ground, S::Value) -> TestCaseResult,
) {
    count_panics();
    let ground = Ground::new();
    let before = PANICS.load(Ordering::Relaxed);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let found = TestRunner::new(config).run(&strategy, |value| check(&ground, value));
    if let Err(error) = found {
        panic!("{error}");
    }
    assert_eq!(PANICS.load(Ordering::Relaxed), before, "something panicked");
    let boards = ground.runtime.block_on(get(ground.address, "/api/boards"));
    assert_eq!(boards.status, 200, "and it is still there");
}

#[test]
fn bodies_of_any_json_get_a_described_answer() {
    let verify = json!({"board": "12/21", "moves": ["a1"]});
    let solve = json!({"board": "12/21", "algorithm": "sp-mcts", "budget": {"nodes": 20}});
    let think = json!({"moves": ["3o"], "agent": "uct", "playouts": 10});
    let asks = prop_oneof![
        (Just("/api/verify"), prop_oneof![almost(verify), any_json()].boxed()),
        (Just("/api/solve"), prop_oneof![almost(solve), any_json()].boxed()),
        (Just("/api/think"), prop_oneof![almost(think), any_json()].boxed()),
    ];
    against(asks, 384, |ground, (path, body)| {
        let answer = ground.ask("POST", path, &body.to_string());
        let told = ground.told(path, &answer);
        prop_assert!(told.is_object(), "{} answers {} to {}", path, answer.status, body);
        prop_assert!(answer.status != 500, "{} finds a bug in {}", path, body);
        prop_assert!(serde_json::from_slice::<Value>(&answer.body).is_ok(), "{answer:?}");
        Ok(())
    });
}

#[test]
fn bodies_of_any_bytes_get_a_described_answer() {
    let paths = proptest::sample::select(vec!["/api/verify", "/api/solve", "/api/think"]);
    against((paths, vec(any::<u8>(), 0..200)), 128, |ground, (path, body)| {
        let Ground { runtime, address, .. } = ground;
        let head = format!(
            "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = runtime.block_on(raw(*address, &[head.as_bytes(), &body].concat()));
        let told = ground.told(path, &answer);
        prop_assert!(told.is_object() && answer.status >= 400, "{:?}", answer);
        Ok(())
    });
}

#[test]
fn any_address_gets_a_described_answer() {
    let part = "[a-z0-9./%?&=:_~-]{0,24}";
    let targets = prop_oneof![
        part.prop_map(|part| ("/", part)),
        part.prop_map(|part| ("/api/", part)),
        part.prop_map(|part| ("/api/board?board=", part)),
        part.prop_map(|part| ("/api/runs/", part)),
        part.prop_map(|part| ("/api/runs/tune/", part)),
        part.prop_map(|part| ("/api/runs/tune/files/", part)),
        proptest::sample::select(vec![
            "small-quick",
            "small-quick/report",
            "tune/report",
            "train/report",
            "other/report",
            "tune/files/plot.svg",
            "train/files/games.jsonl",
            "other/files/notes.md",
        ])
        .prop_map(|part| ("/api/runs/", part.to_owned())),
    ];
    let methods = proptest::sample::select(vec!["GET", "HEAD", "POST", "PUT", "OPTIONS"]);
    against((methods, targets), 384, |ground, (method, (path, part))| {
        let path = format!("{path}{part}");
        let answer = ground.ask(method, &path, "");
        let described = [200, 304, 400, 404, 405, 415, 422];
        prop_assert!(described.contains(&answer.status), "{method} {path}: {answer:?}");
        prop_assert!(!answer.text().contains("secret"), "{method} {path}: {answer:?}");
        Ok(())
    });
}

/// A line of a file of results that is right but for a field or two, or any JSON.
fn any_line() -> impl Strategy<Value = String> {
    let game = json!({
        "number": 0, "white": "a", "red": "b", "rows": 6, "cols": 7, "line": 4, "rounds": 10,
        "squares": 11, "opening": 0, "moves": ["3o"], "result": "W", "end": "board",
        "times": [1.0], "values": [], "playouts": [], "task": "", "build": "x",
    });
    let changes = btree_map(
        proptest::sample::select(vec![
            "number", "white", "red", "opening", "moves", "result", "times",
        ])
        .prop_map(str::to_owned),
        any_json(),
        0..2,
    );
    prop_oneof![
        changes.prop_map(move |changes| {
            let mut line = game.clone();
            line.as_object_mut().unwrap().extend(changes);
            line.to_string()
        }),
        any_json().prop_map(|line| line.to_string()),
    ]
}

#[test]
fn runs_with_files_of_any_content_get_a_described_answer() {
    let name = proptest::sample::select(vec![
        "spec.toml",
        "tuning.toml",
        "training.toml",
        "games.jsonl",
        "results.jsonl",
        "report.html",
    ]);
    let setting = proptest::sample::select(vec![
        "repetitions = 0",
        "repetitions = 18446744073709551615",
        "games = 4",
        "instances = []",
        "[[settings]]",
        "[plot]",
        "seed = -1",
        "meet = \"first\"",
    ]);
    let content = prop_oneof![
        vec(any::<u8>(), 0..80),
        vec(any_line(), 0..4).prop_map(|lines| (lines.join("\n") + "\n").into_bytes()),
        setting.prop_map(|setting| {
            runs::SPEC.replace("[scales.quick]", &format!("[scales.quick]\n{setting}")).into_bytes()
        }),
        Just(runs::SPEC.as_bytes().to_vec()),
    ];
    against(vec((name, content), 1..4), 384, |ground, files| {
        let folder = ground.folder.path().join("runs/any");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        for (name, content) in &files {
            fs::write(folder.join(name), content).unwrap();
        }
        for path in ["/api/runs", "/api/runs/any", "/api/runs/any/report"] {
            let answer = ground.ask("GET", path, "");
            let described = [200, 404, 422].contains(&answer.status);
            prop_assert!(described, "{path}: {answer:?} of {files:?}");
            let place = ground.folder.path().to_string_lossy().into_owned();
            prop_assert!(!answer.text().contains(&place), "{path}: {answer:?}");
        }
        Ok(())
    });
}

#[test]
fn messages_of_any_json_or_bytes_are_answered_and_the_socket_stays() {
    let what = json!({"board": "12/21", "algorithm": "sp-mcts", "budget": {"nodes": 20}});
    let search = json!({"ask": "search", "id": "0123456789abcdefgh", "what": what});
    let asks = prop_oneof![
        almost(search).prop_map(|ask| ask.to_string()),
        almost(json!({"ask": "stop", "id": "0123456789abcdefgh"})).prop_map(|ask| ask.to_string()),
        any_json().prop_map(|ask| ask.to_string()),
        ".{0,60}",
    ];
    against(vec(asks, 1..6), 96, |ground, asks| {
        ground.runtime.block_on(async {
            let mut socket = open(ground.address, &[]).await.unwrap();
            for ask in &asks {
                prop_assert!(socket.say(ask).await, "hung up after {ask}");
            }
            // What comes last is answered last: all before it was read.
            socket.tell("attach", &id("nobody")).await;
            loop {
                let Some(event) = socket.hear().await else {
                    return Err(TestCaseError::fail(format!("hung up after {asks:?}")));
                };
                prop_assert!(event["event"] != "failed", "a bug: {event} after {asks:?}");
                if event["event"] == "unknown" && event["id"] == id("nobody") {
                    return Ok(());
                }
            }
        })
    });
}
