//! Beams that a machine apart works through: a GPU, say.

use crate::Score;

/// A pass of a Monte-Carlo beam, layer by layer, on a machine of its own.
///
/// It does what the beam search does without it, position by position and
/// playout by playout: of the moves from every position kept it drops what
/// leads to the same position with fewer points, values the rest by the best of
/// some playouts, and keeps the best. Only which of several lines with equal
/// points to one position is told may differ.
pub trait Layers<M>: Send {
    /// Works on, with at most so many playouts, for some hundredths of a second.
    /// The error is the machine's: it is of no further use.
    fn next(&mut self, most: u64) -> Result<Stage, String>;

    /// The moves to the position that the best playout of the last layer
    /// started from, from the start of the pass, and that playout's seed.
    fn best(&mut self) -> Result<(Vec<M>, u64), String>;

    /// Hears that what it found does not hold: the machine plays wrong, and is to
    /// be of no further use to anybody.
    fn refuse(&mut self);
}

/// How far a pass has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The moves from the positions kept were found: so many.
    Expanded(u64),
    /// So many games were played out.
    Played(u64),
    /// A layer is done.
    Layer {
        /// Positions kept.
        kept: u64,
        /// The best score of its playouts.
        best: Score,
    },
    /// No position was left.
    Over,
}

/// What a pass is to do.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a, S> {
    /// Where it starts.
    pub start: &'a S,
    /// The seed of playout `j` from a position is `mix((seeds ^ key) + j)`, by the
    /// position's key.
    pub seeds: u64,
    /// Positions kept of a layer.
    pub width: u64,
    /// Playouts from each position.
    pub samples: u64,
    /// The part of what a game's end adds that counts in a value.
    pub bonus: f64,
}
