//! The swarm among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::arms::Kits;
use super::{Swarm, SwarmConfig};
use crate::anneal::AnnealConfig;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for SwarmConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "swarm",
        about: "thousands of short NRPA searches at a time repair a pool of lines that are then annealed, on a GPU",
        paper: "our own; after Shaw (1998), CP, with repairs by NRPA",
        presets: &[Preset {
            name: "default",
            about: "beams and repairs in turn, then annealing",
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
                let foundry = if config.anneal > 0.0 {
                    let first = 1.0 - config.anneal;
                    AnnealConfig { first, ..AnnealConfig::default() }
                        .foundry(puzzle, &kits.all, request)?
                } else {
                    None
                };
                Ok(boxed(vec![Swarm::new(puzzle, kits, (machine, foundry), &config, line, seed)]))
            }
            None => self.alone().workers(puzzle, kit, request),
        }
    }
}
