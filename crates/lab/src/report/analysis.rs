//! The results of an experiment, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::experiment::{Cell, Folder, Measure, Plan, Published};
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
}

impl Analysis {
    /// Reads the results.
    pub fn read(plan: &Plan, folder: &Folder) -> Result<Analysis> {
        let measures = Self::measures_of(plan);
        // Every run has its place, for sums depend on their order and runs end in
        // any.
        let mut runs: BTreeMap<(Cell, usize), Vec<f64>> = BTreeMap::new();
        for cell in plan.cells() {
            let places = plan.instances(cell.budget).len() * plan.repetitions(cell.budget) as usize;
            for measure in 0..measures.len() {
                runs.insert((cell, measure), vec![f64::NAN; places]);
            }
        }
        let mut versions = BTreeSet::new();
        let found = folder.read(plan, |number, record| {
            if !versions.contains(&record.version) {
                versions.insert(record.version.clone());
            }
            let (cell, instance) = plan.place(number);
            let first = instance * plan.repetitions(cell.budget) as usize;
            for (index, measure) in measures.iter().enumerate() {
                if let Some(places) = runs.get_mut(&(cell, index)) {
                    // Some depend on the instance alone, and take a while.
                    let known = places[first];
                    let same = *measure == Measure::StateExponent && !known.is_nan();
                    places[first + record.repetition as usize] =
                        if same { known } else { measure.of(record) };
                }
            }
        })?;
        let mean = |values: &[f64]| {
            let known = || values.iter().filter(|value| !value.is_nan());
            known().sum::<f64>() / known().count() as f64
        };
        let values = runs
            .into_iter()
            .map(|((cell, measure), places)| {
                let each = plan.repetitions(cell.budget) as usize;
                ((cell, measure), places.chunks(each).map(mean).collect())
            })
            .collect();
        Ok(Analysis { plan: plan.clone(), done: found.count, versions, values })
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
