//! Two settings on the same boards.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::Summary;

/// A paired comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The differences: the first less the second.
    pub difference: Summary,
    /// Pairs in which the first is greater.
    pub wins: usize,
    /// Pairs in which the second is.
    pub losses: usize,
    /// Chance of a difference as large, either way, if there were none: paired t.
    pub t_test: f64,
    /// The same by Wilcoxon's signed ranks, which a few outliers cannot sway.
    pub wilcoxon: f64,
    /// Pairs that would show a difference of this size four times in five.
    pub needed: Option<u64>,
}

/// Compares pairs; none if there are none.
#[must_use]
pub fn paired(pairs: &[(f64, f64)]) -> Option<Paired> {
    let differences: Vec<f64> = pairs.iter().map(|(one, other)| one - other).collect();
    let difference = Summary::of(&differences)?;
    Some(Paired {
        wins: differences.iter().filter(|&&value| value > 0.0).count(),
        losses: differences.iter().filter(|&&value| value < 0.0).count(),
        t_test: t_test(&difference),
        wilcoxon: wilcoxon(&differences),
        needed: needed(&difference),
        difference,
    })
}

impl Paired {
    /// The more careful of the two tests.
    #[must_use]
    pub fn chance(&self) -> f64 {
        self.t_test.max(self.wilcoxon)
    }
}

fn t_test(difference: &Summary) -> f64 {
    if difference.count < 2 {
        return 1.0;
    }
    if difference.error == 0.0 {
        return if difference.mean == 0.0 { 1.0 } else { 0.0 };
    }
    let t = (difference.mean / difference.error).abs();
    StudentsT::new(0.0, 1.0, (difference.count - 1) as f64)
        .map_or(1.0, |distribution| 2.0 * distribution.sf(t))
}

/// Pairs for a power of 80 % at the level of 5 %.
fn needed(difference: &Summary) -> Option<u64> {
    const BOTH: f64 = 1.959_964 + 0.841_621;
    let ratio = BOTH * difference.deviation / difference.mean.abs();
    (difference.count > 1 && ratio.is_finite()).then(|| ratio.powi(2).ceil() as u64)
}

/// Up to so many differences the distribution is counted out.
const EXACT: usize = 50;

/// Wilcoxon's signed-rank test, both ways. Differences of 0 are left out, equal
/// ones share their ranks. Exact for few differences, else by the normal
/// distribution with the corrections for ties and continuity.
fn wilcoxon(differences: &[f64]) -> f64 {
    let mut values: Vec<f64> = differences.iter().copied().filter(|&value| value != 0.0).collect();
    let count = values.len();
    if count == 0 {
        return 1.0;
    }
    values.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    // Twice the ranks, which are whole numbers also where they are shared.
    let mut ranks = vec![0usize; count];
    let (mut ties, mut begin) = (0.0, 0);
    while begin < count {
        let size = values[begin].abs();
        let end = begin + values[begin..].iter().take_while(|value| value.abs() == size).count();
        ranks[begin..end].fill(begin + 1 + end);
        let tied = (end - begin) as f64;
        ties += tied.powi(3) - tied;
        begin = end;
    }
    let all: usize = ranks.iter().sum();
    let positive: usize =
        values.iter().zip(&ranks).filter(|(value, _)| **value > 0.0).map(|(_, rank)| rank).sum();
    if count <= EXACT {
        return (2.0 * tail(&ranks, positive.min(all - positive))).min(1.0);
    }
    let n = count as f64;
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0).sqrt();
    let distance = (positive as f64 - all as f64 / 2.0).abs() / 2.0;
    let z = ((distance - 0.5) / deviation).max(0.0);
    (2.0 * Normal::standard().sf(z)).min(1.0)
}

/// How likely the sum of some ranks, each in or out by the toss of a coin, is at
/// most so much.
fn tail(ranks: &[usize], sum: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    let mut ways = vec![0.0f64; most + 1];
    ways[0] = 1.0;
    for &rank in ranks {
        for total in (rank..=most).rev() {
            ways[total] += ways[total - rank];
        }
    }
    ways[..=sum].iter().sum::<f64>() / 2f64.powi(ranks.len() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's sleep data. R: t.test(paired = TRUE) gives p = 0.002833. All nine
    /// differences that are not 0 are on one side: 2 / 2^9.
    #[test]
    fn is_right_on_students_data() {
        let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<(f64, f64)> = one.into_iter().zip(other).collect();
        let paired = paired(&pairs).unwrap();
        assert!((paired.difference.mean + 1.58).abs() < 1e-9);
        assert!((paired.t_test - 0.002_833).abs() < 1e-6, "{}", paired.t_test);
        assert!((paired.wilcoxon - 2.0 / 512.0).abs() < 1e-12, "{}", paired.wilcoxon);
        assert_eq!((paired.wins, paired.losses), (0, 9));
    }

    /// R: wilcox.test(c(1.1,2.2,0.3,-0.4,5.5,0.6,-7.7,8.8)): V = 27, p = 0.25.
    #[test]
    fn small_samples_are_counted_out() {
        let differences = [1.1, 2.2, 0.3, -0.4, 5.5, 0.6, -7.7, 8.8];
        assert!((wilcoxon(&differences) - 0.25).abs() < 1e-12, "{}", wilcoxon(&differences));
        // Five of five on one side: 2 / 2^5.
        assert!((wilcoxon(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 0.0625).abs() < 1e-12);
    }

    /// Five equal differences on one side are five tosses: 2 / 2^5.
    #[test]
    fn ties_are_counted_out_too() {
        assert!((wilcoxon(&[1.0; 5]) - 0.0625).abs() < 1e-12);
        // Ranks 1.5, 1.5 and 3: of eight sums, 0 and 1.5 (twice) are at most 1.5.
        assert!((wilcoxon(&[1.0, -1.0, 2.0]) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn the_exact_and_the_normal_test_agree() {
        let sign = |i: i32| if i % 3 == 0 { -1.0 } else { 1.0 };
        let differences: Vec<f64> = (1..=EXACT as i32).map(|i| sign(i) * f64::from(i)).collect();
        let exact = wilcoxon(&differences);
        let larger: Vec<f64> = (1..=1 + EXACT as i32).map(|i| sign(i) * f64::from(i)).collect();
        // One more, on the side of fewer: a little less sure.
        let normal = wilcoxon(&larger);
        assert!(exact < normal && normal < 3.0 * exact, "{exact} {normal}");
    }

    #[test]
    fn says_how_many_would_be_needed() {
        // A difference of a tenth of the deviation takes 785 pairs.
        let pairs: Vec<(f64, f64)> =
            (0..1000).map(|i| (if i % 2 == 0 { 1.1 } else { -0.9 }, 0.0)).collect();
        let needed = paired(&pairs).unwrap().needed.unwrap();
        assert!((780..=790).contains(&needed), "{needed}");
    }
}
