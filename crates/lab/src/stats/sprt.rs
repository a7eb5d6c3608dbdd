//! The generalized sequential probability ratio test on pairs of games.
//!
//! Decides between two differences in logistic Elo while a match is played, with
//! chosen chances of error. Each hypothesis fixes the mean score s; the other
//! parameters of the five outcomes are estimated. With n_i pairs of score a_i (0,
//! 1/4, ... 1) the most likely distribution of mean s is
//!
//! p_i = n_i / N / (1 + x (a_i - s)), where sum n_i (a_i - s) / (1 + x (a_i - s)) = 0,
//!
//! and the log-likelihood ratio is sum n_i log(p_i at s1 / p_i at s0). An outcome
//! not seen yet counts as 0.001 pairs, as in fishtest, without which a hypothesis
//! could be impossible. Better results raise the ratio, once all have been seen.
//!
//! References: A. Wald (1945), "Sequential Tests of Statistical Hypotheses"; X. Li,
//! J. Liu and Z. Ying (2014), "Generalized Sequential Probability Ratio Test for
//! Separate Families of Hypotheses"; M. Van den Bergh's notes for fishtest; fishtest,
//! `LLRcalc.py` (`LLR_logistic`); fastchess, `sprt.cpp`, which computes the same.

use super::elo::score_of_elo;
use super::pairs::{Pairs, SCORES};

/// What an outcome not seen yet counts.
const UNSEEN: f64 = 1e-3;

/// The greatest difference in Elo that may be asked for, either way.
const MOST: f64 = 2000.0;

/// A sequential test of two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference in Elo by the null hypothesis.
    pub elo0: f64,
    /// That by the alternative, which is greater.
    pub elo1: f64,
    /// Chance to accept though the difference is `elo0`.
    pub alpha: f64,
    /// Chance to reject though the difference is `elo1`.
    pub beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The alternative holds: the difference is `elo1` rather than `elo0`.
    Accept,
    /// The null hypothesis holds.
    Reject,
    /// Play on.
    Continue,
}

impl Sprt {
    /// Says what is wrong with the parameters, if anything is.
    pub fn check(&self) -> Result<(), String> {
        for (name, elo) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-MOST..=MOST).contains(&elo) {
                return Err(format!("{name} must be between -{MOST} and {MOST}, not {elo}"));
            }
        }
        if self.elo0 >= self.elo1 {
            return Err(format!("elo0 ({}) must be less than elo1 ({})", self.elo0, self.elo1));
        }
        for (name, chance) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(chance > 0.0 && chance < 1.0) {
                return Err(format!("{name} must be between 0 and 1, not {chance}"));
            }
        }
        if self.alpha + self.beta >= 1.0 {
            let (alpha, beta) = (self.alpha, self.beta);
            return Err(format!("alpha ({alpha}) and beta ({beta}) must add up to less than 1"));
        }
        Ok(())
    }

    /// Wald's bounds of the log-likelihood ratio: log(beta / (1 - alpha)), at which
    /// to reject, and log((1 - beta) / alpha), at which to accept.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha, self.beta);
        (libm::log(beta / (1.0 - alpha)), libm::log((1.0 - beta) / alpha))
    }

    /// The log-likelihood ratio of `elo1` to `elo0`. 0 without games, and with
    /// parameters that [`check`](Self::check) refuses.
    #[must_use]
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.pairs() == 0 || self.check().is_err() {
            return 0.0;
        }
        let counts = pairs.counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        cost(&counts, score_of_elo(self.elo0)) - cost(&counts, score_of_elo(self.elo1))
    }

    /// What the results say. Always to play on with parameters that
    /// [`check`](Self::check) refuses.
    #[must_use]
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let (llr, (reject, accept)) = (self.llr(pairs), self.bounds());
        match self.check() {
            Ok(()) if llr >= accept => Verdict::Accept,
            Ok(()) if llr <= reject => Verdict::Reject,
            _ => Verdict::Continue,
        }
    }
}

/// By how much a mean score of `mean` makes the counts less likely, as a logarithm,
/// than the best distribution of any mean.
fn cost(counts: &[f64; 5], mean: f64) -> f64 {
    let terms = || counts.iter().zip(SCORES).map(|(&count, score)| (count, score - mean));
    // The sum falls from infinity to minus infinity between the poles.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    loop {
        let x = f64::midpoint(low, high);
        if x <= low || x >= high {
            // Rounding may have taken x to a pole.
            let log = |off: f64| libm::log1p((x * off).max(f64::EPSILON - 1.0));
            return terms().map(|(count, off)| count * log(off)).sum();
        }
        let sum: f64 = terms().map(|(count, off)| count * off / (1.0 + x * off)).sum();
        *(if sum > 0.0 { &mut low } else { &mut high }) = x;
    }
}

#[cfg(test)]
mod tests {
    use super::super::lcg::Lcg;
    use super::*;

