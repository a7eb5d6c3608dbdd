//! Games played to their end.

use solitree_core::{Game, Manner, Outcome, Player, Rng};

use super::bits::{Cells, Fixed, Geometry, has_line};
use super::tactics::{Threats, with_geometry};
use super::{ColorShapeLinks, Placement, Shape, State};

const PLAYERS: [Player; 2] = [Player::First, Player::Second];

impl<const N: usize> ColorShapeLinks<N> {
    /// Finishes a game and leaves the position in which it was decided.
    pub(super) fn finish_by(&self, state: &mut State<N>, manner: Manner, rng: &mut Rng) -> Outcome {
        match manner {
            Manner::Random if N == 1 => with_geometry!(self, finish_in_a_word(state, rng)),
            Manner::Random => self.finish_at_random(state, rng),
            Manner::Decisive => with_geometry!(self, finish_knowing(false, state, rng)),
            Manner::Careful => with_geometry!(self, finish_knowing(true, state, rng)),
        }
    }

    /// A column that is open, and a shape that the player has, all of one random
    /// number.
    #[inline(always)]
    fn drawn<T>(
        &self,
        left: [u16; 2],
        rng: &mut Rng,
        open: impl Fn(u32) -> Option<T>,
    ) -> (T, u32, usize) {
        loop {
            let bits = rng.next_u64();
            let column = (((bits >> 32) * u64::from(self.layout.cols)) >> 32) as u32;
            if let Some(cell) = open(column) {
                let drawn = (bits & 1) as usize;
                return (cell, column, if left[drawn] > 0 { drawn } else { 1 - drawn });
            }
        }
    }

    /// Finishes a game with random moves.
    fn finish_at_random(&self, state: &mut State<N>, rng: &mut Rng) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome(state) {
                return outcome;
            }
            let taken = state.taken();
            let is_open = |column| (self.height(&taken, column) < self.layout.rows).then_some(());
            let left = state.supply[state.mover() as usize];
            let ((), column, shape) = self.drawn(left, rng, is_open);
            self.play(state, Placement::new(column, Shape::ALL[shape]));
        }
    }

    /// The same on a board in one word; of the position only the pieces are kept.
    fn finish_in_a_word(
        &self,
        state: &mut State<N>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        let stride = geometry.stride();
        let mut colour = state.colour.map(|cells| cells.0[0]);
        let mut shape = state.shape.map(|cells| cells.0[0]);
        let mut supply = state.supply;
        let mut player = state.mover() as usize;
        let (bottom, board) = (self.bottom.0[0], self.board.0[0]);
        let column_cells = (1u64 << stride) - 1;
        let plies = colour[0].count_ones() + colour[1].count_ones();
        let mut outcome = Outcome::Draw;
        for _ in plies as usize..self.layout.max_moves() {
            let landing = ((colour[0] | colour[1]) + bottom) & board;
            let open = |column: u32| {
                let cell = landing & column_cells << (column * stride);
                (cell != 0).then_some(cell)
            };
            let (cell, _, kind) = self.drawn(supply[player], rng, open);
            colour[player] |= cell;
            shape[kind] |= cell;
            supply[player][kind] -= 1;
            if has_line(Cells([shape[kind]]), geometry) {
                outcome = Outcome::Won(Shape::ALL[kind].owner());
                break;
            }
            if has_line(Cells([colour[player]]), geometry) {
                outcome = Outcome::Won(PLAYERS[player]);
                break;
            }
            player = 1 - player;
        }
        for kind in 0..2 {
            (state.colour[kind].0[0], state.shape[kind].0[0]) = (colour[kind], shape[kind]);
        }
        outcome
    }

    /// Finishes a game with moves that win at once where there are any, otherwise
    /// random ones; when it is careful, a win that the opponent has is taken from
    /// him, and none is given to him by the cell above or by his own shape, if that
    /// can be helped.
    #[inline(always)]
    fn finish_knowing(
        &self,
        careful: bool,
        state: &mut State<N>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        let mut player = state.mover() as usize;
        let winner = |player: usize| Outcome::Won(PLAYERS[player]);
        for _ in state.taken().count() as usize..self.layout.max_moves() {
            let threats = Threats::of(state, self.board, geometry);
            let landing = self.landing(state.taken());
            let [own, other] = threats.wins(player, state.supply[player]);
            if !((own | other) & landing).is_empty() {
                return winner(player);
            }
            let opponent = 1 - player;
            // A cell in which the opponent's shape loses is for one's own.
            let fatal = threats.shape[opponent];
            let left = state.supply[player];
            let mut cells =
                [landing.only_if(left[player] > 0), (landing & !fatal).only_if(left[opponent] > 0)];
            if careful {
                let [own, other] = threats.wins(opponent, state.supply[opponent]);
                let feared = own | other;
                let now = feared & landing;
                if !now.is_empty() {
                    cells = cells.map(|cells| cells & now);
                    if !now.without_first().is_empty() || cells == [Cells::NONE; 2] {
                        return winner(opponent);
                    }
                }
                let wary = cells.map(|cells| cells & !(feared >> 1));
                if wary != [Cells::NONE; 2] {
                    cells = wary;
                }
            }
            let counts = cells.map(|cells| cells.count());
            if counts == [0; 2] {
                // Every move completes the opponent's line.
                return winner(opponent);
            }
            let drawn = rng.below(counts[0] + counts[1]);
            let (own_shape, index) =
                if drawn < counts[0] { (true, drawn) } else { (false, drawn - counts[0]) };
            let from = cells[usize::from(!own_shape)];
            let bit = (0..index).fold(from, |from, _| from.without_first()).first();
            let kind = if own_shape { player } else { opponent };
            state.colour[player].insert(bit);
            state.shape[kind].insert(bit);
            state.supply[player][kind] -= 1;
            player = opponent;
        }
        Outcome::Draw
    }
}
