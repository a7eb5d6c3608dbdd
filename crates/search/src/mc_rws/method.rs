//! MC-RWS among the algorithms: what it is called, and its settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{McRws, McRwsConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for McRwsConfig {
    const ALGORITHM: Algorithm = Algorithm {
        name: "mc-rws",
        about: "Monte-Carlo with Roulette-Wheel Selection: playouts of every move, the best is played",
        paper: "Takes and Kosters (2009), BNAIC",
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
        self.check(puzzle, request)?;
        Ok(boxed(McRws::workers(puzzle, kit, self, request)))
    }
}

const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "rare colours first in the playouts: Takes and Kosters 2009",
        values: &[("playout", "mc-rws")],
    },
    Preset {
        name: "maximum",
        about: "the move with the best playout is played",
        values: &[("playout", "mc-rws"), ("move-by", "maximum")],
    },
    Preset {
        name: "tabu",
        about: "the same loop around playouts that keep the most frequent colour",
        values: &[("playout", "tabu-color-random")],
    },
];
