//! Roots that every count of a game needs, looked up.

/// What follows from a number of visits.
pub(super) struct Tables {
    /// One by the root of a number, and the root of its logarithm.
    roots: Vec<(f32, f32)>,
    logs: Vec<f32>,
}

impl Tables {
    const BITS: u32 = 12;

    pub(super) fn new() -> Tables {
        let log = |n: u32| libm::log(f64::from(n.max(1))) as f32;
        let logs: Vec<f32> = (0..1 << Tables::BITS).map(log).collect();
        let inverse = |n: usize| 1.0 / (n.max(1) as f32).sqrt();
        let roots = logs.iter().enumerate().map(|(n, log)| (inverse(n), log.sqrt())).collect();
        Tables { roots, logs }
    }

    /// No tables, where nothing is looked up.
    pub(super) fn none() -> Tables {
        Tables { roots: Vec::new(), logs: Vec::new() }
    }

    /// One by the root of a number, and the root of its logarithm, for which the
    /// highest twelve bits count: an error below one in five thousand.
    #[inline(always)]
    pub(super) fn roots(&self, n: u32) -> (f32, f32) {
        match self.roots.get(n as usize) {
            Some(&roots) => roots,
            None => {
                let shift = u32::BITS - Tables::BITS - n.leading_zeros();
                let log = self.logs[(n >> shift) as usize] + shift as f32 * std::f32::consts::LN_2;
                (1.0 / (n as f32).sqrt(), log.sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_right() {
        let tables = Tables::new();
        for n in [1, 2, 3, 100, 4_095, 4_096, 5_000, 123_456, 40_000_000, u32::MAX] {
            let (inverse, root) = tables.roots(n);
            let exact = libm::sqrt(libm::log(f64::from(n)));
            assert!((f64::from(root) - exact).abs() < 2e-4 * exact.max(1.0), "{n}");
            let exact = 1.0 / libm::sqrt(f64::from(n));
            assert!((f64::from(inverse) - exact).abs() < 1e-6 * exact, "{n}");
        }
        assert_eq!(tables.roots(0).1, 0.0);
    }
}
