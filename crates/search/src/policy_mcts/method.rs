//! Policy-MCTS among the algorithms: what it is called, and its settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::PolicyMctsConfig;
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};
use crate::parallel_mcts::ParallelMcts;

impl Method for PolicyMctsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "policy-mcts",
        about: "MCTS guided by a trained policy",
        paper: "Seify and Buro (2020)",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Policy],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        self.check()?;
        let (engine, usage) = (self.engine(), self.usage());
        Ok(boxed(ParallelMcts::taught(puzzle, kit, (&engine, usage), request)?))
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "playouts of the game, games of 3,000 visits a move by every variant; asked late",
        values: &[
            ("t", "32"),
            ("batch", "64"),
            ("control", "move"),
            ("longest", "3000"),
            ("variants", "true"),
        ],
    },
    Preset {
        name: "paper",
        about: "one search, c = 5, uniform playouts: Seify and Buro 2020",
        values: &[("playout", "random"), ("c", "5")],
    },
    Preset {
        name: "late",
        about: "the same, asked at the fourth visit and about many leaves at a time: for processors",
        values: &[("playout", "random"), ("c", "5"), ("t", "4"), ("batch", "64")],
    },
    Preset {
        name: "informed",
        about: "the same with playouts that follow the policy",
        values: &[("informed", "true"), ("c", "5")],
    },
    Preset {
        name: "training",
        about: "a game as the paper plays it to learn from, 25 simulations a move, noise at the root",
        values: &[
            ("informed", "true"),
            ("c", "2"),
            ("control", "move"),
            ("simulations", "25"),
            ("noise", "0.25"),
            ("games", "1"),
        ],
    },
];
