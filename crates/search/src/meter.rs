//! The seam between an algorithm and whoever runs it.

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Insight, Line, Puzzle, Score, StopReason, TreeInsight};

use crate::tally::Tally;

/// Whether a search wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There is more to do.
    Going,
    /// There is not, and this is why.
    Done(StopReason),
}

/// An algorithm at work on one thread.
pub trait Search<P: Puzzle>: Send {
    /// Works for about a millisecond, or less if a limit of the meter is
    /// reached. Equal searches on equal meters do equal steps.
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status;

    /// Called once when the search is stopped, by its own limits or from
    /// outside: the last chance to offer what it has.
    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        let _ = meter;
    }

    /// How much of a shared budget this worker should get beside the others.
    fn weight(&self) -> u64 {
        1
    }

    /// What is to be seen inside, for those methods that have it at hand; for others
    /// [`Meter::insight`] may have something. To look changes nothing, and costs time
    /// only when somebody looks.
    fn look(&self) -> Option<Insight<P::Move>> {
        None
    }

    /// Everything needed to go on later, bit for bit.
    fn save(&self) -> Vec<u8>;

    /// Takes over what [`save`](Search::save) wrote; the error says what is
    /// wrong with it.
    fn load(&mut self, bytes: &[u8]) -> Result<(), String>;
}

impl<P: Puzzle, S: Search<P> + ?Sized> Search<P> for Box<S> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        (**self).step(meter)
    }

    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        (**self).finish(meter);
    }

    fn weight(&self) -> u64 {
        (**self).weight()
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        (**self).look()
    }

    fn save(&self) -> Vec<u8> {
        (**self).save()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        (**self).load(bytes)
    }
}

/// What one worker may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Nodes, of its own.
    pub nodes: Option<u64>,
    /// Playouts, of its own.
    pub playouts: Option<u64>,
    /// A score that is good enough.
    pub target: Option<Score>,
}

/// Counts a worker's work against its limits and keeps its best line.
#[derive(Clone, Debug)]
pub struct Meter<M> {
    limits: Limits,
    counters: Counters,
    best: Option<Line<M>>,
    improved: bool,
    time_used: f64,
    /// Only while somebody watches.
    tally: Option<Box<Tally<M>>>,
}

