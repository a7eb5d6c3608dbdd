//! NMCS among the algorithms: what it is called, and the papers' settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{Nmcs, NmcsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for NmcsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "nmcs",
        about: "Nested Monte-Carlo Search, with and without memory, and Lazy NMCS",
        paper: "Cazenave (2009), IJCAI; Lazy NMCS after the programs of Roucairol",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Playouts, Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        self.check(puzzle, kit, request)?;
        Ok(boxed(Nmcs::workers(puzzle, kit, self, request)))
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "level 2 for the children that ten playouts make look best",
        values: &[("lazy", "spread"), ("lazy-playouts", "10"), ("lazy-ratio", "0.7")],
    },
    Preset {
        name: "nmcs-2",
        about: "level 2 as in the paper: Cazenave 2009",
        values: &[("level", "2"), ("prune", "false"), ("epsilon", "0")],
    },
    Preset {
        name: "nmcs-3",
        about: "level 3 as in the paper",
        values: &[("level", "3"), ("prune", "false"), ("epsilon", "0")],
    },
    Preset {
        name: "nmcs-4",
        about: "level 4 as in the paper's table for SameGame",
        values: &[("level", "4"), ("prune", "false"), ("epsilon", "0")],
    },
    Preset {
        name: "lazy",
        about: "level 3 where a few playouts make a child look worth it: after Roucairol",
        values: &[
            ("level", "3"),
            ("lazy", "spread"),
            ("lazy-playouts", "10"),
            ("lazy-ratio", "0.7"),
        ],
    },
    Preset {
        name: "forgetful",
        about: "the best move of each step is played, and no game memorised",
        values: &[("memory", "false")],
    },
];
