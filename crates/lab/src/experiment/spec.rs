//! An experiment as a file: what is run, on what, for how long, and what it is
//! held against.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use solitree_core::Budget;
use solitree_core::params::{nearest, parse_count, parse_duration};

use super::claim::{Claim, Published};
use super::measure::Measure;
use super::meet::Meet;
use super::sweep::{Sweep, swept};
use crate::toml_text;
use crate::train::Training;

/// An experiment: every setting on every instance under every budget, some
/// times; or settings that meet each other in matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// What it is called; the name of its folder.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// The table or figure it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The seed that those of all runs derive from.
    #[serde(default = "one")]
    pub seed: u64,
    /// The rules of SameGame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Threads of each run.
    #[serde(default = "one")]
    pub threads: u64,
    /// How settings meet, if it is an experiment of matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meet: Option<Meet>,
    /// How it can be drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<Plot>,
    /// The measures that its tables show.
    #[serde(default = "scores")]
    pub measures: Vec<Measure>,
    /// The sizes it can be run at.
    pub scales: BTreeMap<String, Scale>,
    /// What is compared.
    pub settings: Vec<Setting>,
    /// What others have published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// What they, or we, say about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// One size of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// Boards and sets of boards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// Runs of each setting on each instance.
    #[serde(default = "one")]
    pub repetitions: u64,
    /// Games of each two in matches, half of them with each side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Budgets of a run.
    pub budgets: Vec<NamedBudget>,
    /// What is taught before the first run, for settings with a generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
}

/// A budget with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedBudget {
    /// The name that claims and tables use.
    pub name: String,
    /// Nodes, such as `100k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<String>,
    /// Playouts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<String>,
    /// Time, such as `10s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Other instances than those of the scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// Another number of runs of each setting on each instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetitions: Option<u64>,
    /// Another number of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Random moves at the beginning of each pair of games; none for an empty board.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plies: usize,
    /// Where it stands on the axis of a plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// An algorithm with parameters, under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Setting {
    /// The name that claims and tables use.
    pub name: String,
    /// The algorithm and its preset.
    pub algorithm: String,
    /// Parameters that differ from the preset's.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub set: toml::Table,
    /// A parameter at several values: a setting each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The part of the budget that it gets: for a slow one. Alone on a board, the
    /// part of playouts and nodes; time is the same for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<f64>,
    /// Threads of each run, if not those of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// The generation of the scale's training whose weights it has; 0 for none. A
    /// scale whose training has fewer generations does without the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The budgets it is run under, by name; all if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<String>,
    /// The curve of a plot that it is a point of, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// How an experiment is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plot {
    /// What is along the axis: budgets or settings.
    pub along: Along,
    /// What the axis is called.
    pub axis: String,
    /// Whether the axis is logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
}

/// What is along the axis of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Along {
    /// A curve a setting, a point a budget.
    Budgets,
    /// A curve a budget, a point a setting.
    Settings,
}

