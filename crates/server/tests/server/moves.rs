//! Every move is answered at once.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{limited, post};

/// The most that a move may take.
const AT_ONCE: Duration = Duration::from_millis(100);

/// The slowest answer so far.
#[derive(Default)]
struct Slowest {
    moves: usize,
    most: Duration,
}

impl Slowest {
    /// Asks, and takes note of the time.
    async fn ask(&mut self, address: std::net::SocketAddr, path: &str, ask: &Value) -> Value {
        let asked = Instant::now();
        let answer = post(address, path, ask).await;
        let took = asked.elapsed();
        assert_eq!(answer.status, 200, "{ask}: {answer:?}");
        (self.moves, self.most) = (self.moves + 1, self.most.max(took));
        answer.json()
    }

    #[expect(clippy::print_stderr, reason = "the slowest is told to who runs the test")]
    fn check(&self, what: &str) {
        eprintln!("{what}: {} moves, the slowest answered in {:?}", self.moves, self.most);
        assert!(self.most < AT_ONCE, "{what}: a move took {:?}", self.most);
    }
}

/// Whole games of SameGame, each move sent with all before it, on the largest boards
/// too.
#[tokio::test]
async fn every_move_of_samegame_is_answered_within_a_tenth_of_a_second() {
    let address = limited(|limits| (limits.rate, limits.burst) = (1e9, 1e9)).await;
    let mut slowest = Slowest::default();
    for board in ["std:1", "std:2", "r250:1", "random:1:32x16x9"] {
        let solve = json!({"board": board, "algorithm": "sp-mcts", "budget": {"nodes": 200}});
        let line = post(address, "/api/solve", &solve).await.json()["moves"].clone();
        let line = line.as_array().unwrap();
        for played in 1..=line.len() {
            let ask = json!({"board": board, "moves": line[..played]});
            let answer = slowest.ask(address, "/api/verify", &ask).await;
            assert_eq!(answer["unfinished"], played < line.len());
        }
    }
    assert!(slowest.moves > 150);
    slowest.check("SameGame");
}

/// A whole game of ColorShapeLinks against an agent that has few playouts: what is
/// left is what the server adds.
#[tokio::test]
async fn every_move_of_colorshapelinks_is_answered_within_a_tenth_of_a_second() {
    let address = limited(|limits| (limits.rate, limits.burst) = (1e9, 1e9)).await;
    let (mut slowest, mut moves) = (Slowest::default(), Vec::new());
    loop {
        let ask = json!({"moves": moves, "agent": "uct", "playouts": 100, "seed": moves.len()});
        let thought = slowest.ask(address, "/api/think", &ask).await;
        moves.push(thought["best"]["move"].clone());
        let over = post(address, "/api/think", &json!({"moves": moves, "playouts": 1})).await;
        if over.status == 400 {
            assert!(over.text().contains("the game is over"), "{over:?}");
            break;
        }
    }
    assert!(moves.len() >= 7);
    slowest.check("ColorShapeLinks");
}
