//! Annealing among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::foundry::Foundry;
use super::{Anneal, AnnealConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for AnnealConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "anneal",
        about: "simulated annealing over plans: lists of decisions that are followed as far as they can be",
        paper: "our own; after Kirkpatrick, Gelatt, Vecchi (1983), Science 220",
        presets: &[Preset::DEFAULT],
        parameters: Self::table,
        uses: &[Part::Playouts],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        if self.insert + self.shift + self.drop == 0 {
            return Err("insert, move and drop are all 0: one of them must be more".to_owned());
        }
        let kits = kit.variants(puzzle);
        let plans = || kits.iter().map(|kit| kit.plans(puzzle)).collect();
        let Some(furnace) = K::furnace(&kits, puzzle) else {
            return Ok(boxed(Anneal::<P, K::Plans>::workers(plans, self, request)));
        };
        let one = Request { threads: 1, ..*request };
        let alone = Anneal::workers(plans, self, &one).pop().ok_or("a search without workers")?;
        Ok(boxed(vec![Foundry::new(puzzle, kits.clone(), furnace, self, alone, &one)]))
    }
}
