//! What SameGame tells a search that learns: which groups a game may take,
//! their codes and, if wanted, a bias towards large ones.

use solitree_core::params::Range;
use solitree_core::{
    Choice, Favour, Guide, Puzzle, Rng, Score, Trace, Weights, choice, drawn, params, slot,
};

use super::board::{Cell, MAX_HEIGHT};
use super::dispatch::Engine;
use super::kernel::group_code;
use super::policy::PlayoutConfig;
use super::rules::MAX_CELLS;
use super::steer::{Steering, mark};
use super::{Group, Kernels, SameGame, State};

choice! {
    /// What is done about the kept colour.
    pub enum TabuRule {
        /// Nothing: every group may go.
        None = "none",
        /// It stays while there is anything else.
        Strict = "strict",
        /// The same, but groups of two may go after some moves (Cazenave, 2016).
        Selective = "selective",
    }
}

choice! {
    /// What makes two moves the same decision.
    pub enum MoveCode {
        /// Colour and cells of the group (Negrevergne and Cazenave, 2017).
        Cells = "cells",
        /// The blocks of the group, wherever they have fallen to since the
        /// start of the game.
        Blocks = "blocks",
        /// Colour and first cell.
        First = "first",
        /// Colour, first cell and size.
        Size = "size",
    }
}

params! {
    /// A guide as data.
    pub struct GuideConfig {
        /// What a guided game does about the kept colour.
        rule ("tabu-rule"): TabuRule = TabuRule::Strict, Range::Choice(TabuRule::WORDS);
        /// With tabu-rule=selective: moves before groups of two of the kept colour may go.
        pairs_after ("pairs-after"): u64 = 10, Range::Count(0, 1_000);
        /// Weight of the bias min(n - 2 - t, 8), t = 1 for the kept colour (Cazenave, 2020).
        bias ("bias"): f64 = 0.0, Range::Real(-10.0, 10.0);
        /// What makes two moves the same decision.
        code ("code"): MoveCode = MoveCode::Blocks, Range::Choice(MoveCode::WORDS);
    }
}

/// Which groups a guided game may take, for a machine apart.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The colour that is kept; 0 for none.
    pub kept: u32,
    /// The one that stays while there is a third; 0 for none.
    pub second: u32,
    /// What is done about the first.
    pub rule: TabuRule,
}

/// A guide for one board.
#[derive(Clone, Debug)]
pub struct SameGameGuide {
    config: GuideConfig,
    kept: u32,
    second: u32,
    factors: Option<Box<[[f32; MAX_CELLS + 1]; 2]>>,
}

impl SameGameGuide {
    /// The guide for a puzzle; the colours to keep are those of the playouts, or
    /// else the most frequent one of the starting position.
    #[must_use]
    pub fn new<const W: usize, const P: usize>(
        config: &GuideConfig,
        playout: &PlayoutConfig,
        puzzle: &SameGame<W, P>,
    ) -> Self
    where
        Kernels: Engine<W, P>,
    {
        let kept = match playout.keep {
            0 => by_frequency(&puzzle.start()).first().copied().unwrap_or(0),
            colour => colour as u32,
        };
        SameGameGuide::keeping(config, kept, playout.second as u32)
    }

    fn keeping(config: &GuideConfig, kept: u32, second: u32) -> Self {
        let factors = (config.bias != 0.0).then(|| {
            let factor = |size: usize, kept: bool| {
                let points = (size as f64 - 2.0 - f64::from(u8::from(kept))).min(8.0);
                libm::exp(config.bias * points).clamp(1e-9, 1e9) as f32
            };
            Box::new([true, false].map(|kept| std::array::from_fn(|size| factor(size, kept))))
        });
        let kept = if config.rule == TabuRule::None { 0 } else { kept };
        SameGameGuide { config: config.clone(), kept, second, factors }
    }

    /// The colours that are kept and the rule about the first, where that is all there
    /// is to know: no bias, and pairs after the usual number of moves.
    pub(super) fn manner(&self) -> Option<Manner> {
        let GuideConfig { rule, pairs_after, bias, .. } = self.config;
        let usual = bias == 0.0 && pairs_after == GuideConfig::default().pairs_after;
        usual.then_some(Manner { kept: self.kept, second: self.second, rule })
    }

