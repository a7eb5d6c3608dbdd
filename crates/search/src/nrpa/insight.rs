//! How sure a policy is of a line.

use solitree_core::{Trace, Weights};

/// The probability that the weights give to each choice of a game.
pub(super) fn probabilities<M>(weights: &Weights, trace: &Trace<M>) -> Vec<f32> {
    let weight = |option: usize| {
        let factor = trace.factors.get(option).copied().unwrap_or(1.0);
        weights.get(trace.slots[option]) * factor
    };
    let mut begin = 0;
    let mut choice = |step: &solitree_core::Step| {
        let options = begin..step.end as usize;
        begin = options.end;
        weight(step.chosen as usize) / options.map(weight).sum::<f32>()
    };
    trace.steps.iter().map(&mut choice).collect()
}

#[cfg(test)]
mod tests {
    use super::super::adapt;
    use super::*;

    #[test]
    fn a_policy_grows_sure_of_the_line_it_learns() {
        let mut trace: Trace<u16> = Trace::default();
        for (slots, chosen) in [(vec![3, 5, 9, 11], 1), (vec![5], 0), (vec![9, 3], 0)] {
            trace.slots.extend(slots);
            trace.chose(chosen);
        }
        let mut weights = Weights::default();
        assert_eq!(probabilities(&weights, &trace), [0.25, 1.0, 0.5]);
        trace.factors = vec![1.0, 3.0, 1.0, 1.0, 1.0, 3.0, 1.0];
        assert_eq!(probabilities(&weights, &trace), [0.5, 1.0, 0.75]);
        for _ in 0..200 {
            adapt(&mut weights, &trace, 1.0, &mut Vec::new());
        }
        assert!(probabilities(&weights, &trace).iter().all(|&sure| sure > 0.95));
        assert!(probabilities(&weights, &Trace::<u16>::default()).is_empty());
    }
}
