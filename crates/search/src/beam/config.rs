//! The parameters of the two beam searches, and what all beams have in common.

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

/// What a position of a beam is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Worth {
    /// What the domain's evaluation says.
    Evaluation,
    /// The best of so many playouts, with this part of what the end adds.
    Playouts(u64, f64),
    /// Its points and those that are foreseen, with this many for a board that is cleared.
    Foreseen(f64),
}

/// What beams have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) width: u64,
    pub(super) layers: Layers,
    pub(super) unique: bool,
    pub(super) worth: Worth,
    /// Playouts from each position that is kept: they find lines, and change no value.
    pub(super) finishes: u64,
    /// Whether every move is looked at, or a policy has a say.
    pub(super) all_moves: bool,
}

impl Shape {
    /// Whether a layer has to be whole before its positions are valued.
    pub(super) fn values_layers(&self) -> bool {
        self.worth != Worth::Evaluation
    }
}

impl BeamConfig {
    pub(super) fn shape(&self) -> Shape {
        let BeamConfig { width, layers, unique, .. } = *self;
        Shape { width, layers, unique, worth: Worth::Evaluation, finishes: 0, all_moves: true }
    }
}

impl McBeamConfig {
    pub(super) fn shape(&self) -> Shape {
        let McBeamConfig { width, playouts, bonus, layers, unique, .. } = *self;
        let worth = Worth::Playouts(playouts, bonus);
        Shape { width, layers, unique, worth, finishes: 0, all_moves: true }
    }
}
