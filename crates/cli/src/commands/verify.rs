//! `solitree verify`: replays solutions and stops at the first that does not
//! hold.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde::Deserialize;
use solitree_games::samegame::Rules;

use crate::args::{GameName, VerifyArgs};
use crate::failure::Failure;
use crate::instance::Instance;
use crate::output::print;
use crate::verification;

/// A solution as a line gives it; what else `solve --json` prints does not
/// matter here.
#[derive(Deserialize)]
struct Claim {
    board: String,
    rules: Option<String>,
    score: i64,
    cleared: Option<bool>,
    moves: Vec<String>,
}

pub fn run(args: &VerifyArgs) -> Result<ExitCode> {
    if let (Some(rules), Some(game)) = (&args.rules, args.game)
        && game != GameName::Samegame
    {
        return Err(Failure::usage(format!("--rules {rules}: {game} has no rules to choose from")));
    }
    let standard_input = args.file == Path::new("-");
    let name =
        if standard_input { "standard input".to_owned() } else { args.file.display().to_string() };
    let reader: Box<dyn BufRead> = if standard_input {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        Box::new(BufReader::new(
            File::open(&args.file).map_err(|error| Failure::input(format!("{name}: {error}")))?,
        ))
    };
    let default_rules = args.rules.as_deref().unwrap_or("samegame");
    Rules::parse(default_rules).map_err(Failure::usage)?;
    let (mut held, mut total) = (0u64, 0i64);
    for (index, line) in reader.lines().enumerate() {
        let place = format!("{name}, line {}", index + 1);
        let line = line.map_err(|error| Failure::input(format!("{place}: {error}")))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let claim = read(line).map_err(|error| Failure::input(format!("{place}: {error}")))?;
        match check(&claim, args.game, default_rules) {
            Ok(()) => {}
            Err(Wrong::Unreadable(error)) => {
                return Err(Failure::input(format!("{place}: {error}")));
            }
            Err(Wrong::False(error)) => {
                print(&format!("{held} of {} solutions hold", held + 1))?;
                return Err(Failure::Condition(format!("{place}: {error}")).into());
            }
        }
        held += 1;
        total += claim.score;
    }
    if held == 0 {
        return Err(Failure::input(format!("{name}: no solutions in it")));
    }
    print(&format!("{held} of {held} solutions hold, total score {total}"))?;
    Ok(ExitCode::SUCCESS)
}

fn read(line: &str) -> Result<Claim, String> {
    if line.starts_with('{') {
        return serde_json::from_str(line).map_err(|error| error.to_string());
    }
    let mut words = line.split_whitespace();
    let board = words.next().unwrap_or_default().to_owned();
    let score = words.next().ok_or("expected BOARD SCORE MOVES…")?;
    let score = score.parse().map_err(|_| format!("'{score}' is not a score"))?;
    let moves = words.map(str::to_owned).collect();
    Ok(Claim { board, rules: None, score, cleared: None, moves })
}

enum Wrong {
    Unreadable(String),
    False(String),
}

fn check(claim: &Claim, wanted: Option<GameName>, default_rules: &str) -> Result<(), Wrong> {
    let unreadable = |error: &dyn std::fmt::Display| Wrong::Unreadable(error.to_string());
    let game = GameName::of(&claim.board);
    if let Some(wanted) = wanted.filter(|&wanted| wanted != game) {
        return Err(unreadable(&format!("{} is of {game}, not of {wanted}", claim.board)));
    }
    let default_rules = (game == GameName::Samegame).then_some(default_rules);
    let rules = claim.rules.as_deref().or(default_rules);
    // A name or rows, never a file: a claim must stand by itself.
    let instance = Instance::named(&claim.board, rules).map_err(|error| unreadable(&error))?;
    let replay = verification::replay(&instance, &claim.moves)
        .map_err(|error| Wrong::False(format!("{}: {error}", claim.board)))?;
    if replay.score.0 != claim.score {
        let text = format!("{}: scores {}, not {}", claim.board, replay.score, claim.score);
        return Err(Wrong::False(text));
    }
    if claim.cleared.is_some() && claim.cleared != replay.cleared {
        let text = if replay.cleared == Some(true) {
            "clears the board"
        } else {
            "does not clear the board"
        };
        return Err(Wrong::False(format!("{}: {text}", claim.board)));
    }
    if replay.unfinished {
        return Err(Wrong::False(format!(
            "{}: the game is not over after the last move",
            claim.board
        )));
    }
    Ok(())
}
