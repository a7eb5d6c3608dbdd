//! The Monte-Carlo beam with a policy among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::PolicyBeamConfig;
use crate::beam::{Thinning, thinned};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers};

/// The part of the memory in which is kept what the policy said.
const SHARE: u64 = 8;

impl Method for PolicyBeamConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "policy-beam",
        about: "the Monte-Carlo beam, with the moves that a trained policy finds likely",
        paper: "our own; compare Silver et al. (2016), Nature 529",
        presets: &[Preset {
            name: "default",
            about: "every variant in a narrow pass, then the best as wide as the budget allows",
            values: &[("epsilon", "0")],
        }],
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Policy],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let thinning = Thinning::new(self.cover, request.memory() / SHARE);
        thinned(puzzle, kit, (&self.beam(), thinning), request)
    }
}
