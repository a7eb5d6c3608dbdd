//! Who has earned what: the shared account of a portfolio.

use serde::{Deserialize, Serialize};
use solitree_core::{Rng, Score};

/// A member with one of the domain's variants, and how it has done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Arm {
    /// Which member of the portfolio.
    member: usize,
    /// Which of the domain's kits.
    kit: usize,
    /// The variant that it is, or is a refinement of.
    family: usize,
    /// Slices given to it.
    tries: u64,
    /// The best score of its slices.
    best: Option<Score>,
}

/// What a piece of the budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Purpose {
    /// An arm.
    Arm(usize),
    /// The repair of lines in the pool.
    Repairs,
    /// An exact search of the whole.
    Proof,
    /// Annealing, from this part of the budget to its end.
    Annealing { from: f64 },
}

/// A piece of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Slice {
    /// Its number, which seeds it.
    pub(super) number: u64,
    pub(super) purpose: Purpose,
    /// Playouts, about; of a proof, nodes.
    pub(super) size: u64,
    /// The part of the whole budget at which it ends all the same.
    pub(super) until: f64,
}

/// What the workers share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Board {
    arms: Vec<Arm>,
    /// The refinements of each variant that have not been taken up.
    refinements: Vec<Vec<usize>>,
    members: usize,
    begun: u64,
    /// Whether an exact search has been tried.
    proof_tried: bool,
    rng: Rng,
    /// Playouts of a slice when nobody knows how many there will be in all.
    blind: f64,
}

/// How the budget is cut into slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutting {
    /// The part of the budget in which every arm is tried once.
    pub(super) tried: f64,
    /// How many slices the whole budget would make after that.
    pub(super) slices: f64,
    /// Playouts of a slice at most.
    pub(super) longest: f64,
    /// The last part of the budget, which repairs lines.
    pub(super) repairs: f64,
    /// How likely the best arm is, beside the next best, and so on.
    pub(super) favour: f64,
    /// The part of the budget that an exact search gets where lines are short.
    pub(super) proof: f64,
}

/// What is known of the budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// The part that is used.
    pub(super) used: f64,
    /// Playouts of all workers in the whole budget, if that can be told.
    pub(super) playouts: Option<f64>,
    /// Whether that is a limit, not a guess by the time.
    pub(super) counted: bool,
    /// Whether there are lines to be repaired.
    pub(super) lines: bool,
    /// Whether they are so short that an exact search may come to an end.
    pub(super) short: bool,
    /// How many workers there are.
    pub(super) threads: u64,
}

/// The smallest slice, and the first where nothing is known of the budget.
const SMALLEST: f64 = 1_000.0;
const BLIND: f64 = 8_000.0;
/// The part of what is left before repairs that refinements may take.
const REFINED: f64 = 0.4;
/// How many variants are refined.
const FAMILIES: usize = 2;
/// Nodes of an exact search at most where playouts are not counted.
const LONG_PROOF: f64 = 1e7;
/// How much larger each slice is than the one before, where nothing is known.
const GROWTH: f64 = 1.1;

impl Board {
    /// An account for some members and, for each variant, the numbers of its kits:
    /// its own, then those of its refinements.
    pub(super) fn new(members: usize, families: &[Vec<usize>], seed: u64) -> Self {
        let mut board = Board {
            arms: Vec::new(),
            refinements: families.iter().map(|kits| kits[1..].to_vec()).collect(),
            members,
            begun: 0,
            proof_tried: false,
            rng: Rng::stream(seed, u64::MAX),
            blind: BLIND,
        };
        // The most promising variant first, with every member.
        for (family, kits) in families.iter().enumerate() {
            board.add(family, kits[0]);
        }
        board
    }

    fn add(&mut self, family: usize, kit: usize) {
        let arm = |member| Arm { member, kit, family, tries: 0, best: None };
        self.arms.extend((0..self.members).map(arm));
    }

