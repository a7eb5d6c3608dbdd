//! SP-MCTS among the algorithms: what it is called, and the papers' settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{SpMcts, SpMctsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for SpMctsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "sp-mcts",
        about: "Single-Player Monte-Carlo Tree Search",
        paper: "Schadd, Winands, Tak, Uiterwijk (2012), Knowledge-Based Systems 34; Schadd et al. (2008), CG and AISB",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Playouts],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let Request { budget, seed, threads, .. } = *request;
        Ok(boxed(SpMcts::workers(puzzle, kit, self, budget, seed, threads)))
    }
}

/// The papers' settings, with the selection formula of the program that made
/// their results: see [`SelectionFormula`](super::SelectionFormula).
/// `--set formula=papers` gives Formula 1 as it is printed.
const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "the strongest setting we know: restarts, several abreast",
        values: &[
            ("formula", "program"),
            ("c", "0.2"),
            ("d", "1000"),
            ("restarts", "0"),
            ("search-nodes", "50000"),
        ],
    },
    Preset {
        name: "exploitation",
        about: "one tree, (C; D) = (0.1; 32): Table 2",
        values: &[("formula", "program"), ("c", "0.1"), ("d", "32")],
    },
    Preset {
        name: "balanced",
        about: "one tree, (C; D) = (0.5; 10,000): Table 2",
        values: &[("formula", "program"), ("c", "0.5"), ("d", "10000")],
    },
    Preset {
        name: "exploration",
        about: "one tree, (C; D) = (1; 20,000): Table 2",
        values: &[("formula", "program"), ("c", "1"), ("d", "20000")],
    },
    Preset {
        name: "cem-per-game",
        about: "one tree, tuned by cross-entropy: Table 5",
        values: &[
            ("formula", "program"),
            ("c", "5.96"),
            ("d", "67.98"),
            ("t", "13"),
            ("w", "0.49"),
            ("epsilon", "0.00007"),
        ],
    },
    Preset {
        name: "cem-per-move",
        about: "a search for every move, tuned by cross-entropy: Table 5",
        values: CEM_PER_MOVE,
    },
    Preset {
        name: "sp-mcts-1",
        about: "1,000 restarts of 100,000 nodes, exploitation: Table 7",
        values: &[
            ("formula", "program"),
            ("c", "0.1"),
            ("d", "32"),
            ("restarts", "1000"),
            ("search-nodes", "100000"),
        ],
    },
    Preset {
        name: "sp-mcts-2",
        about: "a search for every move, exploitation: Table 7",
        values: &[("formula", "program"), ("c", "0.1"), ("d", "32"), ("control", "move")],
    },
    Preset {
        name: "sp-mcts-3",
        about: "a search for every move, tuned by cross-entropy: Table 7",
        values: CEM_PER_MOVE,
    },
];

const CEM_PER_MOVE: &[(&str, &str)] = &[
    ("formula", "program"),
    ("c", "4.31"),
    ("d", "96.67"),
    ("t", "11"),
    ("w", "0.28"),
    ("epsilon", "0.00007"),
    ("control", "move"),
];
