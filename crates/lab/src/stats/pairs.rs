//! Games in pairs: one opening played twice with the sides swapped.
//!
//! The two games of a pair share their opening, so they are not independent and
//! the pair is the unit: all errors come from the five (pentanomial) pair counts.
//!
//! References: M. Van den Bergh's notes for fishtest on the pentanomial model and
//! on normalized Elo; fastchess, `elo_pentanomial.cpp`; Chess Programming Wiki,
//! "Match Statistics", for the likelihood of superiority. We divide the variance
//! by one less than the number of pairs, they by the number.

use super::elo::{Bound, Elo, WITHIN_95, elo_of_score, normal};

/// 800 / ln 10: normalized Elo for one standard deviation of a game.
const NORMALIZED: f64 = 347.435_585_522_601_4;

/// How the score of a pair, as a mean of its games, follows from its outcome.
pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Results of pairs of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Pairs in which the first engine made 0, 1/2, 1, 3/2 and 2 points.
    pub counts: [u64; 5],
}

impl Pairs {
    /// Counts a pair by the half points of the first engine, 0 to 4. False, and
    /// nothing is counted, if there are more.
    pub fn add(&mut self, points_in_halves: usize) -> bool {
        let Some(count) = self.counts.get_mut(points_in_halves) else { return false };
        *count = count.saturating_add(1);
        true
    }

    /// How many pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.counts.into_iter().fold(0, u64::saturating_add)
    }

    /// How many games: two a pair.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.pairs().saturating_mul(2)
    }

    /// The mean score per game, 0 to 1; none without games.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let pairs = self.sum(|_| 1.0);
        (pairs > 0.0).then(|| self.sum(|score| score) / pairs)
    }

    /// The variance of the score of a pair, taken as the mean of its two games (0,
    /// 1/4, ... 1); none with fewer than two pairs.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        let (mean, pairs) = (self.mean()?, self.sum(|_| 1.0));
        (pairs > 1.0).then(|| self.sum(|score| (score - mean).powi(2)) / (pairs - 1.0))
    }

    /// The difference in logistic Elo, with the normal interval of the mean score.
    /// An end where that interval reaches 0 or 1 has no bound; neither end has one
    /// where all pairs ended alike, since their spread is not known then.
    #[must_use]
    pub fn elo(&self) -> Elo {
        self.estimate(elo_of_score)
    }

    /// The difference in normalized Elo: in standard deviations of a game's score,
    /// scaled to agree with Elo near 0 where there are no draws. No bound, estimate
    /// and ends, where all pairs ended alike.
    #[must_use]
    pub fn normalized_elo(&self) -> Elo {
        let scale = self.spread().map(|variance| NORMALIZED / (2.0 * variance).sqrt());
        self.estimate(|score| scale.map_or(Bound::None, |scale| Bound::At((score - 0.5) * scale)))
    }

    /// The likelihood that the first engine is the stronger, by the normal
    /// distribution of the mean score. Where all pairs ended alike it is that of as
    /// many single games. None without games.
    #[must_use]
    pub fn los(&self) -> Option<f64> {
        let mean = self.mean()?;
        if let Some(error) = self.error() {
            return Some(normal((mean - 0.5) / error));
        }
        let [lost, less, _, more, won] = self.counts;
        Some(los_of_games(won.max(more), lost.max(less)).unwrap_or(0.5))
    }

    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        SCORES.into_iter().zip(self.counts).map(|(score, count)| count as f64 * of(score)).sum()
    }

    /// The variance, if the pairs differ.
    fn spread(&self) -> Option<f64> {
        let different = self.counts.iter().filter(|&&count| count > 0).count() > 1;
        self.variance().filter(|&variance| different && variance > 0.0)
    }

    /// The standard error of the mean score, if the pairs differ.
    fn error(&self) -> Option<f64> {
        Some((self.spread()? / self.sum(|_| 1.0)).sqrt())
    }

    fn estimate(&self, of: impl Fn(f64) -> Bound) -> Elo {
        let at = |score: Option<f64>| score.map_or(Bound::None, &of);
        let (mean, error) = (self.mean(), self.error());
        let end = |side: f64| Some(mean? + side * WITHIN_95 * error?);
        Elo { difference: at(mean), low: at(end(-1.0)), high: at(end(1.0)) }
    }
}

