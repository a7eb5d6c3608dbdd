//! What there is to choose from, as JSON.

use serde_json::{Map, Value, json};
use solitree_core::params::{ParamInfo, Params, Range};
use solitree_games::samegame::{EvaluatorConfig, GuideConfig, PlayoutConfig};
use solitree_search::{Algorithm, Part};

use crate::matches;
use crate::wire::typed;

/// Algorithms with their presets and parameters, as `solitree algorithms --json`
/// prints them.
#[must_use]
pub fn algorithms(listed: &[Algorithm]) -> Vec<Value> {
    listed.iter().map(algorithm).collect()
}

fn algorithm(algorithm: &Algorithm) -> Value {
    let presets: Vec<Value> = algorithm
        .presets
        .iter()
        .map(|preset| {
            let values: Map<String, Value> = preset
                .values
                .iter()
                .map(|(key, value)| ((*key).to_owned(), typed(value)))
                .collect();
            json!({"name": preset.name, "about": preset.about, "values": values})
        })
        .collect();
    let domain = algorithm.uses.iter().flat_map(|&part| of_domain(part).1);
    let parameters: Vec<Value> =
        (algorithm.parameters)().iter().chain(&domain.collect::<Vec<_>>()).map(parameter).collect();
    json!({
        "name": algorithm.name,
        "about": algorithm.about,
        "paper": algorithm.paper,
        "presets": presets,
        "parameters": parameters,
    })
}

/// The agents of two-player games that are not programs.
#[must_use]
pub fn agents() -> Vec<Value> {
    let own = matches::agents().into_iter().filter(|(name, _)| !name.starts_with("cmd:"));
    own.map(|(name, about)| json!({"name": name, "about": about})).collect()
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
    }
}

fn parameter(info: &ParamInfo) -> Value {
    let range = match info.range {
        Range::Real(low, high) => json!({"min": low, "max": high}),
        Range::Count(low, high) => json!({"min": low, "max": high}),
        Range::Flag => json!([true, false]),
        Range::Choice(words) => json!(words),
    };
    json!({"key": info.key, "default": typed(&info.default), "range": range, "help": info.help})
}
