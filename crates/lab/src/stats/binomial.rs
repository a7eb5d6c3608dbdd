//! The binomial test.

use statrs::distribution::{Binomial, DiscreteCDF};

/// How likely at least so many successes are if each has a chance of one half.
#[must_use]
pub fn binomial_at_least(successes: u64, trials: u64) -> f64 {
    if successes == 0 {
        return 1.0;
    }
    Binomial::new(0.5, trials).map_or(f64::NAN, |distribution| distribution.sf(successes - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oppenhuis (2022), section 8.1.
    #[test]
    fn the_thesis_is_right() {
        assert!((binomial_at_least(49, 80) - 0.02833).abs() < 5e-6);
    }

    #[test]
    fn small_cases_are_counted_by_hand() {
        assert_eq!(binomial_at_least(0, 3), 1.0);
        assert!((binomial_at_least(2, 3) - 0.5).abs() < 1e-12);
        assert!((binomial_at_least(3, 3) - 0.125).abs() < 1e-12);
    }
}