    /// The next slice: an exact search where lines are short, every arm once, then
    /// those that have done well, and at the end repairs.
    pub(super) fn next(&mut self, cutting: Cutting, outlook: Outlook) -> Slice {
        let number = self.begun;
        self.begun += 1;
        if outlook.playouts.is_none() && number < outlook.threads {
            // A few playouts first, to see how many there will be.
            return Slice {
                number,
                purpose: Purpose::Arm(0),
                size: SMALLEST as u64,
                until: f64::INFINITY,
            };
        }
        let mut untried = self.arms.iter().position(|arm| arm.tries == 0);
        let whole = match outlook.playouts {
            Some(playouts) => playouts,
            None => {
                self.blind *= if untried.is_some() { 1.0 } else { GROWTH };
                self.blind * cutting.slices
            }
        };
        if outlook.short && cutting.proof > 0.0 && !self.proof_tried {
            self.proof_tried = true;
            let size =
                if outlook.counted { (whole * cutting.proof).max(SMALLEST) } else { LONG_PROOF };
            let until = outlook.used + cutting.proof;
            return Slice { number, purpose: Purpose::Proof, size: size as u64, until };
        }
        let late = if outlook.playouts.is_some() {
            outlook.used >= 1.0 - cutting.repairs
        } else {
            self.rng.unit() < cutting.repairs
        };
        let slice = (whole / cutting.slices).min(cutting.longest);
        let left = whole * (1.0 - cutting.repairs - outlook.used);
        if untried.is_none() && outlook.playouts.is_some() && self.refine(slice, left * REFINED) {
            untried = self.arms.iter().position(|arm| arm.tries == 0);
        }
        let first = self.arms.len() - self.refined();
        let (purpose, size) = if late && outlook.lines {
            (Purpose::Repairs, slice)
        } else if let Some(arm) = untried {
            let share = (whole * cutting.tried / first as f64).min(cutting.longest);
            (Purpose::Arm(arm), if arm < first { share } else { slice })
        } else {
            (Purpose::Arm(self.favourite(cutting.favour)), slice)
        };
        if let Purpose::Arm(arm) = purpose {
            self.arms[arm].tries += 1;
        }
        Slice { number, purpose, size: size.max(SMALLEST) as u64, until: f64::INFINITY }
    }

    /// Arms that are refinements; they come last.
    fn refined(&self) -> usize {
        self.arms.len() - self.members * self.refinements.len()
    }

    /// Takes up the refinements of the variant that has done best, or else of the
    /// second best, if there is time to try each of them once; says whether it
    /// has.
    fn refine(&mut self, slice: f64, left: f64) -> bool {
        // What is still being tried for the first time may be the best.
        if self.arms.iter().any(|arm| arm.best.is_none()) {
            return false;
        }
        let mut families: Vec<usize> = (0..self.refinements.len()).collect();
        let best = |family: usize| {
            self.arms.iter().filter(|arm| arm.family == family).map(|arm| arm.best).max()
        };
        families.sort_by_key(|&family| std::cmp::Reverse(best(family)));
        let candidates = families.into_iter().take(FAMILIES);
        let Some(family) =
            candidates.into_iter().find(|&family| !self.refinements[family].is_empty())
        else {
            return false;
        };
        let cost = slice * (self.refinements[family].len() * self.members) as f64;
        if cost > left {
            return false;
        }
        for kit in std::mem::take(&mut self.refinements[family]) {
            self.add(family, kit);
        }
        true
    }

    /// A slice that anneals from here on.
    pub(super) fn anneal(&mut self, from: f64) -> Slice {
        let number = self.begun;
        self.begun += 1;
        Slice { number, purpose: Purpose::Annealing { from }, size: u64::MAX, until: f64::INFINITY }
    }

    /// Whether every arm has had a slice.
    pub(super) fn has_tried_all(&self) -> bool {
        self.arms.iter().all(|arm| arm.best.is_some())
    }

