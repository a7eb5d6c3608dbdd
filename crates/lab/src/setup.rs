//! The parameters of a run: those of the algorithm and those of the game.

use anyhow::Result;
use solitree_core::params::{ParamError, ParamInfo, Params, nearest};
use solitree_games::samegame::KitConfig;
use solitree_search::{Part, Preset, Settings};

use crate::failure::Failure;
use crate::instance::GameName;
use crate::policy::{Head, PolicyConfig};

/// The algorithm for those who name none: the strongest there is.
pub const DEFAULT_ALGORITHM: &str = "portfolio:default";

/// The name of an algorithm with its preset, `default` if none is named.
#[must_use]
pub fn full_name(algorithm: &str) -> String {
    if algorithm.contains(':') { algorithm.to_owned() } else { format!("{algorithm}:default") }
}

/// An algorithm and what a game lends to it, set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The algorithm's part.
    pub settings: Settings,
    /// What SameGame's part is; other games have nothing to set.
    pub kit: KitConfig,
    /// Which weights SameGame lends to an algorithm that asks a network.
    pub policy: PolicyConfig,
    game: GameName,
}

impl Setup {
    /// An algorithm with the values of its preset and those given as
    /// `KEY=VALUE`.
    pub fn given(game: GameName, algorithm: &str, given: &[String]) -> Result<Setup> {
        let (mut setup, preset) = Self::defaults(game, algorithm)?;
        for (key, value) in preset.values {
            match setup.set(key, value) {
                // Presets name values of SameGame too: no other game has them.
                Err(ParamError::UnknownKey { .. }) if game != GameName::SameGame => {}
                result => result.map_err(Failure::usage)?,
            }
        }
        for setting in given {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(Failure::usage(format!("--set {setting}: expected KEY=VALUE")));
            };
            setup.set_or_explain(key.trim(), value.trim())?;
        }
        Ok(setup)
    }

    /// An algorithm with every value as [`values`](Setup::values) gives them.
    pub fn read(game: GameName, algorithm: &str, values: &[(String, String)]) -> Result<Setup> {
        let (mut setup, _) = Self::defaults(game, algorithm)?;
        for (key, value) in values {
            setup.set_or_explain(key, value)?;
        }
        Ok(setup)
    }

    fn defaults(game: GameName, algorithm: &str) -> Result<(Setup, &'static Preset)> {
        let (settings, preset) = Settings::of(algorithm).map_err(Failure::usage)?;
        let (kit, policy) = (KitConfig::default(), PolicyConfig::default());
        Ok((Setup { settings, kit, policy, game }, preset))
    }

    /// What is known of every parameter of an algorithm in a game.
    pub fn table(game: GameName, algorithm: &str) -> Result<Vec<ParamInfo>> {
        let (algorithm, _) = solitree_search::algorithm(algorithm).map_err(Failure::usage)?;
        let mut table = (algorithm.parameters)();
        if game == GameName::SameGame {
            table.extend(KitConfig::table());
            if asked_for(algorithm.uses).is_some() {
                table.extend(PolicyConfig::table());
            }
        }
        Ok(table)
    }

    /// Every parameter, those of the game last.
    pub fn values(&self) -> Vec<(String, String)> {
        let values = self.settings.values().into_iter().chain(self.values_of_game());
        values.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn values_of_game(&self) -> Vec<(&'static str, String)> {
        match (self.game, self.asks().is_some()) {
            (GameName::SameGame, true) => [self.kit.values(), self.policy.values()].concat(),
            (GameName::SameGame, false) => self.kit.values(),
            _ => Vec::new(),
        }
    }

    /// What the algorithm asks a network for, if it does.
    pub(crate) fn asks(&self) -> Option<Head> {
        asked_for(self.settings.algorithm().uses)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ParamError> {
        match self.settings.set(key, value) {
            Err(ParamError::UnknownKey { .. }) if self.game == GameName::SameGame => {
                match self.kit.set(key, value) {
                    Err(ParamError::UnknownKey { .. }) if self.asks().is_some() => {
                        self.policy.set(key, value)
                    }
                    result => result,
                }
            }
            result => result,
        }
    }

    fn set_or_explain(&mut self, key: &str, value: &str) -> Result<()> {
        self.set(key, value).map_err(|error| match error {
            ParamError::UnknownKey { key, .. } if self.is_of_samegame_only(&key) => {
                let game = self.game;
                Failure::usage(format!(
                    "parameter '{key}' is one of samegame, and {game} has none of its own"
                ))
            }
            ParamError::UnknownKey { key, .. } => {
                let (ours, domain) = (self.settings.values(), self.values_of_game());
                let near = nearest(&key, ours.iter().chain(&domain).map(|&(key, _)| key));
                Failure::usage(ParamError::UnknownKey { key, near })
            }
            error => Failure::usage(error),
        })
    }

    fn is_of_samegame_only(&self, key: &str) -> bool {
        let own = [KitConfig::table(), PolicyConfig::table()].concat();
        self.game != GameName::SameGame && own.iter().any(|info| info.key == key)
    }
}

/// What is asked of a network by an algorithm that uses these parts.
fn asked_for(uses: &[Part]) -> Option<Head> {
    let head = |part: &Part| match part {
        Part::Policy => Some(Head::Policy),
        Part::Value => Some(Head::Value),
        Part::Playouts | Part::Guide | Part::Evaluation => None,
    };
    uses.iter().find_map(head)
}
