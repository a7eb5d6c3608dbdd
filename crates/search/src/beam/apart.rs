//! Passes on a machine apart, a GPU say: the search plans them and takes what
//! they find.
//!
//! A pass is the machine's from start to end. If the machine is lost, or the
//! budget has no room for what it does at a time, the pass begins again here.

use std::sync::Arc;

use solitree_core::{Budget, Kit, Plan, Puzzle};

use super::config::{Layers as LayersBy, Shape, Worth};
use super::{Beam, Desk};
use crate::apart::{self, Came};
use crate::{Meter, lock};

/// The width of a first pass that is to show what width costs: less would not
/// keep such a machine busy.
const NARROW: u64 = 2_000;
/// The part of the budget that such a pass may cost.
const PRICE: f64 = 0.05;
/// Moves in a position, and the moves of a game as a share of the most that there can be:
/// as in SameGame, roughly.
const MOVES: u64 = 20;
const LENGTH: f64 = 0.5;

/// The width of a first pass on a machine apart: narrower where the budget has no room for
/// one that keeps it busy.
pub(super) fn narrow<P: Puzzle>(puzzle: &P, shape: Shape, budget: &Budget) -> u64 {
    let Worth::Playouts(samples, _) = shape.worth else { return NARROW };
    let most = budget.playouts.unwrap_or(u64::MAX).min(budget.nodes.unwrap_or(u64::MAX));
    let layers = (puzzle.max_moves() as f64 * LENGTH).max(1.0);
    let width = PRICE * most as f64 / (samples * MOVES) as f64 / layers;
    (width as u64).clamp(4, NARROW)
}

/// What a worker has to do with the machine.
pub(super) struct Apart<P: Puzzle> {
    /// The pass it works on, with its number.
    pass: Option<(u64, apart::Beam<P>)>,
    /// There is none, or it is lost.
    gone: bool,
}

impl<P: Puzzle> Default for Apart<P> {
    fn default() -> Self {
        Apart { pass: None, gone: false }
    }
}

/// The widest beam of this kind that a machine apart has room for; none if there
/// is no machine for it.
pub(super) fn suits<P: Puzzle>(kit: &impl Kit<P>, puzzle: &P, shape: Shape) -> Option<u64> {
    let plain = matches!(shape.worth, Worth::Playouts(..))
        && shape.unique
        && shape.all_moves
        && shape.layers == LayersBy::Moves;
    if plain { kit.widest_layers(puzzle) } else { None }
}

impl<P: Puzzle, K: Kit<P>> Beam<P, K> {
    /// Lets the machine work for a while; false if there is nothing for it.
    pub(super) fn work_apart(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let (nodes, playouts) = meter.allowance();
        let Worth::Playouts(samples, bonus) = self.shape.worth else { return false };
        let most = playouts.min(nodes);
        if self.apart.gone || most < samples {
            return false;
        }
        let desk = Arc::clone(&self.desk);
        let mut held = lock(&desk);
        if held.pass.is_over() && !held.finished {
            self.next_pass(&mut held, meter);
        }
        let Desk { pass, finished, .. } = &mut *held;
        if *finished {
            return false;
        }
        let (number, variant, width) = (pass.number, pass.variant, pass.width);
        let (puzzle, kit) = (&self.puzzle, &self.kits[variant]);
        if self.apart.pass.as_ref().is_none_or(|&(of, _)| of != number) {
            let start = pass.root(puzzle);
            let plan = Plan { start: &start, seeds: self.seeds(number), width, samples, bonus };
            let suits = suits(kit, puzzle, self.shape).is_some();
            let begin = || apart::Beam::begin(puzzle, kit, pass.prefix.to_vec(), &plan);
            self.apart.pass = if suits { begin().map(|beam| (number, beam)) } else { None };
        }
        drop(held);
        let Some((_, beam)) = &mut self.apart.pass else {
            self.apart.gone = true;
            return false;
        };
        match beam.advance(most, meter) {
            Came::On => {}
            Came::Layer(best) => {
                lock(&desk).schedule.saw(best);
                if meter.improves(best) {
                    match beam.line(puzzle, kit, best) {
                        Some(line) => meter.offer(line),
                        None => self.apart = Apart { pass: None, gone: true },
                    }
                }
            }
            Came::Over => {
                lock(&desk).pass.close();
                self.apart.pass = None;
            }
            Came::Lost => self.apart = Apart { pass: None, gone: true },
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use solitree_games::samegame::{Generator, Rules, SmallSameGame};

    use super::*;
    use crate::beam::McBeamConfig;

    #[test]
    fn the_first_pass_is_narrow_where_there_are_few_playouts() {
        let board = "1:15x15x5".parse::<Generator>().unwrap().board();
        let game = SmallSameGame::new(&board, &Rules::parse("samegame").unwrap());
        let shape = McBeamConfig::default().shape();
        let width = |playouts| narrow(&game, shape, &Budget { playouts, ..Budget::default() });
        assert_eq!(width(None), NARROW);
        assert_eq!(width(Some(1_000)), 4);
        // A pass of this width costs about a twentieth: 8 for each of 20 moves, 56 layers.
        assert_eq!(width(Some(2_000_000)), 11);
        assert_eq!(width(Some(1_000_000_000)), NARROW);
    }
}
