//! Many comparisons at once.

/// Holm's correction: the chances of error adjusted so that all of them together
/// are kept below a level. In the order given.
#[must_use]
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&one, &other| chances[one].total_cmp(&chances[other]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (chances.len() - rank) as f64;
        least = least.max((chances[index] * left).min(1.0));
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_that_of_the_textbook() {
        let close = |one: Vec<f64>, other: &[f64]| {
            one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12) && one.len() == other.len()
        };
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        assert!(close(holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]));
        assert!(close(holm(&[0.9, 0.8]), &[1.0, 1.0]));
        assert!(holm(&[]).is_empty());
    }
}
