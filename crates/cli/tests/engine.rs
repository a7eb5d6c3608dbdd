//! `engine --jsonl`, as another program meets it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A running engine.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_solitree"))
            .args(["engine", "--jsonl", "--threads", "2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Engine { child, input, output: BufReader::new(output) }
    }

    fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next answer, if there is one.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The next answer of this kind.
    fn next_of(&mut self, event: &str) -> Value {
        loop {
            let answer = self.next().expect(event);
            if answer["event"] == event {
                return answer;
            }
        }
    }

    /// Ends its input and says how it ended.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }
}

/// The session of the book: answers have what is shown there.
#[test]
fn the_example_of_the_book_holds() {
    let book = include_str!("../../../docs/engine.md");
    let session = book.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut engine = Engine::start();
    let (mut asked, mut answered) = (0, 0);
    for line in session.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            engine.send(request.as_bytes());
            asked += 1;
            continue;
        }
        let shown: Value = serde_json::from_str(line.strip_prefix("< ").unwrap()).unwrap();
        // How often something better is found is not shown.
        let answer = loop {
            let answer = engine.next().expect(line);
            if answer["event"] != "best" || shown["event"] == "best" {
                break answer;
            }
        };
        for (key, value) in shown.as_object().unwrap() {
            assert_eq!(&answer[key], value, "{key} of {answer}");
        }
        answered += 1;
    }
    assert!(asked > 5 && answered > 9);
    assert_eq!(engine.next(), None);
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn bad_lines_are_answered_and_it_goes_on() {
    let mut engine = Engine::start();
    let million = vec![b'x'; 1_000_000];
    for _ in 0..100 {
        engine.input.as_mut().unwrap().write_all(&million).unwrap();
    }
    engine.send(b"");
    engine.send(b"\xff\xfe");
    engine.send(b"{\"id\":7,\"do\":\"version\"} trailing");
    for part in ["a line of more than", "not UTF-8", "not JSON"] {
        let answer = engine.next().unwrap();
        assert_eq!((answer["event"].as_str(), &answer["id"]), (Some("error"), &Value::Null));
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    engine.send(br#"{"id":8,"do":"version"}"#);
    let answer = engine.next().unwrap();
    assert_eq!((answer["id"].as_u64(), answer["threads"].as_u64()), (Some(8), Some(2)));
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn the_end_of_the_input_answers_everything() {
    let mut engine = Engine::start();
    for id in 0..6 {
        let board = if id % 2 == 0 { r#""board":"std:1""# } else { r#""game":"colorshapelinks""# };
        let request = format!(r#"{{"id":{id},"do":"analyse",{board},"time_limit":"10m"}}"#);
        engine.send(request.as_bytes());
    }
    engine.next_of("best");
    engine.input = None;
    let mut ended: Vec<u64> =
        (0..6).map(|_| engine.next_of("done")["id"].as_u64().unwrap()).collect();
    ended.sort_unstable();
    assert_eq!(ended, [0, 1, 2, 3, 4, 5]);
    assert_eq!(engine.next(), None);
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn its_manners_are_not_mixed() {
    for arguments in [&["engine", "uct", "--jsonl"][..], &["engine", "--threads", "2"]] {
        let status = Command::new(env!("CARGO_BIN_EXE_solitree"))
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2));
    }
}
