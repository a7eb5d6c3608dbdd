//! The swarm among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::arms::Kits;
use super::{Swarm, SwarmConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for SwarmConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "swarm",
        about: "thousands of short NRPA searches at a time repair a pool of lines, on a GPU",
        paper: "our own; after Shaw (1998), CP, with repairs by NRPA",
        presets: &[Preset {
            name: "default",
            about: "beams and repairs in turn",
            values: &[("epsilon", "0")],
        }],
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let kits = Kits::of(kit, puzzle);
        match K::repairs(&kits.all, puzzle) {
            Some(machine) => {
                let Request { seed, line, budget, .. } = *request;
                let rounds = self.rounds_within(budget.time);
                let config = SwarmConfig { rounds, ..self.clone() };
                Ok(boxed(vec![Swarm::new(puzzle, kits, machine, &config, line, seed)]))
            }
            None => self.alone().workers(puzzle, kit, request),
        }
    }
}
