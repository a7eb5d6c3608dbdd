//! How much may be asked for.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{LONG, get, id, limited, open, post, request};

#[tokio::test]
async fn bodies_boards_and_messages_have_an_end() {
    let address = limited(|_| {}).await;
    let huge = json!({"board": "1".repeat(70_000), "moves": []});
    assert_eq!(post(address, "/api/verify", &huge).await.status, 413);
    let long = json!({"board": "1".repeat(5000), "moves": []});
    let answer = post(address, "/api/verify", &long).await;
    assert_eq!(answer.json()["message"], "longer than 4096 characters");
    assert_eq!(get(address, &format!("/{}", "x".repeat(100_000))).await.status, 431);
    let mut socket = open(address, &[]).await.unwrap();
    socket.until("hello").await;
    socket.say(&"x".repeat(20_000)).await;
    assert_eq!(socket.hear().await, None, "a message too long closes the socket");
}

#[tokio::test]
async fn who_asks_too_often_waits() {
    let address = limited(|limits| (limits.rate, limits.burst) = (0.5, 5.0)).await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(get(address, "/api/board?board=12/21").await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
    assert!(get(address, "/api/boards").await.header("retry-after").is_some());
    assert_eq!(get(address, "/").await.status, 200, "the page itself is always there");
}

#[tokio::test]
async fn who_says_too_much_is_hung_up_on() {
    let address = limited(|limits| (limits.rate, limits.burst) = (1.0, 10.0)).await;
    let mut socket = open(address, &[]).await.unwrap();
    for _ in 0..30 {
        if !socket.say("{}").await {
            break;
        }
    }
    while socket.hear().await.is_some() {}
}

#[tokio::test]
async fn a_search_has_a_budget() {
    let address = limited(|limits| limits.search_time = Duration::from_millis(300)).await;
    let ask = |budget: Value| json!({"board": "std:1", "algorithm": "sp-mcts", "budget": budget});
    let answer = post(address, "/api/solve", &ask(json!({"time_ms": 301}))).await;
    assert_eq!((answer.status, &answer.json()["field"]), (400, &json!("budget")));
    let started = Instant::now();
    let answer = post(address, "/api/solve", &ask(json!({"nodes": 1_000_000_000_000_u64}))).await;
    assert_eq!(answer.json()["stop"], "time-limit");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn solve_gives_what_the_command_line_gives() {
    let address = limited(|_| {}).await;
    let what = json!({"board": "random:1:8x8x4", "algorithm": "sp-mcts", "seed": 3,
                      "params": {"c": 0.2}, "budget": {"nodes": 2000}});
    let answer = post(address, "/api/solve", &what).await.json();
    for field in [
        "board",
        "rules",
        "algorithm",
        "params",
        "seed",
        "threads",
        "score",
        "cleared",
        "moves",
        "playouts",
        "nodes",
        "seconds",
        "stop",
        "best_known",
        "version",
    ] {
        assert!(answer.get(field).is_some(), "{field}: {answer}");
    }
    assert_eq!((&answer["params"]["c"], &answer["threads"]), (&json!(0.2), &json!(1)));
    let again = post(address, "/api/solve", &what).await.json();
    assert_eq!(answer["moves"], again["moves"], "the same seed, the same answer");
    let line = json!({"board": "random:1:8x8x4", "moves": &answer["moves"]});
    assert_eq!(post(address, "/api/verify", &line).await.json()["score"], answer["score"]);
}

/// Two hundred at once: as many as there are cores run, some wait, the rest are
/// told to come again, and the page is still there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_searches_do_not_drown_it() {
    let limits = |limits: &mut solitree_server::Limits| {
        (limits.cores, limits.waiting, limits.burst) = (2, 20, 1e4);
    };
    let address = limited(limits).await;
    let what = json!({"board": "std:1", "algorithm": "sp-mcts", "budget": {"time_ms": 150}});
    let asked: Vec<_> = (0..200)
        .map(|_| {
            let what = what.clone();
            tokio::spawn(async move { post(address, "/api/solve", &what).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let started = Instant::now();
    assert_eq!(get(address, "/api/board?board=std:2").await.status, 200);
    assert_eq!(get(address, "/").await.status, 200);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let (mut solved, mut shed) = (0, 0);
    for asked in asked {
        let answer = asked.await.unwrap();
        match answer.status {
            200 => solved += 1,
            503 => {
                shed += 1;
                assert!(answer.header("retry-after").is_some());
            }
            status => panic!("{status}: {}", answer.text()),
        }
    }
    assert!(solved >= 22 && shed > 100 && solved + shed == 200, "{solved} solved, {shed} shed");
}

/// Somebody who asks for much does not keep a modest one waiting.
#[tokio::test]
async fn the_queue_is_fair() {
    let address = limited(|limits| limits.cores = 1).await;
    let mut greedy = open(address, &[]).await.unwrap();
    for n in 0..6 {
        greedy.search(&id(&format!("g{n}")), 400).await;
    }
    let mut modest = open(address, &[]).await.unwrap();
    modest.until("hello").await;
    modest.search(&id("m"), 100).await;
    // One runs, and of those that wait the second one is of the modest client.
    let queued = modest.until("queued").await;
    assert!(queued["ahead"].as_u64().unwrap() <= 1, "{queued}");
    let started = Instant::now();
    modest.until("stopped").await;
    assert!(started.elapsed() < Duration::from_millis(1800), "{:?}", started.elapsed());
}

#[tokio::test]
async fn one_socket_has_so_many_searches_and_there_are_so_many_sockets() {
    let limits = |limits: &mut solitree_server::Limits| {
        (limits.cores, limits.per_socket, limits.sockets) = (1, 2, 2);
    };
    let address = limited(limits).await;
    let mut first = open(address, &[]).await.unwrap();
    for n in 0..3 {
        first.search(&id(&format!("s{n}")), 5_000).await;
    }
    let refused = first.until("refused").await;
    assert_eq!(refused["id"], json!(id("s2")));
    let _second = open(address, &[]).await.unwrap();
    assert_eq!(open(address, &[]).await.err(), Some(503));
    first.vanish();
    let started = Instant::now();
    while open(address, &[]).await.is_err() {
        assert!(started.elapsed() < LONG);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn lists_and_boards_are_there() {
    let address = limited(|_| {}).await;
    let boards = get(address, "/api/boards").await.json();
    assert_eq!(boards["sets"][0]["boards"].as_array().unwrap().len(), 20);
    let algorithms = get(address, "/api/algorithms").await.json();
    assert_eq!(algorithms[0]["name"], "portfolio");
    let view = get(address, "/api/board?board=std:1&rules=codingame").await.json();
    assert_eq!(view["rules"]["points"][7], 25);
    assert_eq!(view["best_known"], Value::Null, "records are of other rules");
    let pasted = get(address, "/api/board?board=1%202%0A2%201").await.json();
    assert_eq!(pasted["rows"], "12/21");
    let wrong = get(address, "/api/board?board=12%0A1").await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("board")));
    assert_eq!(request(address, "GET", "/api/board", &[], "").await.status, 400);
}

#[tokio::test]
async fn agents_think_within_limits() {
    let address = limited(|limits| limits.search_time = Duration::from_secs(2)).await;
    let agents = get(address, "/api/agents").await.json();
    assert!(agents.as_array().unwrap().iter().any(|agent| agent["name"] == "champion"));
    let ask = json!({"moves": ["3o", "2s"], "agent": "uct", "playouts": 500});
    let thought = post(address, "/api/think", &ask).await.json();
    assert_eq!(thought["playouts"], 500);
    assert!(thought["candidates"].as_array().unwrap().len() > 3, "{thought}");
    let visits: u64 =
        thought["candidates"].as_array().unwrap().iter().filter_map(|c| c["visits"].as_u64()).sum();
    assert!((400..=500).contains(&visits), "{visits}");
    let program = json!({"moves": [], "agent": "cmd:touch /tmp/never"});
    let answer = post(address, "/api/think", &program).await;
    assert_eq!((answer.status, &answer.json()["field"]), (400, &json!("agent")));
    let started = Instant::now();
    let endless = json!({"moves": [], "agent": "uct", "playouts": 1_000_000_000_000_u64});
    assert_eq!(post(address, "/api/think", &endless).await.status, 200);
    assert!(started.elapsed() < Duration::from_secs(8));
}
