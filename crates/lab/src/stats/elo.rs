//! Logistic Elo: differences in strength, where there may be no bound.
//!
//! The scale is that of A. Elo (1978), "The Rating of Chessplayers, Past and
//! Present", with the logistic curve: ten to one in odds are 400 points.

use std::fmt;

/// 95 % of a normal distribution lie within so many deviations of its mean.
pub(super) const WITHIN_95: f64 = 1.959_963_984_540_054;

/// A number, or none where the results set no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The results are compatible with anything on this side.
    None,
    /// So much.
    At(f64),
}

impl Bound {
    /// The number, if there is one.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Bound::None => None,
            Bound::At(value) => Some(value),
        }
    }
}

/// As the number is, with its sign, width and precision; else "no bound".
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::None => write!(f, "{:>1$}", "no bound", f.width().unwrap_or(0)),
            Bound::At(value) => value.fmt(f),
        }
    }
}

/// A difference in Elo, from the view of the first engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The estimate.
    pub difference: Bound,
    /// The lower end of its 95 % interval.
    pub low: Bound,
    /// The upper end.
    pub high: Bound,
}

/// The difference in logistic Elo that makes a score expected: no bound unless it
/// is strictly between 0 and 1.
#[must_use]
pub fn elo_of_score(score: f64) -> Bound {
    let inside = score > 0.0 && score < 1.0;
    if inside { Bound::At(-400.0 * libm::log10(1.0 / score - 1.0)) } else { Bound::None }
}

/// The score expected of a difference in logistic Elo.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp10(-elo / 400.0))
}

/// The standard normal distribution function.
pub(super) fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Odds of ten to one, and of three to one: 400 log10 3.
    #[test]
    fn the_scale_is_known() {
        let elo = |score| elo_of_score(score).value().unwrap();
        assert!((elo(10.0 / 11.0) - 400.0).abs() < 1e-9);
        assert!((elo(0.25) + 190.848_5).abs() < 1e-4);
        assert!((score_of_elo(190.848_5) - 0.75).abs() < 1e-6);
        for score in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(elo_of_score(score), Bound::None);
        }
        assert_eq!((score_of_elo(f64::INFINITY), score_of_elo(f64::NEG_INFINITY)), (1.0, 0.0));
    }

    /// Tables of the normal distribution.
    #[test]
    fn the_normal_distribution_is_right() {
        assert!((normal(WITHIN_95) - 0.975).abs() < 1e-12);
        assert!((normal(-1.0) - 0.158_655).abs() < 1e-6);
    }

    #[test]
    fn bounds_are_displayed() {
        assert_eq!(format!("{:+.1} [{:.1}]", Bound::At(3.12), Bound::None), "+3.1 [no bound]");
        assert_eq!(format!("{:7.1}|{:9}", Bound::At(-2.0), Bound::None), "   -2.0| no bound");
    }
}
