//! Passes on a machine apart ([`Layers`]), a GPU say: the search plans them and
//! takes what they find.
//!
//! A pass is the machine's from start to end. If the machine is lost, or the
//! budget has no room for what it does at a time, the pass begins again here.

use solitree_core::{Counters, Job, Kit, Layers, Line, Plan, Puzzle, Score, Stage};

use super::config::{Layers as LayersBy, Shape};
use super::{Beam, Desk};
use crate::{Meter, lock};

/// The width of a first pass that is to show what width costs: less would not
/// keep such a machine busy.
pub(super) const NARROW: u64 = 2_000;

/// What a worker has to do with the machine.
pub(super) struct Apart<M> {
    /// The pass it works on, with its number and the layer.
    pass: Option<(u64, u64, Box<dyn Layers<M>>)>,
    /// There is none, or it is lost.
    gone: bool,
}

impl<M> Default for Apart<M> {
    fn default() -> Self {
        Apart { pass: None, gone: false }
    }
}

/// The widest beam of this kind that a machine apart has room for; none if there
/// is no machine for it.
pub(super) fn suits<P: Puzzle>(kit: &impl Kit<P>, puzzle: &P, shape: Shape) -> Option<u64> {
    let plain = shape.sampling.is_some() && shape.unique && shape.layers == LayersBy::Moves;
    if plain { kit.widest_layers(puzzle) } else { None }
}

impl<P: Puzzle, K: Kit<P>> Beam<P, K> {
    /// Lets the machine work for a while; false if there is nothing for it.
    pub(super) fn work_apart(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let (nodes, playouts) = meter.allowance();
        let Some((samples, bonus)) = self.shape.sampling else { return false };
        let most = playouts.min(nodes);
        if self.apart.gone || most < samples {
            return false;
        }
        let desk = std::sync::Arc::clone(&self.desk);
        let mut held = lock(&desk);
        if held.pass.is_over() && !held.finished {
            self.next_pass(&mut held, meter);
        }
        let Desk { pass, finished, .. } = &mut *held;
        if *finished {
            return false;
        }
        let (number, variant, width) = (pass.number, pass.variant, pass.width);
        if self.apart.pass.as_ref().is_none_or(|&(of, ..)| of != number) {
            let start = pass.root(&self.puzzle);
            let plan = Plan { start: &start, seeds: self.seeds(number), width, samples, bonus };
            let suits = suits(&self.kits[variant], &self.puzzle, self.shape).is_some();
            let begun = if suits { self.kits[variant].layers(&self.puzzle, &plan) } else { None };
            self.apart.pass = begun.map(|layers| (number, 0, layers));
        }
        drop(held);
        let Some((_, layer, machine)) = &mut self.apart.pass else {
            self.apart.gone = true;
            return false;
        };
        match machine.next(most) {
            Ok(Stage::Expanded(children)) => {
                *layer += 1;
                let (depth, count) = (*layer, children);
                meter.count(Counters {
                    nodes: count,
                    spent: count.max(1),
                    depth_sum: depth * count,
                    deepest: depth,
                    ..Counters::default()
                });
            }
            Ok(Stage::Played(playouts)) => {
                meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
            }
            Ok(Stage::Layer { best, .. }) => {
                lock(&desk).schedule.saw(best);
                if meter.improves(best) {
                    self.take_best(variant, best, meter);
                }
            }
            Ok(Stage::Over) => {
                lock(&desk).pass.close();
                self.apart.pass = None;
            }
            Err(_) => self.lose(),
        }
        true
    }

    /// Plays the machine's best playout again, for its moves.
    fn take_best(&mut self, variant: usize, score: Score, meter: &mut Meter<P::Move>) {
        let Some((_, _, machine)) = &mut self.apart.pass else { return };
        let Ok((moves, seed)) = machine.best() else {
            self.lose();
            return;
        };
        let mut state = lock(&self.desk).pass.root(&self.puzzle);
        for &mv in &moves {
            self.puzzle.play(&mut state, mv);
        }
        let mut jobs = [Job::new(state.clone(), seed)];
        self.kits[variant].run(&self.puzzle, &mut jobs);
        if jobs[0].score != score {
            machine.refuse();
            self.lose();
            return;
        }
        let mut line = lock(&self.desk).pass.prefix.to_vec();
        line.extend(moves);
        line.extend(self.canonical(variant, state, &jobs[0].moves));
        meter.offer(Line { score, moves: line });
    }

    fn lose(&mut self) {
        self.apart = Apart { pass: None, gone: true };
    }
}
