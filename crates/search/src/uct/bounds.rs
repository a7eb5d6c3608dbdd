//! Upper confidence bounds of all children of a node.

use super::UctConfig;
use super::family::{Block, Family, Node};
#[cfg(target_arch = "x86_64")]
use super::side_by_side;
use super::tree::{LANES, Proof, Tree};

/// The child of an expanded node with the highest upper confidence bound, the first
/// of those that are equal to some parts in a million, and its block. With `AVX2`, which
/// the caller has asked the processor for, the same is found sooner.
#[inline(always)]
pub(super) fn select<const AVX2: bool, M: Copy>(
    tree: &Tree<M>,
    node: Node,
    family: Family,
    config: &UctConfig,
) -> (Node, Block) {
    let enough = config.alpha < 1.0
        && tree
            .children(node)
            .any(|child| tree.visits(child) > 0 && f64::from(tree.value(child)) > config.alpha);
    let c = if enough { 0.0 } else { config.c as f32 * tree.root(node) };
    let block = tree.block(family);
    tree.expect_move(block);
    let first_play = config.first_play as f32;
    let (mut best, mut highest, mut begin) = (0, i32::MIN, 0);
    loop {
        let next = highest_of::<AVX2>(&tree.bytes, block, begin, (c, first_play));
        if next & !LANE > highest & !LANE {
            (best, highest) = (begin as u32 + lane_of(next), next);
        }
        begin += LANES;
        if begin >= block.count {
            break;
        }
    }
    (family.member(foreseen(best, block.favourite)), block)
}

/// The selected lane. Where it is the favourite, the processor goes by its guess that
/// it is: it is on its way to the children of the favourite long before the bounds are
/// computed, and turns round if it was wrong.
#[inline(always)]
fn foreseen(best: u32, favourite: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if best == favourite {
        let mut lane = favourite;
        // SAFETY: there is no instruction in it. It keeps the compiler from seeing that
        // the numbers are equal, and from doing without the branch.
        unsafe {
            std::arch::asm!("/* {0:e} */", inout(reg) lane, options(nomem, nostack, preserves_flags));
        }
        return lane;
    }
    let _ = favourite;
    best
}

/// The bits of a bound that give way to its lane.
pub(super) const LANE: i32 = LANES as i32 - 1;

#[inline(always)]
fn lane_of(bound: i32) -> u32 {
    (LANE - (bound & LANE)) as u32
}

/// The highest bound of some sisters, and in its last bits whose it is. What lies
/// behind the last is read and does not count.
#[inline(always)]
fn highest_of<const AVX2: bool>(
    bytes: &[u8],
    block: Block,
    begin: usize,
    constants: (f32, f32),
) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: whoever says so has asked the processor.
        return unsafe { side_by_side::highest_of(bytes, block, begin, constants) };
    }
    one_by_one(bytes, block, begin, constants)
}

/// The plain way.
fn one_by_one(bytes: &[u8], block: Block, begin: usize, constants: (f32, f32)) -> i32 {
    let proofs = some(bytes, block.proofs() + begin);
    let mut bounds = [0; LANES];
    if block.wide {
        let visits = words(bytes, block.visits() + 4 * begin);
        let halves = words(bytes, block.halves() + 4 * begin);
        let inverses = words(bytes, block.inverses() + 4 * begin);
        for lane in 0..LANES {
            let [visits, halves] = [visits, halves].map(|words| i32::from_le_bytes(words[lane]));
            let inverse = f32::from_le_bytes(inverses[lane]);
            bounds[lane] = bound(visits, halves, inverse, constants);
        }
    } else {
        let visits = some(bytes, block.visits() + begin);
        let halves = some(bytes, block.halves() + begin);
        for lane in 0..LANES {
            let [visits, halves] = [visits, halves].map(|some| i32::from(some[lane]));
            let inverse = 1.0 / (visits as f32).sqrt();
            bounds[lane] = bound(visits, halves, inverse, constants);
        }
    }
    let count = (block.count - begin) as i32;
    for lane in 0..LANES {
        let lost = proofs[lane] == Proof::Lost as u8;
        let bits = if lost { 0 } else { bounds[lane] } & !LANE | (LANE - lane as i32);
        bounds[lane] = if (lane as i32) < count { bits } else { -1 };
    }
    bounds.into_iter().fold(-1, i32::max)
}

/// An upper confidence bound by its bits: floats that are not negative are in the
/// order of those.
#[inline(always)]
fn bound(visits: i32, halves: i32, inverse: f32, (c, first_play): (f32, f32)) -> i32 {
    let bound = (halves as f32 * 0.5 * inverse + c) * inverse;
    (if visits > 0 { bound } else { first_play }).to_bits() as i32
}

#[inline(always)]
fn some(bytes: &[u8], at: usize) -> &[u8; LANES] {
    bytes[at..at + LANES].try_into().expect("so many were taken")
}

#[inline(always)]
fn words(bytes: &[u8], at: usize) -> &[[u8; 4]; LANES] {
    bytes[at..at + 4 * LANES].as_chunks().0.try_into().expect("so many were taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bound_is_selected() {
        let mut tree: Tree<u8> = Tree::new(0, 1 << 20, 0);
        let moves: Vec<u8> = (0..37).collect();
        tree.expand(Node::ROOT, &moves);
        let config = UctConfig { c: 0.7, ..UctConfig::default() };
        let mut rng = solitree_core::Rng::new(3);
        for round in 0..20_000 {
            let family = tree.family(Node::ROOT).expect("it was expanded");
            let (chosen, _) = select::<false, _>(&tree, Node::ROOT, family, &config);
            let bound = |child: Node| {
                let n = f64::from(tree.visits(child));
                let log = libm::log(f64::from(tree.visits(Node::ROOT)));
                f64::from(tree.value(child)) + 0.7 * libm::sqrt(log / n)
            };
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let (sooner, _) = select::<true, _>(&tree, Node::ROOT, family, &config);
                assert_eq!(sooner, chosen, "round {round}");
            }
            let untried = tree.children(Node::ROOT).find(|&child| tree.visits(child) == 0);
            match untried {
                Some(child) => assert_eq!(chosen, child, "the first of those never tried"),
                None => {
                    let highest = tree.children(Node::ROOT).map(bound).fold(f64::MIN, f64::max);
                    assert!(bound(chosen) > highest - 1e-3, "round {round}");
                }
            }
            let halves = rng.below(3).min(u32::from(tree.mv(chosen)) % 3);
            tree.count(&mut [Node::ROOT, chosen], [2 - halves, halves]);
        }
        assert!(tree.children(Node::ROOT).any(|child| tree.visits(child) > 1_000));
    }

    #[test]
    fn a_favourite_changes_nothing() {
        for best in 0..300 {
            assert!((0..256).all(|favourite| foreseen(best, favourite) == best));
        }
    }

    #[test]
    fn a_lost_move_is_not_selected() {
        let mut tree: Tree<u8> = Tree::new(0, 1 << 20, 0);
        tree.expand(Node::ROOT, &[0, 1]);
        let children: Vec<Node> = tree.children(Node::ROOT).collect();
        tree.count(&mut [Node::ROOT, children[0]], [0, 2]);
        tree.count(&mut [Node::ROOT, children[1]], [2, 0]);
        tree.prove(children[0], Proof::Lost);
        let family = children[0].family;
        let (chosen, _) = select::<false, _>(&tree, Node::ROOT, family, &UctConfig::default());
        assert_eq!(chosen, children[1]);
    }
}
