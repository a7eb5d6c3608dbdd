//! The runs of an experiment, numbered.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use solitree_core::{Player, mix};

use super::block::{Block, MOST_RUNS, blocks};
use super::measure::Measure;
use super::meet::{Entry, Meet};
use super::record::Record;
use super::spec::{Setting, Spec};
use crate::matches::{Agent, Meeting};
use crate::{Failure, GameName, Setup, Task, full_name};

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
    /// Agents by setting, in an experiment of matches.
    agents: Vec<Agent>,
    /// Whom a record belongs to: by setting, opponent and budget, the place among
    /// the entries and the budget.
    places: HashMap<(String, Option<String>, String), (usize, usize)>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The instance by name.
    pub instance: String,
    /// Who is at work, by places in the file.
    pub entry: Entry,
    /// The budget, by its place in the scale.
    pub budget: usize,
    /// Which of several.
    pub repetition: u64,
    /// The seed: of the instance and the repetition alone, so that settings are
    /// compared on equal terms and a new one shifts nothing.
    pub seed: u64,
}

/// Where a run belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Who is at work.
    pub entry: Entry,
    /// The budget, by its place in the scale.
    pub budget: usize,
    /// The instance, by its place under the budget.
    pub instance: usize,
    /// Which of several runs of the same.
    pub repetition: u64,
    /// Which of all runs on the instance that a figure may be made of.
    pub slot: usize,
}

/// A setting under a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The setting, by its place in the file.
    pub setting: usize,
    /// The budget, by its place in the scale.
    pub budget: usize,
}

impl Plan {
    /// The runs of an experiment. Everything that could be wrong with one of
    /// them is found here.
    pub fn new(spec: &Spec, scale: &str) -> Result<Plan> {
        Self::of_at_most(spec, scale, MOST_RUNS)
    }

