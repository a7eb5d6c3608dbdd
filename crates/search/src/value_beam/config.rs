//! The parameters of the beam with a network's values.

use solitree_core::params;
use solitree_core::params::Range;

use crate::beam::{BeamConfig, Layers};

params! {
    /// Everything that can be set in the beam with a network's values.
    pub struct ValueBeamConfig {
        /// Points that a position is worth for the chance of a cleared board, beside the value.
        clear ("clear"): f64 = 0.0, Range::Real(0.0, 1_000_000.0);
        /// Positions kept of a layer; 0 for passes that widen with the budget.
        width ("width"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Playouts from each position that is kept, for their lines alone.
        samples ("samples"): u64 = 1, Range::Count(1, 1_000);
        /// What the positions of a layer have in common.
        layers ("layers"): Layers = Layers::Moves, Range::Choice(Layers::WORDS);
    }
}

impl ValueBeamConfig {
    /// The part that any beam has.
    pub(super) fn beam(&self) -> BeamConfig {
        BeamConfig { width: self.width, layers: self.layers, ..BeamConfig::default() }
    }
}
