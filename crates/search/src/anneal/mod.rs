//! Simulated annealing over plans.
//!
//! A plan ([`Plans`]) is a list of decisions, each of which has its name in whatever
//! position it is met. A step changes the plan at one place: it inserts a random move,
//! puts a decision elsewhere, or drops one. The changed plan is followed, decisions that
//! can no longer be followed are skipped, and the game is finished at random; what was
//! played is the new plan. It is taken if it is worth more, and with a probability that
//! falls with the temperature if it is worth less.
//!
//! What a plan is worth is more lenient than its score. One change of a good line seldom
//! leaves it whole: in SameGame 98 of 100 that come to another end leave blocks, which
//! the rules punish by a thousand points, and few of these are ever undone by a second
//! change if the first may not stand. So what is left undone has a price, a small one.
//!
//! The positions on the way of a plan are kept. A changed plan is followed from the change
//! on, and only until it comes to a position from which everything goes as before.
//!
//! First every variant of the domain's knowledge is tried by a run of its own; the best
//! have the rest of the budget. A line to begin with is the plan that every run begins
//! with, at a lower temperature. On a machine with room for thousands of plans it goes
//! another way: see foundry.rs.
//!
//! # References
//! - S. Kirkpatrick, C.D. Gelatt, M.P. Vecchi, "Optimization by Simulated Annealing",
//!   Science 220, 1983, 671-680.

mod change;
mod config;
mod foundry;
mod method;
mod plan;
mod schedule;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::{Arc, Mutex};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Line, Plans, Puzzle, Rng, Score, StopReason};

pub use config::AnnealConfig;
pub(crate) use foundry::Foundry;

use crate::method::Request;
use crate::{Meter, Search, Status, lock};
use change::propose;
use plan::Plan;
use schedule::{Schedule, Span};

/// Changes between two looks at the outside.
const CHANGES_PER_STEP: u64 = 256;
/// Changes at one temperature.
const CHANGES_PER_COOLING: u64 = 32;

/// One worker of annealing.
pub struct Anneal<P: Puzzle, L: Plans<P>> {
    /// How plans are followed, by the domain's knowledge in all its variants.
    plans: Vec<L>,
    config: AnnealConfig,
    schedule: Schedule,
    rng: Rng,
    /// The best score of each variant, which the workers share.
    scores: Arc<Mutex<Vec<Score>>>,
    /// A line to begin with.
    line: Option<Line<P::Move>>,
    /// Runs begun by this worker.
    begun: u64,
    run: Option<Run<L::Spot, L::Mark>>,
    /// The move of a first mark, for those who watch.
    first: Option<(L::Mark, P::Move)>,
}

/// A run that is going on.
struct Run<S, M> {
    variant: usize,
    span: Span,
    plan: Plan<S, M>,
    best: Score,
}

impl<P: Puzzle, L: Plans<P>> Anneal<P, L> {
    /// The workers of a run, one a thread.
    pub(crate) fn workers(
        plans: impl Fn() -> Vec<L>,
        config: &AnnealConfig,
        request: &Request<'_, P::Move>,
    ) -> Vec<Self> {
        let workers = request.threads.max(1) as u64;
        let variants = plans().len();
        let scores = Arc::new(Mutex::new(vec![Score::MIN; variants]));
        let make = |worker| Anneal {
            plans: plans(),
            config: config.clone(),
            schedule: Schedule { worker: (worker, workers), variants: variants as u64 },
            rng: Rng::stream(request.seed, worker),
            scores: Arc::clone(&scores),
            line: request.line.cloned(),
            begun: 0,
            run: None,
            first: None,
        };
        (0..workers).map(make).collect()
    }

    /// Begins the next run, which plays one game.
    fn begin(&mut self, meter: &mut Meter<P::Move>) {
        let (nodes, playouts) = meter.allowance();
        let limited = meter.used() > 0.0 || nodes < u64::MAX || playouts < u64::MAX;
        let span = self.schedule.span(self.begun, (meter.used(), limited), &self.config);
        let variant = self.schedule.variant(self.begun, &lock(&self.scores), &self.config);
        self.begun += 1;
        let plans = &mut self.plans[variant];
        let better = |line: &&Line<P::Move>| meter.improves(line.score);
        let line = self.line.as_ref().map(|line| Some(line).filter(better).or(meter.best()));
        let marks = line.flatten().map_or_else(Vec::new, |line| marks_of(plans, &line.moves));
        let plan = Plan::new(plans, &marks, self.config.price(), &mut self.rng);
        meter.count(Counters { playouts: 1, spent: 1, ..Counters::default() });
        let best = plan.end().score;
        if meter.improves(best) {
            meter.offer(Line { score: best, moves: plans.line(plan.marks()) });
        }
        self.run = Some(Run { variant, span, plan, best });
    }

