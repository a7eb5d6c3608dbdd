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
        if let Some(foundry) = self.foundry(puzzle, &kits, request)? {
            return Ok(boxed(vec![foundry]));
        }
        let plans = || kits.iter().map(|kit| kit.plans(puzzle)).collect();
        Ok(boxed(Anneal::<P, K::Plans>::workers(plans, self, request)))
    }
}

impl AnnealConfig {
    /// The search on a machine apart, if there is one for these kits.
    pub(crate) fn foundry<P: Puzzle, K: Kit<P>>(
        &self,
        puzzle: &P,
        kits: &[K],
        request: &Request<'_, P::Move>,
    ) -> Result<Option<Foundry<P, K>>, String> {
        let Some(furnace) = K::furnace(kits, puzzle) else { return Ok(None) };
        let plans = || kits.iter().map(|kit| kit.plans(puzzle)).collect();
        let one = Request { threads: 1, ..*request };
        let alone = Anneal::workers(plans, self, &one).pop().ok_or("a search without workers")?;
        Ok(Some(Foundry::new(puzzle, kits.to_vec(), furnace, self, alone, &one)))
    }
}
