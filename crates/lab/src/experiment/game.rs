//! A run that is a game of two.

use std::time::Instant;

use super::folder::signature;
use super::plan::{Plan, Unit};
use super::record::Record;
use crate::matches::Meeting;

/// Plays a game and writes it down.
pub(super) fn played(plan: &Plan, unit: Unit, meeting: &Meeting, build: &str) -> Record {
    let start = Instant::now();
    let met = meeting.play();
    let seconds = start.elapsed().as_secs_f64();
    let rounded = |value: f64| (value * 1e3).round() / 1e3;
    let name = |setting: usize| plan.spec.settings[setting].name.clone();
    Record {
        setting: name(unit.entry.setting()),
        opponent: unit.entry.opponent().map(name),
        budget: plan.budgets()[unit.budget].to_owned(),
        task: plan.hash(&unit),
        instance: unit.instance,
        repetition: unit.repetition,
        seed: unit.seed,
        score: met.score,
        cleared: None,
        branching: rounded(met.branching),
        playouts: met.playouts,
        nodes: 0,
        average_depth: 0.0,
        deepest: 0,
        seconds: rounded(seconds),
        stop: met.end.to_string(),
        version: build.to_owned(),
        signature: signature(plan).to_owned(),
        moves: met.moves,
    }
}
