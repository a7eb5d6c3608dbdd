//! Which kit a beam from the start is to use: a bandit.
//!
//! Every variant is tried once. After that a beam uses the kit with the highest
//! bound (UCB1) on what its lines are worth; a kit that was not tried is thought
//! to be as good as its variant.
//!
//! # References
//! P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time Analysis of the Multiarmed
//! Bandit Problem", Machine Learning 47, 2002.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use solitree_core::{Kit, Puzzle, Score};

/// The part of the difference between the best and the worst line that one more try
/// is hoped to bring.
const HOPE: f64 = 0.25;

/// The kits of a puzzle: each variant followed by those that are like it.
pub(super) struct Kits<K> {
    pub(super) all: Vec<K>,
    /// The kits of each variant.
    kin: Vec<Range<usize>>,
    /// Those whose playouts differ.
    arms: Vec<Arm>,
}

/// What a kit has done in beams.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Arm {
    pub(super) kit: usize,
    variant: usize,
    tried: u64,
    sum: f64,
}

/// All of them, and what they have come to.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Arms {
    arms: Vec<Arm>,
    worst: f64,
    best: f64,
}

impl<K> Kits<K> {
    pub(super) fn of<P: Puzzle>(kit: &K, puzzle: &P) -> Kits<K>
    where
        K: Kit<P>,
    {
        let mut kits = Kits { all: Vec::new(), kin: Vec::new(), arms: Vec::new() };
        for (variant, kit) in kit.variants(puzzle).into_iter().enumerate() {
            let first = kits.all.len();
            let (refined, others) = (kit.refinements(puzzle), kit.playout_variants(puzzle));
            let others_from = first + 1 + refined.len();
            kits.all.push(kit);
            kits.all.extend(refined);
            kits.all.extend(others);
            kits.kin.push(first..kits.all.len());
            let of_beams = std::iter::once(first).chain(others_from..kits.all.len());
            kits.arms.extend(of_beams.map(|kit| Arm { kit, variant, tried: 0, sum: 0.0 }));
        }
        kits
    }

    /// Those of the same variant.
    pub(super) fn kin(&self, kit: usize) -> Range<usize> {
        self.kin.iter().find(|kin| kin.contains(&kit)).cloned().unwrap_or(0..self.all.len())
    }

    /// All kits for beams, none of them tried.
    pub(super) fn arms(&self) -> Arms {
        Arms { arms: self.arms.clone(), worst: f64::INFINITY, best: f64::NEG_INFINITY }
    }
}

impl Arms {
    /// The kit to be used next.
    pub(super) fn next(&self) -> usize {
        let is_first =
            |arm: &&Arm| !self.arms.iter().any(|a| a.variant == arm.variant && a.tried > 0);
        if let Some(arm) = self.arms.iter().find(is_first) {
            return arm.kit;
        }
        let tries: u64 = self.arms.iter().map(|arm| arm.tried).sum();
        let spread = HOPE * (self.best - self.worst);
        let bound = |arm: &Arm| {
            let kin = self.arms.iter().filter(|a| a.variant == arm.variant);
            let (tried, sum) = kin.fold((0, 0.0), |(n, sum), a| (n + a.tried, sum + a.sum));
            let weight = (arm.tried + 1) as f64;
            let mean = (arm.sum + sum / tried as f64) / weight;
            mean + spread * ((tries as f64).ln().max(0.0) / weight).sqrt()
        };
        // Of equal ones the first.
        let mut best = (f64::NEG_INFINITY, 0);
        for arm in &self.arms {
            let bound = bound(arm);
            if bound > best.0 {
                best = (bound, arm.kit);
            }
        }
        best.1
    }

    /// Hears what a beam has come to.
    pub(super) fn hear(&mut self, kit: usize, score: Score) {
        let score = score.as_f64();
        if let Some(arm) = self.arms.iter_mut().find(|arm| arm.kit == kit) {
            arm.tried += 1;
            arm.sum += score;
        }
        (self.worst, self.best) = (self.worst.min(score), self.best.max(score));
    }

    /// Whether these are arms of the same kits as others.
    pub(super) fn are_like(&self, others: &Arms) -> bool {
        self.arms.iter().map(|arm| arm.kit).eq(others.arms.iter().map(|arm| arm.kit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(variants: usize, each: usize) -> Arms {
        let arm = |kit| Arm { kit, variant: kit / each, tried: 0, sum: 0.0 };
        let arms = (0..variants * each).map(arm).collect();
        Arms { arms, worst: f64::INFINITY, best: f64::NEG_INFINITY }
    }

    #[test]
    fn every_variant_is_tried_and_the_best_kit_most_often() {
        let mut arms = arms(3, 4);
        let worth = |kit: usize| Score([1000, 3000, 2000][kit / 4] + 100 * (kit % 4) as i64);
        let mut tries = [0; 12];
        for round in 0..200 {
            let kit = arms.next();
            if round < 3 {
                assert_eq!(kit, 4 * round, "the variants come first");
            }
            tries[kit] += 1;
            arms.hear(kit, worth(kit));
        }
        assert_eq!(tries.iter().max(), Some(&tries[7]), "{tries:?}");
        assert!((4..8).all(|kit| tries[kit] > 0), "{tries:?}");
        let poor: i32 = tries[..4].iter().sum();
        assert!(poor < 20, "{tries:?}");
    }

    #[test]
    fn a_kit_that_finds_nothing_is_not_tried_for_ever() {
        let mut arms = arms(1, 1);
        assert_eq!(arms.next(), 0);
        arms.hear(0, Score(5));
        assert_eq!(arms.next(), 0);
    }
}
