//! The bootstrap interval of a mean (Efron).

use solitree_core::Rng;

/// Samples drawn.
const DRAWS: usize = 2_000;

/// The 95 % interval of the mean of a sample, by percentiles of the means of
/// samples drawn from it. Equal samples give equal intervals.
#[must_use]
pub fn bootstrap_mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as u32;
    if count == 0 {
        return (f64::NAN, f64::NAN);
    }
    let mut rng = Rng::new(0xB007);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let sum: f64 = (0..count).map(|_| values[rng.below(count) as usize]).sum();
            sum / f64::from(count)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[(share * (DRAWS - 1) as f64).round() as usize];
    (at(0.025), at(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_theory() {
        // 400 values with deviation 1: the interval is 1.96 / 20 each way.
        let values: Vec<f64> = (0..400).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let (low, high) = bootstrap_mean(&values);
        assert!((low + 0.098).abs() < 0.012 && (high - 0.098).abs() < 0.012, "{low} {high}");
        assert_eq!(bootstrap_mean(&values), (low, high));
    }
}
