//! A* among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::AStarConfig;
use super::engine::AStar;
use super::graph::Graph;
use crate::bounded::Driver;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for AStarConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "a-star",
        about: "best-first search with an over-estimator",
        paper: "Hart, Nilsson, Raphael (1968), IEEE SSC 4; Schadd et al. (2012), Knowledge-Based Systems 34",
        presets: &[
            Preset {
                name: "default",
                about: "one search until the best line is proven",
                values: &[],
            },
            Preset {
                name: "per-move",
                about: "a search for every move",
                values: &[("control", "move")],
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
        let room = request.memory() / workers / Graph::<P::Move>::NODE_BYTES;
        let positions = if self.positions == 0 { room } else { self.positions.min(room) };
        let make = |worker| {
            let engine = AStar::new(puzzle, positions, worker);
            Driver::new(puzzle, kit, self.pace(), engine)
        };
        Ok(boxed((0..workers).map(make).collect()))
    }
}
