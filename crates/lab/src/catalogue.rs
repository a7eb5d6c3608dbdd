//! What there is to choose from, as JSON: `solitree boards --json` and `solitree
//! algorithms --json`, and the lists of the analysis and of the server.

use serde::Serialize;
use serde_json::{Map, Value};
use solitree_core::params::{ParamInfo, Params, Range};
use solitree_games::morpion::Variant;
use solitree_games::samegame::{
    EvaluatorConfig, GENERATOR_VERSION, GuideConfig, PlayoutConfig, RULE_PRESETS, SETS, record,
};
use solitree_search::{Algorithm, Part};

use crate::PolicyConfig;
use crate::matches;
use crate::wire::typed;

/// What Morpion Solitaire is, in a line.
pub const MORPION: &str =
    "Morpion Solitaire: lines of five or four that may touch or share no point";

/// Every board with a name, and the rules.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Boards {
    /// The sets.
    pub sets: Vec<SetInfo>,
    /// The rules of SameGame that have names.
    pub rules: Vec<RuleInfo>,
    /// Raised whenever a seed would give another board.
    pub generator_version: u32,
}

/// A set of boards.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SetInfo {
    /// The name before the colon.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Its boards.
    pub boards: Vec<BoardInfo>,
}

/// A board with a name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BoardInfo {
    /// Its name.
    pub name: String,
    /// The best score known.
    pub best_known: Option<i64>,
    /// Where that is from.
    pub source: Option<String>,
}

/// Rules with a name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleInfo {
    /// The name.
    pub name: String,
    /// The rule written out.
    pub formula: String,
    /// Where it comes from.
    pub about: String,
}

/// An algorithm, its settings and its paper.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AlgorithmInfo {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Where it was published.
    pub paper: String,
    /// Named settings.
    pub presets: Vec<PresetInfo>,
    /// Everything that can be set.
    pub parameters: Vec<ParameterInfo>,
}

/// A named setting.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PresetInfo {
    /// Its name behind the colon.
    pub name: String,
    /// What it is.
    pub about: String,
    /// What differs from the defaults.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number | boolean | string>"))]
    pub values: Map<String, Value>,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ParameterInfo {
    /// The key.
    pub key: String,
    /// Its value unless set.
    #[cfg_attr(feature = "typescript", ts(type = "number | boolean | string"))]
    pub default: Value,
    /// The kind of value.
    pub kind: ParameterKind,
    /// The values it may take.
    pub range: ParameterRange,
    /// What it does.
    pub help: String,
}

/// The kind of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ParameterKind {
    /// A real number.
    Real,
    /// A whole number.
    Count,
    /// True or false.
    Flag,
    /// One of some words.
    Choice,
}

/// The values of a parameter.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ParameterRange {
    /// Real numbers, both ends included.
    Real {
        /// The lowest.
        min: f64,
        /// The highest.
        max: f64,
    },
    /// Whole numbers, both ends included.
    Count {
        /// The lowest.
        min: u64,
        /// The highest.
        max: u64,
    },
    /// True and false.
    Flag([bool; 2]),
    /// Words.
    Choice(Vec<String>),
}

/// Somebody to play against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
}

/// Every board with a name, and the rules.
#[must_use]
pub fn boards() -> Boards {
    let mut sets: Vec<SetInfo> = SETS
        .iter()
        .map(|set| {
            let names = (1..=set.len).filter_map(|number| set.board(number));
            let boards = names.map(|name| {
                let known = record(&name);
                BoardInfo {
                    name: name.to_string(),
                    best_known: known.map(|record| record.score),
                    source: known.map(|record| record.source.clone()),
                }
            });
            SetInfo { name: set.name.into(), about: set.about.into(), boards: boards.collect() }
        })
        .collect();
    sets.push(SetInfo { name: "morpion".into(), about: MORPION.into(), boards: morpion() });
    let rules = RULE_PRESETS.iter().map(|rule| RuleInfo {
        name: rule.name.into(),
        formula: rule.text.into(),
        about: rule.about.into(),
    });
    Boards { sets, rules: rules.collect(), generator_version: GENERATOR_VERSION }
}

