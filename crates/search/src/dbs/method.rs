//! Depth-Budgeted Search among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{Dbs, DbsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for DbsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "dbs",
        about: "Depth-Budgeted Search, after Billings",
        paper: "after Billings, unpublished; named in Schadd et al. (2008), CG",
        presets: &[
            Preset {
                name: "default",
                about: "moves in the order of a greedy playout after each",
                values: &[],
            },
            Preset {
                name: "gain",
                about: "moves in the order of what they pay at once",
                values: &[("order", "gain")],
            },
        ],
        parameters: Self::table,
        uses: &[Part::Guide, Part::Evaluation],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let workers = request.threads.max(1) as u64;
        let make = |worker| Dbs::new(puzzle, kit, self, (worker, workers));
        Ok(boxed((0..workers).map(make).collect()))
    }
}