    fn pairs_after(&self) -> u32 {
        match self.config.rule {
            TabuRule::Selective => self.config.pairs_after as u32,
            _ => u32::MAX,
        }
    }

    fn code<const W: usize>(&self, group: &Group<W>, blocks: &Blocks) -> u64 {
        let colour = u64::from(group.colour);
        match self.config.code {
            MoveCode::Cells => group_code(group.cells, u32::from(group.colour)),
            MoveCode::Blocks => blocks.code(group),
            MoveCode::First => u64::from(group.first.bit()) << 8 | colour,
            MoveCode::Size => {
                u64::from(group.size) << 24 | u64::from(group.first.bit()) << 8 | colour
            }
        }
    }

    /// Replaces the contents of `groups` by those of a position that a game may
    /// take.
    fn allowed<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        played: usize,
        groups: &mut Vec<Group<W>>,
    ) where
        Kernels: Engine<W, P>,
    {
        puzzle.groups(state, groups);
        let pairs = played as u32 > self.pairs_after();
        let is_free = |group: &Group<W>| !self.keeps(group) || pairs && group.size == 2;
        if groups.iter().any(is_free) {
            groups.retain(is_free);
        }
        let is_third = |group: &Group<W>| u32::from(group.colour) != self.second;
        if groups.iter().any(is_third) {
            groups.retain(is_third);
        }
    }

    fn keeps<const W: usize>(&self, group: &Group<W>) -> bool {
        self.kept != 0 && u32::from(group.colour) == self.kept
    }

    fn choice<const W: usize>(&self, group: &Group<W>, blocks: &Blocks) -> Choice<Cell> {
        let by_size = self.factors.as_ref().map(|both| &both[usize::from(!self.keeps(group))]);
        Choice {
            mv: group.first,
            code: self.code(group, blocks),
            factor: by_size.map_or(1.0, |by_size| by_size[usize::from(group.size)]),
        }
    }

    /// Plays a game and tells it, step by step the plain way; `choose` says which of
    /// the choices in a position is taken, and may change their factors; none is the
    /// end.
    fn tell<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        start: &State<W, P>,
        trace: &mut Trace<Cell>,
        mut choose: impl FnMut(&State<W, P>, &mut [Choice<Cell>]) -> Option<Cell>,
    ) where
        Kernels: Engine<W, P>,
    {
        let mut state = *start;
        let mut blocks = Blocks::of(&state);
        let mut groups = Vec::new();
        loop {
            let played = trace.before + trace.moves.len();
            self.allowed(puzzle, &state, played, &mut groups);
            let mut choices: Vec<Choice<Cell>> =
                groups.iter().map(|group| self.choice(group, &blocks)).collect();
            let Some(mv) = choose(&state, &mut choices) else { break };
            trace.follow(&choices, mv);
            blocks.remove(Kernels::group_at(puzzle.path(), &state.planes, mv.bit()));
            puzzle.play(&mut state, mv);
        }
        trace.score = puzzle.score(&state);
    }
}

/// Where the blocks of a starting position have come to, the plain way: a
/// number for each block, column by column from the bottom.
struct Blocks(Vec<Vec<u32>>);

impl Blocks {
    fn of<const W: usize, const P: usize>(state: &State<W, P>) -> Blocks {
        let column = |x: usize| {
            let cells = (0..MAX_HEIGHT).take_while(|&y| state.colour(x, y) != 0);
            cells.map(|y| mark(Cell::new(x, y))).collect()
        };
        Blocks((0..4 * W).map(column).collect())
    }

    fn code<const W: usize>(&self, group: &Group<W>) -> u64 {
        let mark = |cell: Cell| self.0[cell.column()][cell.row()];
        u64::from(cells_of(group.cells).fold(0, |code, cell| code ^ mark(cell)))
    }