/// The variants with their records.
fn morpion() -> Vec<BoardInfo> {
    let row = |variant: &Variant| {
        let best = variant.best();
        let source = Some(best.source.to_owned());
        BoardInfo { name: format!("morpion:{variant}"), best_known: Some(best.score), source }
    };
    Variant::ALL.iter().map(row).collect()
}

/// Algorithms with everything that can be set.
#[must_use]
pub fn algorithms(listed: &[Algorithm]) -> Vec<AlgorithmInfo> {
    let one = |algorithm: &Algorithm| {
        let mut parameters = (algorithm.parameters)();
        // Two parts may share one.
        for info in algorithm.uses.iter().flat_map(|&part| of_domain(part).1) {
            if parameters.iter().all(|known| known.key != info.key) {
                parameters.push(info);
            }
        }
        let presets = algorithm.presets.iter().map(|preset| PresetInfo {
            name: preset.name.into(),
            about: preset.about.into(),
            values: preset
                .values
                .iter()
                .map(|(key, value)| ((*key).to_owned(), typed(value)))
                .collect(),
        });
        AlgorithmInfo {
            name: algorithm.name.into(),
            about: algorithm.about.into(),
            paper: algorithm.paper.into(),
            presets: presets.collect(),
            parameters: parameters.iter().map(parameter).collect(),
        }
    };
    listed.iter().map(one).collect()
}

/// The agents of two-player games that are not programs.
#[must_use]
pub fn agents() -> Vec<AgentInfo> {
    let own = matches::agents().into_iter().filter(|(name, _)| !name.starts_with("cmd:"));
    own.map(|(name, about)| AgentInfo { name, about: about.to_owned() }).collect()
}

/// What can be set of a part of the domain, and what that part is called.
#[must_use]
pub fn of_domain(part: Part) -> (&'static str, Vec<ParamInfo>) {
    match part {
        Part::Playouts => ("Playouts", PlayoutConfig::table()),
        Part::Guide => {
            // The colour to keep is set with the playouts, and kept by both.
            let keep = PlayoutConfig::table().into_iter().filter(|info| info.key == "keep-colour");
            ("Guided games", GuideConfig::table().into_iter().chain(keep).collect())
        }
        Part::Evaluation => ("Evaluation", EvaluatorConfig::table()),
        Part::Policy => ("Policy", PolicyConfig::table()),
        Part::Value => ("Values", PolicyConfig::table()),
    }
}

fn parameter(info: &ParamInfo) -> ParameterInfo {
    let (kind, range) = match info.range {
        Range::Real(min, max) => (ParameterKind::Real, ParameterRange::Real { min, max }),
        Range::Count(min, max) => (ParameterKind::Count, ParameterRange::Count { min, max }),
        Range::Flag => (ParameterKind::Flag, ParameterRange::Flag([true, false])),
        // A file is a matter of the command line.
        Range::Choice(words) | Range::WordOrFile(words) => {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            (ParameterKind::Choice, ParameterRange::Choice(words))
        }
    };
    let (key, default) = (info.key.to_owned(), typed(&info.default));
    ParameterInfo { key, default, kind, range, help: info.help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_an_algorithm_is_listed_once() {
        for algorithm in algorithms(solitree_search::ALGORITHMS) {
            let mut keys: Vec<&str> =
                algorithm.parameters.iter().map(|info| info.key.as_str()).collect();
            keys.sort_unstable();
            let all = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), all, "{}: {keys:?}", algorithm.name);
        }
    }

    #[test]
    fn no_program_is_among_the_agents() {
        let agents = agents();
        assert!(agents.iter().any(|agent| agent.name == "champion"));
        assert!(agents.iter().all(|agent| !agent.name.starts_with("cmd")));
    }
}
