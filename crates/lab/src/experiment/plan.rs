//! The runs of an experiment, numbered.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use solitree_core::{Budget, mix};

use super::record::Record;
use super::spec::{Scale, Setting, Spec};
use crate::{Failure, GameName, Instance, Setup, Task, board_set, full_name};

/// All runs of an experiment at one scale. Nothing is listed: a run is made
/// from its number, so a million of them take no memory.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The experiment.
    pub spec: Spec,
    /// The scale by name.
    pub scale: String,
    blocks: Vec<Block>,
    /// Parameters by setting and game.
    params: BTreeMap<(usize, &'static str), Vec<(String, String)>>,
    /// Whom a record belongs to.
    places: HashMap<(String, String), (usize, usize)>,
}

/// The runs under one budget.
#[derive(Clone, Debug)]
struct Block {
    name: String,
    budget: Budget,
    instances: Vec<String>,
    /// Where each instance is among them.
    index: HashMap<String, usize>,
    /// Runs of each setting on each instance.
    repetitions: u64,
    settings: Vec<usize>,
    /// The number of its first run.
    first: u64,
}

/// Nobody waits for more.
const MOST_RUNS: u64 = 1_000_000_000;

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The instance by name.
    pub instance: String,
    /// The setting, by its place in the file.
    pub setting: usize,
    /// The budget, by its place in the scale.
    pub budget: usize,
    /// Which of several.
    pub repetition: u64,
    /// The seed: of the instance and the repetition alone, so that settings are
    /// compared on equal terms and a new one shifts nothing.
    pub seed: u64,
}

/// A setting under a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The setting, by its place in the file.
    pub setting: usize,
    /// The budget, by its place in the scale.
    pub budget: usize,
}

/// A part of the runs, for one of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// All of them.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Whether a run is one of it.
    #[must_use]
    pub fn has(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a part such as 1/4");
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let (index, count) =
            (index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
        if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(wrong()) }
    }
}

impl Plan {
    /// The runs of an experiment. Everything that could be wrong with one of
    /// them is found here.
    pub fn new(spec: &Spec, scale: &str) -> Result<Plan> {
        let wrong = |error: String| Failure::usage(format!("experiment {}: {error}", spec.name));
        let size = spec.scale(scale).map_err(wrong)?;
        let blocks =
            blocks(spec, size).map_err(|error| wrong(format!("scale {scale}: {error}")))?;
        let mut params = BTreeMap::new();
        for (index, setting) in spec.settings.iter().enumerate() {
            for block in blocks.iter().filter(|block| block.settings.contains(&index)) {
                for instance in &block.instances {
                    let game = GameName::of(instance);
                    if params.contains_key(&(index, game.name())) {
                        continue;
                    }
                    let values = resolve(setting, game)
                        .map_err(|error| wrong(format!("setting '{}': {error:#}", setting.name)))?;
                    params.insert((index, game.name()), values);
                }
            }
        }
        let mut places = HashMap::new();
        for (budget, block) in blocks.iter().enumerate() {
            for &setting in &block.settings {
                let names = (spec.settings[setting].name.clone(), block.name.clone());
                places.insert(names, (setting, budget));
            }
        }
        let plan = Plan { spec: spec.clone(), scale: scale.to_owned(), blocks, params, places };
        plan.check().map_err(|error| wrong(format!("scale {scale}: {error}")))?;
        Ok(plan)
    }

    /// Whether claims and published scores are about something that is run.
    fn check(&self) -> Result<(), String> {
        let boards = self.blocks.last().map_or(0, |block| block.instances.len());
        for published in &self.spec.published {
            if !published.scores.is_empty() && published.scores.len() != boards {
                return Err(format!(
                    "published '{}': {} scores for {boards} boards",
                    published.setting,
                    published.scores.len()
                ));
            }
        }
        for claim in &self.spec.claims {
            let asked = |setting: &str, budget: Option<&str>| match self.cell(setting, budget) {
                Some(_) => Ok(()),
                None => {
                    Err(format!("claim '{}': '{setting}' is not run under that budget", claim.says))
                }
            };
            asked(&claim.setting, claim.budget.as_deref())?;
            let than = claim.than.as_ref().unwrap_or(&claim.setting);
            if !self.spec.is_published(than) {
                asked(than, claim.than_budget.as_deref().or(claim.budget.as_deref()))?;
            }
        }
        Ok(())
    }

