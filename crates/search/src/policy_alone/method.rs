//! A policy by itself among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{PolicyAlone, PolicyAloneConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for PolicyAloneConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "policy-alone",
        about: "games by a trained policy: its likeliest moves, then moves drawn from it",
        paper: "Seify and Buro (2020)",
        presets: &[Preset::DEFAULT],
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Policy],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        Ok(boxed(PolicyAlone::workers(puzzle, kit, self, request)))
    }
}