    /// The same, for those who have room for so many runs only.
    pub(crate) fn of_at_most(spec: &Spec, scale: &str, most: u64) -> Result<Plan> {
        let wrong = |error: String| Failure::usage(format!("experiment {}: {error}", spec.name));
        let size = spec.scale(scale).map_err(wrong)?;
        let blocks =
            blocks(spec, size, most).map_err(|error| wrong(format!("scale {scale}: {error}")))?;
        let of = |setting: &Setting, error: &dyn std::fmt::Display| {
            wrong(format!("setting '{}': {error:#}", setting.name))
        };
        let (mut params, mut agents) = (BTreeMap::new(), Vec::new());
        for (index, setting) in spec.settings.iter().enumerate() {
            if spec.meet.is_some() {
                agents.push(setting.agent().map_err(|error| of(setting, &error))?);
                continue;
            }
            for block in blocks.iter().filter(|block| block.settings.contains(&index)) {
                for instance in &block.instances {
                    let game = GameName::of(instance);
                    if params.contains_key(&(index, game.name())) {
                        continue;
                    }
                    let values = resolve(setting, game).map_err(|error| of(setting, &error))?;
                    params.insert((index, game.name()), values);
                }
            }
        }
        let mut places = HashMap::new();
        for (budget, block) in blocks.iter().enumerate() {
            for (at, entry) in block.entries.iter().enumerate() {
                let name = |setting: usize| spec.settings[setting].name.clone();
                let opponent = entry.opponent().map(name);
                let names = (name(entry.setting()), opponent, block.name.clone());
                places.insert(names, (at, budget));
            }
        }
        let (spec, scale_name) = (spec.clone(), scale.to_owned());
        let plan = Plan { spec, scale: scale_name, blocks, params, agents, places };
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
            if self.is_reference(than) {
                if claim.measure != Measure::Points {
                    return Err(format!("claim '{}': '{than}' is met for points only", claim.says));
                }
            } else if !self.spec.is_published(than) {
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
        let Place { entry, budget, instance, repetition, .. } = self.place(number);
        let instance = self.blocks[budget].instances[instance].clone();
        let seed = seed(self.spec.seed, &instance, repetition);
        Unit { instance, entry, budget, repetition, seed }
    }

    /// Where a run belongs.
    #[must_use]
    pub fn place(&self, number: u64) -> Place {
        let budget = self.blocks.partition_point(|block| block.first <= number) - 1;
        let block = &self.blocks[budget];
        let rest = number - block.first;
        let entries = block.entries.len() as u64;
        let at = (rest % entries) as usize;
        let (entry, row) = (block.entries[at], rest / entries);
        let repetition = row % block.repetitions;
        let slot = if self.spec.meet.is_some() { at } else { repetition as usize };
        let instance = (row / block.repetitions) as usize;
        Place { entry, budget, instance, repetition, slot }
    }

    /// The cells that a run is a part of, each with the side it is seen from.
    pub fn views(&self, place: Place) -> impl Iterator<Item = (Cell, Player)> {
        let Place { entry, budget, .. } = place;
        let other = entry.opponent().filter(|&other| other != entry.setting());
        let sides = [(Some(entry.setting()), Player::First), (other, Player::Second)];
        sides.into_iter().filter_map(move |(setting, side)| {
            let setting = setting?;
            let known = self.blocks[budget].settings.contains(&setting);
            known.then_some((Cell { setting, budget }, side))
        })
    }

    /// The number of the run that a record is of, if it is one of these.
    #[must_use]
    pub fn number(&self, record: &Record) -> Option<u64> {
        let names = (record.setting.clone(), record.opponent.clone(), record.budget.clone());
        let &(entry, budget) = self.places.get(&names)?;
        let block = &self.blocks[budget];
        let instance = *block.index.get(&record.instance)? as u64;
        if record.repetition >= block.repetitions {
            return None;
        }
        let row = instance * block.repetitions + record.repetition;
        Some(block.first + row * block.entries.len() as u64 + entry as u64)
    }

    /// The game that a run is, in an experiment of matches.
    #[must_use]
    pub fn meeting(&self, unit: &Unit) -> Option<Meeting> {
        let Entry::Game { white, red } = unit.entry else { return None };
        let block = &self.blocks[unit.budget];
        // Everybody has the same luck with the same side of a round.
        let swapped = u64::from(self.spec.meet != Some(Meet::Itself) && white > red);
        let seats = [(white, Player::First), (red, Player::Second)].map(|(setting, side)| {
            let part = self.spec.settings[setting].part.unwrap_or(1.0);
            let seed = mix(mix(unit.seed ^ mix(swapped)) ^ side as u64);
            (self.agents[setting].kind.clone(), part, seed)
        });
        Some(Meeting::new(seats, &block.budget, block.plies, unit.seed))
    }

    /// What a run has to do.
    #[must_use]
    pub fn task(&self, unit: &Unit) -> Task {
        let game = GameName::of(&unit.instance);
        let setting = &self.spec.settings[unit.entry.setting()];
        let rules = self.spec.rules.as_deref().or(game.default_rules());
        let params = (unit.entry.setting(), game.name());
        Task {
            board: unit.instance.clone(),
            rules: rules.map(str::to_owned),
            algorithm: full_name(&setting.algorithm),
            params: self.params.get(&params).cloned().unwrap_or_default(),
            seed: unit.seed,
            threads: self.spec.threads_of(setting) as usize,
            budget: setting.share(&self.blocks[unit.budget].budget),
            line: None,
        }
    }

    /// A hash of all that a run is asked to do.
    #[must_use]
    pub fn hash(&self, unit: &Unit) -> String {
        let text = match self.meeting(unit) {
            None => format!("{:?}", self.task(unit)),
            Some(meeting) => format!("{meeting:?}"),
        };
        format!("{:016x}", text.bytes().fold(mix(0x7A5C), |hash, byte| mix(hash ^ u64::from(byte))))
    }

    /// What a run costs, in units of its kind of budget: good enough to tell how
    /// long the rest will take.
    #[must_use]
    pub fn cost(&self, number: u64) -> f64 {
        let budget = &self.blocks[self.place(number).budget].budget;
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

    /// Runs that the figures of a cell are made of.
    #[must_use]
    pub fn runs_of(&self, cell: Cell) -> u64 {
        let block = &self.blocks[cell.budget];
        let has = |entry: &&Entry| {
            entry.setting() == cell.setting || entry.opponent() == Some(cell.setting)
        };
        let entries = block.entries.iter().filter(has).count() as u64;
        block.instances.len() as u64 * block.repetitions * entries
    }

    /// Runs on an instance that a figure may be made of.
    #[must_use]
    pub fn slots(&self, budget: usize) -> usize {
        let block = &self.blocks[budget];
        let slots =
            if self.spec.meet.is_some() { block.entries.len() as u64 } else { block.repetitions };
        slots as usize
    }

    /// Whether a setting is the one that the others meet, and are measured by.
    #[must_use]
    pub fn is_reference(&self, setting: &str) -> bool {
        self.spec.meet == Some(Meet::First) && self.spec.settings[0].name == setting
    }

    /// What figures are of: boards, or rounds of games.
    #[must_use]
    pub fn instances_are(&self) -> &'static str {
        self.spec.meet.map_or("boards", Meet::rounds)
    }

    /// What runs are called.
    #[must_use]
    pub fn runs_are(&self) -> &'static str {
        if self.spec.meet.is_some() { "games" } else { "runs" }
    }

    /// Whether runs are limited by time, so that results depend on the machine.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.blocks.iter().any(|block| block.budget.time.is_some())
    }
}

fn resolve(setting: &Setting, game: GameName) -> Result<Vec<(String, String)>> {
    let values = Setup::given(game, &full_name(&setting.algorithm), &setting.given())?.values();
    setting.taught(values).map_err(Failure::usage)
}

fn seed(experiment: u64, instance: &str, repetition: u64) -> u64 {
    let start = mix(experiment ^ 0x5EED);
    let named = instance.bytes().fold(start, |hash, byte| mix(hash ^ u64::from(byte)));
    // Short enough to be a whole number everywhere.
    mix(named ^ repetition) >> 16
}
