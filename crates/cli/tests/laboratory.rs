//! `experiment`, `reproduce`, `runs` and `tune`, as a user meets them.

use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use predicates::prelude::*;

const SPEC: &str = r#"
name = "small"
title = "Does a tree help?"

[scales.quick]
instances = ["random:1-20:10x10x4"]
budgets = [{ name = "nodes", nodes = "2k" }]

[[settings]]
name = "tree"
algorithm = "sp-mcts:exploitation"

[[settings]]
name = "random"
algorithm = "sp-mcts:exploitation"
set = { playout = "random" }

[[claims]]
says = "tabu playouts are better"
setting = "tree"
than = "random"
"#;

fn solitree() -> Command {
    Command::new(env!("CARGO_BIN_EXE_solitree"))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), SPEC).unwrap();
    folder
}

fn run(folder: &Path) -> Command {
    let mut command = solitree();
    command.current_dir(folder).args(["experiment", "small.toml"]);
    command
}

fn file(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("runs/small-quick").join(name)).unwrap()
}

#[test]
fn an_experiment_is_run_shown_and_exported() {
    let folder = folder();
    run(folder.path())
        .assert()
        .success()
        .stdout(predicate::str::contains("tabu playouts are better"))
        .stdout(predicate::str::contains("holds"));
    let results = file(folder.path(), "results.jsonl");
    assert_eq!(results.lines().count(), 40);
    run(folder.path()).assert().success();
    assert_eq!(file(folder.path(), "results.jsonl"), results, "nothing is run twice");
    let runs = |args: &[&str]| solitree().current_dir(&folder).arg("runs").args(args).assert();
    runs(&["list"]).success().stdout(predicate::str::contains("40 of 40 runs"));
    runs(&["show", "runs/small-quick"]).success().stdout(predicate::str::contains("± "));
    runs(&["export", "runs/small-quick", "--csv"])
        .success()
        .stdout(predicate::str::starts_with("instance,setting,"))
        .stdout(predicate::function(|text: &str| text.lines().count() == 41));
    runs(&["export", "runs/small-quick", "--md"])
        .success()
        .stdout(predicate::str::contains("| tree |"));
    // The lines are solutions like any others.
    let claims: String =
        results.lines().map(|line| line.replace("\"instance\"", "\"board\"") + "\n").collect();
    solitree()
        .args(["verify", "-"])
        .write_stdin(claims)
        .assert()
        .success()
        .stdout(predicate::str::contains("40 of 40"));
    runs(&["export", "runs/small-quick"]).code(2);
    runs(&["show", "runs/nothing"]).code(3);
}