    /// How many runs there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.first + block.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A run by its number. Settings come next to each other, so that they can
    /// be compared before all is done.
    #[must_use]
    pub fn unit(&self, number: u64) -> Unit {
        let (Cell { setting, budget }, instance) = self.place(number);
        let block = &self.blocks[budget];
        let row = (number - block.first) / block.settings.len() as u64;
        let repetition = row % block.repetitions;
        let instance = block.instances[instance].clone();
        let seed = seed(self.spec.seed, &instance, repetition);
        Unit { instance, setting, budget, repetition, seed }
    }

    /// The cell of a run, and the place of its instance under its budget.
    #[must_use]
    pub fn place(&self, number: u64) -> (Cell, usize) {
        let budget = self.blocks.partition_point(|block| block.first <= number) - 1;
        let block = &self.blocks[budget];
        let rest = number - block.first;
        let settings = block.settings.len() as u64;
        let setting = block.settings[(rest % settings) as usize];
        (Cell { setting, budget }, (rest / settings / block.repetitions) as usize)
    }

    /// The number of the run that a record is of, if it is one of these.
    #[must_use]
    pub fn number(&self, record: &Record) -> Option<u64> {
        let names = (record.setting.clone(), record.budget.clone());
        let &(setting, budget) = self.places.get(&names)?;
        let block = &self.blocks[budget];
        let instance = *block.index.get(&record.instance)? as u64;
        let setting = block.settings.iter().position(|&index| index == setting)? as u64;
        if record.repetition >= block.repetitions {
            return None;
        }
        let row = instance * block.repetitions + record.repetition;
        Some(block.first + row * block.settings.len() as u64 + setting)
    }

    /// What a run has to do.
    #[must_use]
    pub fn task(&self, unit: &Unit) -> Task {
        let game = GameName::of(&unit.instance);
        let setting = &self.spec.settings[unit.setting];
        let rules = self.spec.rules.as_deref().or(game.default_rules());
        Task {
            board: unit.instance.clone(),
            rules: rules.map(str::to_owned),
            algorithm: full_name(&setting.algorithm),
            params: self.params.get(&(unit.setting, game.name())).cloned().unwrap_or_default(),
            seed: unit.seed,
            threads: self.spec.threads as usize,
            budget: self.blocks[unit.budget].budget.clone(),
            line: None,
        }
    }

    /// A hash of all that a run is asked to do.
    #[must_use]
    pub fn hash(&self, unit: &Unit) -> String {
        let text = format!("{:?}", self.task(unit));
        format!("{:016x}", text.bytes().fold(mix(0x7A5C), |hash, byte| mix(hash ^ u64::from(byte))))
    }

    /// What a run costs, in units of its kind of budget: good enough to tell how
    /// long the rest will take.
    #[must_use]
    pub fn cost(&self, number: u64) -> f64 {
        let (cell, _) = self.place(number);
        let budget = &self.blocks[cell.budget].budget;
        let seconds = budget.time.map(|time| time.as_secs_f64() * 1e5);
        budget.nodes.or(budget.playouts).map(|count| count as f64).or(seconds).unwrap_or(1.0)
    }

