//! The program as its users meet it: results, messages and exit codes.

mod checkpoints;
mod hunting;
mod other_games;
mod serving;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::assert::OutputAssertExt;
use assert_cmd::cargo::CommandCargoExt;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};

fn solitree(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("solitree").expect("the program is built");
    command.args(arguments).env_remove("NO_COLOR");
    command
}

fn output(arguments: &[&str]) -> String {
    let output = solitree(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// One line on standard error, and the exit code.
fn fails(arguments: &[&str], code: i32, message: &str) {
    let assert = solitree(arguments).assert().code(code).stderr(contains(message));
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(!stderr.contains("panicked"), "{stderr}");
    if code != 2 {
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
}

const QUICK: &[&str] = &["--nodes", "2k", "--threads", "1"];

fn quick(arguments: &[&str]) -> Vec<String> {
    arguments.iter().chain(QUICK).map(|&argument| argument.to_owned()).collect()
}

fn quick_output(arguments: &[&str]) -> String {
    let arguments = quick(arguments);
    output(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn solve_without_anything_solves_the_first_board() {
    let text = quick_output(&["solve"]);
    assert!(text.starts_with("board      std:1, 15x15, 225 blocks; rules samegame\n"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("std:1 "), "the last line can be copied: {last}");
}

#[test]
fn json_has_the_promised_fields_and_verifies() {
    let text = quick_output(&["solve", "std:2", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    for field in [
        "board",
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
        assert!(object.get(field).is_some(), "{field} is missing");
    }
    assert_eq!(object["board"], "std:2");
    assert_eq!(object["best_known"], 4023);
    assert_eq!(object["stop"], "nodes");
    verify_from_stdin(&text).success().stdout(starts_with("1 of 1 solutions hold"));
}

fn verify_from_stdin(text: &str) -> assert_cmd::assert::Assert {
    let mut child = solitree(&["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap().assert()
}

#[test]
fn a_set_is_a_table_and_its_json_verifies() {
    let table = quick_output(&["solve", "--set-of", "std:1-3"]);
    assert_eq!(table.lines().count(), 6, "{table}");
    assert!(table.contains("total") && table.contains("± "), "{table}");
    let lines = quick_output(&["solve", "--set-of", "std:1-3", "--json"]);
    verify_from_stdin(&lines).success().stdout(starts_with("3 of 3 solutions hold"));
}

#[test]
fn a_board_without_blocks_is_cleared_already() {
    for algorithm in ["portfolio", "lns", "anneal", "swarm", "hgsts", "mc-beam"] {
        let line = output(&["solve", ".../...", "-a", algorithm, "--nodes", "100", "-q"]);
        assert_eq!(line.trim(), ".../... 1000", "{algorithm}");
    }
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let line = |seed| quick_output(&["solve", "r250:9", "-q", "--seed", seed]);
    assert_eq!(line("3"), line("3"));
    assert_ne!(line("3"), line("4"));
}

#[test]
fn every_preset_runs() {
    let list: serde_json::Value = serde_json::from_str(&output(&["algorithms", "--json"])).unwrap();
    for algorithm in list.as_array().unwrap() {
        assert!(algorithm["paper"].as_str().is_some_and(|paper| !paper.is_empty()));
        for preset in algorithm["presets"].as_array().unwrap() {
            let name = format!(
                "{}:{}",
                algorithm["name"].as_str().unwrap(),
                preset["name"].as_str().unwrap()
            );
            // So short a budget is refused by what would never end in it.
            let level = if preset["values"].get("level").is_some_and(|level| level != 1) {
                ["--set", "level=1"].as_slice()
            } else {
                &[]
            };
            let arguments = ["solve", "random:5:8x8x3", "-q", "-a", &name];
            output(&[&arguments, level, &["--time-limit", "60ms", "--threads", "1"]].concat());
        }
    }
}

#[test]
fn a_line_is_improved_and_never_made_worse() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lines");
    let path = file.to_str().unwrap();
    let line = quick_output(&["solve", "r250:7", "-q"]);
    std::fs::write(&file, format!("# a line\n{line}")).unwrap();
    let score = |text: &str| text.split(' ').nth(1).unwrap().parse::<i64>().unwrap();
    for algorithm in ["portfolio", "lns", "anneal", "mc-beam"] {
        let better = quick_output(&["solve", "--improve", path, "-q", "-a", algorithm]);
        assert!(better.starts_with("r250:7 "), "{better}");
        assert!(score(&better) >= score(&line), "{algorithm}: {better}");
    }
    fails(&["solve", "--improve", path, "-a", "sp-mcts"], 2, "sp-mcts cannot begin with a line");
    fails(&["solve", "r250:8", "--improve", path], 2, "no line of r250:8 in the file");
    std::fs::write(&file, "r250:7 100 a1 a1 o15\n").unwrap();
    fails(&["solve", "--improve", path], 1, "move ");
    std::fs::write(&file, "r250:7 many a1\n").unwrap();
    fails(&["solve", "--improve", path], 3, "'many' is not a score");
}

#[test]
fn events_come_as_lines_of_json() {
    let text = quick_output(&["solve", "--jsonl"]);
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "started");
    assert!(events.iter().any(|event| event["event"] == "best" && event["moves"].is_array()));
    assert_eq!(events.last().unwrap()["event"], "stopped");
}

#[test]
fn boards_come_from_files_and_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("board.txt");
    fs::write(&file, "# mine\n1 1 2\n2 1 2\n").unwrap();
    let path = file.to_str().unwrap();
    let line = quick_output(&["solve", path, "-q"]);
    assert!(line.starts_with("112/212 "), "{line}");
    let mut child =
        solitree(&["show", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"ABB\nBAB\n").unwrap();
    child.wait_with_output().unwrap().assert().success().stdout("122\n212\n");
}

#[test]
fn show_replays_a_line() {
    let text = output(&["show", "12/12/22", "--moves", "a2 a1"]);
    assert!(text.starts_with("move 1: a2, 2 blocks, +0, score 0\n"), "{text}");
    assert!(text.ends_with("final score 1,004, board cleared\n"), "{text}");
    assert_eq!(output(&["show", "12/12/22", "--moves", "a2", "a1"]), text);
    let coloured = output(&["show", "12/21", "--color", "always"]);
    assert!(coloured.contains("\x1b[48;2;"));
    assert!(output(&["show", "std:1", "--svg"]).starts_with("<svg"));
}

#[test]
fn wrong_usage_exits_2_and_names_the_near_one() {
    fails(&["solve", "std:21"], 2, "'21' is not a board of std: it has 1 to 20");
    fails(&["solve", "sdt:1"], 2, "no board is called 'sdt:1'");
    fails(&["solve", "-a", "sp-mtcs"], 2, "did you mean 'sp-mcts'?");
    fails(&["solve", "-a", "sp-mcts:balancd"], 2, "did you mean 'balanced'?");
    fails(
        &["solve", "--set", "epsilom=1"],
        2,
        "unknown parameter 'epsilom'; did you mean 'epsilon'?",
    );
    fails(&["solve", "--set", "epsilon"], 2, "expected KEY=VALUE");
    fails(&["solve", "--set", "epsilon=2"], 2, "'2' is not one of: 0 to 1");
    fails(
        &["solve", "-a", "sp-mcts", "--set", "expansion=some"],
        2,
        "'some' is not one of: one, rest, all",
    );
    fails(&["solve", "--rules", "n^"], 2, "the formula ends too early");
    fails(&["solve", "--set-of", "r25"], 2, "no set is called 'r25'; there is: std, r250");
    fails(&["solve", "--set-of", "std:5-2"], 2, "'5-2' is not a part of std");
    fails(&["solve", "--time-limit", "10"], 2, "not a time such as 500ms, 10s");
    fails(&["solve", "--nodes", "0"], 2, "not a count above 0");
    fails(&["solve", "random:1:40x15x5"], 2, "1 to 32 wide");
    fails(&["solve", "--seed", "x"], 2, "not a whole number");
    fails(&["solve", "--threads", "0"], 2, "0 is not in 1..=1024");
    fails(&["solve", "--memory-limit", "1k"], 2, "less than a megabyte");
    fails(&["frobnicate"], 2, "unrecognized subcommand");
}

#[test]
fn unreadable_input_exits_3_and_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("board.txt");
    let path = file.to_str().unwrap();
    let fails_with = |contents: &[u8], message: &str| {
        fs::write(&file, contents).unwrap();
        fails(&["solve", path], 3, message);
    };
    fails(&["solve", "missing.txt"], 3, "missing.txt: No such file");
    fails_with(b"12\n1\n", "line 2, column 2: this row has 1 cells, the first has 2");
    fails_with(b"1*\n", "line 1, column 2: '*' is neither a digit, a letter nor '.'");
    fails_with(b"abcdefghij\n", "'j' is the tenth colour");
    fails_with("1".repeat(40).as_bytes(), "this one is 40x1");
    fails_with(b"", "no rows");
    fails_with(&[0xFF, 0xFE, 0x00], "not a text");
    fails(&["verify", "missing.txt"], 3, "missing.txt");
    fails(&["solve", "--checkpoint", "/nowhere/at/all"], 3, "not a place for a file");
}

#[test]
fn a_gpu_that_is_not_there_exits_3_and_says_what_is_missing() {
    for arguments in [
        &["solve", "std:1", "-a", "policy-mcts", "--device", "cuda"][..],
        &["solve", "std:1", "-a", "swarm", "--device", "cuda"],
        &["solve", "std:1", "--device", "cuda"],
        &["bench", "--device", "cuda"],
        &["train", "--device", "cuda"],
    ] {
        // None is seen even where there is one.
        let mut command = solitree(arguments);
        let assert = command.env("CUDA_VISIBLE_DEVICES", "").assert().code(3).stdout("");
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(stderr.starts_with("error: --device cuda: "), "{stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
    fails(
        &["solve", "std:1", "-a", "nrpa", "--device", "cuda"],
        2,
        "--device cuda: nrpa has no use for it; mc-beam, swarm, anneal, policy-mcts, policy-alone and value-beam have",
    );
    let message = "--device cuda: portfolio has no use for it; mc-beam, swarm, anneal, policy-mcts, policy-alone and value-beam have";
    fails(&["solve", "morpion:5D", "--device", "cuda"], 2, message);
}

#[test]
fn verify_stops_at_the_first_that_does_not_hold() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lines.txt");
    let path = file.to_str().unwrap();
    let fails_with = |contents: &str, code: i32, message: &str| {
        fs::write(&file, contents).unwrap();
        fails(&["verify", path], code, message);
    };
    fails_with(
        "12/12/22 1004 a2 a1\n12/12/22 1003 a2 a1\n",
        1,
        "line 2: 12/12/22: scores 1004, not 1003",
    );
    fails_with("12/12/22 1004 a2 c9\n", 1, "move 2 (c9): no group of two or more blocks there");
    fails_with("12/12/22 1004 a2 99\n", 1, "move 2 (99): not a cell such as a1");
    fails_with("12/12/22 0 a2\n", 1, "the game is not over after the last move");
    fails_with("std:1 many a1\n", 3, "line 1: 'many' is not a score");
    fails_with("std:1\n", 3, "expected BOARD SCORE MOVES");
    fails_with("{\"board\": 3}\n", 3, "line 1: invalid type");
    fails_with("std:77 1 a1\n", 3, "'77' is not a board of std");
    fs::write(&file, "# ours\n\n12/12/22 1004 a2 b3\n").unwrap();
    assert_eq!(output(&["verify", path]), "1 of 1 solutions hold, total score 1004\n");
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/samegame/lines.txt");
    assert_eq!(output(&["verify", ours]), "20 of 20 solutions hold, total score 82688\n");
}

#[test]
fn a_target_not_reached_exits_1_after_the_result() {
    let arguments = quick(&["solve", "--target", "9999", "-q"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    solitree(&arguments)
        .assert()
        .code(1)
        .stdout(starts_with("std:1 "))
        .stderr(contains("the target score was not reached"));
    let text = quick_output(&["solve", "--target", "100", "--json"]);
    assert!(text.contains("\"stop\":\"target\""), "{text}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    for arguments in [&["algorithms"][..], &["solve", "--jsonl", "--nodes", "50k"]] {
        let mut child =
            solitree(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        child.wait_with_output().unwrap().assert().success().stderr(predicate::str::is_empty());
    }
}

#[test]
fn lists_completions_and_the_manual_are_there() {
    assert!(output(&["boards"]).contains("std:1 to std:20"));
    assert!(output(&["boards", "--json"]).contains("\"best_known\": 3413"));
    assert!(output(&["algorithms"]).contains("search-nodes"));
    let manual = output(&["man"]);
    assert!(manual.contains(".TH solitree") && manual.contains("time\\-limit"), "{manual}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(output(&["completions", shell]).contains("solitree"), "{shell}");
    }
    assert!(output(&["--version"]).contains("commit "));
}

#[test]
fn bench_prints_a_signature_and_compares_it() {
    let report: serde_json::Value =
        serde_json::from_str(&output(&["bench", "--json", "--time", "20ms"])).unwrap();
    for policy in ["random", "tabu-random", "tabu-color-random", "mc-rws"] {
        assert!(report["playouts_per_second"][policy].as_f64().unwrap() > 0.0, "{policy}");
    }
    let signature = report["signature"].as_str().unwrap();
    solitree(&["bench", "--time", "0s", "--expect", signature]).assert().success();
    fails(&["bench", "--time", "0s", "--expect", "0000"], 1, "not 0000");
    let recorded = include_str!("../../../../data/bench-signature.txt");
    assert_eq!(signature, recorded.trim(), "run `cargo xtask bless` if this is on purpose");
}
