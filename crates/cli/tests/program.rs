//! The program as its users meet it: results, messages and exit codes.

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
    for algorithm in ["portfolio", "lns", "mc-beam"] {
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

#[test]
fn a_resumed_search_gives_the_answer_of_one_that_was_never_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    for algorithm in ["sp-mcts", "sp-mcts:balanced", "sp-mcts:cem-per-move"] {
        let base = ["solve", "r250:3", "--threads", "1", "-q", "-a", algorithm];
        // Budgets of a share of the whole would divide differently, so the
        // first part is stopped by its playouts.
        let with = |more: &[&str]| output(&[&base[..], &["--nodes", "30k"], more].concat());
        let straight = with(&[]);
        for cut in ["3", "7001"] {
            with(&["--checkpoint", path, "--playouts", cut]);
            let resumed = output(&["solve", "--resume", path, "-q", "--nodes", "30k"]);
            assert_eq!(resumed, straight, "{algorithm} cut at {cut}");
        }
    }
}

/// Workers that end at different times, and snapshots all the while: the last
/// state is there, and nothing is left to do in it.
#[test]
fn the_last_state_is_never_lost() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    for _ in 0..5 {
        let budget = ["--nodes", "30k", "--checkpoint-every", "5ms", "--checkpoint", path, "-q"];
        let search = ["-a", "sp-mcts", "--threads", "2"];
        let settings = ["--set", "restarts=3", "--set", "search-nodes=10000"];
        output(&[&["solve"][..], &search, &settings, &budget].concat());
        let resumed = output(&["solve", "--resume", path, "--json"]);
        assert!(resumed.contains("\"playouts\":30000,"), "{resumed}");
    }
}

#[test]
fn damaged_checkpoints_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    quick_output(&["solve", "--checkpoint", path, "-q"]);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    fails(&["solve", "--resume", path], 3, "cut short");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    fs::write(&file, &flipped).unwrap();
    fails(&["solve", "--resume", path], 3, "checksum does not match");
    let mut other = whole.clone();
    other[16] = b'9';
    fs::write(&file, &other).unwrap();
    fails(&["solve", "--resume", path], 3, "written by solitree 9.1.0");
    fs::write(&file, "hello").unwrap();
    fails(&["solve", "--resume", path], 3, "not a checkpoint of solitree");
    assert_eq!(fs::read(&file).unwrap(), b"hello", "and left as they are");
}

#[cfg(unix)]
#[test]
fn one_interrupt_prints_the_best_and_saves() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let child = solitree(&["solve", "--time-limit", "60s", "-q", "--checkpoint", path])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let sent = Instant::now();
        Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status()
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(20));
        output.assert().code(code).stdout(starts_with("std:1 "));
        output_of_resume(path);
    }
}

#[cfg(unix)]
fn output_of_resume(path: &str) {
    let line = output(&["solve", "--resume", path, "-q", "--time-limit", "1s"]);
    assert!(line.starts_with("std:1 "));
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
    let recorded = include_str!("../../../data/bench-signature.txt");
    assert_eq!(signature, recorded.trim(), "run `cargo xtask bless` if this is on purpose");
}

const SHORT: &[&str] =
    &["-a", "nrpa", "--set", "level=2", "--playouts", "20k", "--threads", "1", "--json"];

fn solved(board: &str) -> (String, serde_json::Value) {
    let text = output(&[&["solve", board][..], SHORT].concat());
    let object = serde_json::from_str(&text).unwrap();
    (text, object)
}

#[test]
fn other_games_are_solved_and_verified() {
    for (board, name, known) in [
        ("morpion:4D", "morpion:4D", 35),
        ("Morpion:4t", "morpion:4T", 62),
        ("morpion:5D", "morpion:5D", 82),
        ("morpion:5t", "morpion:5T", 178),
        ("leftmove:60", "leftmove:60", 60),
        ("leftmove", "leftmove:100", 100),
    ] {
        let (text, object) = solved(board);
        assert_eq!(object["board"], name);
        assert_eq!(object["best_known"], known, "{board}");
        assert!(object["rules"].is_null() && object["cleared"].is_null(), "{text}");
        let score = object["score"].as_i64().unwrap();
        assert!((known / 3..=known).contains(&score), "{board}: {score}");
        verify_from_stdin(&text).success().stdout(starts_with("1 of 1 solutions hold"));
        let inflated = text.replace(&format!("\"score\":{score}"), "\"score\":999");
        verify_from_stdin(&inflated).code(1).stderr(contains(format!("scores {score}, not 999")));
    }
}

