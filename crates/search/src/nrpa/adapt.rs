//! Moving weights towards a game.

use solitree_core::{Trace, Weights};

/// Moves the weights towards the choices of a game: up by `alpha` for what was
/// chosen, down in proportion to its probability for all there was to choose.
/// Probabilities are those of the weights before.
pub fn adapt<M>(weights: &mut Weights, trace: &Trace<M>, alpha: f32, scratch: &mut Vec<f32>) {
    scratch.clear();
    scratch.extend(trace.slots.iter().map(|&slot| weights.get(slot)));
    if !trace.factors.is_empty() {
        for (weight, factor) in scratch.iter_mut().zip(&trace.factors) {
            *weight *= factor;
        }
    }
    let mut begin = 0;
    for step in &trace.steps {
        let end = step.end as usize;
        let options = &mut scratch[begin..end];
        let total: f32 = options.iter().sum();
        let scale = -alpha / total;
        for option in options {
            *option *= scale;
        }
        scratch[step.chosen as usize] += alpha;
        begin = end;
    }
    for change in scratch.iter_mut() {
        *change = exp(*change);
    }
    for (&slot, &factor) in trace.slots.iter().zip(scratch.iter()) {
        weights.scale(slot, factor);
    }
}

/// e to the power of x, to seven digits, by arithmetic that gives the same bits
/// on every machine and that a compiler can do for many at once.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // 2^(whole + part), part between -1/2 and 1/2.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let shifted = x + ROUND;
    let part = x - (shifted - ROUND);
    let whole = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    // The series of 2^part.
    let series = 1.540_353e-4;
    let series = series * part + 1.333_355_8e-3;
    let series = series * part + 9.618_129e-3;
    let series = series * part + 5.550_411e-2;
    let series = series * part + 2.402_265e-1;
    let series = series * part + std::f32::consts::LN_2;
    let series = series * part + 1.0;
    f32::from_bits((series.to_bits() as i32).wrapping_add(whole << 23) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::Score;

    #[test]
    fn the_exponential_is_right() {
        for i in -8_000..=8_000 {
            let x = i as f32 / 100.0;
            let (ours, theirs) = (f64::from(exp(x)), f64::from(x).exp());
            // The argument itself is only known to a few parts in 10^8 of its size.
            let slack = 3e-7 * (1.0 + f64::from(x.abs()));
            assert!((ours / theirs - 1.0).abs() < slack, "{x}: {ours} {theirs}");
        }
        assert_eq!(exp(0.0), 1.0);
    }

    /// Against the formula, in double precision and with logarithms.
    #[test]
    fn weights_move_as_the_paper_says() {
        let mut trace: Trace<u16> = Trace { score: Score(0), ..Trace::default() };
        for (slots, chosen) in [(vec![3, 5, 9], 1), (vec![5], 0), (vec![9, 3], 0)] {
            trace.slots.extend(slots);
            trace.chose(chosen);
        }
        let mut weights = Weights::default();
        let mut plain = [0.0f64; 10];
        let mut scratch = Vec::new();
        for _ in 0..5 {
            adapt(&mut weights, &trace, 0.7, &mut scratch);
            let before = plain;
            for (slots, chosen) in [(vec![3, 5, 9], 5), (vec![5], 5), (vec![9, 3], 9)] {
                let total: f64 = slots.iter().map(|&s: &usize| before[s].exp()).sum();
                for s in slots {
                    plain[s] -= 0.7 * before[s].exp() / total;
                }
                plain[chosen] += 0.7;
            }
            for s in [3usize, 5, 9] {
                let ours = f64::from(weights.get(s as u32)).ln();
                assert!((ours - plain[s]).abs() < 1e-5, "{s}: {ours} {}", plain[s]);
            }
        }
    }
}
