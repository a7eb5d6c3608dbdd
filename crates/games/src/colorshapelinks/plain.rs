//! The rules in the plainest way: an array of cells, the whole board searched
//! for lines after every move. The fast engine is tested against this one, and
//! what a user is shown has been replayed on it.

use solitree_core::{Outcome, Player};

use super::{Layout, LayoutError, Placement, Shape};

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose.
    pub colour: Player,
    /// Of which shape.
    pub shape: Shape,
}

/// A line that decided a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOf {
    /// One shape.
    Shape(Shape),
    /// One colour.
    Colour(Player),
}

impl LineOf {
    /// Who wins by it.
    #[must_use]
    pub fn winner(self) -> Player {
        match self {
            LineOf::Shape(shape) => shape.owner(),
            LineOf::Colour(player) => player,
        }
    }
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct PlainGame {
    layout: Layout,
    /// Columns from the left, pieces from the bottom.
    columns: Vec<Vec<Piece>>,
    /// Rounds and squares that each player has left.
    supplies: [[u32; 2]; 2],
    to_move: Player,
}

/// Why a move is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// There is no such column.
    #[error("there is no such column")]
    NoColumn,
    /// He has no such piece left.
    #[error("no such piece is left")]
    NoPiece,
    /// The column is full.
    #[error("the column is full")]
    FullColumn,
}

impl PlainGame {
    /// An empty board.
    pub fn new(layout: Layout) -> Result<PlainGame, LayoutError> {
        let layout = layout.check()?;
        Ok(PlainGame {
            layout,
            columns: vec![Vec::new(); layout.cols as usize],
            supplies: [[layout.rounds, layout.squares]; 2],
            to_move: Player::First,
        })
    }

    /// Who moves next, if the game is not over.
    #[must_use]
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// The piece in a cell; row 0 is the bottom.
    #[must_use]
    pub fn piece(&self, row: usize, column: usize) -> Option<Piece> {
        self.columns.get(column)?.get(row).copied()
    }

    /// What is left of a shape to a player.
    #[must_use]
    pub fn supply(&self, player: Player, shape: Shape) -> u32 {
        self.supplies[player as usize][shape as usize]
    }

    /// Whether a move is legal, and if not, why.
    pub fn check(&self, mv: Placement) -> Result<(), Refusal> {
        if self.outcome().is_some() {
            return Err(Refusal::Over);
        }
        let column = self.columns.get(mv.column() as usize).ok_or(Refusal::NoColumn)?;
        // The framework's order.
        if self.supply(self.to_move, mv.shape()) == 0 {
            return Err(Refusal::NoPiece);
        }
        if column.len() >= self.layout.rows as usize { Err(Refusal::FullColumn) } else { Ok(()) }
    }

    /// Plays a move if it is legal.
    pub fn play(&mut self, mv: Placement) -> Result<(), Refusal> {
        self.check(mv)?;
        let piece = Piece { colour: self.to_move, shape: mv.shape() };
        self.columns[mv.column() as usize].push(piece);
        self.supplies[self.to_move as usize][mv.shape() as usize] -= 1;
        self.to_move = self.to_move.other();
        Ok(())
    }

    /// Every legal move: by columns, the round piece first.
    #[must_use]
    pub fn moves(&self) -> Vec<Placement> {
        let all = (0..self.layout.cols)
            .flat_map(|column| Shape::ALL.map(|shape| Placement::new(column, shape)));
        all.filter(|&mv| self.check(mv).is_ok()).collect()
    }

    /// The line that decides the game, as the framework looks for it: round,
    /// square, white, red.
    #[must_use]
    pub fn line(&self) -> Option<LineOf> {
        let kinds = [
            LineOf::Shape(Shape::Round),
            LineOf::Shape(Shape::Square),
            LineOf::Colour(Player::First),
            LineOf::Colour(Player::Second),
        ];
        kinds.into_iter().find(|&kind| self.has_line(kind))
    }

    fn has_line(&self, kind: LineOf) -> bool {
        let fits = |piece: Piece| match kind {
            LineOf::Shape(shape) => piece.shape == shape,
            LineOf::Colour(player) => piece.colour == player,
        };
        let Layout { rows, cols, line, .. } = self.layout;
        let is_there = |row: i64, column: i64| {
            let piece = (row >= 0 && column >= 0)
                .then(|| self.piece(row as usize, column as usize))
                .flatten();
            piece.is_some_and(fits)
        };
        let runs = |row: i64, column: i64, (up, right): (i64, i64)| {
            (0..i64::from(line)).all(|step| is_there(row + step * up, column + step * right))
        };
        (0..i64::from(rows)).any(|row| {
            (0..i64::from(cols)).any(|column| {
                [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|&way| runs(row, column, way))
            })
        })
    }

    /// The result, once the game is over.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(line) = self.line() {
            return Some(Outcome::Won(line.winner()));
        }
        let full = self.columns.iter().all(|column| column.len() >= self.layout.rows as usize);
        let nothing_left = self.supplies.iter().flatten().all(|&left| left == 0);
        (full || nothing_left).then_some(Outcome::Draw)
    }
}

/// The board as the framework draws it, the top row first: `w` and `r` are round,
/// `W` and `R` square.
impl std::fmt::Display for PlainGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for row in (0..self.layout.rows as usize).rev() {
            for column in 0..self.layout.cols as usize {
                let letter = self.piece(row, column).map_or('.', |piece| {
                    let letter = if piece.colour == Player::First { 'w' } else { 'r' };
                    if piece.shape == Shape::Square { letter.to_ascii_uppercase() } else { letter }
                });
                write!(f, "{letter}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
