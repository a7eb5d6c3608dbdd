//! NRPA among the algorithms: what it is called, and its family as settings.

use solitree_core::params::Params;
use solitree_core::{Kit, Puzzle};

use super::{Nrpa, NrpaConfig};
use crate::method::{Algorithm, Method, Part, Preset, Request, Workers, boxed};

impl Method for NrpaConfig {
    const IMPROVES: bool = true;

    const ALGORITHM: Algorithm = Algorithm {
        name: "nrpa",
        about: "Nested Rollout Policy Adaptation and its family",
        paper: "Rosin (2011), IJCAI; Cazenave and Teytaud (2012); Edelkamp and Cazenave (2016); Cazenave (2016, 2020); Negrevergne and Cazenave (2017)",
        presets: PRESETS,
        parameters: Self::table,
        uses: &[Part::Guide],
    };

    fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        self.check(request)?;
        Ok(boxed(Nrpa::workers(puzzle, kit, self, request)))
    }
}

/// The papers know a move by its cells; that it is better known by its blocks
/// is our own finding.
const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "the strongest setting we know: stabilised, moves known by their blocks",
        values: &[("level-playouts", "4"), ("iterations", "50")],
    },
    Preset {
        name: "rosin",
        about: "level 3 as first published, with one colour kept",
        values: &[("code", "cells")],
    },
    Preset {
        name: "plain",
        about: "the same without any knowledge of the domain",
        values: &[("code", "cells"), ("tabu-rule", "none")],
    },
    Preset {
        name: "selective",
        about: "groups of two of the kept colour may go after ten moves: Cazenave 2016",
        values: &[("code", "cells"), ("level", "4"), ("tabu-rule", "selective")],
    },
    Preset {
        name: "beam",
        about: "four pairs of weights and sequence at the lowest level: Cazenave and Teytaud 2012",
        values: &[("code", "cells"), ("beam", "4")],
    },
    Preset {
        name: "diversity",
        about: "a beam of different sequences, lazy adaptation, no kept colour: Edelkamp and Cazenave 2016",
        values: &[
            ("code", "cells"),
            ("level", "4"),
            ("beam", "4"),
            ("diverse", "true"),
            ("lazy", "true"),
            ("tabu-rule", "none"),
        ],
    },
    Preset {
        name: "gnrpa",
        about: "a bias towards large groups: Cazenave 2020",
        values: &[("code", "cells"), ("tabu-rule", "selective"), ("bias", "1")],
    },
    Preset {
        name: "stabilised",
        about: "four playouts before each adaptation: Cazenave et al. 2021",
        values: &[("code", "cells"), ("level-playouts", "4")],
    },
    Preset {
        name: "limited",
        about: "levels end when they find the same again and again: Cazenave 2024",
        values: &[("code", "cells"), ("repetitions", "10")],
    },
];
