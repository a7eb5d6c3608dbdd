//! The seam to a machine apart that plays SameGame in bulk.

use std::fmt::Debug;

use solitree_core::{Effort, Furnace, Layers};

use super::board::{Board, Cell};
use super::guide::Manner;

/// Plays passes of a Monte-Carlo beam (see [`Layers`]) on a machine of its own.
/// It says itself, once, if that machine is lost.
pub trait Accelerator: Debug + Send + Sync {
    /// The widest beam on such boards that there is room for; none if they are
    /// not for this machine, or it is lost.
    fn widest(&self, shape: &BulkShape) -> Option<u64>;

    /// A pass; none if the machine is lost.
    fn begin(&self, shape: &BulkShape, pass: &BulkPass<'_>) -> Option<Box<dyn Layers<Cell>>>;

    /// Games from the position of a pass, for checks and measurements: so many
    /// times the pass's samples, the best score of each. The seed of sample `j` of
    /// the `i`th is `mix((seeds ^ i) + j)`.
    fn play(&self, shape: &BulkShape, pass: &BulkPass<'_>, many: usize)
    -> Result<Vec<i32>, String>;

    /// Many short searches at a time; none if such boards are not for this machine,
    /// or it is lost.
    fn swarm(&self, shape: &BulkShape) -> Option<Box<dyn BulkSwarm>>;

    /// Many plans of a board at a time, whose marks are its blocks; none if such boards are
    /// not for this machine, or it is lost.
    fn furnace(&self, shape: &BulkShape, board: &BulkBoard<'_>) -> Option<Box<dyn Furnace<Cell>>>;
}

/// The kind of boards and playouts: what kernels are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BulkShape {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bits of a colour.
    pub planes: usize,
    /// The colour that playouts keep for last.
    pub kept: u32,
    /// The one that stays while there is a third; 0 for none.
    pub second: u32,
}

impl BulkShape {
    /// That of a board, with playouts that keep a colour, whichever.
    #[must_use]
    pub fn of(board: &Board) -> BulkShape {
        let planes = (board.colours() + 1).next_power_of_two().ilog2() as usize;
        BulkShape { width: board.width(), height: board.height(), planes, kept: 1, second: 0 }
    }
}

/// A starting position, and what things are worth in it.
#[derive(Clone, Copy, Debug)]
pub struct BulkBoard<'a> {
    /// The bits of the colours, plane by plane, sixteen bits a column.
    pub planes: &'a [u64],
    /// What a group of `n` blocks is worth, for every `n` there can be.
    pub points: &'a [i32],
    /// What `n` blocks left of a colour add; at 0, what a cleared board adds.
    pub left: &'a [i32],
    /// Of each kit the colour that is kept; 0 for none.
    pub kept: &'a [u32],
}

/// A position and what to do with it.
#[derive(Clone, Copy, Debug)]
pub struct BulkPass<'a> {
    /// The bits of the colours, plane by plane, sixteen bits a column.
    pub planes: &'a [u64],
    /// Points so far.
    pub score: i32,
    /// The key of the position.
    pub key: u64,
    /// Blocks of each colour, from 0 for none.
    pub counts: [u32; 16],
    /// What a group of `n` blocks is worth, for every `n` there can be.
    pub points: &'a [i32],
    /// What `n` blocks left of a colour add; at 0, what a cleared board adds.
    pub left: &'a [i32],
    /// See [`solitree_core::Plan`].
    pub seeds: u64,
    /// Positions kept of a layer.
    pub width: u64,
    /// Playouts from each position.
    pub samples: u64,
    /// The part of what a game's end adds that counts in a value.
    pub bonus: f64,
}

/// Short searches, many at a time (see [`solitree_core::Repairs`]).
pub trait BulkSwarm: Send {
    /// Searches that run side by side.
    fn places(&self) -> usize;

    /// Runs searches, by tables of what groups are worth and of what is left; for
    /// each the best score and the moves to it.
    fn run(
        &mut self,
        tasks: &[BulkTask],
        rules: (&[i32], &[i32]),
        effort: &Effort,
        seed: u64,
    ) -> Result<Vec<(i32, Vec<Cell>)>, String>;

    /// Games that a search of some effort plays at most.
    fn games(&self, effort: &Effort) -> u64;

    /// Games played so far.
    fn played(&self) -> u64;

    /// Hears that what it found does not hold.
    fn refuse(&mut self);
}

/// A search to be run.
#[derive(Clone, Debug)]
pub struct BulkTask {
    /// The bits of the colours, plane by plane, sixteen bits a column.
    pub planes: Vec<u64>,
    /// Points so far.
    pub score: i32,
    /// Blocks of each colour, from 0 for none.
    pub counts: [u32; 16],
    /// Which groups may go.
    pub manner: Manner,
    /// Moves before.
    pub played: usize,
    /// A line to begin with.
    pub line: Vec<Cell>,
}
