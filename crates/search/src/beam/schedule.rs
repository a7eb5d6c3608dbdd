//! Which passes a run makes, and how wide.

use serde::{Deserialize, Serialize};
use solitree_core::Score;

/// The part of the budget after which the variants have been compared.
const COMPARED: f64 = 0.35;

/// Decides on the next pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Schedule {
    /// The width that was asked for; none to use the budget well.
    fixed: Option<u64>,
    /// The widest there is memory for.
    widest: u64,
    /// The width of a first pass that is to show what width costs.
    narrow: u64,
    /// The best score of each of the domain's variants.
    scores: Vec<Option<Score>>,
    /// Whether another pass of the same width would be the same again.
    repeats: bool,
    /// Whether the present pass has played anything out.
    played: bool,
    /// Passes begun.
    begun: u64,
    /// The part of the budget used when the last one began.
    used: f64,
    /// What a position of the width costs, as a part of the budget.
    cost: f64,
    width: u64,
    variant: usize,
}

impl Schedule {
    pub(super) fn new(
        fixed: Option<u64>,
        widest: u64,
        narrow: u64,
        variants: usize,
        repeats: bool,
    ) -> Self {
        Schedule {
            fixed,
            widest: widest.max(1),
            narrow,
            scores: vec![None; variants.max(1)],
            repeats,
            played: false,
            begun: 0,
            used: 0.0,
            cost: 0.0,
            width: 0,
            variant: 0,
        }
    }

    /// Takes note of a score that the present pass found.
    pub(super) fn saw(&mut self, score: Score) {
        self.played = true;
        let best = &mut self.scores[self.variant];
        *best = (*best).max(Some(score));
    }

    /// The number, variant and width of the next pass; none if there is nothing
    /// left to try. `used` is the part of the budget that is used.
    pub(super) fn next(&mut self, used: f64) -> Option<(u64, usize, u64)> {
        if self.begun > 0 && self.width > 0 {
            self.cost = ((used - self.used) / self.width as f64).max(0.0);
        }
        self.used = used;
        let variants = self.scores.len();
        let number = self.begun;
        // A game that ends before there is anything to play out stays so.
        if number > 0 && !self.repeats && !std::mem::take(&mut self.played) {
            return None;
        }
        let width = match self.fixed {
            Some(width) => {
                if self.repeats && number > 0 {
                    return None;
                }
                self.variant = number as usize % variants;
                width
            }
            None => {
                if self.repeats && number > 0 && self.width >= self.widest {
                    return None;
                }
                self.free(number as usize, used)
            }
        };
        self.begun += 1;
        self.width = width.clamp(1, self.widest);
        Some((number, self.variant, self.width))
    }

    /// First a narrow pass to learn the price, then every variant, then the
    /// best one as wide as the rest of the budget allows.
    fn free(&mut self, number: usize, used: f64) -> u64 {
        let variants = self.scores.len();
        let rest = 1.0 - used;
        let affordable =
            |part: f64| if self.cost > 0.0 { (part / self.cost) as u64 } else { 2 * self.width };
        if number == 0 {
            return self.narrow;
        }
        if self.repeats || variants == 1 {
            // Wider by steps, the last as wide as it can be and still end.
            let whole = affordable(0.95 * rest);
            return if whole > 4 * self.width { 2 * self.width } else { whole.max(self.width + 1) };
        }
        if number <= variants {
            let width =
                if number == 1 { affordable(COMPARED / variants as f64) } else { self.width };
            self.variant = number - 1;
            return width.max(self.narrow);
        }
        let best = (0..variants).rev().max_by_key(|&variant| self.scores[variant]);
        self.variant = best.unwrap_or(0);
        let width = affordable(0.95 * rest);
        if width < self.narrow { self.narrow } else { width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_width_is_one_pass_or_one_for_each_variant() {
        let mut once = Schedule::new(Some(100), 1000, 4, 1, true);
        assert_eq!(once.next(0.0), Some((0, 0, 100)));
        assert_eq!(once.next(0.1), None);
        let mut many = Schedule::new(Some(100), 1000, 4, 3, false);
        let mut next = || {
            many.saw(Score(1));
            many.next(0.0).unwrap().1
        };
        assert_eq!([next(), next(), next(), next(), next()], [0, 1, 2, 0, 1]);
        let _ = many.next(0.0);
        assert_eq!(many.next(0.0), None, "nothing was played out");
    }

    #[test]
    fn the_best_variant_gets_the_rest() {
        let mut schedule = Schedule::new(None, 1_000_000, 4, 2, false);
        assert_eq!(schedule.next(0.0), Some((0, 0, 4)));
        schedule.saw(Score(0));
        // That took a thousandth of the budget: 175 times as wide for each.
        let (_, variant, width) = schedule.next(0.001).unwrap();
        assert_eq!((variant, width), (0, 699));
        schedule.saw(Score(10));
        assert_eq!(schedule.next(0.176).unwrap().1, 1);
        schedule.saw(Score(20));
        let (_, variant, width) = schedule.next(0.351).unwrap();
        assert_eq!(variant, 1);
        assert!(width > 2_000, "{width}");
    }

    #[test]
    fn memory_bounds_the_width() {
        let mut schedule = Schedule::new(None, 100, 4, 1, true);
        let widths: Vec<u64> =
            std::iter::from_fn(|| schedule.next(0.0)).map(|(_, _, w)| w).collect();
        assert_eq!(widths, [4, 8, 16, 32, 64, 100]);
    }
}
