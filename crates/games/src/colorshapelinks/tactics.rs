//! Wins, losses and threats in a few operations on a word, and the playouts made
//! of them.

use solitree_core::{Game, Manner, Outcome, Player, Rng, Sight};

use super::bits::{Fixed, Geometry, has_line, insert, line_through, missing};
use super::{ColorShapeLinks, Placement, Shape, State};

/// The cells that complete a line, by the kind of line.
#[derive(Clone, Copy)]
struct Threats {
    colour: [u64; 2],
    shape: [u64; 2],
}

impl Threats {
    #[inline(always)]
    fn of(state: &State<1>, geometry: impl Geometry) -> Threats {
        let missing = |cells: [u64; 1]| missing(cells[0], geometry);
        Threats { colour: state.colour.map(missing), shape: state.shape.map(missing) }
    }

    /// The cells in which a player wins with a piece of his own shape, and with
    /// one of the other.
    #[inline(always)]
    fn wins(&self, player: usize, supply: [u16; 2]) -> [u64; 2] {
        let own = self.shape[player] | self.colour[player];
        let other = self.colour[player] & !self.shape[1 - player];
        [own & all_if(supply[player] > 0), other & all_if(supply[1 - player] > 0)]
    }
}

#[inline(always)]
fn all_if(condition: bool) -> u64 {
    u64::from(condition).wrapping_neg()
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

impl<const N: usize> ColorShapeLinks<N> {
    /// The position and game in one word, if that is what they are.
    #[inline(always)]
    fn small<'a>(&'a self, state: &'a State<N>) -> Option<(&'a ColorShapeLinks<1>, &'a State<1>)> {
        let game = (self as &dyn std::any::Any).downcast_ref()?;
        Some((game, (state as &dyn std::any::Any).downcast_ref()?))
    }

    pub(super) fn win_at_once(&self, state: &State<N>) -> Option<Placement> {
        if let Some((game, state)) = self.small(state) {
            return game.win_in_a_word(state);
        }
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.into_iter().find(|&mv| self.ends(state, mv) == Some(state.mover()))
    }

    /// Who has won after a move.
    fn ends(&self, state: &State<N>, mv: Placement) -> Option<Player> {
        let (player, shape) = (state.mover(), mv.shape());
        let bit = mv.column() * self.stride + self.height(&state.taken(), mv.column());
        let lines = |mut cells| {
            insert(&mut cells, bit);
            line_through(&cells, bit, self.layout.line, self.stride)
        };
        if lines(state.shape[shape as usize]) {
            Some(shape.owner())
        } else {
            lines(state.colour[player as usize]).then_some(player)
        }
    }

    pub(super) fn look(&self, state: &State<N>, out: &mut Vec<Placement>) -> Sight<Placement> {
        if let Some((game, state)) = self.small(state) {
            return game.look_in_a_word(state, out);
        }
        let mover = state.mover();
        self.moves(state, out);
        if let Some(&mv) = out.iter().find(|&&mv| self.ends(state, mv) == Some(mover)) {
            return Sight::Won(mv);
        }
        out.retain(|&mv| {
            let mut next = *state;
            self.play(&mut next, mv);
            match self.outcome(&next) {
                Some(outcome) => outcome == Outcome::Draw,
                None => self.win_at_once(&next).is_none(),
            }
        });
        if out.is_empty() { Sight::Lost } else { Sight::Open }
    }

    pub(super) fn finish_by(&self, state: &State<N>, manner: Manner, rng: &mut Rng) -> Outcome {
        if let Some((game, state)) = self.small(state) {
            return match manner {
                Manner::Random => with_geometry!(game, finish_at_random(state, rng)),
                Manner::Decisive => with_geometry!(game, finish_decisively(state, rng)),
                Manner::Careful => with_geometry!(game, finish_carefully(state, rng)),
            };
        }
        let (mut state, mut moves) = (*state, Vec::new());
        loop {
            if let Some(outcome) = self.outcome(&state) {
                return outcome;
            }
            if manner != Manner::Random && self.win_at_once(&state).is_some() {
                return Outcome::Won(state.mover());
            }
            self.moves(&state, &mut moves);
            // On a large board, two looks ahead at every move would cost more than
            // they tell: careful is decisive.
            let mv = moves[rng.below(moves.len() as u32) as usize];
            self.play(&mut state, mv);
        }
    }
}

impl ColorShapeLinks<1> {
    /// The lowest free cell of every open column.
    #[inline(always)]
    fn landing(&self, taken: u64) -> u64 {
        (taken + self.bottom) & !self.over
    }

    fn placement(&self, cell: u64, shape: usize) -> Placement {
        Placement::new(cell.trailing_zeros() / self.stride, Shape::ALL[shape])
    }

    fn threats(&self, state: &State<1>, geometry: impl Geometry) -> Threats {
        Threats::of(state, geometry)
    }

    fn win_in_a_word(&self, state: &State<1>) -> Option<Placement> {
        if self.outcome(state).is_some() {
            return None;
        }
        let threats = with_geometry!(self, threats(state));
        self.win_by(state, &threats)
    }

    fn win_by(&self, state: &State<1>, threats: &Threats) -> Option<Placement> {
        let player = state.mover() as usize;
        let landing = self.landing(state.taken()[0]);
        let [own, other] = threats.wins(player, state.supply[player]);
        if own & landing != 0 {
            Some(self.placement(own & landing, player))
        } else if other & landing != 0 {
            Some(self.placement(other & landing, 1 - player))
        } else {
            None
        }
    }

