//! The game on sets of cells.

use solitree_core::{Game, Manner, Outcome, Player, Rng, Sight, mix};

use super::bits::{Cells, Fixed, Free, has_line, line_through};
use super::{Layout, LayoutError, Placement, Shape};

/// The rules on a board of at most `N` words.
#[derive(Clone, Debug)]
pub struct ColorShapeLinks<const N: usize> {
    pub(super) layout: Layout,
    /// Bits of a column.
    pub(super) stride: u32,
    /// The lowest cell of every column.
    pub(super) bottom: Cells<N>,
    /// Every cell.
    pub(super) board: Cells<N>,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const N: usize> {
    /// The pieces of each player.
    pub(super) colour: [Cells<N>; 2],
    /// The pieces of each shape.
    pub(super) shape: [Cells<N>; 2],
    /// Rounds and squares that each player has left.
    pub(super) supply: [[u16; 2]; 2],
    plies: u16,
    outcome: Option<Outcome>,
}

impl<const N: usize> State<N> {
    /// Who moves next.
    #[inline(always)]
    pub(super) fn mover(&self) -> Player {
        if self.plies.is_multiple_of(2) { Player::First } else { Player::Second }
    }

    /// The cells that are taken.
    #[inline(always)]
    pub(super) fn taken(&self) -> Cells<N> {
        self.colour[0] | self.colour[1]
    }

    /// What is left of a shape to a player.
    #[must_use]
    pub fn supply(&self, player: Player, shape: Shape) -> u32 {
        u32::from(self.supply[player as usize][shape as usize])
    }
}

impl<const N: usize> ColorShapeLinks<N> {
    /// The game of a layout that fits in `N` words.
    pub fn new(layout: Layout) -> Result<Self, LayoutError> {
        let Layout { rows, cols, .. } = layout.check()?;
        let (stride, most) = (rows + 1, 64 * N as u32);
        if cols * stride > most {
            return Err(LayoutError::TooLarge { rows, cols, most });
        }
        let row = |row: u32| {
            let bits = (0..cols).map(|column| column * stride + row);
            bits.fold(Cells::NONE, |all, bit| all | Cells::only(bit))
        };
        let board = (0..rows).fold(Cells::NONE, |all, at| all | row(at));
        Ok(ColorShapeLinks { layout, stride, bottom: row(0), board })
    }

    /// Board, line and supplies.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Whether lines are as on the base board, for which there is faster code.
    #[inline(always)]
    pub(super) fn is_base(&self) -> bool {
        (self.layout.line, self.stride) == (4, 7)
    }

    #[inline(always)]
    pub(super) fn geometry(&self) -> Free {
        Free { line: self.layout.line, stride: self.stride }
    }

    /// How many pieces are in a column.
    pub(super) fn height(&self, taken: &Cells<N>, column: u32) -> u32 {
        // A column is filled from the bottom without gaps.
        taken.from(column * self.stride).trailing_ones()
    }

    /// Puts a piece where it falls to, and says where that is.
    #[inline(always)]
    fn put(&self, state: &mut State<N>, mv: Placement) -> u32 {
        let (player, shape) = (state.mover(), mv.shape());
        let row = self.height(&state.taken(), mv.column());
        let bit = mv.column() * self.stride + row;
        state.colour[player as usize].insert(bit);
        state.shape[shape as usize].insert(bit);
        state.supply[player as usize][shape as usize] -= 1;
        state.plies += 1;
        bit
    }

    #[inline(always)]
    fn has_line(&self, cells: &Cells<N>, bit: u32) -> bool {
        if N > 1 {
            line_through(cells, bit, self.layout.line, self.stride)
        } else if self.is_base() {
            has_line(Cells([cells.0[0]]), Fixed::<4, 7>)
        } else {
            has_line(Cells([cells.0[0]]), self.geometry())
        }
    }
}

impl<const N: usize> Game for ColorShapeLinks<N> {
    type State = State<N>;
    type Move = Placement;

    fn start(&self) -> State<N> {
        let supply = [self.layout.rounds as u16, self.layout.squares as u16];
        State {
            colour: [Cells::NONE; 2],
            shape: [Cells::NONE; 2],
            supply: [supply; 2],
            plies: 0,
            outcome: None,
        }
    }

