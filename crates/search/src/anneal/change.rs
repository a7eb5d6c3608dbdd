//! The three ways to change a plan.

use solitree_core::{Plans, Puzzle, Rng};

use super::AnnealConfig;
use super::plan::{End, Plan};

/// Plans of fewer marks than this are changed by inserting only.
const FEW: usize = 3;

/// Changes a plan at random, and returns what the changed plan brings; it is for the
/// caller to accept it. The plan has a mark at least.
pub(super) fn propose<P, L>(
    plan: &mut Plan<L::Spot, L::Mark>,
    plans: &mut L,
    config: &AnnealConfig,
    rng: &mut Rng,
) -> End
where
    P: Puzzle,
    L: Plans<P>,
{
    let len = plan.marks().len();
    let AnnealConfig { insert, shift, drop, near, .. } = *config;
    let price = config.price();
    let way = u64::from(rng.below((insert + shift + drop) as u32));
    if way < insert || len < FEW {
        let at = rng.below(len as u32) as usize;
        plan.begin(at);
        plan.insert(plans, rng);
        plan.finish(plans, at, price, rng)
    } else if way < insert + shift {
        let (from, to) = places(len, near as usize, rng);
        plan.begin(from.min(to));
        if from < to {
            (from + 1..=to).for_each(|index| plan.follow(plans, index));
            plan.follow(plans, from);
        } else {
            plan.follow(plans, from);
            (to..from).for_each(|index| plan.follow(plans, index));
        }
        plan.finish(plans, from.max(to) + 1, price, rng)
    } else {
        let at = rng.below(len as u32) as usize;
        plan.begin(at);
        plan.finish(plans, at + 1, price, rng)
    }
}

/// Where a mark is taken from, and another place to put it: a near one three times of four.
fn places(len: usize, near: usize, rng: &mut Rng) -> (usize, usize) {
    let from = rng.below(len as u32) as usize;
    let reach = if rng.below(4) == 0 { len } else { near.min(len) };
    let by = 1 + rng.below(reach as u32) as usize;
    let back = rng.below(2) == 0;
    // At an end there is one way only.
    let to = if back && from > 0 || from + 1 == len {
        from.saturating_sub(by)
    } else {
        (from + by).min(len - 1)
    };
    (from, to)
}