    /// Changes the plan a number of times at one temperature.
    fn anneal(&mut self, changes: u64, temperature: f64, meter: &mut Meter<P::Move>) {
        let Some(Run { variant, span, plan, best }) = &mut self.run else { return };
        let plans = &mut self.plans[*variant];
        for _ in 0..changes {
            let end = propose(plan, plans, &self.config, &mut self.rng);
            if meter.is_watched()
                && let Some((mark, depth)) = plan.proposed()
            {
                let mv = match self.first {
                    Some((first, mv)) if first == mark => Some(mv),
                    _ => plans.line(&[mark]).first().copied(),
                };
                self.first = mv.map(|mv| (mark, mv));
                if let (Some(mv), Some(tally)) = (mv, meter.tally()) {
                    tally.playout(mv, depth, end.score);
                }
            }
            let gain = (end.worth - plan.end().worth).as_f64();
            if gain >= 0.0 || self.rng.unit() < libm::exp(gain / temperature) {
                plan.accept(plans);
                if end.score > *best {
                    *best = end.score;
                    if meter.improves(*best) {
                        meter.offer(Line { score: *best, moves: plans.line(plan.marks()) });
                    }
                }
            }
        }
        span.count(changes);
        meter.count(Counters { playouts: changes, spent: changes, ..Counters::default() });
    }

    /// The temperature after a part of a run.
    fn temperature(&self, passed: f64) -> f64 {
        let AnnealConfig { hot, warm, cold, .. } = self.config;
        let hot = if self.line.is_some() { warm.max(cold) } else { hot };
        hot * libm::pow(cold / hot, passed)
    }

    /// Tells the others how good the variant of the run is.
    fn tell(&self) {
        if let Some(run) = &self.run {
            let mut scores = lock(&self.scores);
            scores[run.variant] = scores[run.variant].max(run.best);
        }
    }
}

/// The marks of a line.
fn marks_of<P: Puzzle, L: Plans<P>>(plans: &mut L, moves: &[P::Move]) -> Vec<L::Mark> {
    let mut spot = plans.start();
    let mut marks = Vec::with_capacity(moves.len());
    for &mv in moves {
        let mark = plans.mark(&spot, mv);
        plans.follow(&mut spot, mark);
        marks.push(mark);
    }
    marks
}

impl<P: Puzzle, L: Plans<P>> Search<P> for Anneal<P, L> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let before = meter.counters().playouts;
        loop {
            if let Some(reason) = meter.stop() {
                self.tell();
                return Status::Done(reason);
            }
            let done = meter.counters().playouts - before;
            if done >= CHANGES_PER_STEP {
                self.tell();
                return Status::Going;
            }
            let used = meter.used();
            match &self.run {
                Some(run) if run.plan.marks().is_empty() => {
                    return Status::Done(StopReason::Solved);
                }
                Some(run) if !run.span.is_over(used) => {
                    let (nodes, playouts) = meter.allowance();
                    let changes = CHANGES_PER_COOLING.min(nodes).min(playouts);
                    let temperature = self.temperature(run.span.passed(used));
                    self.anneal(changes, temperature, meter);
                }
                _ => {
                    self.tell();
                    self.begin(meter);
                }
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        let run = self.run.as_ref().map(|run| SavedRun {
            variant: run.variant,
            span: run.span,
            best: run.best,
            marks: run.plan.marks().to_vec(),
        });
        // The first of the workers saves what they share.
        let scores = (self.schedule.worker.0 == 0).then(|| lock(&self.scores).clone());
        postcard::to_stdvec(&(&self.rng, self.begun, run, scores)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        type Whole<M> = (Rng, u64, Option<SavedRun<M>>, Option<Vec<Score>>);
        let (rng, begun, run, scores): Whole<L::Mark> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let restore = |run: SavedRun<L::Mark>| {
            let SavedRun { variant, span, best, marks } = run;
            let plans = self.plans.get_mut(variant).ok_or("a variant that the domain has not")?;
            let plan = Plan::new(plans, &marks, self.config.price(), &mut rng.clone());
            if plan.marks() != marks {
                return Err("a plan that cannot be followed".to_owned());
            }
            Ok(Run { variant, span, plan, best })
        };
        self.run = run.map(restore).transpose()?;
        if let Some(scores) = scores {
            if scores.len() != self.plans.len() {
                return Err("not as many scores as variants".to_owned());
            }
            *lock(&self.scores) = scores;
        }
        (self.rng, self.begun) = (rng, begun);
        Ok(())
    }
}

/// A run as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct SavedRun<M> {
    variant: usize,
    span: Span,
    best: Score,
    marks: Vec<M>,
}
