//! Every solution is replayed through the plain rules before anyone sees it.

use solitree_core::{Puzzle, Score};
use solitree_games::leftmove::LeftMove;
use solitree_games::morpion::plain::PlainGame as PlainMorpion;
use solitree_games::morpion::{Morpion, NotAStroke, Variant};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{AnySameGame, Board, Rules};

use crate::instance::Instance;

/// How a line went under the plain rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The final score.
    pub score: Score,
    /// Whether no block was left, in games that have blocks.
    pub cleared: Option<bool>,
    /// Whether a move was still possible at the end.
    pub unfinished: bool,
    /// The moves in the canonical notation.
    pub moves: Vec<String>,
}

/// Plays named moves; the error names the first that is not legal.
pub fn replay(instance: &Instance, moves: &[String]) -> Result<Replay, String> {
    match instance {
        Instance::SameGame { board, rules, .. } => samegame(board, rules, moves),
        Instance::Morpion(variant) => morpion(*variant, moves),
        Instance::LeftMove(puzzle) => leftmove(puzzle, moves),
    }
}

fn samegame(board: &Board, rules: &Rules, moves: &[String]) -> Result<Replay, String> {
    let mut game = PlainGame::new(board, rules);
    let mut canonical = Vec::with_capacity(moves.len());
    for (index, name) in moves.iter().enumerate() {
        let illegal = |why: &str| format!("move {} ({name}): {why}", index + 1);
        let cell = name.parse().map_err(|_| illegal("not a cell such as a1"))?;
        let group =
            game.play(cell).ok_or_else(|| illegal("no group of two or more blocks there"))?;
        canonical.push(group.cells[0].to_string());
    }
    Ok(Replay {
        score: game.score(),
        cleared: Some(game.is_cleared()),
        unfinished: !game.is_over(),
        moves: canonical,
    })
}

fn morpion(variant: Variant, moves: &[String]) -> Result<Replay, String> {
    let game = played_morpion(variant, moves)?;
    let unfinished = !game.moves().is_empty();
    Ok(Replay { score: game.score(), cleared: None, unfinished, moves: moves.to_vec() })
}

/// The game after some moves, by the plain rules; the error names the first
/// move that is not legal.
pub fn played_morpion(variant: Variant, moves: &[String]) -> Result<PlainMorpion, String> {
    let mut game = PlainMorpion::new(variant);
    for (index, name) in moves.iter().enumerate() {
        let illegal = |why: String| format!("move {} ({name}): {why}", index + 1);
        let stroke = name.parse().map_err(|error: NotAStroke| illegal(error.to_string()))?;
        game.play(stroke).map_err(illegal)?;
    }
    Ok(game)
}

/// The rules are plain enough as they are.
fn leftmove(puzzle: &LeftMove, moves: &[String]) -> Result<Replay, String> {
    let mut state = puzzle.start();
    for (index, name) in moves.iter().enumerate() {
        let illegal = |why: &str| format!("move {} ({name}): {why}", index + 1);
        if puzzle.is_over(&state) {
            return Err(illegal("the game is over"));
        }
        let mv = puzzle.parse_move(&state, name).ok_or_else(|| illegal("neither L nor R"))?;
        puzzle.play(&mut state, mv);
    }
    let unfinished = !puzzle.is_over(&state);
    Ok(Replay { score: puzzle.score(&state), cleared: None, unfinished, moves: moves.to_vec() })
}

/// How many moves there were to choose from, on average over a legal line.
#[must_use]
pub fn branching(instance: &Instance, moves: &[String]) -> f64 {
    match instance {
        Instance::SameGame { board, rules, .. } => match AnySameGame::new(board, rules) {
            AnySameGame::Small(game) => mean_choices(&game, moves),
            AnySameGame::Large(game) => mean_choices(&game, moves),
        },
        Instance::Morpion(variant) => mean_choices(&Morpion::new(*variant), moves),
        Instance::LeftMove(puzzle) => mean_choices(puzzle, moves),
    }
}

fn mean_choices<P: Puzzle>(puzzle: &P, names: &[String]) -> f64 {
    let mut state = puzzle.start();
    let (mut choices, mut played, mut legal) = (0, 0, Vec::new());
    for name in names {
        puzzle.moves(&state, &mut legal);
        choices += legal.len();
        let Some(mv) = puzzle.parse_move(&state, name) else { break };
        puzzle.play(&mut state, mv);
        played += 1;
    }
    choices as f64 / f64::from(played.max(1))
}
