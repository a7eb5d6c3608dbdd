//! Who has earned what: the shared account of a portfolio.

use serde::{Deserialize, Serialize};
use solitree_core::{Rng, Score};

/// A member with one of the domain's variants, and how it has done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Arm {
    /// Which member of the portfolio.
    member: usize,
    /// Which of the domain's variants.
    variant: usize,
    /// Slices given to it.
    tries: u64,
    /// The best score of its slices.
    best: Option<Score>,
}

/// A piece of the budget for an arm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Slice {
    /// Its number, which seeds it.
    pub(super) number: u64,
    /// The arm, or none for the repair of lines in the pool.
    pub(super) arm: Option<usize>,
    /// Playouts, about.
    pub(super) size: u64,
}

/// What the workers share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Board {
    arms: Vec<Arm>,
    begun: u64,
    rng: Rng,
    size: f64,
}

/// How slices are cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutting {
    /// Playouts of the first slices.
    pub(super) first: u64,
    /// How much larger each is than the one before.
    pub(super) growth: f64,
    /// The part of the slices that repairs lines.
    pub(super) repairs: f64,
    /// How likely the best arm is, beside the next best, and so on.
    pub(super) favour: f64,
}

impl Board {
    pub(super) fn new(members: usize, variants: usize, cutting: Cutting, seed: u64) -> Self {
        // The most promising variant first, with every member.
        let of = |variant| (0..members).map(move |member| (member, variant));
        let arms = (0..variants).flat_map(of);
        let arm = |(member, variant)| Arm { member, variant, tries: 0, best: None };
        Board {
            arms: arms.map(arm).collect(),
            begun: 0,
            rng: Rng::stream(seed, u64::MAX),
            size: cutting.first as f64,
        }
    }

    /// The next slice: every arm once, then those that have done well, and if
    /// there are lines `ready` for it some for repairs.
    pub(super) fn next(&mut self, cutting: Cutting, ready: bool) -> Slice {
        let number = self.begun;
        self.begun += 1;
        let untried = self.arms.iter().position(|arm| arm.tries == 0);
        let arm = match untried {
            Some(arm) => Some(arm),
            None => {
                self.size *= cutting.growth;
                let repair = self.rng.unit() < cutting.repairs && ready;
                if repair { None } else { Some(self.favourite(cutting.favour)) }
            }
        };
        if let Some(arm) = arm {
            self.arms[arm].tries += 1;
        }
        Slice { number, arm, size: self.size as u64 }
    }

    /// The member and variant of an arm.
    pub(super) fn place(&self, arm: usize) -> Option<(usize, usize)> {
        self.arms.get(arm).map(|arm| (arm.member, arm.variant))
    }

    /// An arm drawn by its rank.
    fn favourite(&mut self, favour: f64) -> usize {
        let mut ranked: Vec<usize> = (0..self.arms.len()).collect();
        ranked.sort_by_key(|&arm| std::cmp::Reverse(self.arms[arm].best));
        let mut rank = 0;
        while rank + 1 < ranked.len() && self.rng.unit() >= favour {
            rank += 1;
        }
        ranked[rank]
    }

    /// Takes note of what a slice found.
    pub(super) fn earned(&mut self, slice: Slice, score: Score) {
        if let Some(arm) = slice.arm.and_then(|arm| self.arms.get_mut(arm)) {
            arm.best = arm.best.max(Some(score));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUTTING: Cutting = Cutting { first: 100, growth: 1.1, repairs: 0.0, favour: 0.5 };

    #[test]
    fn every_arm_is_tried_and_the_best_gets_most() {
        let mut board: Board = Board::new(2, 3, CUTTING, 1);
        for arm in 0..6 {
            let slice = board.next(CUTTING, true);
            assert_eq!((slice.arm, slice.size), (Some(arm), 100));
            board.earned(slice, Score(if arm == 4 { 9 } else { arm as i64 }));
        }
        let mut given = [0; 6];
        for _ in 0..1000 {
            given[board.next(CUTTING, true).arm.unwrap()] += 1;
        }
        assert!(given[4] > 400 && given[5] > 150 && given[0] > 5, "{given:?}");
    }
}
