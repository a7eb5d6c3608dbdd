//! Functions of one number that are the same on every machine.

/// The exponential function, with a relative error below 4e-7; noughts below
/// -87, and no more than e^88 above. Without branches, so that a loop of it
/// becomes vector instructions.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    // The nearest whole number of halvings and doublings, by way of the bits
    // that fall off a large number.
    const ROUND: f32 = 12_582_912.0;
    let whole = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let rest = x - whole * 0.693_359_4;
    let rest = rest - whole * -2.121_944_4e-4;
    let mut sum = 1.987_569_2e-4_f32;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_6e-1, 0.5] {
        sum = sum * rest + factor;
    }
    let part = sum * rest * rest + rest + 1.0;
    part * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

/// The exponential linear unit.
#[inline(always)]
pub(crate) fn elu(x: f32) -> f32 {
    if x > 0.0 { x } else { exp(x) - 1.0 }
}

/// Turns logits into probabilities.
pub(crate) fn softmax(logits: &mut [f32]) {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = exp(*logit - highest);
        sum += *logit;
    }
    for probability in logits {
        *probability /= sum;
    }
}

/// The probability of a logit.
pub(crate) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + exp(-logit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right() {
        let mut x = -86.9_f32;
        while x < 87.9 {
            let exact = libm::exp(f64::from(x));
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 4e-7, "{x}");
            x += 0.0137;
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1000.0) < 1e-37 && exp(1000.0).is_finite() && exp(f32::NAN).is_nan());
    }

    #[test]
    fn probabilities_sum_to_one() {
        let mut logits = [1000.0, 999.0, -1000.0];
        softmax(&mut logits);
        assert!((logits.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((logits[0] / logits[1] - std::f32::consts::E).abs() < 1e-5);
        assert!((sigmoid(0.0) - 0.5).abs() < 1e-6 && sigmoid(-200.0) < 1e-30);
    }
}
