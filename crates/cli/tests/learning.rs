//! `train`, and `solve` with what it made, as a user meets them.

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

const TINY: &[&str] = &[
    "train",
    "--size",
    "5x5x3",
    "--net",
    "tiny(layers=2,filters=8)+policy",
    "--generations",
    "2",
    "--runs",
    "12",
    "--teacher",
    "none",
    "--simulations",
    "8",
    "--epochs",
    "3",
    "--validation",
    "5",
];

fn solitree(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solitree"));
    command.current_dir(folder).args(args);
    command
}

fn trained() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    solitree(folder.path(), TINY)
        .assert()
        .success()
        .stdout(contains("policy alone"))
        .stdout(predicate::function(|text: &str| text.contains("\n         2  ")))
        .stdout(contains("curves: runs/train/report.html"))
        .stdout(contains("solitree solve random:1:5x5x3 -a policy-mcts --set weights=runs/train/"));
    folder
}

fn solve(folder: &Path, board: &str, more: &[&str]) -> assert_cmd::assert::Assert {
    solve_by(folder, "policy-mcts", board, more)
}

fn solve_by(
    folder: &Path,
    algorithm: &str,
    board: &str,
    more: &[&str],
) -> assert_cmd::assert::Assert {
    let base = ["solve", board, "-a", algorithm, "--nodes", "300", "--threads", "1"];
    solitree(folder, &[&base, more].concat()).assert()
}

#[test]
fn what_is_trained_guides_a_search() {
    let folder = trained();
    let path = folder.path();
    let weights = &["--set", "weights=runs/train/policy.safetensors"];
    // The line is the same again; how fast it was found is not.
    let line = || {
        let solved = solve(path, "random:3:5x5x3", weights).success();
        let text = String::from_utf8_lossy(&solved.get_output().stdout).into_owned();
        text.lines().last().map(str::to_owned)
    };
    assert_eq!(line(), line());
    // The network has no size of its own, and fewer colours are no trouble.
    solve(path, "random:3:9x7x2", weights).success().stderr("");
    // Once done, it is not done again.
    solitree(path, TINY).assert().success().stdout(contains("policy alone"));
    let games = std::fs::read_to_string(path.join("runs/train/games.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 24);
    solitree(path, &[TINY, &["--seed", "9"]].concat())
        .assert()
        .code(2)
        .stderr(contains("holds another training"));
}

#[test]
fn the_command_it_ends_with_can_be_run_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(n-2)^2;clear=500";
    let more = ["--rules", rules, "--out", "my runs"];
    let trained = solitree(folder.path(), TINY).args(more).assert().success();
    let text = String::from_utf8_lossy(&trained.get_output().stdout).into_owned();
    let last = text.lines().last().unwrap();
    assert!(last.contains(&format!(" --rules '{rules}' ")), "{last}");
    let command = last.replacen("solitree", env!("CARGO_BIN_EXE_solitree"), 1);
    let command = format!("{command} --nodes 100 --threads 1");
    Command::new("sh").current_dir(folder.path()).arg("-c").arg(command).assert().success();
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let folder = trained();
    let path = folder.path();
    let weights = &["--set", "weights=runs/train/policy.safetensors"];
    solve(path, "random:3:5x5x4", weights).code(3).stderr(contains("weights for the planes"));
    solve(path, "random:3:5x5x3", &[weights, &["--rules", "codingame"][..]].concat())
        .code(3)
        .stderr(contains("weights for the rules 'samegame', and 'codingame' are played"));
    let mut bytes = std::fs::read(path.join("runs/train/policy.safetensors")).unwrap();
    bytes.truncate(bytes.len() - 7);
    std::fs::write(path.join("cut"), bytes).unwrap();
    solve(path, "random:3:5x5x3", &["--set", "weights=cut"])
        .code(3)
        .stderr(contains("weights cut: cut short"));
    solve(path, "random:3:5x5x3", &["--set", "weights=nowhere"])
        .code(3)
        .stderr(contains("weights nowhere: "));
    solve(path, "morpion:5D", weights).code(2).stderr(contains("'weights' is one of samegame"));
}

#[test]
fn values_need_a_head_of_their_own() {
    let folder = trained();
    let path = folder.path();
    let (value, board) = ("value-beam", "random:3:5x5x3");
    let weights = &["--set", "weights=runs/train/policy.safetensors"];
    solve_by(path, value, board, weights).code(3).stdout("").stderr(
        "error: weights runs/train/policy.safetensors: tiny(layers=2,filters=8)+policy has no \
         value head\n",
    );
    let with_value = |&arg: &&'static str| arg.replace("+policy", "+policy+value");
    let train: Vec<String> = TINY.iter().map(with_value).collect();
    solitree(path, &["train", "--out", "v"]).args(&train[1..]).assert().success();
    let weights = &["--set", "weights=v/policy.safetensors"];
    let line = || {
        let solved = solve_by(path, value, board, weights).success().stderr("");
        let text = String::from_utf8_lossy(&solved.get_output().stdout).into_owned();
        text.lines().last().map(str::to_owned)
    };
    assert_eq!(line(), line());
    solve_by(path, value, board, &[weights, &["--set", "clear=100"][..]].concat())
        .code(2)
        .stderr(contains("no clear head"));
    // It still is a policy.
    solve(path, board, weights).success();
    let remark = "positions are worth the game's own evaluation";
    solve_by(path, value, "leftmove:20", &[]).success().stderr(contains(remark));
    solve_by(path, value, "random:3:6x6x7", &[]).success().stderr(contains(remark));
    solve_by(path, value, "random:3:6x6x7", &["--set", "weights=none"]).success().stderr("");
}

#[test]
fn without_weights_all_moves_are_alike_and_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let remark = "all moves are alike at first";
    for board in ["random:3:6x6x7", "leftmove:20"] {
        solve(folder.path(), board, &[]).success().stderr(contains(remark));
        solve(folder.path(), board, &["-q"]).success().stderr("");
    }
    solve(folder.path(), "random:3:7x7x5", &["--set", "weights=none"]).success().stderr("");
    solve(folder.path(), "random:3:7x7x5", &[]).success().stderr("");
}

#[test]
fn a_training_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (args, word) in [
        (&["--size", "7x7"][..], "--size: '7x7' is not a size"),
        (&["--net", "huge+policy"], "--net: 'huge' is not paper"),
        (&["--features", "shapes"], "--features: 'shapes' is neither colours nor groups"),
        (&["--set", "c=-1"], "parameter 'c': '-1'"),
        (&["--runs", "0"], "not a count above 0"),
        (&["--teacher", "mc-bream"], "did you mean 'mc-beam'?"),
        (&["--backend", "abacus"], "'abacus'"),
        (&["--device", "gpu"], "'gpu' is not auto, cpu or cuda"),
        (&["--python", "python3"], "--python python3: only with --backend torch"),
        (&["--set", "simulations=0"], "a training settles 'simulations' itself"),
        (&["--validation", "2M"], "--validation 2000000: more than 1000000"),
    ] {
        solitree(folder.path(), &[&["train"], args].concat())
            .assert()
            .code(2)
            .stderr(contains(word));
    }
    assert!(!folder.path().join("runs").exists());
}

#[test]
fn without_python_it_is_said_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    solitree(folder.path(), &["train", "--backend", "torch", "--python", "no-such-python"])
        .assert()
        .code(3)
        .stderr(contains("no-such-python: no such program (--backend torch needs Python 3.10"));
    assert!(!folder.path().join("runs").exists());
}