/// The likelihood that the first engine is the stronger from single games, of
/// which draws say nothing: Phi((W - L) / sqrt(W + L)). None without a decision.
#[must_use]
pub fn los_of_games(wins: u64, losses: u64) -> Option<f64> {
    let (wins, losses) = (wins as f64, losses as f64);
    (wins + losses > 0.0).then(|| normal((wins - losses) / (wins + losses).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::super::elo::score_of_elo;
    use super::super::lcg::Lcg;
    use super::*;

    fn near(bound: Bound, expected: f64, tolerance: f64) -> bool {
        bound.value().is_some_and(|value| (value - expected).abs() <= tolerance)
    }

    /// fastchess, `elo_test.cpp`, EloPentanomial 2: -8.64 +- 10.33, normalized
    /// -9.17 +- 10.96, LOS 5.05 %.
    #[test]
    fn is_that_of_fastchess() {
        let pairs = Pairs { counts: [332, 433, 457 + 41, 333, 334] };
        let half = |elo: Elo| (elo.high.value().unwrap() - elo.low.value().unwrap()) / 2.0;
        assert!(near(pairs.elo().difference, -8.64, 0.005));
        assert!(near(pairs.normalized_elo().difference, -9.17, 0.01));
        assert!((half(pairs.elo()) - 10.33).abs() < 0.01);
        assert!((half(pairs.normalized_elo()) - 10.96).abs() < 0.01);
        assert!((pairs.los().unwrap() - 0.0505).abs() < 1e-4);
    }

    /// Two coins a pair: n games at one half without draws are worth +-680 / sqrt(n).
    #[test]
    fn independent_games_have_the_interval_of_coins() {
        let elo = Pairs { counts: [200, 0, 400, 0, 200] }.elo();
        assert_eq!(elo.difference, Bound::At(0.0));
        assert!(near(elo.high, 680.0 / 40.0, 0.1) && near(elo.low, -680.0 / 40.0, 0.1));
    }

    #[test]
    fn moments_are_those_by_hand() {
        let pairs = Pairs { counts: [1, 0, 0, 0, 1] };
        assert_eq!((pairs.games(), pairs.mean(), pairs.variance()), (4, Some(0.5), Some(0.5)));
        let pairs = Pairs { counts: [0, 1, 1, 2, 0] };
        assert_eq!((pairs.mean(), pairs.variance()), (Some(0.5625), Some(0.171_875 / 3.0)));
    }

    #[test]
    fn no_bound_is_said_where_there_is_none() {
        let none = Elo { difference: Bound::None, low: Bound::None, high: Bound::None };
        let mut pairs = Pairs::default();
        assert_eq!((pairs.mean(), pairs.variance(), pairs.los()), (None, None, None));
        assert_eq!((pairs.elo(), pairs.normalized_elo()), (none, none));
        assert!(!pairs.add(5) && pairs.add(4));
        // One pair won is one game won: Phi(1).
        assert_eq!(pairs.elo(), none);
        assert!((pairs.los().unwrap() - 0.841_345).abs() < 1e-6);
        // Nearly everything: the upper end reaches 1, the lower does not.
        let elo = Pairs { counts: [0, 0, 0, 1, 20] }.elo();
        assert!(elo.low.value().is_some() && elo.high == Bound::None);
        // Drawn pairs only: a difference of 0, but who knows how sure.
        let drawn = Pairs { counts: [0, 0, 9, 0, 0] };
        assert_eq!(drawn.elo(), Elo { difference: Bound::At(0.0), ..none });
        assert_eq!(drawn.los(), Some(0.5));
        let most = Pairs { counts: [u64::MAX; 5] };
        assert_eq!((most.games(), most.mean()), (u64::MAX, Some(0.5)));
    }

    /// Tables of the normal distribution.
    #[test]
    fn superiority_in_games_is_right() {
        assert!((los_of_games(60, 40).unwrap() - 0.977_250).abs() < 1e-6);
        assert!((los_of_games(0, 1).unwrap() - 0.158_655).abs() < 1e-6);
        assert_eq!((los_of_games(7, 7), los_of_games(0, 0)), (Some(0.5), None));
    }

    /// Simulated matches of 200 pairs: the interval holds the truth 19 times in 20,
    /// and the likelihood of superiority of equals is uniform.
    #[test]
    fn intervals_cover_the_truth() {
        let (mut lcg, mut covered, mut sure) = (Lcg(1), 0, 0);
        for _ in 0..2000 {
            let (mut better, mut equal) = (Pairs::default(), Pairs::default());
            for _ in 0..200 {
                better.add(lcg.pair(score_of_elo(60.0)));
                equal.add(lcg.pair(0.5));
            }
            let elo = better.elo();
            covered +=
                usize::from(elo.low.value().unwrap() < 60.0 && elo.high.value().unwrap() > 60.0);
            sure += usize::from(equal.los().unwrap() > 0.9);
        }
        // Three deviations either way.
        assert!((1870..=1930).contains(&covered), "{covered}");
        assert!((160..=240).contains(&sure), "{sure}");
    }
}