#[test]
fn other_games_are_shown_and_listed() {
    let (_, object) = solved("morpion:4D");
    let moves: Vec<&str> =
        object["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let picture = output(&["show", "morpion:4D", "--moves", &moves.join(" ")]);
    assert!(picture.ends_with(&format!("score {}, game over\n", moves.len())), "{picture}");
    let start = output(&["show", "morpion:5T"]);
    assert!(start.matches('o').count() >= 36 && start.contains("28 moves possible"), "{start}");
    assert!(output(&["show", "morpion:5T", "--svg"]).starts_with("<svg"));
    assert_eq!(
        output(&["show", "leftmove:4", "--moves", "L R"]),
        "LR..\nscore 1, 2 moves possible\n"
    );
    assert!(output(&["boards"]).contains("morpion:5T, 5D, 4T or 4D"));
    assert!(output(&["boards", "--json"]).contains("\"best_known\": 178"));
}

#[test]
fn other_games_say_what_is_wrong() {
    fails(&["solve", "morpion:6X"], 2, "'6X' is not a variant of morpion: there are 5T, 5D, 4T");
    fails(&["solve", "morpion"], 2, "is not a variant of morpion");
    for depth in ["0", "abc", "10001"] {
        let message = format!("'{depth}' is not a depth of leftmove: it is a whole number from 1");
        fails(&["solve", &format!("leftmove:{depth}")], 2, &message);
    }
    let morpion = |more: &[&str], message: &str| {
        fails(&[&["solve", "morpion:5D"][..], more].concat(), 2, message);
    };
    morpion(&["--rules", "samegame"], "rules 'samegame': morpion has no rules to choose from");
    morpion(
        &["-a", "nrpa", "--set", "tabu-rule=none"],
        "parameter 'tabu-rule' is one of samegame, and morpion has none of its own",
    );
    morpion(&["-a", "nrpa", "--set", "levl=2"], "did you mean 'level'?");
    fails(&["show", "leftmove:3", "--moves", "L X"], 1, "move 2 (X): neither L nor R");
    fails(&["show", "leftmove:1", "--moves", "L L"], 1, "move 2 (L): the game is over");
    fails(&["show", "morpion:5T", "--moves", "1,1e0"], 1, "the line needs a point at 2,1");
    fails(&["solve", "--set-of", "morpion"], 2, "no set is called 'morpion'");
}

#[test]
fn the_game_of_a_solution_may_be_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lines.txt");
    let path = file.to_str().unwrap();
    fs::write(&file, "leftmove:2 1 L R\n12/12/22 1004 a2 a1\n").unwrap();
    assert_eq!(output(&["verify", path]), "2 of 2 solutions hold, total score 1005\n");
    let message = "line 2: 12/12/22 is of samegame, not of leftmove";
    fails(&["verify", "--game", "leftmove", path], 3, message);
    fails(&["verify", "--game", "morpion", "--rules", "samegame", path], 2, "no rules to choose");
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/morpion/lines.txt");
    let text = output(&["verify", "--game", "morpion", ours]);
    assert_eq!(text, "4 of 4 solutions hold, total score 295\n");
    fs::write(&file, "leftmove:2 1 L\n").unwrap();
    fails(&["verify", path], 1, "the game is not over after the last move");
    fs::write(&file, "morpion:6X 1 L\n").unwrap();
    fails(&["verify", path], 3, "'6X' is not a variant of morpion");
}

#[test]
fn other_games_resume_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    let base = ["solve", "morpion:5D", "-a", "nrpa", "--set", "level=2", "--threads", "1", "-q"];
    let straight = output(&[&base[..], &["--playouts", "5k"]].concat());
    output(&[&base[..], &["--playouts", "1k", "--checkpoint", path]].concat());
    assert_eq!(output(&["solve", "--resume", path, "-q", "--playouts", "5k"]), straight);
}
