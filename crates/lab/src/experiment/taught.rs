//! Experiments that teach a network first, and then see what its generations are
//! worth.
//!
//! The training has a folder of its own inside the experiment's, `training`, and
//! goes on there if it was stopped. One that `solitree train` has made with the
//! same settings is taken as it is.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};

use super::folder::Folder;
use super::plan::{Plan, Unit};
use super::spec::{Scale, Setting, Spec};
use crate::train::{Crew, Watchers, weights_path};
use crate::{Machines, Task};

/// The parameter that names weights.
const WEIGHTS: &str = "weights";

impl Setting {
    /// Whether a scale's training comes to its generation.
    pub(super) fn is_taught_in(&self, scale: &Scale) -> bool {
        let most = scale.training.as_ref().map_or(0, |training| training.generations);
        self.generation.is_none_or(|generation| generation <= most)
    }

    /// Its parameters with the weights of its generation, by number: where they are
    /// is for [`Plan::task_in`] to say.
    pub(super) fn taught(
        &self,
        mut values: Vec<(String, String)>,
    ) -> Result<Vec<(String, String)>, String> {
        let Some(generation) = self.generation else { return Ok(values) };
        let Some((_, weights)) = values.iter_mut().find(|(key, _)| key == WEIGHTS) else {
            return Err(format!("generation: {} asks no network", self.algorithm));
        };
        *weights = match generation {
            0 => "none".to_owned(),
            number => format!("generation {number}"),
        };
        Ok(values)
    }
}

impl Spec {
    /// Whether generations can be had wherever they are asked for.
    pub(super) fn check_generations(&self) -> Result<(), String> {
        for (name, scale) in &self.scales {
            if let Some(training) = &scale.training {
                if self.meet.is_some() {
                    return Err(format!(
                        "scales.{name}: training: not in an experiment of matches"
                    ));
                }
                training.check().map_err(|error| format!("scales.{name}: training: {error}"))?;
            }
        }
        for setting in self.settings.iter().filter(|setting| setting.generation.is_some()) {
            let wrong = |text: &str| Err(format!("setting '{}': generation: {text}", setting.name));
            if self.scales.values().any(|scale| scale.training.is_none()) {
                return wrong("expected a training in every scale");
            }
            if setting.set.contains_key(WEIGHTS) {
                return wrong("'weights' is set already");
            }
        }
        Ok(())
    }
}

impl Plan {
    /// What a run has to do, with the weights that the experiment's folder has for it.
    pub(super) fn task_in(&self, unit: &Unit, folder: &Folder) -> Task {
        let mut task = self.task(unit);
        let generation = self.spec.settings[unit.entry.setting()].generation;
        if let Some(number) = generation.filter(|&number| number > 0)
            && let Some((_, weights)) = task.params.iter_mut().find(|(key, _)| key == WEIGHTS)
        {
            *weights = weights_path(&place(folder), number).to_string_lossy().into_owned();
        }
        task
    }
}

/// Does what is left of the scale's training; false if it was stopped. `see` hears
/// of the generation that is being taught.
pub(super) fn teach(
    plan: &Plan,
    folder: &Folder,
    interrupt: &AtomicBool,
    see: &mut dyn FnMut(u64),
) -> Result<bool> {
    let Some(training) = &plan.spec.scales[&plan.scale].training else { return Ok(true) };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let crew = Crew { threads, torch: None, machines: &Machines::default(), interrupt };
    let mut watchers = Watchers {
        teacher: &mut |_| {},
        baseline: &mut |_| {},
        generation: &mut |_| {},
        step: &mut |generation, _| see(generation),
    };
    let done = training.run(&place(folder), crew, &mut watchers).context("training")?;
    Ok(done.is_some())
}

/// Where the training of an experiment is.
fn place(folder: &Folder) -> PathBuf {
    folder.path().join("training")
}
