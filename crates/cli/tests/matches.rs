//! `engine`, `match` and `verify --game colorshapelinks`, as a user meets them.

use assert_cmd::Command;
use predicates::prelude::*;

fn solitree() -> Command {
    Command::new(env!("CARGO_BIN_EXE_solitree"))
}

/// A match of fixed playouts.
fn quick(agents: &[&str], games: &str) -> Command {
    let mut command = solitree();
    command.arg("match").args(agents).args(["--games", games, "--playouts", "200"]);
    command
}

#[test]
fn a_match_is_repeatable_and_its_games_hold() {
    let games = |threads: &str| {
        let output = quick(&["champion", "uct", "random"], "4")
            .args(["--jsonl", "--concurrency", threads])
            .output()
            .unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let mut games: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        games.sort_by_key(|game| game["number"].as_u64());
        let played = |game: &serde_json::Value| (game["moves"].clone(), game["white"].clone());
        (games.iter().map(played).collect::<Vec<_>>(), text)
    };
    let (one, text) = games("1");
    let (two, _) = games("2");
    assert_eq!(one.len(), 12);
    assert_eq!(one, two);
    solitree()
        .args(["verify", "--game", "colorshapelinks", "-"])
        .write_stdin(text)
        .assert()
        .success()
        .stdout("12 of 12 games hold\n");
}

#[test]
fn a_match_goes_on_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("m");
    let run = |agents: &[&str]| quick(agents, "6").arg("--out").arg(&out).assert();
    let first = run(&["uct", "random"]).success().get_output().stdout.clone();
    let games = out.join("games.jsonl");
    let lines = std::fs::read_to_string(&games).unwrap();
    // Cut in the middle of the last line.
    std::fs::write(&games, &lines[..lines.len() - 40]).unwrap();
    let again = run(&["uct", "random"]).success().get_output().stdout.clone();
    let table = |text: &[u8]| String::from_utf8_lossy(text).lines().next().map(str::to_owned);
    assert_eq!(table(&first), table(&again));
    assert_eq!(std::fs::read_to_string(&games).unwrap().lines().count(), 6);
    run(&["uct,c=1", "random"]).code(2).stderr(predicate::str::contains("a game of another match"));
}

#[test]
fn a_sequential_test_stops_when_it_is_decided() {
    quick(&["uct", "random"], "1000")
        .args(["--sprt", "0,50"])
        .assert()
        .success()
        .stdout(predicate::str::contains("SPRT (0, 50): accepted"));
}

#[cfg(unix)]
#[test]
fn programs_play_and_what_they_do_wrong_is_counted() {
    let engine = format!("cmd:{} engine uct --playouts 50", env!("CARGO_BIN_EXE_solitree"));
    let timed = |program: &str| {
        let mut command = solitree();
        command.args(["match", "random", program, "--games", "2", "--move-time", "300ms"]);
        // One after the other: a program that ended is started again.
        command.args(["--concurrency", "1"]);
        command.assert().success()
    };
    let count = |text: &str| text.lines().filter(|line| line.starts_with("cmd:")).count();
    let output = timed(&engine).get_output().stdout.clone();
    assert_eq!(count(&String::from_utf8_lossy(&output)), 1, "its conduct is told");
    let says = |script: &str| format!("cmd:sh -c '{script}'");
    let ready = "read x; echo ready; ";
    // Illegal moves, time, hangs, crashes, nonsense and forfeits.
    let cases = [
        (says("exit 3"), [0, 0, 0, 2, 0, 0]),
        (says(&format!("{ready} read x; echo move 99o")), [2, 0, 0, 0, 0, 0]),
        (says(&format!("{ready} read x; echo forfeit tired")), [0, 0, 0, 0, 0, 2]),
        (says(&format!("{ready} read x; echo hello")), [0, 0, 0, 0, 2, 0]),
        (says(&format!("{ready} read x; sleep 1; echo move 3o")), [0, 2, 0, 0, 0, 0]),
        (says(&format!("{ready} read x; sleep 60")), [0, 0, 2, 0, 0, 0]),
    ];
    let counted = |program: &str| {
        let output = timed(program).get_output().stdout.clone();
        let text = String::from_utf8_lossy(&output).into_owned();
        let row = text.lines().find(|line| line.starts_with(program)).expect(&text);
        let words: Vec<&str> = row.split_whitespace().collect();
        let number = |word: &&str| word.parse().expect(&text);
        words[words.len() - 6..].iter().map(number).collect::<Vec<u32>>()
    };
    for (program, expected) in cases {
        assert_eq!(counted(&program), expected, "{program}");
    }
    let output = timed("cmd:no-such-program").get_output().stdout.clone();
    let text = String::from_utf8_lossy(&output).into_owned();
    assert!(text.contains("cmd:no-such-program: crash in game 0: "), "{text}");
    // It talks without end and never answers: too late, or too much of it.
    let talker = counted(&says(&format!("{ready} read x; yes info")));
    assert_eq!((talker[2] + talker[4], talker.iter().sum()), (2, 2), "{talker:?}");
}