    /// The member and kit of an arm.
    pub(super) fn place(&self, arm: usize) -> Option<(usize, usize)> {
        self.arms.get(arm).map(|arm| (arm.member, arm.kit))
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
        if let Purpose::Arm(arm) = slice.purpose
            && let Some(arm) = self.arms.get_mut(arm)
        {
            arm.best = arm.best.max(Some(score));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUTTING: Cutting =
        Cutting { tried: 0.3, slices: 10.0, longest: 1e9, repairs: 0.1, favour: 0.5, proof: 0.2 };

    const OUTLOOK: Outlook = Outlook {
        used: 0.0,
        playouts: None,
        counted: false,
        lines: true,
        short: false,
        threads: 2,
    };

    fn arm(slice: Slice) -> usize {
        match slice.purpose {
            Purpose::Arm(arm) => arm,
            other => panic!("{other:?}"),
        }
    }

    fn alone(variants: usize) -> Vec<Vec<usize>> {
        (0..variants).map(|variant| vec![variant]).collect()
    }

    #[test]
    fn every_arm_is_tried_and_the_best_gets_most() {
        let mut board: Board = Board::new(2, &alone(3), 1);
        let outlook = Outlook { used: 0.1, playouts: Some(100_000.0), ..OUTLOOK };
        for number in 0..6 {
            let slice = board.next(CUTTING, outlook);
            assert_eq!((slice.purpose, slice.size), (Purpose::Arm(number), 5_000));
            board.earned(slice, Score(if number == 4 { 9 } else { number as i64 }));
        }
        let mut given = [0; 6];
        for _ in 0..1000 {
            let slice = board.next(CUTTING, outlook);
            assert_eq!(slice.size, 10_000);
            given[arm(slice)] += 1;
        }
        assert!(given[4] > 400 && given[5] > 150 && given[0] > 5, "{given:?}");
        let late = Outlook { used: 0.95, ..outlook };
        assert_eq!(board.next(CUTTING, late).purpose, Purpose::Repairs);
    }

    #[test]
    fn short_lines_are_proven_once() {
        let mut board: Board = Board::new(1, &alone(2), 1);
        let outlook = Outlook { playouts: Some(100_000.0), used: 0.1, short: true, ..OUTLOOK };
        let slice = board.clone().next(CUTTING, Outlook { counted: true, ..outlook });
        assert_eq!((slice.purpose, slice.size), (Purpose::Proof, 20_000));
        let slice = board.next(CUTTING, outlook);
        assert_eq!((slice.purpose, slice.until), (Purpose::Proof, 0.1 + 0.2));
        for _ in 0..20 {
            assert_ne!(board.next(CUTTING, outlook).purpose, Purpose::Proof);
        }
        let never = Cutting { proof: 0.0, ..CUTTING };
        let mut board: Board = Board::new(1, &alone(2), 1);
        assert_eq!(board.next(never, outlook).purpose, Purpose::Arm(0));
    }

    #[test]
    fn the_best_variant_is_refined_where_there_is_time() {
        let families = [vec![0], vec![1, 4, 5]];
        let outlook = Outlook { used: 0.6, playouts: Some(100_000.0), lines: false, ..OUTLOOK };
        for (longest, expected) in [(1e9, [0, 1].as_slice()), (2_000.0, &[0, 1, 4, 5])] {
            let mut board = Board::new(1, &families, 1);
            let cutting = Cutting { longest, ..CUTTING };
            let mut kits = Vec::new();
            for _ in 0..20 {
                let slice = board.next(cutting, outlook);
                let (_, kit) = board.place(arm(slice)).unwrap();
                assert!(slice.size as f64 <= longest);
                board.earned(slice, Score(if kit == 1 { 9 } else { 5 }));
                if !kits.contains(&kit) {
                    kits.push(kit);
                }
            }
            kits.sort_unstable();
            assert_eq!(kits, expected, "slices of at most {longest}");
        }
    }

    #[test]
    fn without_a_budget_slices_grow() {
        let mut board: Board = Board::new(1, &alone(2), 1);
        let sizes: Vec<u64> = (0..40).map(|_| board.next(CUTTING, OUTLOOK).size).collect();
        assert!(sizes[39] > 5 * sizes[5], "{sizes:?}");
    }
}
