//! SameGame and its family: remove groups of equal blocks, the rest falls down
//! and closes up to the left, large groups pay most.
//!
//! [`Board`] is a position as people write it, [`Rules`] what things are worth,
//! and [`SameGame`] the puzzle the searches play, on bit planes. [`plain`] is
//! the same game written the obvious way: every fast path is tested against
//! it, and it replays every solution before anyone sees it.

mod accelerator;
mod blocks;
#[cfg(target_arch = "x86_64")]
mod blocks_avx2;
mod board;
mod dispatch;
mod evaluate;
mod formula;
mod generate;
mod guide;
mod kernel;
mod kit;
mod lockstep;
pub mod plain;
mod plane;
#[cfg(target_arch = "x86_64")]
mod plane_avx2;
#[cfg(target_arch = "x86_64")]
mod plane_avx512;
mod plans;
mod policy;
mod roulette;
mod rules;
mod sets;
mod steer;
mod swarm;
mod text;

use std::sync::Arc;

use solitree_core::{Puzzle, Score};

pub use accelerator::{Accelerator, BulkBoard, BulkPass, BulkShape, BulkSwarm, BulkTask};
pub use board::{Board, BoardError, Cell, MAX_COLOURS, MAX_HEIGHT, MAX_WIDTH, NotACell};
pub use dispatch::{Engine, Kernels, Path};
pub use evaluate::{Evaluation, EvaluatorConfig};
pub use formula::FormulaError;
pub use generate::{GENERATOR_VERSION, Generator, GeneratorError};
pub use guide::{GuideConfig, Manner, MoveCode, SameGameGuide, TabuRule};
pub use kit::{KitConfig, SameGameKit};
pub use plans::{SameGamePlans, Spot};
pub use policy::{GroupChoice, PlayoutConfig, PlayoutKind, SameGamePlayout, TabuTime};
pub use rules::{PRESETS as RULE_PRESETS, Preset as RulePreset, Rules, RulesError};
pub use sets::{BoardName, BoardNameError, BoardSet, Record, SETS, record};
pub use text::BoardTextError;

/// One instance of SameGame: a starting board and the rules.
///
/// `W` words a plane and `P` planes fix the layout: [`AnySameGame::new`] picks
/// the smallest that holds a board.
#[derive(Clone, Debug)]
pub struct SameGame<const W: usize, const P: usize> {
    start: State<W, P>,
    rules: Arc<Rules>,
    width: usize,
    height: usize,
    path: Path,
}

/// Up to 16 columns and 7 colours.
pub type SmallSameGame = SameGame<4, 3>;
/// Up to 32 columns and 9 colours.
pub type LargeSameGame = SameGame<8, 4>;

/// SameGame in the layout that fits the board.
#[derive(Clone, Debug)]
pub enum AnySameGame {
    /// Up to 16 columns and 7 colours: the fast one.
    Small(SmallSameGame),
    /// Everything else.
    Large(LargeSameGame),
}

impl AnySameGame {
    /// The puzzle of a board and rules, on the best instructions there are.
    #[must_use]
    pub fn new(board: &Board, rules: &Arc<Rules>) -> AnySameGame {
        if board.width() <= 16 && board.colours() <= 7 {
            AnySameGame::Small(SameGame::new(board, rules))
        } else {
            AnySameGame::Large(SameGame::new(board, rules))
        }
    }
}

/// A position: the colours of all cells in binary, and the points so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const W: usize, const P: usize> {
    planes: [[u64; W]; P],
    score: i32,
}

/// A group of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<const W: usize> {
    /// Its cells, sixteen bits a column.
    pub cells: [u64; W],
    /// The lowest cell of its leftmost column, which names it.
    pub first: Cell,
    /// How many blocks it has.
    pub size: u16,
    /// Their colour.
    pub colour: u8,
}

impl<const W: usize, const P: usize> State<W, P> {
    /// The colour at a column and a row from the bottom: 1 to 9, 0 for empty.
    #[must_use]
    pub fn colour(&self, column: usize, row: usize) -> u8 {
        let bit = Cell::new(column, row).bit() as usize;
        (0..P).map(|k| ((self.planes[k][bit / 64] >> (bit % 64) & 1) as u8) << k).sum()
    }

    fn counts(&self) -> [u32; 16] {
        let mut counts = [0; 16];
        let planes = self.planes.map(<plane::Words<W> as plane::Plane<W>>::from_words);
        for (colour, count) in counts.iter_mut().enumerate().take(1 << P).skip(1) {
            *count = plane::Plane::count(kernel::of_colour(&planes, colour as u32));
        }
        counts
    }