fn one() -> u64 {
    1
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn scores() -> Vec<Measure> {
    vec![Measure::Score]
}

impl Spec {
    /// Reads a file's text. The error says where it is wrong.
    pub fn parse(text: &str) -> Result<Spec, String> {
        let mut spec: Spec = toml_text::parse(text)?;
        spec.settings = swept(std::mem::take(&mut spec.settings))?;
        spec.score_is_points();
        spec.check()?;
        Ok(spec)
    }

    /// The canonical text.
    pub fn text(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// One of its sizes.
    pub fn scale(&self, name: &str) -> Result<&Scale, String> {
        let names = || self.scales.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.scales.get(name).ok_or_else(|| format!("no scale '{name}'; it has: {}", names()))
    }

    fn check(&self) -> Result<(), String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(is_plain) {
            return Err(format!("name '{}': letters, digits, - and _ only", self.name));
        }
        if !(1..=1024).contains(&self.threads) {
            return Err(format!("threads = {}: expected 1 to 1024", self.threads));
        }
        distinct("claim", self.claims.iter().map(|claim| &claim.says))?;
        distinct("setting", self.settings.iter().map(|setting| &setting.name))?;
        if self.settings.is_empty() {
            return Err("no settings: there is nothing to run".to_owned());
        }
        if self.scales.is_empty() {
            return Err("no scales: expected [scales.quick] or another".to_owned());
        }
        self.check_meet()?;
        self.check_shares()?;
        self.check_generations()?;
        for (name, scale) in &self.scales {
            let place = |error: String| format!("scales.{name}: {error}");
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                return Err(place("the name: letters, digits and - only".to_owned()));
            }
            distinct("budget", scale.budgets.iter().map(|budget| &budget.name)).map_err(place)?;
            if scale.budgets.is_empty() {
                return Err(place("no budgets".to_owned()));
            }
            if scale.repetitions == 0
                || scale.budgets.iter().any(|budget| budget.repetitions == Some(0))
            {
                return Err(place("repetitions must be at least 1".to_owned()));
            }
            for budget in &scale.budgets {
                budget.budget().map_err(place)?;
            }
            for setting in &self.settings {
                for budget in &setting.budgets {
                    scale
                        .budget(Some(budget))
                        .map_err(|error| place(format!("setting '{}': {error}", setting.name)))?;
                }
            }
            for claim in &self.claims {
                claim
                    .check(self, scale)
                    .map_err(|error| place(format!("claim '{}': {error}", claim.says)))?;
            }
        }
        let budgets = || self.scales.values().flat_map(|scale| &scale.budgets);
        for published in &self.published {
            let place = |error| format!("published '{}': {error}", published.setting);
            if published.scores.is_empty() {
                self.setting(&published.setting).map_err(place)?;
            }
            if let Some(name) = &published.budget
                && budgets().all(|budget| budget.name != *name)
            {
                let names = budgets().map(|budget| budget.name.as_str());
                return Err(place(unknown("budget", name, names)));
            }
        }
        Ok(())
    }

    /// Whether a name is of a program with published scores only.
    #[must_use]
    pub fn is_published(&self, name: &str) -> bool {
        self.settings.iter().all(|setting| setting.name != name)
            && self.published.iter().any(|published| published.setting == name)
    }

    /// The index of a setting.
    pub fn setting(&self, name: &str) -> Result<usize, String> {
        let names = || self.settings.iter().map(|setting| setting.name.as_str());
        names().position(|setting| setting == name).ok_or_else(|| unknown("setting", name, names()))
    }
}

impl Setting {
    /// Its parameters as `KEY=VALUE`.
    pub(super) fn given(&self) -> Vec<String> {
        let given = self.set.iter().map(|(key, value)| match value {
            toml::Value::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        });
        given.collect()
    }
}

impl Scale {
    /// The budget of a name; without one, the only one.
    pub fn budget(&self, name: Option<&str>) -> Result<&NamedBudget, String> {
        let Some(name) = name else {
            return match &self.budgets[..] {
                [only] => Ok(only),
                _ => Err("several budgets: say which".to_owned()),
            };
        };
        let names = || self.budgets.iter().map(|budget| budget.name.as_str());
        let found = self.budgets.iter().find(|budget| budget.name == name);
        found.ok_or_else(|| unknown("budget", name, names()))
    }
}

impl NamedBudget {
    /// The limits.
    pub fn budget(&self) -> Result<Budget, String> {
        let count = |key: &str, text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match parse_count(text) {
                Some(count) if count > 0 => Ok(Some(count)),
                _ => Err(format!(
                    "budget '{}': {key} = '{text}' is not a count such as 100k",
                    self.name
                )),
            },
        };
        let time = match &self.time {
            None => None,
            Some(text) => {
                Some(parse_duration(text).filter(|time| *time > Duration::ZERO).ok_or_else(
                    || format!("budget '{}': time = '{text}' is not a time such as 10s", self.name),
                )?)
            }
        };
        let budget = Budget {
            time,
            nodes: count("nodes", &self.nodes)?,
            playouts: count("playouts", &self.playouts)?,
            ..Budget::default()
        };
        if !budget.is_bounded() {
            return Err(format!("budget '{}': neither nodes, playouts nor time", self.name));
        }
        Ok(budget)
    }
}

fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("two {what}s are called '{name}'"));
        }
    }
    Ok(())
}

fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, names.clone()) {
        Some(near) => format!("no {what} is called '{name}'; did you mean '{near}'?"),
        None => {
            let all: Vec<&str> = names.collect();
            format!("no {what} is called '{name}'; there is: {}", all.join(", "))
        }
    }
}
