//! Whatever is sent, nothing panics, and the answer is one that is described.

use std::net::SocketAddr;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use serde_json::{Value, json};
use solitree_server::Limits;

use crate::client::{get, id, limited, open, raw, request};
use crate::description::described;

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

/// Searches of a moment, and nobody is told to slow down.
fn hasty(limits: &mut Limits) {
    limits.search_time = Duration::from_millis(20);
    (limits.rate, limits.burst) = (1e9, 1e9);
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
    check: impl Fn(&tokio::runtime::Runtime, SocketAddr, &Value, S::Value) -> TestCaseResult,
) {
    count_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = runtime.block_on(limited(hasty));
    let document = runtime.block_on(described(address));
    let before = PANICS.load(Ordering::Relaxed);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let found =
        TestRunner::new(config).run(&strategy, |value| check(&runtime, address, &document, value));
    if let Err(error) = found {
        panic!("{error}");
    }
    assert_eq!(PANICS.load(Ordering::Relaxed), before, "something panicked");
    assert_eq!(runtime.block_on(get(address, "/api/boards")).status, 200, "and it is still there");
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
    against(asks, 384, |runtime, address, document, (path, body)| {
        let answer = runtime.block_on(request(address, "POST", path, &[], &body.to_string()));
        let told = &document["paths"][path]["post"]["responses"][answer.status.to_string()];
        prop_assert!(told.is_object(), "{} answers {} to {}", path, answer.status, body);
        prop_assert!(answer.status != 500, "{} finds a bug in {}", path, body);
        prop_assert!(serde_json::from_slice::<Value>(&answer.body).is_ok(), "{answer:?}");
        Ok(())
    });
}

#[test]
fn bodies_of_any_bytes_get_a_described_answer() {
    let paths = proptest::sample::select(vec!["/api/verify", "/api/solve", "/api/think"]);
    against((paths, vec(any::<u8>(), 0..200)), 128, |runtime, address, document, (path, body)| {
        let head = format!(
            "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = runtime.block_on(raw(address, &[head.as_bytes(), &body].concat()));
        let told = &document["paths"][path]["post"]["responses"][answer.status.to_string()];
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
    ];
    let methods = proptest::sample::select(vec!["GET", "HEAD", "POST", "PUT", "OPTIONS"]);
    against((methods, targets), 256, |runtime, address, _, (method, (path, part))| {
        let path = format!("{path}{part}");
        let answer = runtime.block_on(request(address, method, &path, &[], ""));
        let described = [200, 304, 400, 404, 405, 415, 422];
        prop_assert!(described.contains(&answer.status), "{method} {path}: {answer:?}");
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
    against(vec(asks, 1..6), 96, |runtime, address, _, asks| {
        runtime.block_on(async {
            let mut socket = open(address, &[]).await.unwrap();
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
