//! The runs of an experiment under one of its budgets.

use std::collections::HashMap;

use solitree_core::Budget;

use super::meet::{Entry, Meet};
use super::spec::{NamedBudget, Scale, Setting, Spec};
use crate::{Instance, board_set};

/// The runs under one budget.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) budget: Budget,
    /// Boards, or the rounds of a match.
    pub(super) instances: Vec<String>,
    /// Where each instance is among them.
    pub(super) index: HashMap<String, usize>,
    /// Runs of each setting on each instance.
    pub(super) repetitions: u64,
    /// Random moves at the beginning of a game.
    pub(super) plies: usize,
    /// What is run on each instance.
    pub(super) entries: Vec<Entry>,
    /// The settings that figures are of.
    pub(super) settings: Vec<usize>,
    /// The number of its first run.
    pub(super) first: u64,
}

/// Nobody waits for more.
pub(super) const MOST_RUNS: u64 = 1_000_000_000;

impl Block {
    pub(super) fn len(&self) -> u64 {
        self.instances.len() as u64 * self.repetitions * self.entries.len() as u64
    }

    fn checked_len(&self) -> Option<u64> {
        let rows = (self.instances.len() as u64).checked_mul(self.repetitions)?;
        rows.checked_mul(self.entries.len() as u64)
    }
}

/// The blocks of a scale, one a budget, with so many runs at most.
pub(super) fn blocks(spec: &Spec, scale: &Scale, most: u64) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut first = 0;
    for budget in &scale.budgets {
        let instances = match spec.meet {
            None => boards(spec, scale, budget, most)?,
            Some(meet) => {
                let games = budget.games.or(scale.games).unwrap_or(0);
                (1..=games.div_ceil(meet.games_of_two())).map(|round| meet.round(round)).collect()
            }
        };
        let mut index = HashMap::new();
        for (at, name) in instances.iter().enumerate() {
            if index.insert(name.clone(), at).is_some() {
                return Err(format!("instance {name} is named twice"));
            }
        }
        let runs = |setting: &Setting| {
            let named = setting.budgets.is_empty() || setting.budgets.contains(&budget.name);
            named && setting.is_taught_in(scale)
        };
        let mut settings: Vec<usize> =
            (0..spec.settings.len()).filter(|&index| runs(&spec.settings[index])).collect();
        let entries = match spec.meet {
            None => settings.iter().map(|&setting| Entry::Alone(setting)).collect(),
            Some(meet) => meet.entries(&settings),
        };
        if entries.is_empty() {
            return Err(format!("budget '{}': no setting uses it", budget.name));
        }
        if spec.meet == Some(Meet::First) {
            // The one that the others are measured by.
            settings.remove(0);
        }
        let repetitions = budget.repetitions.unwrap_or(scale.repetitions);
        if repetitions == 0 {
            return Err(format!("budget '{}': no repetitions", budget.name));
        }
        let block = Block {
            name: budget.name.clone(),
            budget: budget.budget()?,
            instances,
            index,
            repetitions,
            plies: budget.plies,
            entries,
            settings,
            first,
        };
        let end = block.checked_len().and_then(|runs| runs.checked_add(first));
        first = end.filter(|&end| end <= most).ok_or_else(|| format!("more than {most} runs"))?;
        blocks.push(block);
    }
    Ok(blocks)
}

fn boards(
    spec: &Spec,
    scale: &Scale,
    budget: &NamedBudget,
    most: u64,
) -> Result<Vec<String>, String> {
    let given = if budget.instances.is_empty() { &scale.instances } else { &budget.instances };
    let mut instances = Vec::new();
    for text in given {
        instances.extend(expand(text, spec.rules.as_deref())?);
        if instances.len() as u64 > most {
            return Err(format!("more than {most} instances"));
        }
    }
    if instances.is_empty() {
        return Err(format!("budget '{}': no instances", budget.name));
    }
    Ok(instances)
}

/// The instances of a text: one, a set such as `r250:1-20`, or boards of a range
/// of seeds such as `random:1-50:10x10x4`.
fn expand(text: &str, rules: Option<&str>) -> Result<Vec<String>, String> {
    if let Some(rest) = text.strip_prefix("random:") {
        let at = rest.find([':', ';']).unwrap_or(rest.len());
        let (seeds, tail) = rest.split_at(at);
        if let Some((low, high)) = seeds.split_once('-') {
            let number = |text: &str| text.parse::<u64>().ok();
            let (Some(low), Some(high)) = (number(low), number(high)) else {
                return Err(format!("{text}: '{seeds}' is not a range of seeds such as 1-50"));
            };
            if low > high || high - low >= 100_000 {
                return Err(format!("{text}: no seeds, or over 100,000, from {low} to {high}"));
            }
            // What is right for one of them is right for all.
            let tail = {
                let first = Instance::named(&format!("random:{low}{tail}"), rules)?.name();
                first.trim_start_matches(&format!("random:{low}")).to_owned()
            };
            return Ok((low..=high).map(|seed| format!("random:{seed}{tail}")).collect());
        }
    }
    if let Ok(boards) = board_set(text) {
        return Ok(boards.iter().map(ToString::to_string).collect());
    }
    Instance::named(text, rules).map(|instance| vec![instance.name()])
}