    /// By columns, the round piece first.
    fn moves(&self, state: &State<N>, out: &mut Vec<Placement>) {
        out.clear();
        if state.outcome.is_some() {
            return;
        }
        let taken = state.taken();
        let left = state.supply[state.mover() as usize];
        for column in 0..self.layout.cols {
            if self.height(&taken, column) < self.layout.rows {
                let shapes = Shape::ALL.into_iter().filter(|&shape| left[shape as usize] > 0);
                out.extend(shapes.map(|shape| Placement::new(column, shape)));
            }
        }
    }

    #[inline]
    fn play(&self, state: &mut State<N>, mv: Placement) {
        let (player, shape) = (state.mover(), mv.shape());
        let bit = self.put(state, mv);
        // A shape goes before a colour.
        if self.has_line(&state.shape[shape as usize], bit) {
            state.outcome = Some(Outcome::Won(shape.owner()));
        } else if self.has_line(&state.colour[player as usize], bit) {
            state.outcome = Some(Outcome::Won(player));
        } else if usize::from(state.plies) >= self.layout.max_moves() {
            state.outcome = Some(Outcome::Draw);
        }
    }

    /// Without a look for lines.
    #[inline]
    fn replay(&self, state: &mut State<N>, mv: Placement) {
        self.put(state, mv);
    }

    fn to_move(&self, state: &State<N>) -> Player {
        state.mover()
    }

    fn outcome(&self, state: &State<N>) -> Option<Outcome> {
        state.outcome
    }

    /// Whose move it is and what is left follow from the pieces.
    fn key(&self, state: &State<N>) -> u64 {
        let sets = [&state.colour[0].0, &state.colour[1].0, &state.shape[0].0];
        sets.into_iter().flatten().fold(0, |key, &word| mix(key ^ word).wrapping_add(word))
    }

    fn move_name(&self, _: &State<N>, mv: Placement) -> String {
        mv.to_string()
    }

    fn parse_move(&self, state: &State<N>, name: &str) -> Option<Placement> {
        let mv = name.parse().ok()?;
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.contains(&mv).then_some(mv)
    }

    fn max_moves(&self) -> usize {
        self.layout.max_moves()
    }

    fn played(&self, state: &State<N>) -> usize {
        usize::from(state.plies)
    }

    fn play_out(&self, state: &mut State<N>, manner: Manner, rng: &mut Rng) -> Outcome {
        if let Some(outcome) = state.outcome {
            return outcome;
        }
        self.finish_by(state, manner, rng)
    }

    fn winning_move(&self, state: &State<N>) -> Option<Placement> {
        self.win_at_once(state)
    }

    fn look_ahead(&self, state: &State<N>, out: &mut Vec<Placement>) -> Sight<Placement> {
        self.look(state, out)
    }

    /// By the cells that complete a line for either player, now or later.
    fn impression(&self, state: &State<N>) -> Option<f32> {
        Some(self.balance(state))
    }

    /// A cell, a player and a shape.
    fn codes(&self) -> usize {
        4 * (self.layout.cols * self.stride) as usize
    }

    #[inline]
    fn code(&self, state: &State<N>, mv: Placement) -> usize {
        let bit = mv.column() * self.stride + self.height(&state.taken(), mv.column());
        4 * bit as usize + 2 * state.mover() as usize + mv.shape() as usize
    }

    /// A piece that was not there before was played since.
    #[inline(always)]
    fn played_between(
        &self,
        before: &State<N>,
        after: &State<N>,
        mut tell: impl FnMut(Player, usize),
    ) {
        let before = before.taken();
        let second = Player::Second as usize;
        for word in 0..N {
            let mut new = after.taken().0[word] & !before.0[word];
            let (reds, squares) = (after.colour[second].0[word], after.shape[1].0[word]);
            while new != 0 {
                let bit = new.trailing_zeros();
                let (red, square) = ((reds >> bit & 1) as usize, (squares >> bit & 1) as usize);
                let code = 4 * (64 * word + bit as usize) + 2 * red + square;
                tell(if red == second { Player::Second } else { Player::First }, code);
                new &= new - 1;
            }
        }
    }

    /// One's own shape only (move reduction, Oppenhuis 2022).
    fn early_moves(&self, state: &State<N>, out: &mut Vec<Placement>) {
        self.moves(state, out);
        let own = Shape::of(state.mover());
        if out.iter().any(|mv| mv.shape() == own) {
            out.retain(|mv| mv.shape() == own);
        }
    }
}
