//! Random numbers that never change value between releases or machines.
//!
//! The generator is wyrand: one 64-bit word of state, one multiplication a
//! draw. Written by hand because a playout spends a tenth of its time here, a
//! checkpoint stores the state as one number, and range sampling in general
//! crates may change value between releases while our results must not.

use serde::{Deserialize, Serialize};

/// A small, fast, portable random number generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rng {
    state: u64,
}

const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;
const WHITEN: u64 = 0xD6E8_FEB8_6659_FD93;

/// Mixes a word thoroughly (the finaliser of SplitMix64): a bijection in which
/// every input bit moves half of the output bits.
#[must_use]
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

impl Rng {
    /// The generator of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Rng { state: mix(seed.wrapping_add(INCREMENT)) }
    }

    /// An independent stream for task `index` of a run: streams of one seed do
    /// not shift when more tasks are added.
    #[must_use]
    pub const fn stream(seed: u64, index: u64) -> Self {
        Rng::new(mix(seed) ^ mix(index.wrapping_mul(WHITEN).wrapping_add(1)))
    }

    /// Sixty-four random bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        let product = u128::from(self.state) * u128::from(self.state ^ WHITEN);
        product as u64 ^ (product >> 64) as u64
    }

    /// A number below `bound` (0 when `bound` is 0), by multiply and shift of
    /// the high 32 bits: the bias is below `bound` / 2^32.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number of the standard normal distribution (Box and Muller), the same on every
    /// machine.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * angle)
    }

    /// Shuffles a slice (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_numbers_is_fixed_for_ever() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        let mut again = Rng::new(1);
        assert_eq!(first, (0..3).map(|_| again.next_u64()).collect::<Vec<_>>());
        assert_eq!(first, GOLDEN);
    }
    const GOLDEN: [u64; 3] =
        [7_192_441_408_381_381_350, 3_556_994_984_821_235_175, 2_214_363_421_149_114_426];

    #[test]
    fn bounded_draws_are_uniform() {
        let mut rng = Rng::new(7);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        // Chi-square with 6 degrees of freedom: 22.5 is the 0.1 % point.
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "{counts:?}");
    }

    #[test]
    fn draws_are_normal() {
        let mut rng = Rng::new(3);
        let draws: Vec<f64> = (0..100_000).map(|_| rng.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / 1e5;
        let fourth = draws.iter().map(|x| x.powi(4)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.01 && (square - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.15);
    }

    #[test]
    fn streams_differ() {
        assert_ne!(Rng::stream(1, 0).next_u64(), Rng::stream(1, 1).next_u64());
        assert_ne!(Rng::stream(1, 0).next_u64(), Rng::stream(2, 0).next_u64());
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
