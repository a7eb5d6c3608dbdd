//! `solitree show`: a board, and a line move by move.

use std::process::ExitCode;

use anyhow::Result;
use solitree_games::samegame::Rules;
use solitree_games::samegame::plain::PlainGame;

use super::Manner;
use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::output::{grouped, print};
use crate::render::{self, Style};
use crate::{boards, verification};

pub fn run(args: &ShowArgs, manner: Manner) -> Result<ExitCode> {
    let name = boards::find(&args.board)?;
    let start = name.board();
    let rules =
        Rules::parse(args.rules.as_deref().unwrap_or("samegame")).map_err(Failure::usage)?;
    let moves: Vec<String> =
        args.moves.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
    if args.svg {
        verification::replay(&start, &rules, &moves).map_err(Failure::Condition)?;
        print(&render::svg(&start, &rules, &moves))?;
        return Ok(ExitCode::SUCCESS);
    }
    if moves.is_empty() {
        // Plain text is the canonical form, which can be read again.
        let text = if manner.style == Style::Plain {
            start.to_string()
        } else {
            render::board(&start, manner.style, &[])
        };
        print(text.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut game = PlainGame::new(&start, &rules);
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
    Ok(ExitCode::SUCCESS)
}
