//! Searches on a socket: events, pauses, losses and reunions.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;
use solitree_server::protocol::read_ask;

use crate::client::{LONG, id, limited, open};

#[tokio::test]
async fn a_search_tells_of_itself_as_the_command_line_does() {
    let address = limited(|_| {}).await;
    let mut socket = open(address, &[]).await.unwrap();
    let hello = socket.until("hello").await;
    assert_eq!(hello["protocol"], 1);
    socket.search(&id("a"), 700).await;
    let started = socket.until("started").await;
    assert_eq!((&started["board"], &started["id"]), (&json!("std:1"), &json!(id("a"))));
    assert_eq!(started["algorithm"], "sp-mcts:default");
    let best = socket.until("best").await;
    assert!(best["score"].is_i64() && best["moves"].is_array());
    socket.until("progress").await;
    let stopped = socket.until("stopped").await;
    assert_eq!(stopped["stop"], "time-limit");
    assert!(stopped["playouts"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn events_are_thinned() {
    let address = limited(|_| {}).await;
    let mut socket = open(address, &[]).await.unwrap();
    socket.search(&id("a"), 1000).await;
    let mut count = 0;
    while let Some(event) = socket.hear().await {
        count += 1;
        if event["event"] == "stopped" {
            break;
        }
    }
    // At twenty looks a second, a best and a progress each.
    assert!(count < 60, "{count} events in a second");
}

#[tokio::test]
async fn a_search_is_paused_resumed_and_stopped() {
    let address = limited(|limits| limits.cores = 1).await;
    let mut socket = open(address, &[]).await.unwrap();
    let (first, second) = (id("a"), id("b"));
    socket.search(&first, 60_000).await;
    socket.until("best").await;
    socket.tell("pause", &first).await;
    socket.until("paused").await;
    // Its core is free meanwhile.
    socket.search(&second, 100).await;
    assert_eq!(socket.until("stopped").await["id"], json!(second));
    socket.tell("resume", &first).await;
    assert_eq!(socket.until("running").await["id"], json!(first));
    socket.until("progress").await;
    socket.tell("stop", &first).await;
    let asked = Instant::now();
    assert_eq!(socket.until("stopped").await["stop"], "interrupted");
    assert!(asked.elapsed() < Duration::from_secs(3));
    // Paused and waiting ones are stopped too.
    for n in 0..2 {
        socket.search(&id(&format!("c{n}")), 60_000).await;
    }
    socket.until("queued").await;
    socket.tell("stop", &id("c1")).await;
    assert_eq!(socket.until("stopped").await["id"], json!(id("c1")));
    socket.tell("pause", &id("c0")).await;
    socket.until("paused").await;
    socket.tell("stop", &id("c0")).await;
    assert_eq!(socket.until("stopped").await["id"], json!(id("c0")));
}

#[tokio::test]
async fn only_the_owner_may_stop_a_search() {
    let address = limited(|_| {}).await;
    let mut owner = open(address, &[]).await.unwrap();
    owner.search(&id("a"), 2_000).await;
    owner.until("best").await;
    let mut other = open(address, &[]).await.unwrap();
    for ask in ["stop", "pause", "resume"] {
        other.tell(ask, &id("a")).await;
        assert_eq!(other.until("unknown").await["id"], json!(id("a")));
    }
    other.tell("attach", &id("nobody")).await;
    other.until("unknown").await;
    owner.search(&id("a"), 100).await;
    assert_eq!(owner.until("refused").await["field"], "id");
    owner.search("short", 100).await;
    assert_eq!(owner.until("refused").await["field"], "id");
    assert_eq!(owner.until("stopped").await["stop"], "time-limit");
}

/// How long a short search has to wait for the only core.
async fn wait_for_a_core(address: SocketAddr) -> Duration {
    let asked = Instant::now();
    let mut socket = open(address, &[]).await.unwrap();
    socket.search(&id("next"), 50).await;
    socket.until("stopped").await;
    asked.elapsed()
}

#[tokio::test]
async fn a_lost_socket_frees_its_search_within_seconds() {
    let limits = |limits: &mut solitree_server::Limits| {
        (limits.cores, limits.grace) = (1, Duration::from_millis(800));
    };
    let address = limited(limits).await;
    let mut socket = open(address, &[]).await.unwrap();
    socket.search(&id("a"), 60_000).await;
    socket.until("best").await;
    socket.vanish();
    let waited = wait_for_a_core(address).await;
    assert!((0.7..4.0).contains(&waited.as_secs_f64()), "{waited:?}");
    let mut late = open(address, &[]).await.unwrap();
    late.tell("attach", &id("a")).await;
    // It can still be seen how it ended.
    assert_eq!(late.until("stopped").await["stop"], "interrupted");
}

#[tokio::test]
async fn a_reconnect_resumes_the_search() {
    let limits = |limits: &mut solitree_server::Limits| limits.grace = Duration::from_secs(2);
    let address = limited(limits).await;
    let mut socket = open(address, &[]).await.unwrap();
    socket.search(&id("a"), 4_500).await;
    let best = socket.until("best").await;
    socket.vanish();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut again = open(address, &[]).await.unwrap();
    again.tell("attach", &id("a")).await;
    assert_eq!(again.until("started").await["board"], "std:1");
    let trail = again.until("trail").await;
    let first = trail["points"][0][1].as_f64().unwrap();
    assert!(first <= best["score"].as_f64().unwrap());
    // Longer than the grace: it is not lost any more.
    assert_eq!(again.until("stopped").await["stop"], "time-limit");
}

/// A client that is still connected but no longer answers is lost too.
#[tokio::test]
async fn a_silent_client_is_lost() {
    let limits = |limits: &mut solitree_server::Limits| {
        limits.cores = 1;
        (limits.silence, limits.grace) = (Duration::from_millis(600), Duration::from_millis(300));
    };
    let address = limited(limits).await;
    let mut socket = open(address, &[]).await.unwrap();
    socket.search(&id("a"), 60_000).await;
    socket.until("best").await;
    // Pings are answered only while the client reads: from here on it does not.
    let waited = wait_for_a_core(address).await;
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    drop(socket);
}

#[tokio::test]
async fn nonsense_is_answered_and_the_socket_stays() {
    let address = limited(|_| {}).await;
    let mut socket = open(address, &[]).await.unwrap();
    for text in ["", "{", "null", "{\"ask\":\"dance\"}", "{\"ask\":\"stop\"}", "[1,2]", "\u{0}"] {
        assert!(socket.say(text).await);
        assert!(socket.until("error").await["message"].is_string(), "{text}");
    }
    let unknown = json!({"ask": "search", "id": id("a"), "what": {"board": "std:1", "turbo": 1}});
    socket.ask(unknown).await;
    assert!(socket.until("error").await["message"].as_str().unwrap().contains("turbo"));
    let started = Instant::now();
    socket.search(&id("a"), 50).await;
    socket.until("stopped").await;
    assert!(started.elapsed() < LONG);
}

proptest! {
    /// Whatever is said, it is understood or refused.
    #[test]
    fn asks_are_read_or_refused(text in ".{0,200}") {
        let _ = read_ask(&text);
    }

    /// The same of what is almost right.
    #[test]
    fn almost_asks_are_read_or_refused(
        ask in "search|stop|pause|dance",
        id in "[a-z0-9]{0,70}",
        board in "[a-z0-9:/.x-]{0,40}",
        number in any::<i64>(),
        extra in proptest::option::of("[a-z]{1,5}"),
    ) {
        let mut value = json!({"ask": ask, "id": id});
        if ask == "search" {
            value["what"] = json!({"board": board, "seed": number, "budget": {"nodes": number}});
        }
        if let Some(extra) = &extra {
            value[extra] = json!(1);
        }
        let read = read_ask(&value.to_string());
        let known = extra.as_deref().is_none_or(|extra| ["ask", "id", "what"].contains(&extra));
        if !known || ask == "dance" || ask == "search" && number < 0 {
            prop_assert!(read.is_err());
        }
    }
}