impl<M: Clone> Meter<M> {
    /// A meter at the start of its limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::resumed(limits, Counters::default(), None)
    }

    /// A meter that goes on where another stopped.
    #[must_use]
    pub fn resumed(limits: Limits, counters: Counters, best: Option<Line<M>>) -> Self {
        Meter { limits, counters, best, improved: false, time_used: 0.0, tally: None }
    }

    /// The work done.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The best line offered so far.
    #[must_use]
    pub fn best(&self) -> Option<&Line<M>> {
        self.best.as_ref()
    }

    /// Adds to the work done.
    pub fn count(&mut self, work: Counters) {
        self.counters.add(work);
    }

    /// Whether a score would be a new best.
    #[must_use]
    pub fn improves(&self, score: Score) -> bool {
        self.best.as_ref().is_none_or(|best| score > best.score)
    }

    /// Reports a line; it is kept if it is the best so far.
    pub fn offer(&mut self, line: Line<M>) {
        if self.improves(line.score) {
            self.best = Some(line);
            self.improved = true;
        }
    }

    /// The best line, if it is new since the last call.
    pub fn take_improvement(&mut self) -> Option<Line<M>> {
        if std::mem::take(&mut self.improved) { self.best.clone() } else { None }
    }

    /// The first limit that is reached, if any.
    #[must_use]
    pub fn stop(&self) -> Option<StopReason> {
        let reached = |limit: Option<u64>, used| limit.is_some_and(|limit| used >= limit);
        let target = |target| self.best.as_ref().is_some_and(|best| best.score >= target);
        if self.limits.target.is_some_and(target) {
            Some(StopReason::Target)
        } else if reached(self.limits.nodes, self.counters.spent) {
            Some(StopReason::Nodes)
        } else if reached(self.limits.playouts, self.counters.playouts) {
            Some(StopReason::Playouts)
        } else {
            None
        }
    }

    /// Nodes and playouts until a limit is reached.
    #[must_use]
    pub fn allowance(&self) -> (u64, u64) {
        let left = |limit: Option<u64>, used: u64| {
            limit.map_or(u64::MAX, |limit| limit.saturating_sub(used))
        };
        (
            left(self.limits.nodes, self.counters.spent),
            left(self.limits.playouts, self.counters.playouts),
        )
    }

    /// Limits a part of another's work: limits of its own for nodes and playouts, and
    /// nothing beyond what the other may still do.
    pub fn restrain(&mut self, own: Limits, whole: &Meter<M>) {
        let (nodes_left, playouts_left) = whole.allowance();
        let least = |own: Option<u64>, other: Option<u64>, done: u64, left: u64| {
            let other = other.map(|_| done.saturating_add(left));
            own.into_iter().chain(other).min()
        };
        let Counters { spent, playouts, .. } = self.counters;
        self.limits = Limits {
            nodes: least(own.nodes, whole.limits.nodes, spent, nodes_left),
            playouts: least(own.playouts, whole.limits.playouts, playouts, playouts_left),
            target: whole.limits.target,
        };
    }

    /// The share of the budget that is used, from 0 to 1: of the limit nearest
    /// to its end, time included. It is the only clock an algorithm has.
    #[must_use]
    pub fn used(&self) -> f64 {
        let share = |limit: Option<u64>, used: u64| {
            limit.map_or(0.0, |limit| used as f64 / limit.max(1) as f64)
        };
        share(self.limits.nodes, self.counters.spent)
            .max(share(self.limits.playouts, self.counters.playouts))
            .max(self.time_used)
            .min(1.0)
    }

    /// Tells the meter how much of the time has passed.
    pub fn set_time_used(&mut self, share: f64) {
        self.time_used = share;
    }

    /// Has it count from now on what methods that keep no tree do below each first
    /// move.
    pub fn watch(&mut self) {
        self.tally.get_or_insert_default();
    }

    /// The same, beside what was counted before.
    pub fn watch_on(&mut self, counted: TreeInsight<M>) {
        self.tally = Some(Box::new(counted.into()));
    }

    /// Whether somebody watches.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.tally.is_some()
    }

    /// Where to count what is done below a first move, while somebody watches.
    pub(crate) fn tally(&mut self) -> Option<&mut Tally<M>> {
        self.tally.as_deref_mut()
    }
}

impl<M: Copy + Eq> Meter<M> {
    /// What was counted, if anything was.
    #[must_use]
    pub fn counted(&self) -> Option<TreeInsight<M>> {
        self.tally.as_ref()?.insight()
    }

    /// The same as what is to be seen inside.
    #[must_use]
    pub fn insight(&self) -> Option<Insight<M>> {
        self.counted().map(Insight::Tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_in_their_order() {
        let limits = Limits { nodes: Some(10), playouts: Some(20), target: Some(Score(5)) };
        let mut meter: Meter<u16> = Meter::new(limits);
        meter.count(Counters { playouts: 10, nodes: 4, spent: 4, ..Counters::default() });
        assert_eq!((meter.stop(), meter.used()), (None, 0.5));
        meter.count(Counters { playouts: 10, nodes: 0, spent: 4, ..Counters::default() });
        assert_eq!(meter.stop(), Some(StopReason::Playouts));
        meter.offer(Line { score: Score(5), moves: vec![] });
        assert_eq!(meter.stop(), Some(StopReason::Target));
    }

    #[test]
    fn only_improvements_are_kept() {
        let mut meter: Meter<u16> = Meter::new(Limits::default());
        meter.offer(Line { score: Score(3), moves: vec![1] });
        meter.offer(Line { score: Score(3), moves: vec![2] });
        assert_eq!(meter.take_improvement().unwrap().moves, [1]);
        assert_eq!(meter.take_improvement(), None);
    }
}
