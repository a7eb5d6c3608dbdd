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

/// Wilcoxon's signed-rank test, both ways. Differences of 0 are left out. Exact
/// for few differences without ties, else by the normal distribution with the
/// corrections for ties and continuity.
fn wilcoxon(differences: &[f64]) -> f64 {
    let mut values: Vec<f64> = differences.iter().copied().filter(|&value| value != 0.0).collect();
    let count = values.len();
    if count == 0 {
        return 1.0;
    }
    values.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let (mut positive, mut ties, mut begin) = (0.0, 0.0, 0);
    while begin < count {
        let size = values[begin].abs();
        let end = begin + values[begin..].iter().take_while(|value| value.abs() == size).count();
        let rank = (begin + 1 + end) as f64 / 2.0;
        let tied = (end - begin) as f64;
        ties += tied.powi(3) - tied;
        positive += rank * values[begin..end].iter().filter(|&&value| value > 0.0).count() as f64;
        begin = end;
    }
    let n = count as f64;
    let mean = n * (n + 1.0) / 4.0;
    if ties == 0.0 && count <= EXACT {
        return (2.0 * tail(count, positive.min(2.0 * mean - positive) as usize)).min(1.0);
    }
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0).sqrt();
    if deviation == 0.0 {
        return 1.0;
    }
    let z = (((positive - mean).abs() - 0.5) / deviation).max(0.0);
    (2.0 * Normal::standard().sf(z)).min(1.0)
}

/// How likely a sum of positive ranks is at most so much.
fn tail(count: usize, sum: usize) -> f64 {
    let most = count * (count + 1) / 2;
    let mut ways = vec![0.0f64; most + 1];
    ways[0] = 1.0;
    for rank in 1..=count {
        for total in (rank..=most).rev() {
            ways[total] += ways[total - rank];
        }
    }
    ways[..=sum.min(most)].iter().sum::<f64>() / 2f64.powi(count as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's sleep data. R: t.test(paired = TRUE) gives p = 0.002833;
    /// wilcox.test with ties, correct = TRUE gives p = 0.009091.
    #[test]
    fn is_right_on_students_data() {
        let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<(f64, f64)> = one.into_iter().zip(other).collect();
        let paired = paired(&pairs).unwrap();
        assert!((paired.difference.mean + 1.58).abs() < 1e-9);
        assert!((paired.t_test - 0.002_833).abs() < 1e-6, "{}", paired.t_test);
        assert!((paired.wilcoxon - 0.009_091).abs() < 1e-3, "{}", paired.wilcoxon);
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

    #[test]
    fn the_exact_and_the_normal_test_agree() {
        let differences: Vec<f64> =
            (1..=50).map(|i| f64::from(if i % 3 == 0 { -i } else { i })).collect();
        let exact = wilcoxon(&differences);
        // A tie so small that it changes nothing but the way.
        let mut tied = differences;
        tied[0] = 2.0;
        assert!((exact - wilcoxon(&tied)).abs() < 2e-3, "{exact} {}", wilcoxon(&tied));
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
