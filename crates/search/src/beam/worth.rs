//! What positions are worth by playouts and by what is foreseen, and the lines that
//! playouts find.

use solitree_core::{Counters, Job, Kit, Prospect, Puzzle, mix};

use super::Beam;
use super::config::Worth;
use super::frontier::Item;
use super::pass::Parent;
use crate::Meter;

impl<P: Puzzle, K: Kit<P>> Beam<P, K> {
    /// What the seeds of a pass are made from, with the positions' keys: whoever
    /// plays a position out, and when, is the same.
    pub(super) fn seeds(&self, pass: u64) -> u64 {
        mix(self.seed ^ mix(pass.wrapping_add(1)))
    }

    /// The values of positions by what is foreseen of them.
    pub(super) fn foresee(&mut self, variant: usize, clear: f64, items: &[Item<P>]) {
        let foresight = self.kits[variant].foresight();
        let (Some(foreseen), Some(foresight)) = (&self.learnt.foreseen, foresight) else { return };
        let asked = items.iter().map(|item| (item.key, &item.state));
        let prospects = foreseen.ask(&self.puzzle, foresight, asked);
        let value = |(item, prospect): (&Item<P>, Prospect)| {
            let to_come = f64::from(prospect.points) + clear * f64::from(prospect.clears);
            (item.score.as_f64() + to_come) as f32
        };
        self.values.extend(items.iter().zip(prospects).map(value));
    }

    /// The value of a position by playouts.
    pub(super) fn play_out(
        &mut self,
        variant: usize,
        pass: u64,
        item: &Item<P>,
        meter: &mut Meter<P::Move>,
    ) {
        let Worth::Playouts(samples, bonus) = self.shape.worth else { return };
        let Item { ref state, key, parent, mv, .. } = *item;
        let count = self.run_playouts((variant, pass), (state, key), samples, meter);
        let values = self.jobs[..count]
            .iter()
            .map(|job| job.score.as_f64() - (1.0 - bonus) * job.end.as_f64());
        self.values.push(values.fold(f64::MIN, f64::max) as f32);
        self.offer_playout((variant, count), (state, parent, Some(mv)), meter);
    }

    /// Plays a position that was kept out, for the lines alone.
    pub(super) fn finish_game(
        &mut self,
        (variant, pass): (usize, u64),
        Parent { state, trail }: Parent<'_, P>,
        meter: &mut Meter<P::Move>,
    ) {
        if self.shape.finishes > 0 {
            let key = self.puzzle.key(state);
            let count =
                self.run_playouts((variant, pass), (state, key), self.shape.finishes, meter);
            self.offer_playout((variant, count), (state, trail, None), meter);
        }
    }

    /// Playouts from a position, as many as are allowed and one at least: how many.
    fn run_playouts(
        &mut self,
        (variant, pass): (usize, u64),
        (state, key): (&P::State, u64),
        samples: u64,
        meter: &mut Meter<P::Move>,
    ) -> usize {
        let (nodes, playouts) = meter.allowance();
        let count = samples.min(playouts).min(nodes).max(1) as usize;
        let base = self.seeds(pass) ^ key;
        while self.jobs.len() < count {
            self.jobs.push(Job::new(state.clone(), 0));
        }
        for (sample, job) in self.jobs[..count].iter_mut().enumerate() {
            job.state.clone_from(state);
            job.seed = mix(base.wrapping_add(sample as u64));
        }
        self.kits[variant].run(&self.puzzle, &mut self.jobs[..count]);
        let count_of = count as u64;
        meter.count(Counters { playouts: count_of, spent: count_of, ..Counters::default() });
        count
    }

    /// Offers the best of the first playouts, all from one position; of equal ones the
    /// first.
    fn offer_playout(
        &mut self,
        (variant, count): (usize, usize),
        (state, parent, last): (&P::State, u32, Option<P::Move>),
        meter: &mut Meter<P::Move>,
    ) {
        let Some(best) = self.jobs[..count].iter().rev().max_by_key(|job| job.score) else {
            return;
        };
        self.seen = self.seen.max(best.score);
        if meter.improves(best.score) {
            let rest = self.canonical(variant, state.clone(), &best.moves);
            self.offer(best.score, parent, last, &rest, meter);
        }
    }

    /// The moves of a playout by the names that the rules know.
    pub(super) fn canonical(
        &self,
        variant: usize,
        mut state: P::State,
        moves: &[P::Move],
    ) -> Vec<P::Move> {
        let mut canonical = Vec::with_capacity(moves.len());
        for &mv in moves {
            let mv = self.kits[variant].canonical(&self.puzzle, &state, mv);
            canonical.push(mv);
            self.puzzle.play(&mut state, mv);
        }
        canonical
    }
}
