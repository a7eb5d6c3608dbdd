//! Noise in the priors of the root: a few moves that the policy thinks little of
//! are tried all the same.

use solitree_core::Rng;

/// Replaces priors by `(1 - share) * prior + share * Dirichlet(alpha)`.
pub(super) fn add(priors: &mut [f32], (share, alpha): (f64, f64), rng: &mut Rng) {
    if share == 0.0 || priors.is_empty() {
        return;
    }
    let drawn: Vec<f64> = priors.iter().map(|_| gamma(alpha, rng)).collect();
    let total: f64 = drawn.iter().sum();
    for (prior, own) in priors.iter_mut().zip(&drawn) {
        // Numbers so small that all are noughts favour none.
        let noise = if total > 0.0 { own / total } else { 1.0 / drawn.len() as f64 };
        *prior = ((1.0 - share) * f64::from(*prior) + share * noise) as f32;
    }
}

/// A number of the gamma distribution (Marsaglia and Tsang 2000).
fn gamma(alpha: f64, rng: &mut Rng) -> f64 {
    if alpha < 1.0 {
        let larger = gamma(alpha + 1.0, rng);
        return larger * libm::pow(1.0 - rng.unit(), 1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = rng.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = 1.0 - rng.unit();
        if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_its_mean_and_variance() {
        for alpha in [0.25, 0.75, 1.0, 3.0] {
            let mut rng = Rng::new(5);
            let drawn: Vec<f64> = (0..40_000).map(|_| gamma(alpha, &mut rng)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let squares = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let variance = squares / drawn.len() as f64;
            assert!((mean / alpha - 1.0).abs() < 0.05, "{alpha}: mean {mean}");
            assert!((variance / alpha - 1.0).abs() < 0.1, "{alpha}: variance {variance}");
        }
    }

    #[test]
    fn priors_still_sum_to_one() {
        let mut rng = Rng::new(1);
        let mut priors = [0.7, 0.2, 0.1, 0.0];
        add(&mut priors, (0.25, 0.75), &mut rng);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(priors[0] >= 0.7 * 0.75 && priors.iter().all(|prior| *prior >= 0.0));
        let before = priors;
        add(&mut priors, (0.0, 0.75), &mut rng);
        assert_eq!(priors, before);
    }
}
