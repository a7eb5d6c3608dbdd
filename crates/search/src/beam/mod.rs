//! Beam search, by evaluation, by playouts and by what a network foresees.
//!
//! Level by level, every position of the beam is expanded, positions that
//! several lines lead to are kept once, and the most promising of the rest are
//! the next level. What a position promises is an evaluation of it (`beam`), or
//! the best of a few playouts from it (`mc-beam`), which then also are where
//! the answer comes from. What has been learnt has a say in [`crate::policy_beam`] and
//! [`crate::value_beam`].
//!
//! # References
//! - Beam search for SameGame is what SPURIOUS AI's entries were made with; its
//!   program was never published. M.P.D. Schadd et al. (2012) tell of it as SBS.
//! - The Monte-Carlo form is our own; it is near to T. Cazenave, "Monte Carlo
//!   Beam Search", IEEE TCIAIG 4, 2012, where the beam is on the lines of a
//!   nested search.
//!
//! # Where we differ
//! The value of a position is the maximum of its playouts, not their mean, and
//! the bonus for a cleared board is left out of it: both were measured to be
//! better. A run makes several passes: a narrow one to learn what width costs,
//! one for each of the domain's variants, then the best as wide as the budget
//! allows.

mod apart;
mod config;
mod foreseen;
mod frontier;
mod method;
mod pass;
mod saved;
mod schedule;
mod thin;
mod worth;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use solitree_core::{
    BeamInsight, Child, Counters, Foresight, Insight, Job, Kit, Line, Puzzle, Score, StopReason,
};

pub use config::{BeamConfig, Layers, McBeamConfig};
pub(crate) use foreseen::Foreseen;
pub(crate) use method::{foreseeing, thinned};
pub(crate) use thin::Thinning;

use crate::{Meter, Search, Status, lock};
use apart::Apart;
use config::{Shape, Worth};
use frontier::{Frontier, Hand, Item};
use pass::{Parent, Parents, Pass, Work};
use schedule::Schedule;

/// Portions of work between two looks at the outside.
const PORTIONS_PER_STEP: usize = 6;
/// Positions expanded in a portion.
const EXPANDED: u64 = 16;
/// Playouts in a portion, at least; a position's are never divided.
const PLAYED_OUT: u64 = 60;

/// What has been learnt and has a say, for all workers.
#[derive(Clone, Default)]
struct Learnt {
    /// Which moves the domain's policy leaves over.
    thinning: Option<Arc<Thinning>>,
    /// What is still to come from positions.
    foreseen: Option<Arc<Foreseen>>,
}

/// What the workers of a run share.
struct Desk<P: Puzzle> {
    schedule: Schedule,
    pass: Pass<P>,
    /// Nothing is left to do.
    finished: bool,
}

/// One worker of a beam search.
pub struct Beam<P: Puzzle, K> {
    puzzle: P,
    /// The domain's knowledge, in all its variants.
    kits: Arc<Vec<K>>,
    learnt: Learnt,
    shape: Shape,
    seed: u64,
    desk: Arc<Mutex<Desk<P>>>,
    /// Its number; the first of the workers saves what they share.
    worker: usize,
    /// What a machine apart does, if there is one.
    apart: Apart<P>,
    children: Vec<Child<P>>,
    hand: Hand<P>,
    jobs: Vec<Job<P>>,
    values: Vec<f32>,
    /// The best score of the portion.
    seen: Score,
}

