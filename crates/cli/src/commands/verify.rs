//! `solitree verify`: replays solutions and stops at the first that does not
//! hold.

use std::process::ExitCode;

use anyhow::Result;
use solitree_games::samegame::Rules;
use solitree_lab::{Failure, GameName, Instance, replay};

use crate::args::{VerifiedGame, VerifyArgs};
use crate::claims::{self, Claim};
use crate::output::print;

pub fn run(args: &VerifyArgs) -> Result<ExitCode> {
    let game = match args.game {
        Some(VerifiedGame::ColorShapeLinks) => return games(args),
        Some(VerifiedGame::Puzzle(game)) => Some(game),
        None => None,
    };
    if let (Some(rules), Some(game)) = (&args.rules, game)
        && game != GameName::SameGame
    {
        return Err(Failure::usage(format!("--rules {rules}: {game} has no rules to choose from")));
    }
    let default_rules = args.rules.as_deref().unwrap_or("samegame");
    Rules::parse(default_rules).map_err(Failure::usage)?;
    let (mut held, mut total) = (0u64, 0i64);
    for claim in claims::read(&args.file)? {
        let (place, claim) = claim?;
        match check(&claim, game, default_rules) {
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
        return Err(Failure::input(format!("{}: no solutions in it", args.file.display())));
    }
    print(&format!("{held} of {held} solutions hold, total score {total}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Recorded games, each replayed under the plain rules.
fn games(args: &VerifyArgs) -> Result<ExitCode> {
    if let Some(rules) = &args.rules {
        return Err(Failure::usage(format!(
            "--rules {rules}: colorshapelinks has no rules to choose from"
        )));
    }
    let mut held = 0u64;
    for game in claims::read_games(&args.file)? {
        let (place, game) = game?;
        if let Err(error) = game.replay() {
            print(&format!("{held} of {} games hold", held + 1))?;
            return Err(Failure::Condition(format!("{place}: {error}")).into());
        }
        held += 1;
    }
    if held == 0 {
        return Err(Failure::input(format!("{}: no games in it", args.file.display())));
    }
    print(&format!("{held} of {held} games hold"))?;
    Ok(ExitCode::SUCCESS)
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
    let default_rules = (game == GameName::SameGame).then_some(default_rules);
    let rules = claim.rules.as_deref().or(default_rules);
    // A name or rows, never a file: a claim must stand by itself.
    let instance = Instance::named(&claim.board, rules).map_err(|error| unreadable(&error))?;
    let replay = replay(&instance, &claim.moves)
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
