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

/// The sum of the runs of a cell on an instance, and how many there are.
type Sums = BTreeMap<(Cell, usize), Vec<(f64, u64)>>;

impl Analysis {
    /// Reads the results.
    pub fn read(plan: &Plan, folder: &Folder) -> Result<Analysis> {
        let measures = Self::measures_of(plan);
        let mut sums: Sums = BTreeMap::new();
        for cell in plan.cells() {
            for measure in 0..measures.len() {
                let instances = plan.instances(cell.budget).len();
                sums.insert((cell, measure), vec![(0.0, 0); instances]);
            }
        }
        let mut versions = BTreeSet::new();
        // Floating-point sums depend on their order, and runs end in any.
        let mut seen: Vec<(u64, Vec<f64>)> = Vec::new();
        let found = folder.read(plan, |number, record| {
            if !versions.contains(&record.version) {
                versions.insert(record.version.clone());
            }
            seen.push((number, measures.iter().map(|measure| measure.of(record)).collect()));
        })?;
        seen.sort_unstable_by_key(|&(number, _)| number);
        for (number, values) in seen {
            let (cell, instance) = plan.place(number);
            for (measure, value) in values.into_iter().enumerate() {
                if let Some(all) = sums.get_mut(&(cell, measure)) {
                    all[instance].0 += value;
                    all[instance].1 += 1;
                }
            }
        }
        let mean = |(sum, count): (f64, u64)| sum / count as f64;
        let values =
            sums.into_iter().map(|(key, all)| (key, all.into_iter().map(mean).collect())).collect();
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