impl<P: Puzzle, K: Kit<P>> Beam<P, K> {
    /// The workers of a run, which share every pass.
    fn workers(
        puzzle: &P,
        (kits, learnt): (Vec<K>, Learnt),
        shape: Shape,
        prefix: Vec<P::Move>,
        (narrow, widest): (u64, u64),
        (seed, threads): (u64, usize),
    ) -> Vec<Self> {
        let fixed = (shape.width > 0).then_some(shape.width);
        let repeats = !matches!(shape.worth, Worth::Playouts(..));
        let mut schedule = Schedule::new(fixed, widest, narrow, kits.len(), repeats);
        let first = schedule.next(0.0).unwrap_or((0, 0, 1));
        let pass = Pass::new(puzzle, shape, Arc::new(prefix), first);
        let desk = Arc::new(Mutex::new(Desk { schedule, pass, finished: false }));
        let kits = Arc::new(kits);
        let make = |worker| Beam {
            puzzle: puzzle.clone(),
            kits: Arc::clone(&kits),
            learnt: learnt.clone(),
            shape,
            seed,
            desk: Arc::clone(&desk),
            worker,
            apart: Apart::default(),
            children: Vec::new(),
            hand: Hand::default(),
            jobs: Vec::new(),
            values: Vec::new(),
            seen: Score::MIN,
        };
        (0..threads.max(1)).map(make).collect()
    }

    /// Takes a portion of work, does it and brings it back; false if there was
    /// none to take.
    fn portion(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let most = self.most(meter);
        let desk = Arc::clone(&self.desk);
        let mut held = lock(&desk);
        if held.finished {
            return false;
        }
        if held.pass.is_over() {
            self.next_pass(&mut held, meter);
        }
        let (variant, layer, number) = (held.pass.variant, held.pass.layer(), held.pass.number);
        let (width, frontier) = (held.pass.width, held.pass.frontier());
        let most = if held.pass.is_expanding() { most.0 } else { most.1 };
        let Some(work) = held.pass.take(most) else { return false };
        drop(held);
        match work {
            Work::Expand(parents, range) => {
                let likely = self.likely(variant, (&parents, range.clone()));
                for (place, parent) in parents.range(range).enumerate() {
                    let likely = likely.as_ref().map(|likely| &likely[place][..]);
                    self.expand((variant, layer), (parent, likely), &frontier, meter);
                    self.finish_game((variant, number), parent, meter);
                }
                drop(parents);
                // What is still to be valued must not be dropped before.
                let width = (!self.shape.values_layers()).then_some(width);
                let unique = self.shape.unique;
                frontier.deal(&mut self.hand, unique, (width, layer + 1), self.worker);
                lock(&desk).pass.expanded();
            }
            Work::Value(items, range) => {
                self.values.clear();
                self.seen = Score::MIN;
                match self.shape.worth {
                    Worth::Foreseen(clear) => self.foresee(variant, clear, &items[range.clone()]),
                    _ => items[range.clone()]
                        .iter()
                        .for_each(|item| self.play_out(variant, number, item, meter)),
                }
                drop(items);
                let mut held = lock(&desk);
                held.schedule.saw(self.seen);
                held.pass.valued(range, &self.values);
            }
        }
        true
    }

    /// Positions of a portion: to be expanded, and to be valued.
    fn most(&self, meter: &Meter<P::Move>) -> (usize, usize) {
        let (nodes, playouts) = meter.allowance();
        // An expanded position counts its children: a few dozen. To ask a network counts
        // nothing.
        let few = 1 + nodes / 32;
        let finished = playouts.checked_div(self.shape.finishes).map_or(few, |most| most.max(1));
        let expanded = EXPANDED.min(few).min(finished) as usize;
        match self.shape.worth {
            Worth::Playouts(each, _) => {
                let most = (PLAYED_OUT.min(playouts) / each).max(1).min(few) as usize;
                (most, most)
            }
            Worth::Evaluation => (expanded, expanded),
            Worth::Foreseen(_) => {
                (expanded, self.kits[0].foresight().map_or(1, Foresight::preferred_batch))
            }
        }
    }

    fn next_pass(&self, desk: &mut Desk<P>, meter: &Meter<P::Move>) {
        match desk.schedule.next(meter.used()) {
            Some(next) => {
                let prefix = Arc::clone(&desk.pass.prefix);
                desk.pass = Pass::new(&self.puzzle, self.shape, prefix, next);
            }
            None => desk.finished = true,
        }
    }

