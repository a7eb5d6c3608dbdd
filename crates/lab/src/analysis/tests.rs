use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::instance::Instance;
use crate::lock;
use crate::verification::replay;

/// All that a desk has said.
#[derive(Default)]
struct Heard {
    answers: Mutex<Vec<Value>>,
    more: Condvar,
}

impl Heard {
    /// The first answer of this kind to this request, which must come.
    fn of(&self, id: &str, event: &str) -> Value {
        let until = Instant::now() + Duration::from_secs(60);
        let mut answers = lock(&self.answers);
        loop {
            let found =
                answers.iter().find(|answer| answer["id"] == id && answer["event"] == event);
            if let Some(answer) = found {
                return answer.clone();
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no {event} of {id}: {answers:?}");
            answers = self.more.wait_timeout(answers, left).unwrap().0;
        }
    }

    /// Everything so far.
    fn all(&self) -> Vec<Value> {
        lock(&self.answers).clone()
    }
}

fn desk(threads: usize) -> (Desk, Arc<Heard>) {
    let heard = Arc::new(Heard::default());
    let ear = Arc::clone(&heard);
    let desk = Desk::new(threads, move |answer| {
        lock(&ear.answers).push(answer);
        ear.more.notify_all();
    });
    (desk, heard)
}

/// The last answer to a single request.
fn done(request: Value) -> Value {
    let (desk, heard) = desk(1);
    let mut request = request;
    request["id"] = json!("x");
    desk.take(&request.to_string());
    heard.of("x", "done")
}

fn names(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_board_is_analysed_as_solve_does_it() {
    let (desk, heard) = desk(2);
    let request = r#"{"id":"x","do":"analyse","board":"random:1:8x8x4","algorithm":"sp-mcts",
                      "params":{"c":0.5},"playouts":"2k","seed":3}"#;
    assert_eq!(desk.take(&request.replace('\n', " ")), Next::Continue);
    let done = heard.of("x", "done");
    let answers = heard.all();
    assert_eq!((&answers[0]["event"], &answers[0]["before"]), (&json!("accepted"), &json!(0)));
    assert_eq!(
        (&done["params"]["c"], &done["algorithm"]),
        (&json!(0.5), &json!("sp-mcts:default"))
    );
    let best: Vec<&Value> = answers.iter().filter(|answer| answer["event"] == "best").collect();
    let last = best.last().expect("a line that was found");
    assert_eq!((&last["score"], &last["moves"]), (&done["score"], &done["moves"]));
    assert_eq!((&done["stop"], &done["playouts"]), (&json!("playouts"), &json!(2000)));
    assert_eq!(answers.len(), best.len() + 2);
    // Under the plain rules, and the same again.
    let instance = Instance::named("random:1:8x8x4", None).unwrap();
    let replayed = replay(&instance, &names(&done["moves"])).unwrap();
    assert_eq!(json!(replayed.score), done["score"]);
    desk.take(&request.replace('\n', " ").replace("\"x\"", "\"y\""));
    let again = heard.of("y", "done");
    assert_eq!((&again["score"], &again["moves"]), (&done["score"], &done["moves"]));
}

#[test]
fn a_game_goes_on_from_its_moves() {
    let board = "random:7:10x10x4";
    let ask = |moves: Value, target: Value| {
        done(json!({
            "do": "analyse", "board": board, "moves": moves, "target": target,
            "algorithm": "sp-mcts", "playouts": 300, "rules": "samegame",
        }))
    };
    let whole = ask(Value::Null, Value::Null);
    let moves = names(&whole["moves"]);
    let instance = Instance::named(board, None).unwrap();
    for count in [1, moves.len() / 2, moves.len() - 1] {
        let answer = ask(json!(moves[..count]), Value::Null);
        let line = names(&answer["moves"]);
        assert_eq!(line[..count], moves[..count]);
        assert_eq!(json!(replay(&instance, &line).unwrap().score), answer["score"]);
        assert_eq!(answer["board"], board);
        // A target is of the whole game.
        let target = replay(&instance, &line).unwrap().score.0 - 1;
        let answer = ask(json!(moves[..count].join(" ")), json!(target));
        let stop = answer["stop"].as_str().unwrap();
        assert!(["target", "solved"].contains(&stop), "{answer}");
    }
    let next = done(json!({
        "do": "move", "board": board, "moves": moves[..2], "playouts": 100, "algorithm": "sp-mcts",
    }));
    let extended = [&moves[..2], &[next["move"].as_str().unwrap().to_owned()]].concat();
    assert!(replay(&instance, &extended).is_ok());
    // Rows are a board too, and other puzzles are searched from their start.
    let rows = done(json!({"do": "analyse", "board": "112\n221\n", "playouts": 10}));
    assert_eq!(rows["board"], "112/221");
    let morpion = done(json!({
        "do": "analyse", "game": "morpion", "board": "morpion:4D", "algorithm": "sp-mcts",
        "playouts": 20,
    }));
    assert!(morpion["score"].as_i64().unwrap() > 0);
}

#[test]
fn every_move_of_a_position_is_judged() {
    let ask = |moves: &str, wish: &str| {
        done(json!({
            "do": wish, "game": "colorshapelinks", "moves": moves, "playouts": 2000, "seed": 5,
        }))
    };
    let open = ask("3o 3s", "analyse");
    let candidates = open["candidates"].as_array().unwrap();
    assert_eq!((candidates.len(), &open["to_move"]), (14, &json!("W")));
    let visits: u64 = candidates.iter().filter_map(|row| row["visits"].as_u64()).sum();
    assert!((1990..=2000).contains(&visits), "{visits}");
    let first = &candidates[0];
    assert!(first["visits"].as_u64() > candidates[1]["visits"].as_u64());
    assert!((0.0..=1.0).contains(&first["mean"].as_f64().unwrap()));
    assert_eq!(first["best_line"][0], first["move"]);
    assert!(names(&first["best_line"]).len() > 3);
    assert_eq!((&open["move"], &open["best_line"]), (&first["move"], &first["best_line"]));
    assert_eq!((&open["stop"], &open["playouts"]), (&json!("playouts"), &json!(2000)));
    let again = ask("3o 3s", "analyse");
    assert_eq!(again["candidates"], open["candidates"]);
    // A win at once, and a threat that only one move meets.
    let won = ask("0s 1s 0s 6o 2s 1o 5s 0o 4o 5o", "move");
    assert_eq!((&won["move"], &won["proof"]), (&json!("3o"), &json!("won")));
    assert_eq!(won.get("candidates"), None);
    let threat = ask("0s 1s 0s 6o 2s 1o", "analyse");
    let lost = |row: &&Value| row["proof"] == "lost";
    assert_eq!(threat["move"], "3o");
    assert_eq!(threat["candidates"].as_array().unwrap().iter().filter(lost).count(), 13);
    let large = done(json!({
        "do": "move", "game": "colorshapelinks", "rows": 9, "cols": 37, "line": 5, "rounds": 83,
        "squares": 84, "agent": "uct:combined,alpha=0.7", "time_limit": "50ms",
    }));
    assert_eq!(large["stop"], "time-limit");
}

#[test]
fn searches_are_stopped_and_wait_in_order() {
    let (desk, heard) = desk(1);
    let ask = |id: &str, budget: &str| {
        desk.take(&format!(
            r#"{{"id":"{id}","do":"analyse","board":"std:1","progress":true,{budget}}}"#
        ));
    };
    ask("a", r#""time_limit":"10m","threads":2"#);
    ask("b", r#""playouts":50"#);
    ask("c", r#""playouts":50"#);
    assert_eq!(heard.of("b", "accepted")["before"], 1);
    assert_eq!(heard.of("c", "accepted")["before"], 2);
    heard.of("a", "best");
    heard.of("a", "progress");
    desk.take(r#"{"id":"s","do":"stop","of":"b"}"#);
    let stopped = heard.of("b", "done");
    assert_eq!((&stopped["stop"], &stopped["score"]), (&json!("interrupted"), &Value::Null));
    assert_eq!(heard.of("s", "done")["stopped"], true);
    desk.take(r#"{"id":"a","do":"analyse","board":"std:2"}"#);
    assert!(heard.of("a", "error")["error"].as_str().unwrap().contains("under way already"));
    let start = Instant::now();
    desk.take(r#"{"id":"t","do":"stop","of":"a"}"#);
    let best = heard.of("a", "done");
    // Fifty milliseconds where the machine is not busy with other things.
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(best["stop"], "interrupted");
    assert!(best["score"].as_i64().unwrap() > 1000);
    assert_eq!(heard.of("c", "done")["stop"], "playouts");
    desk.take(r#"{"id":"u","do":"stop","of":"a"}"#);
    assert_eq!(heard.of("u", "done")["stopped"], false);
}

/// Trees that grow side by side are as many threads, also at the desk.
#[test]
fn an_agents_threads_are_counted() {
    let (desk, heard) = desk(2);
    let ask = |id: &str, agent: &str, budget: &str| {
        desk.take(&format!(
            r#"{{"id":"{id}","do":"analyse","game":"colorshapelinks","agent":"{agent}","progress":true,{budget}}}"#
        ));
    };
    ask("a", "champion,threads=2", r#""time_limit":"10m""#);
    ask("b", "uct", r#""playouts":50"#);
    assert_eq!(heard.of("a", "accepted")["threads"], 2);
    assert_eq!(heard.of("b", "accepted")["threads"], 1);
    heard.of("a", "progress");
    let begun = |answer: &Value| answer["id"] == "b" && answer["event"] != "accepted";
    assert!(!heard.all().iter().any(begun), "there is no thread left");
    desk.take(r#"{"id":"s","do":"stop","of":"a"}"#);
    assert_eq!(heard.of("a", "done")["threads"], 2);
    assert_eq!(heard.of("b", "done")["stop"], "playouts");
}

#[test]
fn a_closed_desk_has_answered_everything() {
    let (desk, heard) = desk(2);
    for id in 0..20 {
        let game = if id % 2 == 0 { r#""board":"r250:1""# } else { r#""game":"colorshapelinks""# };
        desk.take(&format!(r#"{{"id":"{id}","do":"analyse",{game},"time_limit":"10m"}}"#));
    }
    assert_eq!(desk.take(r#"{"id":"end","do":"quit"}"#), Next::Quit);
    let answers = heard.all();
    for id in 0..20 {
        let name = json!(id.to_string());
        let last = answers.iter().rfind(|answer| answer["id"] == name).unwrap();
        assert_eq!((&last["event"], &last["stop"]), (&json!("done"), &json!("interrupted")));
    }
    assert_eq!(answers.last().unwrap()["id"], "end");
}

#[test]
fn there_is_a_list_of_everything() {
    let agents = done(json!({"do": "agents"}));
    assert!(agents["agents"].as_array().unwrap().iter().any(|agent| agent["name"] == "champion"));
    let algorithms = done(json!({"do": "algorithms"}));
    assert!(algorithms["algorithms"].as_array().unwrap().len() > 10);
    assert_eq!(done(json!({"do": "version"}))["protocol"], PROTOCOL);
}

#[test]
fn nothing_that_comes_in_is_the_end_of_it() {
    let (desk, heard) = desk(1);
    let said = |line: &str| {
        let before = heard.all().len();
        assert_eq!(desk.take(line), Next::Continue);
        let answers = heard.all();
        assert_eq!(answers.len(), before + 1, "{line}: {answers:?}");
        let answer = answers.last().unwrap().clone();
        assert_eq!(answer["event"], "error", "{line}");
        (answer["id"].clone(), answer["error"].as_str().unwrap().to_owned())
    };
    for (line, message) in [
        ("hello", "not JSON"),
        ("{\"id\":1", "not JSON"),
        ("[]", "a JSON object"),
        ("{}", "id: missing"),
        (r#"{"id":null,"do":"quit"}"#, "id: missing"),
        (r#"{"id":[1],"do":"quit"}"#, "id: not a number or a text"),
        (&"[".repeat(100_000), "not JSON"),
    ] {
        let (id, error) = said(line);
        assert!(id.is_null() && error.contains(message), "{line}: {error}");
    }
    let csl = r#""do":"analyse","game":"colorshapelinks""#;
    for (keys, message) in [
        (r#""x":1"#, "do: missing"),
        (r#""do":5"#, "do: 5 is not a text"),
        (r#""do":"analyze""#, "did you mean 'analyse'?"),
        (r#""do":"quit","now":true"#, "unknown key 'now'"),
        (r#""do":"stop""#, "of: missing"),
        (r#""do":"stop","of":{}"#, "of: not a number or a text"),
        (r#""do":"analyse""#, "board: missing"),
        (r#""do":"analyse","board":"std:99""#, "'99' is not a board of std"),
        (r#""do":"analyse","board":"/etc/passwd""#, "board '/etc/passwd'"),
        (r#""do":"analyse","board":"-""#, "no board is called '-'"),
        (r#""do":"analyse","board":"12\n3""#, "this row has 1 cells"),
        (r#""do":"analyse","board":["12"]"#, "is not a text"),
        (r#""do":"analyse","board":"std:1","game":"chess""#, "'chess' is none of samegame"),
        (r#""do":"analyse","board":"std:1","game":"morpion""#, "the board is one of samegame"),
        (r#""do":"analyse","board":"std:1","rules":"n^n^n""#, "rules"),
        (r#""do":"analyse","board":"std:1","algorithm":"nrpaa""#, "nrpa"),
        (r#""do":"analyse","board":"std:1","algorithm":"nrpa","preset":"zz""#, "zz"),
        (r#""do":"analyse","board":"std:1","preset":"x""#, "no algorithm is named"),
        (r#""do":"analyse","board":"std:1","params":{"cc":1}"#, "'cc'"),
        (r#""do":"analyse","board":"std:1","params":{"c":[1]}"#, "'c': [1] is not a number"),
        (r#""do":"analyse","board":"std:1","params":7"#, "params: 7 is not an object"),
        (r#""do":"analyse","board":"std:1","threads":0"#, "threads: 0 is not from 1 to 1024"),
        (r#""do":"analyse","board":"std:1","threads":1e9"#, "threads: 1000000000.0 is not"),
        (r#""do":"analyse","board":"std:1","playouts":0"#, "a count above 0"),
        (r#""do":"analyse","board":"std:1","playouts":-5"#, "a count above 0"),
        (r#""do":"analyse","board":"std:1","time_limit":10"#, "a time such as"),
        (r#""do":"analyse","board":"std:1","time_limit":"9999d"#, "not JSON"),
        (r#""do":"analyse","board":"std:1","time_limit":"9999d""#, "a day at most"),
        (r#""do":"analyse","board":"std:1","memory_limit":"9999G""#, "a size from"),
        (r#""do":"analyse","board":"std:1","seed":-1"#, "a whole number of 0 or more"),
        (r#""do":"analyse","board":"std:1","moves":[1]"#, "moves: 1 is not a list of moves"),
        (r#""do":"analyse","board":"std:1","moves":"zz9""#, "move 1 (zz9)"),
        (r#""do":"analyse","board":"11/22","moves":"a1 a1""#, "the game is over after them"),
        (r#""do":"analyse","board":"morpion:5D","moves":"1""#, "only samegame"),
        (r#""do":"analyse","board":"std:1","timelimit":"1s""#, "did you mean 'time_limit'?"),
        (r#""do":"move","board":"std:1","progress":true"#, "unknown key 'progress'"),
        (&format!(r#"{csl},"rows":0"#), "at least 1"),
        (&format!(r#"{csl},"rows":4000000000,"cols":4000000000"#), "too large"),
        (&format!(r#"{csl},"rows":1e300"#), "rows: 1e+300 is not"),
        (&format!(r#"{csl},"rows":18446744073709551615"#), "absurd"),
        (&format!(r#"{csl},"line":9"#), "does not fit"),
        (&format!(r#"{csl},"moves":"3o 9s""#), "move 2 ('9s'): there is no such column"),
        (&format!(r#"{csl},"moves":"3o 2s 3o 2s 3o 2o 3o""#), "the game is over after them"),
        (&format!(r#"{csl},"agent":"cmd:rm -rf""#), "a program cannot be asked"),
        (&format!(r#"{csl},"agent":"champoin""#), "did you mean 'champion'?"),
        (&format!(r#"{csl},"board":"std:1""#), "unknown key 'board'"),
    ] {
        let (id, error) = said(&format!(r#"{{"id":"q",{keys}}}"#));
        let nameless = message == "not JSON";
        assert_eq!(id, if nameless { Value::Null } else { json!("q") }, "{keys}");
        assert!(error.contains(message), "{keys}: {error}");
        assert!(error.len() < 400, "{error}");
    }
    desk.refuse("too long");
    assert_eq!(heard.all().last().unwrap()["error"], "too long");
    assert_eq!(desk.take("  "), Next::Continue);
    desk.take(r#"{"id":"x","do":"move","board":"std:1","playouts":10}"#);
    assert!(heard.of("x", "done")["move"].is_string());
}
