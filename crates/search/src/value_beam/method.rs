//! The beam with a network's values among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::ValueBeamConfig;
use crate::beam::{Foreseen, foreseeing};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers};

/// The part of the memory in which is kept what the network said.
const SHARE: u64 = 8;

impl Method for ValueBeamConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "value-beam",
        about: "beam search by what a trained network says is still to come",
        paper: "our own; compare Silver et al. (2017), Nature 550",
        presets: &[Preset {
            name: "default",
            about: "wider and wider passes, until the budget is used",
            values: &[("epsilon", "0")],
        }],
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Evaluation, Part::Value],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        if self.clear > 0.0 && kit.foresight().is_some_and(|known| !known.tells_clearing()) {
            return Err(
                "clear: the weights say nothing of cleared boards (no clear head)".to_owned()
            );
        }
        let foreseen = Foreseen::new(request.memory() / SHARE);
        let (beam, worth) = (self.beam(), (self.clear, self.samples));
        foreseeing(puzzle, kit, (&beam, foreseen), worth, request)
    }
}