    fn remove<const W: usize>(&mut self, group: [u64; W]) {
        let cells: Vec<Cell> = cells_of(group).collect();
        for cell in cells.into_iter().rev() {
            self.0[cell.column()].remove(cell.row());
        }
        self.0.retain(|column| !column.is_empty());
    }
}

fn cells_of<const W: usize>(group: [u64; W]) -> impl Iterator<Item = Cell> {
    let bits =
        (0..64 * W as u32).filter(move |&bit| group[bit as usize / 64] >> (bit % 64) & 1 != 0);
    bits.map(Cell::from_bit)
}

/// The colours present, the most frequent first; of equally frequent ones the
/// one with the lowest number.
pub(super) fn by_frequency<const W: usize, const P: usize>(state: &State<W, P>) -> Vec<u32> {
    let counts = state.counts();
    let mut colours: Vec<u32> = (1..16).filter(|&c| counts[c as usize] > 0).collect();
    colours.sort_by_key(|&c| std::cmp::Reverse(counts[c as usize]));
    colours
}

impl<const W: usize, const P: usize> Guide<SameGame<W, P>> for SameGameGuide
where
    Kernels: Engine<W, P>,
{
    fn choices(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        played: usize,
        out: &mut Vec<Choice<Cell>>,
    ) {
        let blocks = Blocks::of(state);
        let mut groups = Vec::new();
        self.allowed(puzzle, state, played, &mut groups);
        out.clear();
        out.extend(groups.iter().map(|group| self.choice(group, &blocks)));
    }

    fn retrace(
        &self,
        puzzle: &SameGame<W, P>,
        start: &State<W, P>,
        before: usize,
        moves: &[Cell],
    ) -> Trace<Cell> {
        let mut trace = Trace { before, ..Trace::default() };
        let mut moves = moves.iter().copied();
        self.tell(puzzle, start, &mut trace, |_, _| moves.next());
        trace
    }

    /// The group that pays most, by its size: what clearing the board pays is left
    /// out.
    fn greedy(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        played: usize,
        moves: &mut Vec<Cell>,
    ) -> Score {
        let mut state = *state;
        let mut groups: Vec<Group<W>> = Vec::new();
        moves.clear();
        loop {
            self.allowed(puzzle, &state, played + moves.len(), &mut groups);
            let points = |group: &Group<W>| puzzle.rules().points(u32::from(group.size));
            // The first of those that pay most is the last of them in reverse.
            let Some(best) = groups.iter().rev().max_by_key(|group| points(group)) else {
                return puzzle.score(&state);
            };
            moves.push(best.first);
            puzzle.play(&mut state, best.first);
        }
    }

    fn steer(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) {
        if !matches!(self.config.code, MoveCode::Cells | MoveCode::Blocks) {
            return self.steer_favoured(puzzle, state, (weights, &mut |_, _| {}), rng, trace);
        }
        let steering = Steering {
            rules: puzzle.rules(),
            kept: self.kept,
            second: self.second,
            pairs_after: self.pairs_after(),
            blocks: self.config.code == MoveCode::Blocks,
            factors: self.factors.as_deref(),
        };
        let score = Kernels::steer(
            puzzle.path(),
            &steering,
            &state.planes,
            state.score,
            weights,
            rng,
            trace,
        );
        trace.score = Score(i64::from(score));
    }

    fn steer_favoured(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        (weights, favour): (&Weights, Favour<'_, SameGame<W, P>>),
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) {
        self.tell(puzzle, state, trace, |state, choices| {
            favour(state, choices);
            drawn_plainly(choices, weights, rng)
        });
    }
}

/// A choice by weight, for what the fast way does not know.
fn drawn_plainly(choices: &[Choice<Cell>], weights: &Weights, rng: &mut Rng) -> Option<Cell> {
    let mut total = 0.0;
    let mut sums = Vec::with_capacity(choices.len());
    for choice in choices {
        total += weights.get(slot(choice.code)) * choice.factor;
        sums.push(total);
    }
    if sums.is_empty() { None } else { Some(choices[drawn(&sums, rng)].mv) }
}
