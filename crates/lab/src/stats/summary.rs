//! A sample in a few numbers.

use serde::{Deserialize, Serialize};

use super::bootstrap_mean;

/// What is known of a mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, 0 for a single one.
    pub deviation: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The 95 % interval of the mean, by the bootstrap.
    pub interval: (f64, f64),
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Summary {
    /// The summary of some values; none if there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Summary> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let deviation = deviation(values, mean);
        let fold =
            |start: f64, better: fn(f64, f64) -> f64| values.iter().copied().fold(start, better);
        Some(Summary {
            count,
            mean,
            deviation,
            error: deviation / (count as f64).sqrt(),
            interval: bootstrap_mean(values),
            low: fold(f64::INFINITY, f64::min),
            high: fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

/// The standard deviation of a sample; 0 for a single value.
pub(super) fn deviation(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if values.len() > 1 { (squares / (values.len() - 1) as f64).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_summed_up() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((summary.count, summary.mean), (8, 5.0));
        assert!((summary.deviation - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!((summary.low, summary.high), (2.0, 9.0));
        assert!(summary.interval.0 < 5.0 && summary.interval.1 > 5.0);
        assert_eq!(Summary::of(&[]), None);
        let single = Summary::of(&[3.0]).unwrap();
        assert_eq!((single.deviation, single.interval), (0.0, (3.0, 3.0)));
    }
}
