//! What algorithms there are.

use solitree_core::params::{ParamInfo, Params, nearest};

use crate::spmcts::SpMctsConfig;

/// An algorithm as the command line, experiments and documents name it.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Named settings.
    pub presets: &'static [Preset],
    /// Its parameters.
    pub parameters: fn() -> Vec<ParamInfo>,
}

/// A named setting of an algorithm: values of parameters, those of the
/// playouts included.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name after the colon.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Keys and values that differ from the defaults.
    pub values: &'static [(&'static str, &'static str)],
}

/// Every algorithm, the default first.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "sp-mcts",
    about: "Single-Player Monte-Carlo Tree Search",
    paper: "Schadd, Winands, Tak, Uiterwijk (2012), Knowledge-Based Systems 34; Schadd et al. (2008), CG and AISB",
    presets: SP_MCTS,
    parameters: SpMctsConfig::table,
}];

/// The papers' settings, with the selection formula of the program that made
/// their results: see [`SelectionFormula`](crate::spmcts::SelectionFormula).
/// `--set formula=papers` gives Formula 1 as it is printed.
const SP_MCTS: &[Preset] = &[
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

/// A name that is not in the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAlgorithm {
    /// No such algorithm.
    #[error("unknown algorithm '{name}'; {hint}")]
    Name {
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    /// No such preset of the algorithm.
    #[error("'{algorithm}' has no preset '{preset}'; {hint}")]
    Preset {
        /// The algorithm.
        algorithm: &'static str,
        /// What was asked for.
        preset: String,
        /// What there is.
        hint: String,
    },
}

/// The algorithm and preset of a name such as `sp-mcts` or
/// `sp-mcts:exploitation`.
pub fn algorithm(name: &str) -> Result<(&'static Algorithm, &'static Preset), UnknownAlgorithm> {
    let (head, tail) = name.split_once(':').unwrap_or((name, "default"));
    let names = || ALGORITHMS.iter().map(|algorithm| algorithm.name);
    let Some(algorithm) = ALGORITHMS.iter().find(|algorithm| algorithm.name == head) else {
        return Err(UnknownAlgorithm::Name { name: head.to_owned(), hint: hint(head, names()) });
    };
    let presets = || algorithm.presets.iter().map(|preset| preset.name);
    match algorithm.presets.iter().find(|preset| preset.name == tail) {
        Some(preset) => Ok((algorithm, preset)),
        None => Err(UnknownAlgorithm::Preset {
            algorithm: algorithm.name,
            preset: tail.to_owned(),
            hint: hint(tail, presets()),
        }),
    }
}

fn hint<'a>(word: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(word, names.clone()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("there is: {}", names.collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_or_the_near_one_is_named() {
        assert_eq!(algorithm("sp-mcts").unwrap().1.name, "default");
        assert_eq!(algorithm("sp-mcts:balanced").unwrap().1.name, "balanced");
        let message = |name: &str| algorithm(name).unwrap_err().to_string();
        assert_eq!(message("sp-mtcs"), "unknown algorithm 'sp-mtcs'; did you mean 'sp-mcts'?");
        assert_eq!(
            message("sp-mcts:balancd"),
            "'sp-mcts' has no preset 'balancd'; did you mean 'balanced'?"
        );
        assert_eq!(message("xyzzy"), "unknown algorithm 'xyzzy'; there is: sp-mcts");
    }
}
