//! What is to be seen inside a search at work.

use serde::{Deserialize, Serialize};

use crate::Score;

/// A look inside a search: what its method has at hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Insight<M> {
    /// A tree of positions.
    Tree(TreeInsight<M>),
    /// Weights that steer playouts, level by level, the lowest first.
    Policy(Vec<PolicyLevel>),
    /// A beam.
    Beam(BeamInsight),
}

/// A search tree from above, or what was done below the first moves by a search that
/// keeps no tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeInsight<M> {
    /// What the depths are of.
    pub counted: Counted,
    /// Moves from the start of the puzzle to the root.
    pub prefix: Vec<M>,
    /// The moves of the root that have been tried.
    pub moves: Vec<TriedMove<M>>,
    /// How many of them at each depth, the root's first.
    pub depths: Vec<u64>,
}

/// What is counted by its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// Positions that were visited.
    Positions,
    /// Playouts, where they begin.
    Playouts,
}

/// What is known of a move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedMove<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried.
    pub visits: u64,
    /// The mean score of what came of it.
    pub mean: f64,
    /// The best.
    pub best: Score,
}

/// A level of a search that adapts its policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyLevel {
    /// Iterations done since it last began.
    pub iteration: u64,
    /// The score of its best line, if it has one.
    pub score: Option<Score>,
    /// The probability that its policy gives to each move of that line.
    pub line: Vec<f32>,
}

/// A beam and the layers it has come through.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamInsight {
    /// The number of the pass, from 0.
    pub pass: u64,
    /// The most positions that are kept of a layer.
    pub width: u64,
    /// The layers of this pass that have been selected, in their order.
    pub layers: Vec<Layer>,
}

/// A layer of a beam.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Layer {
    /// Its number: moves or progress since the start of the pass.
    pub number: usize,
    /// Positions kept.
    pub kept: u64,
    /// The value of the best of them.
    pub best: f32,
    /// The value of the last.
    pub worst: f32,
}
