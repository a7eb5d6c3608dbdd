//! Annealing on a machine with room for thousands of plans ([`Furnace`]).
//!
//! For a part of the budget every place of the machine anneals a plan of its own from
//! nothing, the variants in turn, and the worst make room for copies of others. What comes
//! of it is a pool of lines that are not alike. Then cycles follow: all places begin with
//! lines of the pool, are heated again, each to another temperature, and cooled; what they
//! come to joins the pool. The fewer lines are drawn from, the more of the budget is used.

use std::cmp::Reverse;

use solitree_core::{
    Annealed, Cast, Cooling, Counters, Furnace, Kit, Line, MarkOf, Plans, Puzzle, Rng, Score,
};

use super::{Anneal, AnnealConfig, marks_of};
use crate::lns::{Elite, Pool};
use crate::{Meter, Request, Search, Status};

/// Rounds between two looks at the outside.
const ROUNDS: u32 = 512;
/// The same at the very first, to see how long they take.
const FIRST_ROUNDS: u32 = 64;
/// How often the machine runs in a cycle, and for the first plans where no limit is known.
const CYCLE: u32 = 5;
const UNLIMITED: u32 = 20;
/// The part of the plans that make room after each run of the machine, once the first
/// plans have been half as long on their way as they have.
const RENEWED: f64 = 0.05;
/// Lines of a cycle that are looked at: to tell lines apart takes time.
const LOOKED_AT: usize = 100;
/// The part of the budget after which one line alone is drawn from.
const ALONE: f64 = 0.95;

/// The search on a machine.
pub struct Foundry<P: Puzzle, K: Kit<P>> {
    puzzle: P,
    kits: Vec<K>,
    plans: K::Plans,
    config: AnnealConfig,
    rng: Rng,
    /// None once it is lost.
    furnace: Option<Box<dyn Furnace<MarkOf<P, K>>>>,
    pool: Pool<P::Move>,
    batch: Option<Batch<MarkOf<P, K>>>,
    /// Whether the first plans are done.
    begun: bool,
    /// Goes on where the machine cannot.
    alone: Anneal<P, K::Plans>,
    handed_over: bool,
}

/// Plans on their way through the machine.
struct Batch<M> {
    casts: Vec<Cast<M>>,
    /// Of each place what it has come to is worth, and the best on the way.
    worths: Vec<Score>,
    bests: Vec<(Score, Vec<M>)>,
    /// Times the machine has run for it, and the part of the budget that was used before
    /// the last of these.
    runs: u32,
    last: f64,
    /// What part of the way they have come, in heat.
    passed: f64,
}

impl<M> Batch<M> {
    fn of(casts: Vec<Cast<M>>) -> Batch<M> {
        Batch { casts, worths: Vec::new(), bests: Vec::new(), runs: 0, last: 0.0, passed: 0.0 }
    }
}

impl<P: Puzzle, K: Kit<P>> Foundry<P, K> {
    pub(crate) fn new(
        puzzle: &P,
        kits: Vec<K>,
        furnace: Box<dyn Furnace<MarkOf<P, K>>>,
        config: &AnnealConfig,
        alone: Anneal<P, K::Plans>,
        request: &Request<'_, P::Move>,
    ) -> Self {
        let mut pool = Pool::new(config.elites as usize);
        if let Some(line) = request.line {
            pool.add(Elite::new(puzzle, &kits[0], line.clone(), 0));
        }
        Foundry {
            puzzle: puzzle.clone(),
            plans: kits[0].plans(puzzle),
            kits,
            config: config.clone(),
            rng: Rng::new(request.seed),
            furnace: Some(furnace),
            begun: request.line.is_some(),
            pool,
            batch: None,
            alone,
            handed_over: false,
        }
    }

    /// Takes a line that was found elsewhere, after which there are no plans from nothing.
    pub(crate) fn add(&mut self, elite: Elite<P::Move>) {
        self.pool.add(elite);
        self.begun = true;
    }

