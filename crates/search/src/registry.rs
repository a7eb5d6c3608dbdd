//! What algorithms there are.

use solitree_core::params::{ParamError, Params, nearest};
use solitree_core::{Budget, Kit, Puzzle};

use crate::method::{Algorithm, Method, Part, Preset, Request, Workers};

/// Lists the methods once: the table of algorithms, and [`Settings`].
macro_rules! methods {
    ($($variant:ident($config:ty),)+) => {
        /// Every algorithm, the default first.
        pub const ALGORITHMS: &[Algorithm] = &[ $( <$config as Method>::ALGORITHM, )+ ];

        /// The parameters of one algorithm, whichever it is.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Settings { $(
            #[doc = concat!("Those of [`", stringify!($config), "`].")]
            $variant($config),
        )+ }

        impl Settings {
            /// The defaults of an algorithm.
            fn defaults(name: &str) -> Option<Settings> {
                $( if name == <$config as Method>::ALGORITHM.name {
                    return Some(Settings::$variant(<$config>::default()));
                } )+
                None
            }

            /// Sets one parameter from text.
            pub fn set(&mut self, key: &str, value: &str) -> Result<(), ParamError> {
                match self { $( Settings::$variant(config) => config.set(key, value), )+ }
            }

            /// Every key with its present value as text.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, String)> {
                match self { $( Settings::$variant(config) => config.values(), )+ }
            }

            /// Which algorithm they are of.
            #[must_use]
            pub fn algorithm(&self) -> Algorithm {
                match self { $( Settings::$variant(_) => <$config as Method>::ALGORITHM, )+ }
            }

            /// Whether it can begin with a line.
            fn improves(&self) -> bool {
                match self { $( Settings::$variant(_) => <$config as Method>::IMPROVES, )+ }
            }

            fn start<P: Puzzle + 'static, K: Kit<P>>(
                &self,
                puzzle: &P,
                kit: &K,
                request: &Request<'_, P::Move>,
            ) -> Workers<P> {
                match self { $( Settings::$variant(config) => config.workers(puzzle, kit, request), )+ }
            }
        }
    };
}

methods! {
    Portfolio(crate::portfolio::PortfolioConfig),
    SpMcts(crate::spmcts::SpMctsConfig),
    Nrpa(crate::nrpa::NrpaConfig),
    Beam(crate::beam::BeamConfig),
    McBeam(crate::beam::McBeamConfig),
    Lns(crate::lns::LnsConfig),
    Anneal(crate::anneal::AnnealConfig),
    Swarm(crate::swarm::SwarmConfig),
    Hgsts(crate::portfolio::HgstsConfig),
    Nmcs(crate::nmcs::NmcsConfig),
    McRws(crate::mc_rws::McRwsConfig),
    IdaStar(crate::idastar::IdaStarConfig),
    AStar(crate::astar::AStarConfig),
    Dbs(crate::dbs::DbsConfig),
    BranchAndBound(crate::endgame::BranchAndBoundConfig),
    ParallelMcts(crate::parallel_mcts::ParallelMctsConfig),
    PolicyMcts(crate::policy_mcts::PolicyMctsConfig),
    PolicyAlone(crate::policy_alone::PolicyAloneConfig),
    PolicyNrpa(crate::policy_nrpa::PolicyNrpaConfig),
    PolicyBeam(crate::policy_beam::PolicyBeamConfig),
    ValueBeam(crate::value_beam::ValueBeamConfig),
}

impl Settings {
    /// The workers of a run, or why there cannot be any.
    pub fn workers<P: Puzzle + 'static, K: Kit<P>>(
        &self,
        puzzle: &P,
        kit: &K,
        request: &Request<'_, P::Move>,
    ) -> Workers<P> {
        let Algorithm { name, uses, .. } = self.algorithm();
        let Budget { playouts, nodes, time, .. } = request.budget;
        let plays_out = uses.contains(&Part::Playouts) || uses.contains(&Part::Guide);
        if playouts.is_some() && nodes.is_none() && time.is_none() && !plays_out {
            return Err(format!(
                "{name} plays no games out, so a budget of playouts would never end: give it nodes or time"
            ));
        }
        if request.line.is_some() && !self.improves() {
            let able = ALGORITHMS.iter().map(|algorithm| algorithm.name).filter(|&other| {
                Settings::defaults(other).is_some_and(|settings| settings.improves())
            });
            let able: Vec<&str> = able.collect();
            return Err(format!("{name} cannot begin with a line; {} can", able.join(", ")));
        }
        self.start(puzzle, kit, request)
    }

    /// The defaults of an algorithm, with or without a preset in its name; the
    /// preset's values are not yet set, for some are the domain's.
    pub fn of(name: &str) -> Result<(Settings, &'static Preset), UnknownAlgorithm> {
        let (algorithm, preset) = algorithm(name)?;
        let settings = Settings::defaults(algorithm.name).expect("the table lists the methods");
        Ok((settings, preset))
    }
}

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
        assert!(message("xyzzy").starts_with("unknown algorithm 'xyzzy'; there is: "));
    }
}
