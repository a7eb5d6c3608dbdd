//! What a policy is worth, on boards that are never learnt from.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use solitree_nn::Weights;

use super::Crew;
use super::play::Ground;
use crate::parallel::parallel;
use crate::stats::Summary;

/// A mean and its standard error.
pub type Mean = (f64, f64);

/// What is reached without having learnt anything, board by board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Moves drawn at random.
    random: Vec<f64>,
    /// The search, with all moves alike at first.
    search: Vec<f64>,
}

/// What is reached with a policy.
pub(super) struct Measured {
    /// Its likeliest moves, and nothing else.
    pub(super) policy: Mean,
    /// The search with it, with as many simulations as without.
    pub(super) search: Mean,
    /// How much better the search is with it, board by board.
    pub(super) gain: Mean,
}

impl Baseline {
    /// Moves drawn at random.
    #[must_use]
    pub fn random(&self) -> Mean {
        mean(&self.random)
    }

    /// The search that knows nothing.
    #[must_use]
    pub fn search(&self) -> Mean {
        mean(&self.search)
    }

    /// Measures it; none if it was stopped.
    pub(super) fn measure(ground: &Ground, crew: Crew<'_>) -> Result<Option<Baseline>> {
        let player = ground.candidate(None, crew.machines)?;
        let random = scores(ground, crew, |board, _| Ok(Some(player.at_random(board))))?;
        let search = scores(ground, crew, |board, stop| player.search_for(board, stop))?;
        Ok(random.zip(search).map(|(random, search)| Baseline { random, search }))
    }

    /// Measures what weights are worth beside it; none if it was stopped.
    pub(super) fn compare(
        &self,
        ground: &Ground,
        weights: &Weights,
        crew: Crew<'_>,
    ) -> Result<Option<Measured>> {
        let learnt = ground.fitting(weights)?;
        let player = ground.candidate(Some(&learnt), crew.machines)?;
        let policy = scores(ground, crew, |board, _| Ok(Some(player.alone(0, board) as f64)))?;
        let search = scores(ground, crew, |board, stop| player.search_for(board, stop))?;
        Ok(policy.zip(search).map(|(policy, search)| {
            let gains: Vec<f64> =
                search.iter().zip(&self.search).map(|(with, without)| with - without).collect();
            Measured { policy: mean(&policy), search: mean(&search), gain: mean(&gains) }
        }))
    }
}

/// The scores of all boards for validation, in order; none if it was stopped.
fn scores(
    ground: &Ground,
    crew: Crew<'_>,
    score: impl Fn(u64, &AtomicBool) -> Result<Option<f64>> + Sync,
) -> Result<Option<Vec<f64>>> {
    let mut scores = vec![0.0; ground.validation() as usize];
    let job =
        |board: u64, stop: &AtomicBool| Ok(score(board, stop)?.map(|reached| (board, reached)));
    parallel(ground.validation(), crew.players(true), crew.interrupt, job, |(board, reached)| {
        scores[board as usize] = reached;
        Ok(())
    })?;
    Ok((!crew.is_stopped()).then_some(scores))
}

/// Mean and standard error, with few digits: figures that were written are read as
/// the same.
pub(super) fn mean(values: &[f64]) -> Mean {
    let summary = Summary::of(values);
    summary.map_or((0.0, 0.0), |summary| (short(summary.mean), short(summary.error)))
}

pub(super) fn short(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