#[test]
fn a_report_is_written_and_nothing_is_played_for_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let [out, first, second] = ["out", "a", "b"].map(|name| folder.path().join(name));
    let run = |report: &std::path::Path, games: &str| {
        let mut command = quick(&["uct", "random", "uct,c=0.5"], games);
        command.arg("--points").arg("--out").arg(&out).arg("--report").arg(report);
        command.assert().success().get_output().clone()
    };
    let output = run(&first, "6");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.lines().any(|line| line.starts_with("agent") && line.ends_with("points")),
        "{text}"
    );
    let page = std::fs::read_to_string(first.join("report.html")).unwrap();
    for part in [
        "Ratings (Bradley-Terry)",
        "everybody against everybody",
        "pairs of games",
        "by colour",
        "points: three for a win",
        "99 %",
        "illegal move",
        "ratings with 95 % intervals",
        "lengths of games",
        "seed 1; 18 of 18 games",
        "solitree match uct random uct,c=0.5 --games 6",
    ] {
        let found = page.to_lowercase().contains(&part.to_lowercase());
        assert!(found, "{part} is missing:\n{page}");
    }
    // One page that asks for nothing: no scripts, no links but names of formats.
    assert!(!page.contains("<script") && !page.contains("href") && !page.contains("src="));
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
    assert!(first.join("ratings.svg").is_file() && first.join("lengths.svg").is_file());
    let games = std::fs::read(out.join("games.jsonl")).unwrap();
    run(&second, "6");
    assert_eq!(std::fs::read(out.join("games.jsonl")).unwrap(), games, "played again");
    let again = std::fs::read_to_string(second.join("report.html")).unwrap();
    let body = |page: &str| page.split("</pre>").nth(1).map(str::to_owned);
    assert_eq!(body(&again), body(&page));
    // There is no place for a folder where a file is.
    let mut command = quick(&["uct", "random"], "2");
    command.arg("--report").arg(out.join("games.jsonl")).assert().code(3);
}

/// Our own engine as `engine-check` sees it; with time to spare, for busy machines.
#[cfg(unix)]
#[test]
fn our_own_engine_passes_its_check() {
    let check = |agent: &str| {
        let mut command = solitree();
        command.args(["engine-check", "--margin", "2s", "--json"]);
        command.args([env!("CARGO_BIN_EXE_solitree"), "engine", agent]);
        command
    };
    let output = check("champion").assert().success().get_output().stdout.clone();
    let told: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(told["holds"], true);
    let checks = told["checks"].as_array().unwrap();
    assert!(checks.len() > 15 && checks.iter().all(|check| check["verdict"] == "pass"), "{told}");
    // One that plays at random holds too, with advice at most.
    let output = check("random").assert().success().get_output().stdout.clone();
    let told: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert!(told["checks"].as_array().unwrap().iter().all(|check| check["verdict"] != "fail"));
}

