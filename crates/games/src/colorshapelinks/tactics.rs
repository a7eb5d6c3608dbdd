//! Wins, losses and threats in a few operations on sets of cells.

use solitree_core::{Game, Sight};

use super::bits::{Cells, Fixed, Geometry, missing};
use super::{ColorShapeLinks, Placement, Shape, State};

/// The empty cells that complete a line, by the kind of line.
#[derive(Clone, Copy)]
pub(super) struct Threats<const N: usize> {
    pub(super) colour: [Cells<N>; 2],
    pub(super) shape: [Cells<N>; 2],
}

impl<const N: usize> Threats<N> {
    #[inline(always)]
    pub(super) fn of(state: &State<N>, board: Cells<N>, geometry: impl Geometry) -> Self {
        let missing = |cells| missing(cells, board, geometry);
        Threats { colour: state.colour.map(missing), shape: state.shape.map(missing) }
    }

    /// The cells in which a player wins with a piece of his own shape, and with
    /// one of the other.
    #[inline(always)]
    pub(super) fn wins(&self, player: usize, supply: [u16; 2]) -> [Cells<N>; 2] {
        let own = self.shape[player] | self.colour[player];
        let other = self.colour[player] & !self.shape[1 - player];
        [own.only_if(supply[player] > 0), other.only_if(supply[1 - player] > 0)]
    }
}

/// Calls a function with the geometry of the game: that of the base board is known
/// when it is compiled.
macro_rules! with_geometry {
    ($game:expr, $what:ident($($arg:expr),*)) => {
        if $game.is_base() {
            $game.$what($($arg,)* Fixed::<4, 7>)
        } else {
            $game.$what($($arg,)* $game.geometry())
        }
    };
}
pub(super) use with_geometry;

impl<const N: usize> ColorShapeLinks<N> {
    /// The lowest free cell of every open column.
    #[inline(always)]
    pub(super) fn landing(&self, taken: Cells<N>) -> Cells<N> {
        taken.plus(self.bottom) & self.board
    }

    fn threats(&self, state: &State<N>, geometry: impl Geometry) -> Threats<N> {
        Threats::of(state, self.board, geometry)
    }

    fn missing(&self, cells: Cells<N>, geometry: impl Geometry) -> Cells<N> {
        missing(cells, self.board, geometry)
    }

    pub(super) fn win_at_once(&self, state: &State<N>) -> Option<Placement> {
        if self.outcome(state).is_some() {
            return None;
        }
        let threats = with_geometry!(self, threats(state));
        self.win_by(state, &threats)
    }

    fn win_by(&self, state: &State<N>, threats: &Threats<N>) -> Option<Placement> {
        let player = state.mover() as usize;
        let landing = self.landing(state.taken());
        let [own, other] = threats.wins(player, state.supply[player]).map(|cells| cells & landing);
        let placement = |cells: Cells<N>, shape: usize| {
            Placement::new(cells.first() / self.stride, Shape::ALL[shape])
        };
        if !own.is_empty() {
            Some(placement(own, player))
        } else if !other.is_empty() {
            Some(placement(other, 1 - player))
        } else {
            None
        }
    }

    pub(super) fn look(&self, state: &State<N>, out: &mut Vec<Placement>) -> Sight<Placement> {
        let threats = with_geometry!(self, threats(state));
        if let Some(mv) = self.win_by(state, &threats) {
            return Sight::Won(mv);
        }
        let (player, taken) = (state.mover() as usize, state.taken());
        let last = taken.count() as usize + 1 >= self.layout.max_moves();
        self.moves(state, out);
        out.retain(|&mv| {
            let bit = mv.column() * self.stride + self.height(&taken, mv.column());
            let shape = mv.shape() as usize;
            if shape != player && threats.shape[shape].has(bit) {
                return false;
            }
            // A last move that wins nothing is a draw.
            last || {
                let cell = Cells::only(bit);
                let free = self.landing(taken | cell);
                (free & self.answers(state, &threats, (cell, shape))).is_empty()
            }
        });
        if out.is_empty() { Sight::Lost } else { Sight::Open }
    }

    /// How good a position looks to the player who has just moved: the cells in which
    /// he wins against those in which his opponent does.
    pub(super) fn balance(&self, state: &State<N>) -> f32 {
        let threats = with_geometry!(self, threats(state));
        let cells = |player: usize| {
            let [own, other] = threats.wins(player, state.supply[player]);
            (own | other).count() as f32
        };
        let opponent = state.mover() as usize;
        let (mine, his) = (cells(1 - opponent), cells(opponent));
        (mine + 1.0) / (mine + his + 2.0)
    }

    /// The cells in which the opponent wins after a piece has been put into a
    /// cell.
    #[inline(always)]
    fn answers(
        &self,
        state: &State<N>,
        threats: &Threats<N>,
        (cell, shape): (Cells<N>, usize),
    ) -> Cells<N> {
        let opponent = 1 - state.mover() as usize;
        let supply = state.supply[opponent];
        let mut after = *threats;
        // Without pieces of his own shape it matters what the other completes.
        if shape == opponent || supply[opponent] == 0 {
            after.shape[shape] = with_geometry!(self, missing(state.shape[shape] | cell));
        }
        let [own, other] = after.wins(opponent, supply);
        own | other
    }
}
