//! Positions that an engine is asked about, on the base board.

use solitree_core::Player;
use solitree_games::colorshapelinks::plain::{LineOf, PlainGame};
use solitree_games::colorshapelinks::{Layout, Placement};

/// An open game, White to move.
pub(super) const MIDDLE: &str = "5s 0o 2s 5o 0s 0s 1o 1s 1o 6o 0o 1o";
/// Only column 3 is open to White, who has both shapes.
pub(super) const COLUMN_3: &str = "2s 1s 1s 5o 1o 0s 4s 1s 5s 6s 4o 5o 5s 6o 2s 4s 1o 6s 1s 4s 2o \
                                   4s 5o 5o 0s 2o 6o 0s 0o 0s 0s 6s 4o 6o 2s 2o";
/// Only column 0 is open to Red, who has both shapes.
pub(super) const COLUMN_0: &str = "5o 1s 3o 3o 5s 3o 5o 2s 2o 3s 3s 1o 4o 5s 1o 1o 5s 4s 0s 3o 2s \
                                   6s 4o 2o 5s 6o 6s 2o 4o 6s 4o 6s 6o 0s 0s 2o 1s 4s 1s";
/// Only column 6 is open to White, who has both shapes.
pub(super) const COLUMN_6: &str = "0s 4o 4s 3s 1s 0s 5o 6o 3o 5o 2o 2s 3s 2o 4s 2s 5s 4o 2o 4s 1o \
                                   6s 1o 4s 3s 0s 2s 5s 0o 0o 5s 1s 0s 3s 1o 3o 5o 1o";
/// White has rounds only, and several columns to choose from.
pub(super) const ROUNDS_ONLY: &str =
    "0s 1s 0s 6o 2s 1o 5s 0o 4o 5o 1o 2o 1s 5o 0s 0s 4s 0s 5s 3o 3s 5s 3s 3s 5s 3o";
/// White wins by one move alone.
pub(super) const WIN_FOR_WHITE: &str = "0s 1s 0s 6o 2s 1o 5s 0o 4o 5o";
/// Red wins by one move alone.
pub(super) const WIN_FOR_RED: &str = "0s 1s 0s 6o 2s";
/// White loses at once but for one move.
pub(super) const THREAT_TO_WHITE: &str = "0s 1s 0s 6o 2s 1o";
/// Red loses at once but for one move.
pub(super) const THREAT_TO_RED: &str = "6s 1o 2o 1o 0o";

/// The moves of a text; all of them are written here or have been parsed before.
pub(super) fn moves(text: &str) -> Vec<Placement> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The board after some legal moves.
pub(super) fn played(layout: Layout, moves: &[Placement]) -> Result<PlainGame, String> {
    let mut board = PlainGame::new(layout).map_err(|error| error.to_string())?;
    for &mv in moves {
        board.play(mv).map_err(|refusal| format!("{mv}: {refusal}"))?;
    }
    Ok(board)
}

/// Whether a legal move wins at once.
pub(super) fn wins(board: &PlainGame, mv: Placement) -> bool {
    ended_by(board, mv) == Some(board.to_move())
}

/// Whether a legal move loses at once, or lets the opponent win at once.
pub(super) fn loses(board: &PlainGame, mv: Placement) -> bool {
    let mut next = board.clone();
    if next.play(mv).is_err() || ended_by(board, mv) == Some(board.to_move().other()) {
        return true;
    }
    next.moves().into_iter().any(|answer| wins(&next, answer))
}

fn ended_by(board: &PlainGame, mv: Placement) -> Option<Player> {
    let mut next = board.clone();
    next.play(mv).ok()?;
    next.line().map(LineOf::winner)
}

#[cfg(test)]
mod tests {
    use solitree_games::colorshapelinks::Shape;

    use super::*;

    fn board(text: &str) -> PlainGame {
        let moves = moves(text);
        assert_eq!(moves.len(), text.split_whitespace().count());
        let board = played(Layout::default(), &moves).unwrap();
        assert_eq!(board.outcome(), None);
        board
    }

    #[test]
    fn positions_are_what_they_are_said_to_be() {
        assert_eq!(board(MIDDLE).moves().len(), 14);
        for (text, column, player) in [
            (COLUMN_3, 3, Player::First),
            (COLUMN_0, 0, Player::Second),
            (COLUMN_6, 6, Player::First),
        ] {
            let board = board(text);
            let expected = Shape::ALL.map(|shape| Placement::new(column, shape));
            assert_eq!((board.moves(), board.to_move()), (expected.to_vec(), player));
        }
        let rounds = board(ROUNDS_ONLY).moves();
        assert!(rounds.len() > 2 && rounds.iter().all(|mv| mv.shape() == Shape::Round));
        for (text, player) in [(WIN_FOR_WHITE, Player::First), (WIN_FOR_RED, Player::Second)] {
            let board = board(text);
            let won = board.moves().into_iter().filter(|&mv| wins(&board, mv)).count();
            assert_eq!((won, board.to_move()), (1, player));
        }
        for (text, player) in [(THREAT_TO_WHITE, Player::First), (THREAT_TO_RED, Player::Second)] {
            let board = board(text);
            let safe = board.moves().into_iter().filter(|&mv| !loses(&board, mv)).count();
            let won = board.moves().into_iter().any(|mv| wins(&board, mv));
            assert_eq!((safe, won, board.to_move()), (1, false, player));
        }
    }
}
