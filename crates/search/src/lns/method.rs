//! Large-neighbourhood search among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{Lns, LnsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for LnsConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "lns",
        about: "large-neighbourhood search: cuts good lines and searches for better ends",
        paper: "our own; after Shaw (1998), CP, with repairs by NRPA",
        presets: &[Preset::DEFAULT],
        parameters: Self::table,
        uses: &[Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        self.first().check_memory(request)?;
        let Request { seed, threads, line, .. } = *request;
        let kits = kit.variants(puzzle);
        Ok(boxed(Lns::workers(puzzle, kits, self, line, (seed, threads))))
    }
}
