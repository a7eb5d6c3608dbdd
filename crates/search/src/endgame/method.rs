//! Branch and bound among the algorithms.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::BranchAndBoundConfig;
use super::search::BranchAndBound;
use super::table::ENTRY_BYTES;
use crate::bounded::{Driver, Pace};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};
use crate::spmcts::{Answer, Control};

impl Method for BranchAndBoundConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "branch-and-bound",
        about: "depth-first branch and bound with a transposition table",
        paper: "Land and Doig (1960), Econometrica 28; Reinefeld and Marsland (1994), IEEE PAMI 16",
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
        let workers = request.threads.max(1) as u64;
        let entries = self.table.min(request.memory() / workers / ENTRY_BYTES);
        let pace = Pace {
            control: Control::Game,
            game_length: 1.0,
            answer: Answer::Best,
            finish: self.finish,
        };
        let make = |worker| {
            let engine = BranchAndBound::new(puzzle, entries, (worker, workers));
            Driver::new(puzzle, kit, pace, engine)
        };
        Ok(boxed((0..workers).map(make).collect()))
    }
}
