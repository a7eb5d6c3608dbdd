//! Games that the rules in the page must play as the engine does.

use serde_json::{Value, json};
use solitree_core::{Outcome, Player, Rng};
use solitree_games::colorshapelinks::Layout;
use solitree_games::colorshapelinks::plain::PlainGame as Links;
use solitree_games::samegame::plain::PlainGame;
use solitree_lab::Instance;

use crate::boards;
use crate::protocol::LayoutView;
use crate::typescript::must_be;

/// Boards of all shapes, with all the rules.
fn starts() -> Vec<(String, String)> {
    let sizes = ["15x15x5", "6x3x4", "1x9x2", "9x1x2", "32x16x9", "12x8x3", "3x3x1", "7x16x6"];
    let rules =
        ["samegame", "samegame-clamped", "codingame", "clickomania", "bubble-breaker", "n;left=-m"];
    let mut starts: Vec<(String, String)> = ["std:1", "std:20", "r250:7", "11/22", "3../31./311"]
        .map(|board| (board.to_owned(), "samegame".to_owned()))
        .to_vec();
    for (index, size) in sizes.iter().cycle().take(24).enumerate() {
        starts.push((format!("random:{index}:{size}"), rules[index % rules.len()].to_owned()));
    }
    starts
}

/// A random game, with what there was to see on the way.
fn played(board: &str, rules: &str, seed: u64) -> Value {
    let instance = boards::instance(board, Some(rules), 4096).unwrap();
    let view = boards::view(&instance).unwrap();
    let Instance::SameGame { board, rules, .. } = &instance else { panic!("another game") };
    let mut game = PlainGame::new(board, rules);
    let (mut rng, mut steps) = (Rng::new(seed), Vec::new());
    loop {
        let groups = game.groups();
        let Some(group) = groups.get(rng.below(groups.len() as u32) as usize) else { break };
        // Any cell of the group stands for it.
        let cell = group.cells[rng.below(group.cells.len() as u32) as usize];
        let (first, size) = (group.cells[0].to_string(), group.cells.len());
        let count = groups.len();
        game.play(cell).unwrap();
        steps.push(json!([cell.to_string(), first, size, count, game.score()]));
    }
    let end = game.board().to_inline();
    json!({ "view": view, "steps": steps, "end": end, "cleared": game.is_cleared() })
}

/// A random game of ColorShapeLinks, with its end.
fn dropped(layout: Layout, seed: u64) -> Value {
    let (mut game, mut rng, mut moves) = (Links::new(layout).unwrap(), Rng::new(seed), Vec::new());
    let mut choices = Vec::new();
    while game.outcome().is_none() {
        let legal = game.moves();
        choices.push(legal.len());
        let mv = legal[rng.below(legal.len() as u32) as usize];
        game.play(mv).unwrap();
        moves.push(mv.to_string());
    }
    let result = match game.outcome() {
        Some(Outcome::Won(Player::First)) => "white",
        Some(Outcome::Won(Player::Second)) => "red",
        Some(Outcome::Draw) | None => "draw",
    };
    let view = LayoutView::from(layout);
    json!({ "layout": view, "moves": moves, "choices": choices, "result": result })
}

#[test]
fn the_games_for_two_that_the_page_is_tested_with_are_current() {
    let small = Layout { rows: 3, cols: 3, line: 3, rounds: 2, squares: 3 };
    let wide = Layout { rows: 4, cols: 9, line: 5, rounds: 9, squares: 9 };
    let layouts = [Layout::default(), small, wide];
    let games: Vec<String> = (0..90)
        .map(|seed| dropped(layouts[seed as usize % layouts.len()], seed).to_string())
        .collect();
    must_be("tests/links-vectors.json", &format!("[\n{}\n]\n", games.join(",\n")));
}

#[test]
fn the_games_that_the_page_is_tested_with_are_current() {
    let games: Vec<String> = starts()
        .iter()
        .zip(0..)
        .map(|((board, rules), seed)| played(board, rules, seed).to_string())
        .collect();
    must_be("tests/vectors.json", &format!("[\n{}\n]\n", games.join(",\n")));
}