    /// Whether the first plans are done.
    #[cfg(test)]
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The next plans: from nothing, or lines of the pool that are heated again.
    fn next_batch(&mut self, places: usize, used: f64) -> Batch<MarkOf<P, K>> {
        let AnnealConfig { hot, warm, spread, first, .. } = self.config;
        if !self.begun || self.pool.elites().is_empty() {
            let variants = self.kits.len();
            let fresh =
                |place: usize| Cast { marks: Vec::new(), variant: place % variants, heat: hot };
            return Batch::of((0..places).map(fresh).collect());
        }
        let gone = ((used - first) / (ALONE - first).max(0.01)).clamp(0.0, 1.0);
        let all = self.pool.elites().len();
        let drawn = ((all as f64).powf(1.0 - gone).ceil() as usize).clamp(1, all);
        let lines = &self.pool.elites()[..drawn];
        let plans = &mut self.plans;
        let marks = |elite: &Elite<P::Move>| marks_of::<P, K::Plans>(plans, &elite.line.moves);
        let marks: Vec<Vec<MarkOf<P, K>>> = lines.iter().map(marks).collect();
        let variants: Vec<usize> = lines.iter().map(|elite| elite.variant).collect();
        let cast = |place: usize| {
            let heat = warm * spread.powf(2.0 * self.rng.unit() - 1.0);
            Cast { marks: marks[place % drawn].clone(), variant: variants[place % drawn], heat }
        };
        Batch::of((0..places).map(cast).collect())
    }

    /// The part of their way that plans will have come after the next run of the machine, and
    /// whether that run is the last one.
    fn aim(&self, batch: &Batch<MarkOf<P, K>>, used: f64) -> (f64, bool) {
        let runs = if self.begun { CYCLE } else { UNLIMITED };
        let counted = f64::from(batch.runs + 1) / f64::from(runs);
        if self.begun || used == 0.0 && batch.runs > 0 {
            return (counted, batch.runs + 1 >= runs);
        }
        // As far as the run before, which tells how long rounds take.
        let rounds = if batch.runs == 1 { ROUNDS / FIRST_ROUNDS } else { 1 };
        let step = (used - batch.last) * f64::from(rounds);
        let aim = ((used + step) / self.config.first.max(1e-9)).min(1.0);
        (aim.max(batch.passed), used + step / 2.0 >= self.config.first && batch.runs > 0)
    }

    /// Runs the machine once; false if it cannot.
    pub(crate) fn run(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let Some(furnace) = &self.furnace else { return false };
        let places = furnace.places();
        let (nodes, playouts) = meter.allowance();
        let room = nodes.min(playouts) / furnace.changes_a_round(places).max(1);
        if room == 0 {
            return false;
        }
        let used = meter.used();
        let mut batch = match self.batch.take() {
            Some(batch) => batch,
            None => self.next_batch(places, used),
        };
        let most = if self.begun || batch.runs > 0 { ROUNDS } else { FIRST_ROUNDS };
        let (aim, last) = self.aim(&batch, used);
        let AnnealConfig { hot, warm, cold, .. } = self.config;
        let hottest = if self.begun { warm } else { hot };
        let factor = (cold / hottest).min(1.0).powf(aim - batch.passed);
        let rounds = most.min(room.min(1 << 20) as u32);
        let cooling = Cooling { rounds, factor, price: self.config.price() };
        let seed = self.rng.next_u64();
        let Some(furnace) = &mut self.furnace else { return false };
        let before = furnace.tried();
        let Ok(found) = furnace.anneal(&batch.casts, &cooling, seed) else {
            self.furnace = None;
            return false;
        };
        let tried = furnace.tried() - before;
        // A board without moves has no plans to change.
        let spent = tried.max(u64::from(cooling.rounds));
        meter.count(Counters { playouts: spent, spent, ..Counters::default() });
        (batch.runs, batch.passed, batch.last) = (batch.runs + 1, aim, used);
        self.take(&mut batch, found, factor, meter);
        if last {
            self.end(&batch);
        } else {
            if !self.begun && aim > 0.5 {
                self.renew(&mut batch);
            }
            self.batch = Some(batch);
        }
        true
    }

