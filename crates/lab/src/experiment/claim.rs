//! What an experiment is held against: published figures, and what is said of
//! them.

use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::spec::{Scale, Spec};

/// A published figure: of a setting under a budget, or board by board of a
/// program that nobody else has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// The setting it belongs to, or the name of the other program.
    pub setting: String,
    /// The budget; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// What was measured.
    #[serde(default)]
    pub measure: Measure,
    /// The mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// How many instances, or games, the mean is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// The scores of single instances, in the order of the scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f64>,
}

impl Published {
    /// The standard error of a part of the games, in percent, where it is known of
    /// how many.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let (mean, games) = (self.mean?, self.instances? as f64);
        let part = self.measure.is_part().then_some(mean * (100.0 - mean))?;
        Some((part.max(0.0) / games).sqrt())
    }
}

/// Something that a paper says and a test can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// What is said.
    pub says: String,
    /// The setting that is better, or whose figure it is.
    pub setting: String,
    /// Its budget; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// The setting it is better than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub than: Option<String>,
    /// The budget of that, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub than_budget: Option<String>,
    /// Between these the figure lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<(f64, f64)>,
    /// It is better than every other under its budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
    /// What is compared.
    #[serde(default)]
    pub measure: Measure,
}

impl Claim {
    /// Whether it can be judged at a scale; the error says why not.
    pub(super) fn check(&self, spec: &Spec, scale: &Scale) -> Result<(), String> {
        let compares = self.than.is_some() || self.than_budget.is_some();
        match (compares, self.between.is_some(), self.best) {
            (false, false, false) => {
                return Err("expected 'than', 'than-budget', 'between' or 'best'".to_owned());
            }
            (true, true, _) => return Err("'between' and 'than' are two claims".to_owned()),
            (_, true, true) => return Err("'between' and 'best' are two claims".to_owned()),
            (true, _, true) => return Err("'best' and 'than' are two claims".to_owned()),
            _ => {}
        }
        let budget = scale.budget(self.budget.as_deref())?;
        let other = self.than_budget.as_deref().unwrap_or(&budget.name);
        scale.budget(Some(other))?;
        spec.setting(&self.setting)?;
        if let Some(than) = &self.than
            && !spec.is_published(than)
        {
            spec.setting(than)?;
        }
        Ok(())
    }
}
