//! `solitree show`: an instance, and what a line makes of it.

use std::process::ExitCode;

use anyhow::Result;
use solitree_core::Score;
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Board, Rules};
use solitree_lab::{Failure, Instance, played_morpion, replay};

use super::Manner;
use crate::args::ShowArgs;
use crate::output::{grouped, print};
use crate::render::{self, Style};
use crate::sketch;

pub fn run(args: &ShowArgs, manner: Manner) -> Result<ExitCode> {
    let instance = Instance::find(&args.board, args.rules.as_deref())?;
    let moves: Vec<String> =
        args.moves.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
    match &instance {
        Instance::SameGame { board, rules, .. } => {
            if args.svg {
                replay(&instance, &moves).map_err(Failure::Condition)?;
                print(&render::svg(board, rules, &moves))?;
            } else {
                samegame(board, rules, &moves, manner)?;
            }
        }
        Instance::Morpion(variant) => {
            let game = played_morpion(*variant, &moves).map_err(Failure::Condition)?;
            if args.svg {
                print(&sketch::svg(&game))?;
            } else {
                print(&sketch::text(&game))?;
                print(&ending(game.score(), game.moves().len()))?;
            }
        }
        Instance::LeftMove(puzzle) => {
            if args.svg {
                return Err(Failure::usage("--svg: leftmove has no picture"));
            }
            let replay = replay(&instance, &moves).map_err(Failure::Condition)?;
            let left = puzzle.depth() as usize - moves.len();
            print(&format!("{}{}", replay.moves.concat(), ".".repeat(left)))?;
            print(&ending(replay.score, if left > 0 { 2 } else { 0 }))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be said below a picture.
fn ending(score: Score, moves: usize) -> String {
    let state = match moves {
        0 => "game over".to_owned(),
        1 => "1 move possible".to_owned(),
        moves => format!("{moves} moves possible"),
    };
    format!("score {}, {state}", grouped(score.0))
}

fn samegame(start: &Board, rules: &Rules, moves: &[String], manner: Manner) -> Result<()> {
    if moves.is_empty() {
        // Plain text is the canonical form, which can be read again.
        let text = if manner.style == Style::Plain {
            start.to_string()
        } else {
            render::board(start, manner.style, &[])
        };
        print(text.trim_end())?;
        return Ok(());
    }
    let mut game = PlainGame::new(start, rules);
    for (index, text) in moves.iter().enumerate() {
        let illegal = |why: &str| Failure::Condition(format!("move {} ({text}): {why}", index + 1));
        let cell = text.parse().map_err(|_| illegal("not a cell such as a1"))?;
        let group =
            game.group(cell).ok_or_else(|| illegal("no group of two or more blocks there"))?;
        let picture = render::board(&game.board(), manner.style, &group.cells);
        let before = game.score();
        game.play(cell);
        let gain = game.score() - before;
        print(&format!(
            "move {}: {}, {} blocks, {}{}, score {}",
            index + 1,
            group.cells[0],
            group.cells.len(),
            if gain.0 < 0 { "" } else { "+" },
            grouped(gain.0),
            grouped(game.score().0)
        ))?;
        print(&picture)?;
    }
    let left = game.board().blocks();
    let state = if left == 0 {
        "board cleared".to_owned()
    } else if game.is_over() {
        format!("game over, {left} blocks left")
    } else {
        format!("{left} blocks left, game not over")
    };
    if left > 0 {
        print(&render::board(&game.board(), manner.style, &[]))?;
    }
    print(&format!("final score {}, {state}", grouped(game.score().0)))?;
    Ok(())
}
