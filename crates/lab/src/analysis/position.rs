//! A position of ColorShapeLinks by the moves that lead to it, and what can be seen
//! of it without a search.

use solitree_core::{Game, Outcome, Player};
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{AnyGame, Layout, Placement};
use solitree_search::uct::Proof;

use super::fields::quoted;

/// A position in which the game is not over.
#[derive(Clone, Debug)]
pub struct Position {
    layout: Layout,
    history: Vec<Placement>,
    to_move: Player,
}

impl Position {
    /// Plays moves by their names; the error says what is wrong with which of them.
    pub fn after(layout: Layout, moves: &[String]) -> Result<Position, String> {
        let mut board = PlainGame::new(layout).map_err(|error| error.to_string())?;
        let mut history: Vec<Placement> = Vec::new();
        for (word, number) in moves.iter().zip(1..) {
            let wrong = |why: String| format!("move {number} ({}): {why}", quoted(word));
            let mv: Placement = word.parse().map_err(wrong)?;
            board.play(mv).map_err(|refusal| wrong(refusal.to_string()))?;
            history.push(mv);
        }
        match board.outcome() {
            Some(_) => Err("the game is over after them".to_owned()),
            None => Ok(Position { layout, history, to_move: board.to_move() }),
        }
    }

    /// The board it is on.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The moves so far.
    #[must_use]
    pub fn history(&self) -> &[Placement] {
        &self.history
    }

    /// Whose turn it is.
    #[must_use]
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// Every legal move with what two moves ahead say of it: agents that prove
    /// nothing see that, too. The error says that there is no such board.
    pub fn sights(&self) -> Result<Vec<(Placement, Proof)>, String> {
        match AnyGame::new(self.layout).map_err(|error| error.to_string())? {
            AnyGame::Small(game) => Ok(sights(&game, &self.history)),
            AnyGame::Medium(game) => Ok(sights(&*game, &self.history)),
            AnyGame::Large(game) => Ok(sights(&*game, &self.history)),
        }
    }
}

fn sights<G: Game>(game: &G, history: &[G::Move]) -> Vec<(G::Move, Proof)> {
    let (mut state, mut legal) = (game.start(), Vec::new());
    history.iter().for_each(|&mv| game.play(&mut state, mv));
    game.moves(&state, &mut legal);
    let mover = game.to_move(&state);
    let sight = |mv: G::Move| {
        let mut next = state.clone();
        game.play(&mut next, mv);
        match game.outcome(&next) {
            Some(Outcome::Won(winner)) if winner == mover => Proof::Won,
            Some(Outcome::Won(_)) => Proof::Lost,
            Some(Outcome::Draw) => Proof::Drawn,
            None if game.winning_move(&next).is_some() => Proof::Lost,
            None => Proof::Open,
        }
    };
    legal.into_iter().map(|mv| (mv, sight(mv))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Result<Position, String> {
        let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        Position::after(Layout::default(), &moves)
    }

    #[test]
    fn wins_and_losses_are_seen() {
        let seen = |moves: &str| after(moves).unwrap().sights().unwrap();
        let of = |moves: &str, name: &str| {
            let mv: Placement = name.parse().unwrap();
            seen(moves).into_iter().find(|&(other, _)| other == mv).unwrap().1
        };
        assert!(seen("").iter().all(|&(_, proof)| proof == Proof::Open));
        assert_eq!(of("0o 6s 0o 6s 0o 5s", "0o"), Proof::Won);
        assert_eq!(of("0o 6s 0o 6s 0o", "1s"), Proof::Lost);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(after("9o").unwrap_err(), "move 1 ('9o'): there is no such column");
        assert!(after("3o x").unwrap_err().starts_with("move 2 ('x'): 'x' is not a move"));
        let over = after("0o 6s 0o 6s 0o 6s 0o").unwrap_err();
        assert_eq!(over, "the game is over after them");
        assert!(after("0o 6s 0o 6s 0o 6s 0o 1o").unwrap_err().starts_with("move 8 ('1o')"));
    }
}
