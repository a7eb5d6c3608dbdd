//! Parallel-MCTS among the algorithms: what it is called, and its settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{ParallelMcts, ParallelMctsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for ParallelMctsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "parallel-mcts",
        about: "MCTS in a shared tree, with local normalisation and virtual loss",
        paper: "Seify and Buro (2020); Chaslot, Winands, van den Herik (2008), CG; Baier and Winands (2012), ECAI and CIG; Cazenave (2015), IJCAI",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Guide, Part::Evaluation],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        Ok(boxed(ParallelMcts::workers(puzzle, kit, self, request)?))
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "c = 3, games of 3,000 visits a move by every variant",
        values: &[
            ("c", "3"),
            ("t", "32"),
            ("control", "move"),
            ("longest", "3000"),
            ("variants", "true"),
        ],
    },
    Preset {
        name: "paper",
        about: "averages, every leaf expanded, one search, c = 10, uniform playouts: Seify and Buro 2020",
        values: &[("playout", "random"), ("c", "10")],
    },
    Preset { name: "puct", about: "the paper's search with our playouts", values: &[("c", "10")] },
    Preset {
        name: "ucb1-tuned",
        about: "UCB1-tuned on values scaled to [0, 1]",
        values: &[("formula", "ucb1-tuned"), ("c", "1")],
    },
    Preset {
        name: "rave",
        about: "all moves as first: Gelly and Silver",
        values: &[("c", "3"), ("amaf", "rave")],
    },
    Preset {
        name: "grave",
        about: "the same from the nearest position with 50 visits: Cazenave 2015",
        values: &[("c", "3"), ("amaf", "grave")],
    },
    Preset {
        name: "widening",
        about: "progressive widening in the evaluator's order",
        values: &[("c", "3"), ("growth", "widening")],
    },
    Preset {
        name: "unpruning",
        about: "progressive unpruning in the evaluator's order: Chaslot et al. 2008",
        values: &[("c", "3"), ("growth", "unpruning")],
    },
    Preset {
        name: "nested",
        about: "a search of 100 playouts for each playout: Baier and Winands 2012",
        values: &[("c", "3"), ("nested", "100")],
    },
    Preset {
        name: "beam",
        about: "100 positions of each depth after 2,000 visits: Baier and Winands 2012",
        values: &[("c", "3"), ("beam", "100"), ("beam-limit", "2000")],
    },
    Preset {
        name: "root",
        about: "a tree for each thread",
        values: &[("c", "3"), ("control", "move"), ("parallel", "root")],
    },
    Preset {
        name: "leaf",
        about: "eight playouts of a leaf at each visit",
        values: &[("c", "3"), ("control", "move"), ("parallel", "leaf"), ("leaf-playouts", "8")],
    },
];
