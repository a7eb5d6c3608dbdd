//! A parameter at several values: one setting written for many.

use serde::{Deserialize, Serialize};

use super::spec::Setting;

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// The parameter.
    pub key: String,
    /// Its values.
    pub values: Vec<toml::Value>,
}

/// Every setting by itself: one for each value where there is a sweep, with the
/// value in the place of `{}` in its name, and on the axis of a plot.
pub(super) fn swept(settings: Vec<Setting>) -> Result<Vec<Setting>, String> {
    let mut all = Vec::new();
    for setting in settings {
        let Some(sweep) = setting.sweep.clone() else {
            all.push(setting);
            continue;
        };
        let wrong = |text: &str| Err(format!("setting '{}': sweep: {text}", setting.name));
        if !setting.name.contains("{}") {
            return wrong("the name needs {} where the value goes");
        }
        if sweep.values.is_empty() {
            return wrong("no values");
        }
        if setting.set.contains_key(&sweep.key) {
            return wrong(&format!("'{}' is set already", sweep.key));
        }
        for value in sweep.values {
            let text = match &value {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let mut one = Setting { sweep: None, ..setting.clone() };
            one.name = setting.name.replace("{}", &text);
            one.at = value.as_float().or(value.as_integer().map(|whole| whole as f64));
            one.set.insert(sweep.key.clone(), value);
            all.push(one);
        }
    }
    Ok(all)
}
