//! Puzzles beside SameGame.

use super::*;

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