    /// The moves of each position that the policy leaves over; none if it has no say.
    fn likely(
        &self,
        variant: usize,
        (parents, range): (&Parents<P>, Range<usize>),
    ) -> Option<Vec<Vec<P::Move>>> {
        let (thinning, policy) = (self.learnt.thinning.as_ref()?, self.kits[variant].policy()?);
        let states = parents.range(range).map(|parent| parent.state.clone());
        Some(thinning.likely(&self.puzzle, policy, states))
    }

    /// Finds everything a position leads to, by its likely moves if they are known.
    fn expand(
        &mut self,
        (variant, layer): (usize, usize),
        (Parent { state, trail }, likely): (Parent<'_, P>, Option<&[P::Move]>),
        frontier: &Frontier<P>,
        meter: &mut Meter<P::Move>,
    ) {
        let kit = &self.kits[variant];
        self.children.clear();
        kit.children(&self.puzzle, state, &mut self.children);
        if let Some(likely) = likely {
            self.children.retain(|child| likely.contains(&child.mv));
        }
        let depth = layer as u64 + 1;
        let count = self.children.len() as u64;
        // A position without a move still costs something.
        meter.count(Counters {
            nodes: count,
            spent: count.max(1),
            depth_sum: depth * count,
            deepest: depth,
            ..Counters::default()
        });
        if self.children.is_empty() && meter.improves(self.puzzle.score(state)) {
            self.offer(self.puzzle.score(state), trail, None, &[], meter);
        }
        let mut children = std::mem::take(&mut self.children);
        for child in children.drain(..) {
            let Child { mv, state, key, score, value, over } = child;
            if over {
                if meter.improves(score) {
                    self.offer(score, trail, Some(mv), &[], meter);
                }
                continue;
            }
            let next = match self.shape.layers {
                Layers::Moves => layer + 1,
                Layers::Progress => kit.progress(&self.puzzle, &state).unwrap_or(layer + 1),
            };
            if next > layer + 1 || frontier.wants(value, key) {
                self.hand.take(next, Item { state, key, score, value, parent: trail, mv });
            }
        }
        self.children = children;
    }

    fn offer(
        &self,
        score: Score,
        parent: u32,
        last: Option<P::Move>,
        rest: &[P::Move],
        meter: &mut Meter<P::Move>,
    ) {
        let mut moves = lock(&self.desk).pass.moves_to(parent, last);
        moves.extend(rest);
        meter.offer(Line { score, moves });
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Beam<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        // To ask a network may take long.
        let asks = matches!(self.shape.worth, Worth::Foreseen(_));
        for _ in 0..if asks { 1 } else { PORTIONS_PER_STEP } {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            if self.work_apart(meter) {
                return Status::Going;
            }
            if !self.portion(meter) {
                if lock(&self.desk).finished {
                    return Status::Done(StopReason::Finished);
                }
                // Somebody else has the last portions of a layer.
                std::thread::yield_now();
                return Status::Going;
            }
        }
        Status::Going
    }

    /// A beam that never came to the end of a game plays one out.
    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        if meter.best().is_some() {
            return;
        }
        let (variant, found) = {
            let held = lock(&self.desk);
            (held.pass.variant, held.pass.any())
        };
        let Some((state, mut moves)) = found else { return };
        let mut jobs = [Job::new(state.clone(), 0)];
        self.kits[variant].run(&self.puzzle, &mut jobs);
        moves.extend(self.canonical(variant, state, &jobs[0].moves));
        meter.offer(Line { score: jobs[0].score, moves });
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        let Pass { number, width, layers, .. } = &lock(&self.desk).pass;
        let (pass, width, layers) = (*number, *width, layers.clone());
        Some(Insight::Beam(BeamInsight { pass, width, layers }))
    }

    fn save(&self) -> Vec<u8> {
        if self.worker == 0 { lock(&self.desk).save() } else { Vec::new() }
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        if self.worker == 0 {
            lock(&self.desk).load(&self.puzzle, self.shape, bytes)
        } else if bytes.is_empty() {
            Ok(())
        } else {
            Err("only the first worker of a beam has anything saved".to_owned())
        }
    }
}
