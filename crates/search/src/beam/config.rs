//! The parameters of the two beam searches.

use solitree_core::params::Range;
use solitree_core::{choice, params};

choice! {
    /// What the positions of a layer have in common.
    pub enum Layers {
        /// The moves that led to them.
        Moves = "moves",
        /// How far the game has come, by the domain's own measure: the blocks
        /// removed in SameGame.
        Progress = "progress",
    }
}

params! {
    /// Beam search by an evaluation of positions.
    pub struct BeamConfig {
        /// Positions kept of a layer; 0 for passes that widen with the budget.
        width ("width"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Whether the width is what the memory limit has room for.
        fill ("fill-memory"): bool = false, Range::Flag;
        /// What the positions of a layer have in common.
        layers ("layers"): Layers = Layers::Moves, Range::Choice(Layers::WORDS);
        /// Whether positions that several lines lead to are kept once.
        unique ("unique"): bool = true, Range::Flag;
        /// With a line to improve: moves of it that are kept.
        from ("from"): u64 = 0, Range::Count(0, 100_000);
    }
}

params! {
    /// Monte-Carlo beam search: positions are worth what playouts make of them.
    pub struct McBeamConfig {
        /// Positions kept of a layer; 0 for passes that widen with the budget.
        width ("width"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Playouts from each position; the best is its value.
        playouts ("samples"): u64 = 8, Range::Count(1, 1_000);
        /// The part of the end's bonus and penalties that counts in a value.
        bonus ("bonus"): f64 = 0.0, Range::Real(0.0, 1.0);
        /// Whether the width is what the memory limit has room for.
        fill ("fill-memory"): bool = false, Range::Flag;
        /// What the positions of a layer have in common.
        layers ("layers"): Layers = Layers::Moves, Range::Choice(Layers::WORDS);
        /// Whether positions that several lines lead to are kept once.
        unique ("unique"): bool = true, Range::Flag;
        /// Whether passes try the domain's variants of its playouts (in SameGame, every colour as the one that is kept) and go on with the best.
        variants ("variants"): bool = true, Range::Flag;
        /// With a line to improve: moves of it that are kept.
        from ("from"): u64 = 0, Range::Count(0, 100_000);
    }
}

/// What the two have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) width: u64,
    pub(super) layers: Layers,
    pub(super) unique: bool,
    /// Playouts a position and the weight of the end; none to ask the evaluator.
    pub(super) sampling: Option<(u64, f64)>,
    /// Whether every move is looked at, or a policy has a say.
    pub(super) all_moves: bool,
}

impl BeamConfig {
    pub(super) fn shape(&self) -> Shape {
        let BeamConfig { width, layers, unique, .. } = *self;
        Shape { width, layers, unique, sampling: None, all_moves: true }
    }
}

impl McBeamConfig {
    pub(super) fn shape(&self) -> Shape {
        let McBeamConfig { width, playouts, bonus, layers, unique, .. } = *self;
        Shape { width, layers, unique, sampling: Some((playouts, bonus)), all_moves: true }
    }
}
