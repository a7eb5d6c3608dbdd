//! Every solution is replayed through the plain rules before anyone sees it.

use solitree_core::Score;
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Board, Rules};

/// How a line went on the plain board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The final score.
    pub score: Score,
    /// Whether no block was left.
    pub cleared: bool,
    /// Whether a move was still possible at the end.
    pub unfinished: bool,
    /// The moves in the canonical notation.
    pub moves: Vec<String>,
}

/// Plays named moves; the error names the first that is not legal.
pub fn replay(board: &Board, rules: &Rules, moves: &[impl AsRef<str>]) -> Result<Replay, String> {
    let mut game = PlainGame::new(board, rules);
    let mut canonical = Vec::with_capacity(moves.len());
    for (index, name) in moves.iter().enumerate() {
        let name = name.as_ref();
        let illegal = |why: &str| format!("move {} ({name}): {why}", index + 1);
        let cell = name.parse().map_err(|_| illegal("not a cell such as a1"))?;
        let group =
            game.play(cell).ok_or_else(|| illegal("no group of two or more blocks there"))?;
        canonical.push(group.cells[0].to_string());
    }
    Ok(Replay {
        score: game.score(),
        cleared: game.is_cleared(),
        unfinished: !game.is_over(),
        moves: canonical,
    })
}
