//! The results of an experiment, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::experiment::{Cell, Folder, Measure, Meet, Plan, Published};
use crate::matches::Standings;
use crate::stats::Summary;

/// What a folder holds of a plan, ready to be asked.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The plan.
    pub plan: Plan,
    /// Runs found.
    pub done: u64,
    /// The programs that ran them.
    pub versions: BTreeSet<String>,
    /// By cell and measure: a mean for every instance, in the order of the plan;
    /// not a number where nothing is known.
    values: BTreeMap<(Cell, usize), Vec<f64>>,
    /// Who beat whom, by budget, where settings meet each other.
    pub standings: Vec<Standings>,
}

impl Analysis {
    /// Reads the results.
    pub fn read(plan: &Plan, folder: &Folder) -> Result<Analysis> {
        let measures = Self::measures_of(plan);
        // Every run has its place, for sums depend on their order and runs end in
        // any.
        let mut runs: BTreeMap<(Cell, usize), Vec<f64>> = BTreeMap::new();
        for cell in plan.cells() {
            let places = plan.instances(cell.budget).len() * plan.slots(cell.budget);
            for measure in 0..measures.len() {
                runs.insert((cell, measure), vec![f64::NAN; places]);
            }
        }
        let mut versions = BTreeSet::new();
        let mut standings = standings(plan);
        let found = folder.read(plan, |number, record| {
            if !versions.contains(&record.version) {
                versions.insert(record.version.clone());
            }
            let place = plan.place(number);
            let first = place.instance * plan.slots(place.budget);
            for (cell, side) in plan.views(place) {
                for (index, measure) in measures.iter().enumerate() {
                    if let Some(places) = runs.get_mut(&(cell, index)) {
                        // Some depend on the instance alone, and take a while.
                        let known = places[first];
                        let same = measure.is_of_the_instance() && !known.is_nan();
                        places[first + place.slot] =
                            if same { known } else { measure.of(record, side) };
                    }
                }
            }
            if let (Some(standings), Some(red)) =
                (standings.get_mut(place.budget), &record.opponent)
            {
                // Whoever wrote the line: a game is lost, drawn or won.
                let halves = record.score.clamp(-1, 1) + 1;
                standings.count(number, &record.setting, red, halves as usize);
            }
        })?;
        let mean = |values: &[f64]| {
            let known = || values.iter().filter(|value| !value.is_nan());
            known().sum::<f64>() / known().count() as f64
        };
        let values = runs
            .into_iter()
            .map(|((cell, measure), places)| {
                let each = plan.slots(cell.budget);
                ((cell, measure), places.chunks(each).map(mean).collect())
            })
            .collect();
        Ok(Analysis { plan: plan.clone(), done: found.count, versions, values, standings })
    }

    /// The measures that are asked for anywhere in a plan.
    fn measures_of(plan: &Plan) -> Vec<Measure> {
        let mut all = plan.spec.measures.clone();
        all.extend(plan.spec.published.iter().map(|published| published.measure));
        all.extend(plan.spec.claims.iter().map(|claim| claim.measure));
        let mut measures = Vec::new();
        for measure in all {
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        measures
    }

    /// The means of a cell by instance; not a number where there is none.
    #[must_use]
    pub fn values(&self, cell: Cell, measure: Measure) -> &[f64] {
        let index = Self::measures_of(&self.plan).iter().position(|&known| known == measure);
        index.and_then(|index| self.values.get(&(cell, index))).map_or(&[], Vec::as_slice)
    }

    /// A cell in a few numbers, if anything is known of it.
    #[must_use]
    pub fn summary(&self, cell: Cell, measure: Measure) -> Option<Summary> {
        let known: Vec<f64> =
            self.values(cell, measure).iter().copied().filter(|value| !value.is_nan()).collect();
        Summary::of(&known)
    }

    /// What was published of a cell.
    #[must_use]
    pub fn published(&self, cell: Cell, measure: Measure) -> Option<&Published> {
        let setting = &self.plan.spec.settings[cell.setting].name;
        let budget = self.plan.budgets()[cell.budget];
        self.plan.spec.published.iter().find(|published| {
            published.setting == *setting
                && published.measure == measure
                && published.budget.as_deref().is_none_or(|name| name == budget)
        })
    }

    /// Whether every run is there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.done == self.plan.len()
    }
}

/// No games yet, by budget, where settings meet each other: the one that others
/// are measured by is the last.
fn standings(plan: &Plan) -> Vec<Standings> {
    if !matches!(plan.spec.meet, Some(Meet::First | Meet::All)) {
        return Vec::new();
    }
    let mut names: Vec<&str> = plan.spec.settings.iter().map(|one| one.name.as_str()).collect();
    if plan.spec.meet == Some(Meet::First) {
        names.rotate_left(1);
    }
    plan.budgets().iter().map(|_| Standings::new(names.iter().copied())).collect()
}