    fn look_in_a_word(&self, state: &State<1>, out: &mut Vec<Placement>) -> Sight<Placement> {
        let threats = with_geometry!(self, threats(state));
        if let Some(mv) = self.win_by(state, &threats) {
            return Sight::Won(mv);
        }
        let (player, taken) = (state.mover() as usize, state.taken()[0]);
        let landing = self.landing(taken);
        let last = taken.count_ones() as usize + 1 >= self.layout.max_moves();
        self.moves(state, out);
        out.retain(|&mv| {
            let column = mv.column() * self.stride;
            let cell = landing & ((1 << self.stride) - 1) << column;
            let shape = mv.shape() as usize;
            if shape != player && cell & threats.shape[shape] != 0 {
                return false;
            }
            // A last move that wins nothing is a draw.
            last || {
                let free = self.landing(taken | cell);
                free & self.answers(state, &threats, (cell, shape)) == 0
            }
        });
        if out.is_empty() { Sight::Lost } else { Sight::Open }
    }

    fn missing(&self, cells: u64, geometry: impl Geometry) -> u64 {
        missing(cells, geometry)
    }

    /// The cells in which the opponent wins after a piece has been put into a
    /// cell.
    #[inline(always)]
    fn answers(&self, state: &State<1>, threats: &Threats, (cell, shape): (u64, usize)) -> u64 {
        let opponent = 1 - state.mover() as usize;
        let supply = state.supply[opponent];
        let mut after = *threats;
        // Without pieces of his own shape it matters what the other completes.
        if shape == opponent || supply[opponent] == 0 {
            let cells = state.shape[shape][0] | cell;
            after.shape[shape] = with_geometry!(self, missing(cells));
        }
        let [own, other] = after.wins(opponent, supply);
        own | other
    }

    /// Finishes a game with random moves.
    fn finish_at_random(
        &self,
        state: &State<1>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        let stride = geometry.stride();
        let mut colour = state.colour.map(|cells| cells[0]);
        let mut shape = state.shape.map(|cells| cells[0]);
        let mut supply = state.supply;
        let mut player = state.mover() as usize;
        let columns = u64::from(self.layout.cols);
        let column_cells = (1u64 << stride) - 1;
        let plies = colour[0].count_ones() + colour[1].count_ones();
        for _ in plies as usize..self.layout.max_moves() {
            let landing = self.landing(colour[0] | colour[1]);
            // A column, until one is open, and a shape, all of one number.
            let (mut cell, mut bits);
            loop {
                bits = rng.next_u64();
                let column = ((bits >> 32) * columns) >> 32;
                cell = landing & column_cells << (column as u32 * stride);
                if cell != 0 {
                    break;
                }
            }
            let left = supply[player];
            let drawn = (bits & 1) as usize;
            let kind = if left[drawn] > 0 { drawn } else { 1 - drawn };
            colour[player] |= cell;
            shape[kind] |= cell;
            supply[player][kind] -= 1;
            if has_line(shape[kind], geometry) {
                return Outcome::Won(Shape::ALL[kind].owner());
            }
            if has_line(colour[player], geometry) {
                return Outcome::Won(if player == 0 { Player::First } else { Player::Second });
            }
            player = 1 - player;
        }
        Outcome::Draw
    }

    fn finish_decisively(
        &self,
        state: &State<1>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        self.finish_knowing::<false>(state, rng, geometry)
    }

    fn finish_carefully(
        &self,
        state: &State<1>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        self.finish_knowing::<true>(state, rng, geometry)
    }

    /// Finishes a game with moves that win at once where there are any, otherwise
    /// random ones; when it is `CAREFUL`, a win that the opponent has is taken from
    /// him, and none is given to him by the cell above or by his own shape, if that
    /// can be helped.
    #[inline(always)]
    fn finish_knowing<const CAREFUL: bool>(
        &self,
        state: &State<1>,
        rng: &mut Rng,
        geometry: impl Geometry,
    ) -> Outcome {
        let mut state = *state;
        let mut player = state.mover() as usize;
        let taken = state.taken()[0];
        let winner = |player| Outcome::Won([Player::First, Player::Second][player]);
        for _ in taken.count_ones() as usize..self.layout.max_moves() {
            let threats = Threats::of(&state, geometry);
            let landing = self.landing(state.taken()[0]);
            let [own, other] = threats.wins(player, state.supply[player]);
            if (own | other) & landing != 0 {
                return winner(player);
            }
            let opponent = 1 - player;
            // A cell in which the opponent's shape loses is for one's own.
            let fatal = threats.shape[opponent];
            let left = state.supply[player];
            let mut cells = [landing & all_if(left[player] > 0), 0];
            cells[1] = landing & !fatal & all_if(left[opponent] > 0);
            if CAREFUL {
                let [own, other] = threats.wins(opponent, state.supply[opponent]);
                let feared = own | other;
                let now = feared & landing;
                if now != 0 {
                    if now & (now - 1) != 0 {
                        return winner(opponent);
                    }
                    cells = cells.map(|cells| cells & now);
                    if cells == [0; 2] {
                        return winner(opponent);
                    }
                }
                let wary = cells.map(|cells| cells & !(feared >> 1));
                if wary != [0; 2] {
                    cells = wary;
                }
            }
            let counts = cells.map(u64::count_ones);
            if counts == [0; 2] {
                // Every move completes the opponent's line.
                return winner(opponent);
            }
            let drawn = rng.below(counts[0] + counts[1]);
            let (own_shape, index) =
                if drawn < counts[0] { (true, drawn) } else { (false, drawn - counts[0]) };
            let mut from = cells[usize::from(!own_shape)];
            for _ in 0..index {
                from &= from - 1;
            }
            let cell = from & from.wrapping_neg();
            let kind = if own_shape { player } else { opponent };
            state.colour[player][0] |= cell;
            state.shape[kind][0] |= cell;
            state.supply[player][kind] -= 1;
            player = opponent;
        }
        Outcome::Draw
    }
}