    /// What the machine found is where the plans go on, and the best of it a line.
    fn take(
        &mut self,
        batch: &mut Batch<MarkOf<P, K>>,
        found: Vec<Annealed<MarkOf<P, K>>>,
        factor: f64,
        meter: &mut Meter<P::Move>,
    ) {
        if let Some(best) = found.iter().max_by_key(|annealed| annealed.best.0)
            && meter.improves(best.best.0)
            && let Some(line) = self.line(&best.best)
        {
            meter.offer(line);
        }
        batch.worths = found.iter().map(|annealed| annealed.last.0).collect();
        for (place, (cast, annealed)) in batch.casts.iter_mut().zip(found).enumerate() {
            cast.heat *= factor;
            cast.marks = annealed.last.1;
            match batch.bests.get_mut(place) {
                Some(best) if best.0 >= annealed.best.0 => {}
                Some(best) => *best = annealed.best,
                None => batch.bests.push(annealed.best),
            }
        }
    }

    /// The line of marks that are said to come to a score; a machine that lies is refused.
    fn line(&mut self, (score, marks): &(Score, Vec<MarkOf<P, K>>)) -> Option<Line<P::Move>> {
        let moves = self.plans.line(marks);
        let holds = solitree_core::replay(&self.puzzle, &moves)
            .is_ok_and(|end| self.puzzle.is_over(&end) && self.puzzle.score(&end) == *score);
        if !holds && let Some(mut furnace) = self.furnace.take() {
            furnace.refuse();
        }
        holds.then_some(Line { score: *score, moves })
    }

    /// The worst plans make room for copies of others.
    fn renew(&mut self, batch: &mut Batch<MarkOf<P, K>>) {
        let mut order: Vec<usize> = (0..batch.casts.len()).collect();
        order.sort_by_key(|&place| Reverse(batch.worths[place]));
        let half = order.len() / 2;
        let gone = (order.len() as f64 * RENEWED) as usize;
        if half == 0 {
            return;
        }
        for &place in &order[order.len() - gone..] {
            let other = order[self.rng.below(half as u32) as usize];
            batch.casts[place] = batch.casts[other].clone();
            batch.bests[place] = batch.bests[other].clone();
        }
    }

    /// What plans have come to joins the pool, one of each score.
    fn end(&mut self, batch: &Batch<MarkOf<P, K>>) {
        self.begun = true;
        let mut order: Vec<usize> = (0..batch.bests.len()).collect();
        order.sort_by_key(|&place| Reverse(batch.bests[place].0));
        order.dedup_by_key(|&mut place| batch.bests[place].0);
        for place in order.into_iter().take(LOOKED_AT) {
            let variant = batch.casts[place].variant;
            if let Some(line) = self.line(&batch.bests[place]) {
                self.pool.add(Elite::new(&self.puzzle, &self.kits[variant], line, variant));
            }
        }
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Foundry<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if let Some(reason) = meter.stop() {
            return Status::Done(reason);
        }
        if self.run(meter) {
            return Status::Going;
        }
        if !std::mem::replace(&mut self.handed_over, true) {
            self.alone.line = meter.best().cloned();
        }
        self.alone.step(meter)
    }

    /// The pool; what a cycle under way has come to is lost.
    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.rng, self.begun, &self.pool)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (rng, begun, pool): (Rng, bool, Pool<P::Move>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if pool.elites().iter().any(|elite| elite.variant >= self.kits.len()) {
            return Err("a line of a variant that the domain has not".to_owned());
        }
        (self.rng, self.begun, self.pool) = (rng, begun, pool);
        Ok(())
    }
}