#[cfg(unix)]
#[test]
fn an_engine_that_fails_is_told_why() {
    solitree()
        .args(["engine-check", "--start-time", "500ms", "cmd:sh -c 'echo hello; sleep 9'"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("ready"))
        .stdout(predicate::str::contains("FAIL     new: 'hello' in answer to new, not ready"))
        .stdout(predicate::str::contains("untried  it was never ready"))
        .stderr(predicate::str::contains("does not do all that it must"));
    solitree()
        .args(["engine-check", "no-such-engine", "--fast"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("cannot start \"no-such-engine\""));
    solitree().args(["engine-check", "cmd:"]).assert().code(2);
    solitree().args(["engine-check", "--start-time", "99999999d", "x"]).assert().code(2);
}

#[test]
fn agents_are_listed() {
    solitree()
        .args(["algorithms", "--players", "2"])
        .assert()
        .success()
        .stdout(predicate::str::contains("sufficiency"))
        .stdout(predicate::str::contains("champion"));
    solitree()
        .args(["algorithms", "--players", "2", "--json"])
        .assert()
        .success()
        .stdout(predicate::str::contains("Oppenhuis (2022)"));
}

#[test]
fn nonsense_is_refused() {
    let refused = |args: &[&str], what: &str| {
        solitree().args(args).assert().code(2).stderr(predicate::str::contains(what));
    };
    refused(&["match", "uct"], "two agents at least");
    refused(&["match", "uct", "uct"], "'uct' is named twice");
    refused(&["match", "uct", "champoin"], "did you mean 'champion'?");
    refused(&["match", "uct", "random", "--line", "9"], "does not fit");
    refused(&["match", "uct", "random", "--rows", "0"], "at least 1");
    refused(&["match", "uct", "random", "--rows", "900", "--cols", "900"], "too large");
    refused(&["match", "uct", "random", "--rounds", "0", "--squares", "0"], "one piece");
    refused(&["match", "uct", "random", "--sprt", "5"], "two Elo differences");
    refused(&["match", "uct", "random", "--move-time", "0s"], "no time at all");
    refused(&["match", "uct", "random", "--move-time", "99999999999d"], "more than a day");
    refused(&["engine", "cmd:x"], "not an agent of our own");
    refused(&["verify", "--game", "colorshapelinks", "--rules", "x", "-"], "no rules");
}

#[test]
fn an_engine_answers_and_survives_everything() {
    let conversation = "hello\nnew 6 7 4 10 11 200\ngo W 100 moves\n\u{1}\u{2}\ngo R 100 moves 3o";
    solitree()
        .args(["engine", "uct", "--playouts", "100"])
        .write_stdin(conversation)
        .assert()
        .success()
        .stdout(predicate::str::contains("unknown command 'hello'"))
        .stdout(predicate::str::contains("ready\n"))
        .stdout(predicate::function(|text: &str| text.matches("\nmove ").count() == 2))
        .stderr(predicate::str::contains("2 moves: median"));
}

#[test]
fn a_game_that_does_not_hold_is_named() {
    let game = |result: &str| {
        format!(
            r#"{{"rows":6,"cols":7,"line":4,"rounds":10,"squares":11,"moves":["3o","2s","3o","2s","3o","2o","3o"],"result":"{result}","by":"o"}}"#
        ) + "\n"
    };
    let verify = |text: String| {
        solitree().args(["verify", "--game", "colorshapelinks", "-"]).write_stdin(text).assert()
    };
    verify(game("W")).success().stdout("1 of 1 games hold\n");
    verify(game("W") + &game("R"))
        .code(1)
        .stdout("1 of 2 games hold\n")
        .stderr(predicate::str::contains("line 2: says R by o, but it is W by o"));
    verify("{}\n".to_owned()).code(3).stderr(predicate::str::contains("line 1"));
    verify(String::new()).code(3).stderr(predicate::str::contains("no games in it"));
}
