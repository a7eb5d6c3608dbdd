//! NRPA with a policy among the algorithms: what it is called, and its settings.

use std::sync::Arc;

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::PolicyNrpaConfig;
use super::favoured::Favoured;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};
use crate::nrpa::Nrpa;
use crate::opinions::Opinions;

/// The part of the memory in which is kept what the policy said.
const SHARE: u64 = 8;

impl Method for PolicyNrpaConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "policy-nrpa",
        about: "NRPA with a trained policy as its bias",
        paper: "Cazenave (2020); Seify and Buro (2020)",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Guide, Part::Policy],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let engine = self.engine();
        engine.check(request)?;
        let opinions = Arc::new(Opinions::new(request.memory() / SHARE));
        let guide = Favoured { kit: kit.clone(), strength: self.favour, opinions };
        Ok(boxed(Nrpa::workers(puzzle, &guide, &engine, request)))
    }
}

const PRESETS: &[Preset] = &[
    Preset::DEFAULT,
    Preset {
        name: "shallow",
        about: "two levels: for budgets of some thousand playouts",
        values: &[("level", "2"), ("iterations", "100")],
    },
];
