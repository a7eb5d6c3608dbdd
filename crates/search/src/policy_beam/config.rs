//! The parameters of the Monte-Carlo beam with a policy.

use solitree_core::params;
use solitree_core::params::Range;

use crate::beam::{Layers, McBeamConfig};

params! {
    /// Everything that can be set in the Monte-Carlo beam with a policy.
    pub struct PolicyBeamConfig {
        /// Of each position the likeliest moves that together have this probability are played out; 1 for all.
        cover ("cover"): f64 = 0.9, Range::Real(0.0, 1.0);
        /// Positions kept of a layer; 0 for passes that widen with the budget.
        width ("width"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Playouts from each position; the best is its value.
        playouts ("samples"): u64 = 8, Range::Count(1, 1_000);
        /// The part of the end's bonus and penalties that counts in a value.
        bonus ("bonus"): f64 = 0.0, Range::Real(0.0, 1.0);
        /// What the positions of a layer have in common.
        layers ("layers"): Layers = Layers::Moves, Range::Choice(Layers::WORDS);
        /// Whether passes try the domain's variants of its playouts and go on with the best.
        variants ("variants"): bool = true, Range::Flag;
    }
}

impl PolicyBeamConfig {
    /// The part that any Monte-Carlo beam has.
    pub(super) fn beam(&self) -> McBeamConfig {
        McBeamConfig {
            width: self.width,
            playouts: self.playouts,
            bonus: self.bonus,
            layers: self.layers,
            variants: self.variants,
            ..McBeamConfig::default()
        }
    }
}