    /// The settings under their budgets, in the order of the file.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.blocks.iter().enumerate().flat_map(|(budget, block)| {
            block.settings.iter().map(move |&setting| Cell { setting, budget })
        })
    }

    /// The cell of two names; the budget may be left out if there is only one.
    #[must_use]
    pub fn cell(&self, setting: &str, budget: Option<&str>) -> Option<Cell> {
        let setting = self.spec.setting(setting).ok()?;
        let budget = match budget {
            None if self.blocks.len() == 1 => 0,
            None => return None,
            Some(name) => self.blocks.iter().position(|block| block.name == name)?,
        };
        self.blocks[budget].settings.contains(&setting).then_some(Cell { setting, budget })
    }

    /// The names of the budgets.
    #[must_use]
    pub fn budgets(&self) -> Vec<&str> {
        self.blocks.iter().map(|block| block.name.as_str()).collect()
    }

    /// What a budget allows, for people.
    #[must_use]
    pub fn limit(&self, budget: usize) -> String {
        let named = &self.spec.scales[&self.scale].budgets[budget];
        let limits = [(&named.nodes, " nodes"), (&named.playouts, " playouts"), (&named.time, "")];
        let texts =
            limits.iter().filter_map(|(limit, unit)| Some(format!("{}{unit}", limit.as_ref()?)));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// The instances under a budget.
    #[must_use]
    pub fn instances(&self, budget: usize) -> &[String] {
        &self.blocks[budget].instances
    }

    /// Runs of a setting on an instance under a budget.
    #[must_use]
    pub fn repetitions(&self, budget: usize) -> u64 {
        self.blocks[budget].repetitions
    }

    /// Whether runs are limited by time, so that results depend on the machine.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.blocks.iter().any(|block| block.budget.time.is_some())
    }
}

impl Block {
    fn len(&self) -> u64 {
        self.instances.len() as u64 * self.repetitions * self.settings.len() as u64
    }

    fn checked_len(&self) -> Option<u64> {
        let rows = (self.instances.len() as u64).checked_mul(self.repetitions)?;
        rows.checked_mul(self.settings.len() as u64)
    }
}

fn blocks(spec: &Spec, scale: &Scale) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut first = 0;
    for budget in &scale.budgets {
        let given = if budget.instances.is_empty() { &scale.instances } else { &budget.instances };
        let mut instances = Vec::new();
        for text in given {
            instances.extend(expand(text, spec.rules.as_deref())?);
        }
        if instances.is_empty() {
            return Err(format!("budget '{}': no instances", budget.name));
        }
        let mut index = HashMap::new();
        for (at, name) in instances.iter().enumerate() {
            if index.insert(name.clone(), at).is_some() {
                return Err(format!("instance {name} is named twice"));
            }
        }
        let runs = |setting: &Setting| {
            setting.budgets.is_empty() || setting.budgets.contains(&budget.name)
        };
        let settings: Vec<usize> =
            (0..spec.settings.len()).filter(|&index| runs(&spec.settings[index])).collect();
        if settings.is_empty() {
            return Err(format!("budget '{}': no setting uses it", budget.name));
        }
        let block = Block {
            name: budget.name.clone(),
            budget: budget.budget()?,
            instances,
            index,
            repetitions: budget.repetitions.unwrap_or(scale.repetitions),
            settings,
            first,
        };
        let runs = block.checked_len().filter(|runs| first + runs <= MOST_RUNS);
        first += runs.ok_or_else(|| format!("more than {MOST_RUNS} runs"))?;
        blocks.push(block);
    }
    Ok(blocks)
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

fn resolve(setting: &Setting, game: GameName) -> Result<Vec<(String, String)>> {
    let given: Vec<String> = setting
        .set
        .iter()
        .map(|(key, value)| match value {
            toml::Value::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        })
        .collect();
    Ok(Setup::given(game, &full_name(&setting.algorithm), &given)?.values())
}

fn seed(experiment: u64, instance: &str, repetition: u64) -> u64 {
    let start = mix(experiment ^ 0x5EED);
    let named = instance.bytes().fold(start, |hash, byte| mix(hash ^ u64::from(byte)));
    // Short enough to be a whole number everywhere.
    mix(named ^ repetition) >> 16
}
