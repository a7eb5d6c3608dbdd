//! Points.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// What a puzzle pays, in whole points of its own rules; more is better.
///
/// Domains with fractional values scale them (a tour length in hundredths) and
/// say so. Costs are negative scores. Searches assume magnitudes below 10^12,
/// so that sums over billions of playouts stay exact.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Score(pub i64);

impl Score {
    /// Less than every score a puzzle can pay.
    pub const MIN: Score = Score(i64::MIN / 4);

    /// The score as a floating-point number; exact below 2^53.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<i64> for Score {
    fn from(points: i64) -> Self {
        Score(points)
    }
}

impl Add for Score {
    type Output = Score;
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.0 += other.0;
    }
}

impl SubAssign for Score {
    fn sub_assign(&mut self, other: Score) {
        self.0 -= other.0;
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Score>>(scores: I) -> Score {
        scores.fold(Score(0), Add::add)
    }
}
