//! SameGame as planes.
//!
//! With [`Features::Colours`] there are `c + 1` planes, as in the paper: plane 0
//! marks the empty cells and plane `k` the blocks of colour `k`; one is set in
//! each cell. [`Features::Groups`] adds seventeen, of which one more is set in
//! each cell: which class of group the block belongs to (none, or one of eight
//! classes of size, and for each whether the block is the one that names its
//! group). A small network cannot count a large group by itself; with these
//! planes it need not.
//!
//! A move is the cell that names its group, the lowest of its leftmost column,
//! as in the paper and in the rest of this project. The policy of a group is
//! what the network says in that one cell: the other cells of the group are not
//! summed, which would favour large groups by their number of cells, and not
//! compared; a network is free to make its naming cell speak for the group, and
//! one look-up a move is all a search pays.

mod groups;
mod symmetry;

use solitree_core::{Puzzle, Rng};
use solitree_games::samegame::{
    Board, Cell, Engine, Kernels, MAX_COLOURS, MAX_HEIGHT, MAX_WIDTH, SameGame, State,
};

use crate::encoder::{Encoder, EncoderId, Input, PuzzleEncoder};

pub(crate) use groups::Groups;
pub use symmetry::Symmetry;

/// Raised whenever the same board would be encoded otherwise.
const VERSION: u32 = 1;

/// Which planes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// One plane a colour and one for empty cells.
    Colours,
    /// These, and the sizes of groups and the cells that name them.
    Groups,
}

/// Encodes SameGame boards of one size and number of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameGameEncoder {
    width: usize,
    height: usize,
    colours: usize,
    features: Features,
}

/// No board has this size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{width}x{height}x{colours}: a board is 1 to {MAX_WIDTH} wide, 1 to {MAX_HEIGHT} high and has 1 to {MAX_COLOURS} colours"
)]
pub struct NoSuchSize {
    /// Columns asked for.
    pub width: usize,
    /// Rows asked for.
    pub height: usize,
    /// Colours asked for.
    pub colours: usize,
}

/// A board that the encoder was not made for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a board of {found}, and this encoder is for {expected}")]
pub struct OtherSize {
    /// What the board is, as `WxHxC`.
    pub found: String,
    /// What the encoder takes, as `WxHxC`.
    pub expected: String,
}

impl SameGameEncoder {
    /// The encoder for boards of a size and up to so many colours.
    pub fn new(
        width: usize,
        height: usize,
        colours: usize,
        features: Features,
    ) -> Result<SameGameEncoder, NoSuchSize> {
        if !(1..=MAX_WIDTH).contains(&width)
            || !(1..=MAX_HEIGHT).contains(&height)
            || !(1..=MAX_COLOURS).contains(&colours)
        {
            return Err(NoSuchSize { width, height, colours });
        }
        Ok(SameGameEncoder { width, height, colours, features })
    }

    /// The encoder of weights for boards of a size: of their features, for no
    /// fewer colours than asked for. Where they are weights of something else,
    /// it is an encoder that they do not fit.
    pub fn of(
        id: &EncoderId,
        (width, height, colours): (usize, usize, usize),
    ) -> Result<SameGameEncoder, NoSuchSize> {
        let (name, features) = match id.features.strip_suffix("+groups") {
            Some(name) => (name, Features::Groups),
            None => (id.features.as_str(), Features::Colours),
        };
        let theirs = name.strip_prefix("colours").and_then(|number| number.parse().ok());
        let colours =
            theirs.filter(|number| (colours..=MAX_COLOURS).contains(number)).unwrap_or(colours);
        SameGameEncoder::new(width, height, colours, features)
    }

    /// How many colours there may be.
    #[must_use]
    pub fn colours(&self) -> usize {
        self.colours
    }

    /// The contents of a board: its colours, 0 for empty.
    pub fn board(&self, board: &Board) -> Result<Vec<u8>, OtherSize> {
        let fits = (board.width(), board.height()) == (self.width, self.height)
            && board.colours() <= self.colours;
        if !fits {
            return Err(OtherSize {
                found: format!("{}x{}x{}", board.width(), board.height(), board.colours()),
                expected: format!("{}x{}x{}", self.width, self.height, self.colours),
            });
        }
        let colour = |cell: usize| board.colour(cell / self.height, cell % self.height);
        Ok((0..self.width * self.height).map(colour).collect())
    }

    /// The cell of the game that a number stands for.
    #[must_use]
    pub fn cell(&self, index: u16) -> Cell {
        Cell::new(usize::from(index) / self.height, usize::from(index) % self.height)
    }

    fn number(&self, cell: Cell) -> u16 {
        (cell.column() * self.height + cell.row()) as u16
    }
}

impl Encoder for SameGameEncoder {
    fn id(&self) -> EncoderId {
        let more = match self.features {
            Features::Colours => "",
            Features::Groups => "+groups",
        };
        let features = format!("colours{}{more}", self.colours);
        EncoderId { game: "samegame".to_owned(), features, version: VERSION }
    }

    fn input(&self) -> Input {
        let (more, marks) = match self.features {
            Features::Colours => (0, 1),
            Features::Groups => (groups::CLASSES, 2),
        };
        let planes = self.colours + 1 + more;
        Input { width: self.width, height: self.height, planes, marks }
    }

    fn accepts(&self, contents: &[u8]) -> bool {
        contents.len() == self.width * self.height
            && contents.iter().all(|&colour| usize::from(colour) <= self.colours)
            && Board::new(self.width, self.height, |x, y| contents[x * self.height + y]).is_ok()
    }

    fn encode(&self, contents: &[u8], marks: &mut [u8]) {
        match self.features {
            Features::Colours => marks.copy_from_slice(contents),
            Features::Groups => {
                let groups = Groups::of(contents, self.height);
                let first = self.colours as u8 + 1;
                for (cell, pair) in marks.chunks_exact_mut(2).enumerate() {
                    pair[0] = contents[cell];
                    pair[1] = first + groups.class(cell);
                }
            }
        }
    }

    fn legal(&self, contents: &[u8], out: &mut Vec<u16>) {
        let groups = Groups::of(contents, self.height);
        out.clear();
        out.extend((0..contents.len()).filter(|&cell| groups.names(cell)).map(|cell| cell as u16));
    }

    fn twin(&self, contents: &mut [u8], moves: &mut [u16], rng: &mut Rng) {
        Symmetry::random(self.colours, rng).apply(self.height, contents, moves);
    }
}

impl<const W: usize, const P: usize> PuzzleEncoder<SameGame<W, P>> for SameGameEncoder
where
    Kernels: Engine<W, P>,
{
    fn contents(&self, _: &SameGame<W, P>, state: &State<W, P>, out: &mut [u8]) {
        for (cell, colour) in out.iter_mut().enumerate() {
            *colour = state.colour(cell / self.height, cell % self.height);
        }
    }

    fn index(&self, puzzle: &SameGame<W, P>, state: &State<W, P>, mv: Cell) -> u16 {
        self.number(puzzle.canonical(state, mv).unwrap_or(mv))
    }

    fn legal_index(&self, _: &SameGame<W, P>, _: &State<W, P>, mv: Cell) -> u16 {
        self.number(mv)
    }

    fn move_at(&self, puzzle: &SameGame<W, P>, state: &State<W, P>, index: u16) -> Option<Cell> {
        let inside = usize::from(index) < self.width * self.height;
        let cell = inside.then(|| self.cell(index))?;
        let mut moves = Vec::new();
        puzzle.moves(state, &mut moves);
        moves.contains(&cell).then_some(cell)
    }
}