/// Killed without warning ten times, it goes on each time, and ends with the same
/// bytes as one that was left alone.
#[test]
fn an_experiment_survives_being_killed() {
    let (whole, pieces) = (folder(), folder());
    run(whole.path()).assert().success();
    for number in 1..=10u64 {
        let mut child = Process::new(env!("CARGO_BIN_EXE_solitree"))
            .current_dir(pieces.path())
            .args(["experiment", "small.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(7 * number * number % 90 + 10));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run(pieces.path()).assert().success();
    for name in ["report.md", "report.html", "verdicts.json"] {
        assert_eq!(file(pieces.path(), name), file(whole.path(), name), "{name}");
    }
}

#[test]
fn bad_files_are_refused() {
    let folder = folder();
    let refused = |text: &str, code: i32, says: &str| {
        std::fs::write(folder.path().join("small.toml"), text).unwrap();
        run(folder.path()).assert().code(code).stderr(predicate::str::contains(says));
    };
    refused("nonsense", 3, "small.toml");
    refused(&SPEC.replace("title", "titel"), 3, "titel");
    refused(&SPEC.replace("sp-mcts:", "sp-mtcs:"), 2, "did you mean 'sp-mcts'?");
    refused(&SPEC.replace("2k", "many"), 3, "'many' is not a count");
    solitree().args(["experiment", "nowhere.toml"]).assert().code(3);
    std::fs::write(folder.path().join("small.toml"), SPEC).unwrap();
    let mut wrong = run(folder.path());
    wrong.args(["--scale", "huge"]).assert().code(2).stderr(predicate::str::contains("quick"));
    run(folder.path()).args(["--shard", "3/2"]).assert().code(2);
    run(folder.path())
        .arg("--dry-run")
        .assert()
        .success()
        .stdout(predicate::str::contains("40 runs"));
    assert!(!folder.path().join("runs").exists(), "a dry run leaves nothing behind");
}

#[test]
fn the_papers_are_listed() {
    solitree()
        .args(["reproduce", "--list"])
        .assert()
        .success()
        .stdout(predicate::str::contains("schadd2012-table7"))
        .stdout(predicate::str::contains("oppenhuis2022-section8-1"))
        .stdout(predicate::str::contains("also schadd2008-table1"));
    solitree()
        .args(["reproduce", "schadd2012-tabel1"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("did you mean 'schadd2012-table1'?"));
    solitree()
        .args(["reproduce", "oppenhuis2022-*", "--dry-run"])
        .assert()
        .success()
        .stdout(predicate::str::contains("oppenhuis2022-table3-quick: 2,920 games"))
        .stdout(predicate::str::contains("oppenhuis2022-fig11-quick: 3,000 games"))
        .stdout(predicate::str::contains("schadd").not());
}

#[test]
fn an_experiment_of_matches_is_run_shown_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
name = "small"
title = "Does thinking help?"
meet = "first"
[scales.quick]
games = 20
budgets = [{ name = "few", playouts = "50" }]
[[settings]]
name = "none"
algorithm = "random"
[[settings]]
name = "C = {}"
algorithm = "uct"
sweep = { key = "c", values = [0.2, 0.5] }
[[claims]]
says = "thinking helps"
setting = "C = 0.5"
than = "none"
"#;
    std::fs::write(folder.path().join("small.toml"), text).unwrap();
    run(folder.path())
        .assert()
        .success()
        .stdout(predicate::str::contains("thinking helps").and(predicate::str::contains("holds")));
    let results = file(folder.path(), "results.jsonl");
    assert_eq!(results.lines().count(), 40);
    // A line that was cut is played again, and the report is the same.
    let report = file(folder.path(), "report.html");
    let path = folder.path().join("runs/small-quick/results.jsonl");
    std::fs::write(&path, &results[..results.len() - 40]).unwrap();
    run(folder.path()).assert().success().stderr(predicate::str::contains("cut short"));
    assert_eq!(file(folder.path(), "report.html"), report);
    let runs = |args: &[&str]| solitree().current_dir(&folder).arg("runs").args(args).assert();
    runs(&["list"]).success().stdout(predicate::str::contains("40 of 40 games"));
    runs(&["show", "runs/small-quick"]).success().stdout(predicate::str::contains("Elo"));
    runs(&["export", "runs/small-quick", "--csv"])
        .success()
        .stdout(predicate::str::starts_with("instance,setting,opponent,"));
    let refused = |from: &str, to: &str, code: i32, says: &str| {
        std::fs::write(folder.path().join("small.toml"), text.replace(from, to)).unwrap();
        run(folder.path()).assert().code(code).stderr(predicate::str::contains(says));
    };
    refused("games = 20", "games = 0", 3, "expected 2 to 200,000");
    refused("\"uct\"", "\"utc\"", 2, "unknown agent 'utc'");
    refused("\"c\"", "\"cc\"", 2, "did you mean 'c'?");
}

#[test]
fn tuned_parameters_are_a_preset() {
    let folder = tempfile::tempdir().unwrap();
    let tune = |more: &[&str]| {
        let mut command = solitree();
        command.current_dir(&folder).args(["tune", "--size", "6x6x3", "--nodes", "50"]);
        command.args(["--samples", "4", "--elite", "2", "--boards", "2", "--iterations", "2"]);
        command.args(["--validation", "4", "--out", "tuned"]).args(more);
        command.assert()
    };
    tune(&["--param", "c=0.1:10:log", "--param", "t=1:20"])
        .success()
        .stdout(predicate::str::contains("on 4 boards never seen"));
    solitree()
        .current_dir(&folder)
        .args(["solve", "std:1", "--preset", "tuned/preset.toml", "--nodes", "100", "--json"])
        .assert()
        .success()
        .stdout(predicate::str::contains("sp-mcts:exploitation"));
    tune(&["--param", "cc=1:2"]).code(2).stderr(predicate::str::contains("did you mean 'c'?"));
    tune(&["--param", "c=0.1:5"]).code(2).stderr(predicate::str::contains("holds another tuning"));
    let broken = folder.path().join("broken.toml");
    std::fs::write(&broken, "algorithm = 3").unwrap();
    let mut solve = solitree();
    solve.args(["solve", "--preset"]).arg(&broken).assert().code(3);
}

#[test]
fn a_budget_that_a_setting_cannot_work_with_is_told_before_the_first_run() {
    let folder = folder();
    let deep = "\n[[settings]]\nname = \"deep\"\nalgorithm = \"nrpa:selective\"\n";
    std::fs::write(folder.path().join("small.toml"), format!("{SPEC}{deep}")).unwrap();
    run(folder.path())
        .assert()
        .code(2)
        .stderr(predicate::str::contains("level 4 needs 1000000 playouts"));
    assert!(!folder.path().join("runs/small-quick/results.jsonl").exists());
}

/// A limit on the size of files stands for a disk that is full: in both cases a
/// part of a line is written, and then no more.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_runs_and_spoils_nothing() {
    let folder = folder();
    let limited = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} experiment small.toml",
        env!("CARGO_BIN_EXE_solitree")
    );
    Command::new("sh")
        .current_dir(&folder)
        .args(["-c", &limited])
        .assert()
        .code(3)
        .stderr(predicate::str::contains("results.jsonl: "))
        .stderr(predicate::str::contains("what was there is whole"));
    let kept = file(folder.path(), "results.jsonl");
    assert!(kept.ends_with('\n') && !kept.is_empty() && kept.len() <= 8 << 10);
    run(folder.path()).assert().success();
    let results = file(folder.path(), "results.jsonl");
    assert!(results.starts_with(&kept) && results.lines().count() == 40);
}
