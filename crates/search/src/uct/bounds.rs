//! Upper confidence bounds of all children of a node at once.

use super::UctConfig;
use super::tree::{LANES, Tree};

/// The child with the highest upper confidence bound, the first of equals.
#[inline(always)]
pub(super) fn select<M: Copy>(tree: &Tree<M>, node: u32, config: &UctConfig, logs: &Logs) -> u32 {
    let children = tree.children(node);
    let enough = config.alpha < 1.0
        && children
            .clone()
            .any(|child| tree.visits(child) > 0 && f64::from(tree.value(child)) > config.alpha);
    let c = if enough { 0.0 } else { config.c as f32 * logs.root(tree.visits(node)) };
    let first_play = config.first_play as f32;
    let (mut best, mut highest) = (children.start, i32::MIN);
    for begin in children.clone().step_by(LANES) {
        let (lane, bound) = highest_of(
            tree.visits_from(begin),
            tree.halves_from(begin),
            (c, first_play),
            children.end - begin,
        );
        if bound > highest {
            (best, highest) = (begin + lane, bound);
        }
    }
    best
}

/// The highest bound of some neighbours, of which the first `count` matter, and
/// whose it is. The same is done for all of them, side by side, without a branch.
#[inline(always)]
fn highest_of(
    visits: &[i32; LANES],
    halves: &[i32; LANES],
    (c, first_play): (f32, f32),
    count: u32,
) -> (u32, i32) {
    let mut bounds = [0; LANES];
    for lane in 0..LANES {
        let tried = visits[lane] as f32;
        let inverse = 1.0 / tried.max(1.0).sqrt();
        let bound = halves[lane] as f32 * 0.5 * (inverse * inverse) + c * inverse;
        let bound = if visits[lane] > 0 { bound } else { first_play };
        // Floats that are not negative are in the order of their bits.
        let bits = bound.max(0.0).to_bits() as i32;
        bounds[lane] = if (lane as u32) < count { bits } else { -1 };
    }
    let highest = reduced(bounds, i32::max);
    let mut places = [0; LANES];
    for lane in 0..LANES {
        places[lane] = if bounds[lane] == highest { lane as i32 } else { LANES as i32 };
    }
    (reduced(places, i32::min) as u32, highest)
}

/// One of all, half by half: in as many steps as there are bits in their number.
#[inline(always)]
fn reduced(mut lanes: [i32; LANES], one_of: impl Fn(i32, i32) -> i32) -> i32 {
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = one_of(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}

/// Roots of logarithms.
pub(super) struct Logs {
    known: Vec<f32>,
}

impl Logs {
    const BITS: u32 = 12;

    pub(super) fn new() -> Logs {
        let log = |n: u32| libm::log(f64::from(n.max(1))) as f32;
        Logs { known: (0..1 << Logs::BITS).map(log).collect() }
    }

    /// The root of the logarithm of a number, of which the highest twelve bits
    /// count: an error below one in five thousand.
    #[inline(always)]
    pub(super) fn root(&self, n: u32) -> f32 {
        let shift = (u32::BITS - Logs::BITS).saturating_sub(n.leading_zeros());
        (self.known[(n >> shift) as usize] + shift as f32 * std::f32::consts::LN_2).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_logarithms_are_right() {
        let logs = Logs::new();
        for n in [1, 2, 3, 100, 4_095, 4_096, 5_000, 123_456, 40_000_000, u32::MAX] {
            let exact = libm::sqrt(libm::log(f64::from(n)));
            assert!((f64::from(logs.root(n)) - exact).abs() < 2e-4 * exact.max(1.0), "{n}");
        }
        assert_eq!(logs.root(0), 0.0);
    }

    #[test]
    fn the_highest_bound_is_selected() {
        let mut tree: Tree<u8> = Tree::new(0, 1_000);
        let moves: Vec<u8> = (0..37).collect();
        tree.expand(0, &moves);
        let config = UctConfig { c: 0.7, ..UctConfig::default() };
        let logs = Logs::new();
        assert_eq!(select(&tree, 0, &config, &logs), 1, "the first of those never tried");
        let mut rng = solitree_core::Rng::new(3);
        for round in 0..2_000 {
            let chosen = select(&tree, 0, &config, &logs);
            let bound = |child: u32| {
                let n = f64::from(tree.visits(child));
                let log = libm::log(f64::from(tree.visits(0)));
                f64::from(tree.value(child)) + 0.7 * libm::sqrt(log / n)
            };
            let untried = tree.children(0).find(|&child| tree.visits(child) == 0);
            match untried {
                Some(child) => assert_eq!(chosen, child),
                None => {
                    let highest = tree.children(0).map(bound).fold(f64::MIN, f64::max);
                    assert!(bound(chosen) > highest - 1e-3, "round {round}");
                }
            }
            let halves = (rng.below(3) as i32).min(chosen as i32 % 3);
            tree.count(chosen, halves);
            tree.count(0, 2 - halves);
        }
    }
}
