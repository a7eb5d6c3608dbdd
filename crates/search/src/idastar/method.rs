//! IDA* among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::IdaStarConfig;
use super::engine::IdaStar;
use crate::bounded::Driver;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for IdaStarConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "ida-star",
        about: "iterative deepening with an over-estimator",
        paper: "Korf (1985), Artificial Intelligence 27; Schadd et al. (2012), Knowledge-Based Systems 34",
        presets: &[
            Preset {
                name: "default",
                about: "a search for every move; the best line seen is the answer",
                values: &[],
            },
            Preset {
                name: "authors",
                about: "a search for every move, and the game as it was played: Schadd et al. 2012",
                values: &[("answer", "played")],
            },
            Preset {
                name: "exact",
                about: "one search until the best line is proven",
                values: &[("control", "game"), ("order", "bound")],
            },
        ],
        parameters: Self::table,
        uses: &[Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let workers = request.threads.max(1) as u64;
        let make = |worker| {
            let engine = IdaStar::new(puzzle, self.order.rank(), (worker, workers));
            Driver::new(puzzle, kit, self.pace(), engine)
        };
        Ok(boxed((0..workers).map(make).collect()))
    }
}