    /// Whether no block is left.
    #[must_use]
    pub fn is_cleared(&self) -> bool {
        self.planes.iter().flatten().all(|&word| word == 0)
    }
}

impl<const W: usize, const P: usize> SameGame<W, P>
where
    Kernels: Engine<W, P>,
{
    /// The puzzle of a board that fits the layout.
    #[must_use]
    pub fn new(board: &Board, rules: &Arc<Rules>) -> Self {
        assert!(board.width() <= 4 * W && board.colours() < 1 << P, "the board does not fit");
        let mut planes = [[0; W]; P];
        for column in 0..board.width() {
            for row in 0..board.height() {
                let bit = Cell::new(column, row).bit() as usize;
                for (k, plane) in planes.iter_mut().enumerate() {
                    plane[bit / 64] |= u64::from(board.colour(column, row) >> k & 1) << (bit % 64);
                }
            }
        }
        SameGame {
            start: State { planes, score: 0 },
            rules: Arc::clone(rules),
            width: board.width(),
            height: board.height(),
            path: Path::best(),
        }
    }

    /// The same puzzle on other instructions, for tests and measurements.
    #[must_use]
    pub fn with_path(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    /// The instructions in use.
    #[must_use]
    pub fn path(&self) -> Path {
        if W == 4 { self.path } else { Path::SCALAR }
    }

    /// How many columns the board has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows the board has.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// What things are worth.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Replaces the contents of `out` by every group, in the order of moves.
    pub fn groups(&self, state: &State<W, P>, out: &mut Vec<Group<W>>) {
        Kernels::groups(self.path, &state.planes, out);
    }

    /// The cell that names the group covering a cell, if there is one.
    #[must_use]
    pub fn canonical(&self, state: &State<W, P>, cell: Cell) -> Option<Cell> {
        if cell.column() >= self.width || cell.row() >= self.height {
            return None;
        }
        let group = Kernels::group_at(self.path, &state.planes, cell.bit());
        let index = group.iter().position(|&word| word != 0)?;
        Some(Cell::from_bit(index as u32 * 64 + group[index].trailing_zeros()))
    }
}

impl<const W: usize, const P: usize> Puzzle for SameGame<W, P>
where
    Kernels: Engine<W, P>,
{
    type State = State<W, P>;
    type Move = Cell;

    fn start(&self) -> State<W, P> {
        self.start
    }

    fn moves(&self, state: &State<W, P>, out: &mut Vec<Cell>) {
        Kernels::moves(self.path, &state.planes, out);
    }

    fn play(&self, state: &mut State<W, P>, mv: Cell) {
        let size = Kernels::play(self.path, &mut state.planes, mv.bit());
        debug_assert!(size >= 2, "{mv} is not a legal move");
        state.score += self.rules.points(size);
    }

    fn score(&self, state: &State<W, P>) -> Score {
        let end = if state.is_cleared() {
            self.rules.clear()
        } else if self.rules.penalises() && self.is_over(state) {
            state.counts()[1..].iter().map(|&blocks| self.rules.left(blocks)).sum()
        } else {
            0
        };
        Score(i64::from(state.score + end))
    }

    fn key(&self, state: &State<W, P>) -> u64 {
        kernel::key(&state.planes)
    }

    fn upper_bound(&self, state: &State<W, P>) -> Option<Score> {
        if self.is_over(state) {
            return Some(self.score(state));
        }
        let still = self.rules.upper_bound(state.counts()[1..].iter().copied());
        Some(Score(i64::from(state.score + still)))
    }

    /// The colour and the cells of the group, whatever is around it: the code
    /// that NRPA programs use, by another hash.
    fn move_code(&self, state: &State<W, P>, mv: Cell) -> u64 {
        let group = Kernels::group_at(self.path, &state.planes, mv.bit());
        let colour = u32::from(state.colour(mv.column(), mv.row()));
        kernel::group_code(group, colour)
    }

    fn move_name(&self, _: &State<W, P>, mv: Cell) -> String {
        mv.to_string()
    }

    fn parse_move(&self, state: &State<W, P>, name: &str) -> Option<Cell> {
        self.canonical(state, name.parse().ok()?)
    }

    fn max_moves(&self) -> usize {
        self.width * self.height / 2
    }

    fn is_over(&self, state: &State<W, P>) -> bool {
        dispatch::is_over(&state.planes)
    }
}