    fn test(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    #[test]
    fn bounds_are_walds() {
        let (reject, accept) = test(0.0, 5.0).bounds();
        // log 19.
        assert!((reject + 2.944_439).abs() < 1e-6 && (accept - 2.944_439).abs() < 1e-6);
        let (reject, accept) = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.2, beta: 0.1 }.bounds();
        assert!((reject + 8f64.ln()).abs() < 1e-12 && (accept - 4.5f64.ln()).abs() < 1e-12);
    }

    /// fastchess, `sprt_test.cpp`, the logistic pentanomial cases; then values of
    /// fishtest's `LLR_logistic`, confirmed by a script of another method.
    #[test]
    fn is_that_of_the_chess_players() {
        for (counts, elo0, elo1, expected, tolerance) in [
            ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, -3.07, 0.005),
            ([871, 26175, 55003 + 980, 26678, 821], 0.0, 2.0, -4.98, 0.005),
            ([3, 20, 50, 22, 5], 0.0, 20.0, 0.040_320_372, 1e-8),
            ([3, 20, 50, 22, 5], -10.0, 10.0, 0.934_472_911, 1e-8),
            ([0, 10, 30, 12, 0], 0.0, 20.0, -0.270_414_536, 1e-8),
            ([12, 40, 60, 30, 8], 0.0, 20.0, -2.997_301_135, 1e-8),
        ] {
            let llr = test(elo0, elo1).llr(&Pairs { counts });
            assert!((llr - expected).abs() < tolerance, "{llr} {expected}");
        }
    }

    /// Two outcomes seen leave no choice: a mean of s is s won and 1 - s lost.
    #[test]
    fn two_outcomes_are_a_coin() {
        let score = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (s0, s1) = (score(0.0), score(20.0));
        let expected = 700.0 * (s1 / s0).ln() + 500.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let llr = test(0.0, 20.0).llr(&Pairs { counts: [500, 0, 0, 0, 700] });
        assert!((llr - expected).abs() < 0.01, "{llr} {expected}");
    }

    #[test]
    fn better_results_speak_for_the_better() {
        let sprt = test(0.0, 20.0);
        let mut pairs = Pairs { counts: [10, 5, 1, 1, 1] };
        for outcome in [0, 1, 2, 3].repeat(13) {
            let before = sprt.llr(&pairs);
            if pairs.counts[outcome] > 1 {
                pairs.counts[outcome] -= 1;
                pairs.counts[outcome + 1] += 1;
                assert!(sprt.llr(&pairs) > before, "{pairs:?}");
            }
        }
        assert_eq!(pairs.counts, [1, 1, 1, 1, 14]);
        // Turning the table and the hypotheses around turns the sign.
        let turned = Pairs { counts: [5, 22, 50, 20, 3] };
        let pairs = Pairs { counts: [3, 20, 50, 22, 5] };
        assert!((sprt.llr(&pairs) + test(-20.0, 0.0).llr(&turned)).abs() < 1e-9);
    }

    #[test]
    fn odd_input_is_told_or_harmless() {
        let fine = test(0.0, 5.0);
        assert_eq!(fine.check(), Ok(()));
        assert_eq!(test(5.0, 0.0).check().unwrap_err(), "elo0 (5) must be less than elo1 (0)");
        let message = Sprt { alpha: 0.0, ..fine }.check().unwrap_err();
        assert_eq!(message, "alpha must be between 0 and 1, not 0");
        let pairs = Pairs { counts: [u64::MAX, 0, 0, 0, 1] };
        assert!(fine.llr(&pairs).is_finite() && fine.verdict(&pairs) == Verdict::Reject);
        assert_eq!(fine.llr(&Pairs::default()), 0.0);
        for bad in [
            test(f64::NAN, 5.0),
            test(0.0, f64::INFINITY),
            Sprt { alpha: 0.6, beta: 0.6, ..fine },
            Sprt { beta: f64::NAN, ..fine },
        ] {
            assert!(bad.check().is_err());
            assert_eq!((bad.llr(&pairs), bad.verdict(&pairs)), (0.0, Verdict::Continue));
        }
    }

    /// Matches at a true difference, each played until a verdict: how many accept.
    fn accepted(sprt: &Sprt, elo: f64, matches: usize, lcg: &mut Lcg) -> usize {
        let mut play = || {
            let mut pairs = Pairs::default();
            loop {
                pairs.add(lcg.pair(1.0 / (1.0 + 10f64.powf(-elo / 400.0))));
                match sprt.verdict(&pairs) {
                    Verdict::Continue => {}
                    verdict => return verdict == Verdict::Accept,
                }
            }
        };
        (0..matches).filter(|_| play()).count()
    }

    /// Of 600 matches 30 may err; four deviations of that are 21.
    #[test]
    fn errs_as_often_as_it_may() {
        let (sprt, mut lcg) = (test(0.0, 40.0), Lcg(7));
        let wrong = accepted(&sprt, 0.0, 600, &mut lcg);
        let missed = 600 - accepted(&sprt, 40.0, 600, &mut lcg);
        assert!((9..=51).contains(&wrong), "{wrong}");
        assert!((9..=51).contains(&missed), "{missed}");
    }
}
