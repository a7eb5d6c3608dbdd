//! Monte-Carlo with Roulette-Wheel Selection: playouts that take rare colours
//! more often, so that frequent ones can gather.
//!
//! With `f_c` blocks of colour `c`, `k` colours present and `theta` half of the
//! least `f_c`, a colour is drawn with probability
//!
//! ```text
//! P(c) = (1 - (f_c - theta)^alpha / sum_j (f_j - theta)^alpha) / (k - 1)
//! alpha = 1 + 4 * blocks / cells
//! ```
//!
//! and then a group of that colour, each alike. A colour without a group leaves
//! the choice to all groups.
//!
//! References: F.W. Takes and W.A. Kosters, "Solving SameGame and its Chessboard
//! Variant", BNAIC 2009. The formulas are as two independent programs have them.

use std::sync::Arc;

use solitree_core::Rng;

use super::kernel::of_colour;
use super::plane::Plane;
use super::policy::Draw;

const BETA: f64 = 4.0;

/// The powers of the formula for boards of one size, tabulated: a power is
/// much slower than a look-up, and differs between mathematics libraries.
#[derive(Clone, Debug)]
pub(super) struct Roulette {
    cells: usize,
    /// By blocks on the board, then twice (f - theta).
    powers: Arc<[f32]>,
}

impl Roulette {
    pub(super) fn new(cells: usize) -> Roulette {
        let width = 2 * cells + 1;
        let mut powers = Vec::with_capacity((cells + 1) * width);
        for blocks in 0..=cells {
            let alpha = 1.0 + BETA * blocks as f64 / cells as f64;
            powers.extend((0..width).map(|twice| libm::pow(twice as f64 / 2.0, alpha) as f32));
        }
        Roulette { cells, powers: powers.into() }
    }

    /// Draws a colour from the blocks of each (index 0 is not a colour); 0 if
    /// there are not two to choose from.
    #[inline(always)]
    pub(super) fn colour(&self, counts: &[u32], rng: &mut Rng) -> u32 {
        let blocks: u32 = counts[1..].iter().sum();
        let row = blocks as usize * (2 * self.cells + 1);
        let least = counts[1..].iter().copied().filter(|&count| count > 0).min().unwrap_or(0);
        let power = |count: u32| {
            let at = row + (2 * count - least) as usize;
            self.powers.get(at).copied().unwrap_or(0.0)
        };
        let (mut present, mut total) = (0, 0.0);
        for &count in &counts[1..] {
            if count > 0 {
                present += 1;
                total += power(count);
            }
        }
        if present < 2 {
            return 0;
        }
        // Twenty-four bits are what fits a 32-bit float exactly.
        let unit = (rng.next_u64() >> 40) as f32 / (1u32 << 24) as f32;
        let mut spin = unit * (present - 1) as f32;
        let mut drawn = 0;
        for (colour, &count) in counts.iter().enumerate().skip(1) {
            if count > 0 {
                drawn = colour as u32;
                spin -= 1.0 - power(count) / total;
                if spin < 0.0 {
                    break;
                }
            }
        }
        drawn
    }
}

/// The roulette as a rule for drawing.
pub(super) struct Spin<'a, const SCAN: bool>(pub(super) &'a Roulette);

impl<const SCAN: bool> Draw for Spin<'_, SCAN> {
    const SCAN: bool = SCAN;

    #[inline(always)]
    fn begin<const W: usize, const P: usize, V: Plane<W>>(&self, _: &mut [V; P], _: &mut Rng) {}

    #[inline(always)]
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &[V; P],
        all: V,
        rng: &mut Rng,
    ) -> V {
        let mut counts = [0; 16];
        for (colour, count) in counts.iter_mut().enumerate().take(1 << P).skip(1) {
            *count = of_colour(planes, colour as u32).count();
        }
        match self.0.colour(&counts, rng) {
            0 => all,
            colour => all.and(of_colour(planes, colour)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula at the head of this file, computed as it is written there.
    fn probability(counts: &[f64], colour: usize, cells: f64) -> f64 {
        let alpha = 1.0 + 4.0 * counts.iter().sum::<f64>() / cells;
        let theta = counts.iter().copied().fold(f64::INFINITY, f64::min) / 2.0;
        let power = |count: f64| (count - theta).powf(alpha);
        let total: f64 = counts.iter().map(|&count| power(count)).sum();
        (1.0 - power(counts[colour]) / total) / (counts.len() - 1) as f64
    }

    #[test]
    fn colours_are_drawn_as_the_formula_says() {
        let roulette = Roulette::new(225);
        let mut rng = Rng::new(5);
        let counts = [0, 60, 40, 0, 30, 10];
        let mut drawn = [0u32; 6];
        for _ in 0..200_000 {
            drawn[roulette.colour(&counts, &mut rng) as usize] += 1;
        }
        let present = [60.0, 40.0, 30.0, 10.0];
        for (index, colour) in [1, 2, 4, 5].into_iter().enumerate() {
            let expected = probability(&present, index, 225.0);
            let frequency = f64::from(drawn[colour]) / 200_000.0;
            assert!((frequency - expected).abs() < 0.005, "{colour}: {frequency} not {expected}");
        }
        assert_eq!(drawn[0] + drawn[3], 0);
        assert_eq!(roulette.colour(&[0, 0, 7], &mut rng), 0, "one colour is no choice");
    }
}
