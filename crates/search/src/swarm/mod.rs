//! A swarm: thousands of short searches at a time, on a machine apart.
//!
//! Narrow Monte-Carlo beams from the start come first, with what has worked best
//! so far on this board (see arms.rs); what each finds is the first line of a
//! family of its own. Then generations of thousands of short NRPA
//! searches begin: each cuts a line of a family at a random move and searches for
//! a better end, with weights that begin near the old one; a few beams go on from
//! such cuts too. The worst families are given up as the budget goes by, until the
//! best has the machine for itself. (With one pool for all, the descendants of the
//! first good line soon filled it, and the search stood still.) All that is a round,
//! of which there may be several; the last one has the best lines of the others too.
//! In the last part of the budget the best lines of all families are annealed (see
//! [`crate::anneal`]), if the machine can do that.
//!
//! This is large-neighbourhood search ([`crate::lns`]) for a machine with room for
//! thousands of searches, a GPU. Without such a machine it is that search, with
//! the same parameters.
//!
//! # References
//! See [`crate::lns`] and [`crate::nrpa`].

mod arms;
mod beams;
mod config;
mod method;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::{Arc, Mutex};

use solitree_core::{Counters, Effort, Kit, Line, Puzzle, Repair, Repaired, Repairs, Rng};

pub use config::SwarmConfig;

use self::arms::{Arms, Kits};
use self::beams::OneBeam;
use crate::anneal::Foundry;
use crate::lns::{Elite, Lns, Pool, cut};
use crate::{Meter, Search, Status, lock};

/// The part of a round after which the best family is alone.
const ALONE: f64 = 0.9;
/// Lines that are looked at for each that a family keeps.
const LOOKED_AT: usize = 4;

/// The search on a machine.
pub struct Swarm<P: Puzzle, K: Kit<P>> {
    puzzle: P,
    kits: Kits<K>,
    arms: Arms,
    config: SwarmConfig,
    rng: Rng,
    /// Rounds before this one, and the best line of each.
    round: u64,
    elders: Vec<Elite<P::Move>>,
    /// The best first.
    families: Vec<Pool<P::Move>>,
    /// None once it is lost.
    machine: Option<Box<dyn Repairs<P::State, P::Move>>>,
    /// Beams from the start.
    begun: u64,
    /// Beams since the last generation.
    beams: u64,
    beam: Option<OneBeam<P>>,
    /// Anneals what families have come to; none where the machine cannot. Once it has
    /// begun, families go on only if it cannot.
    foundry: Option<Foundry<P, K>>,
    annealing: bool,
    /// Goes on where the machine cannot: it is lost, or the budget has no room for
    /// what it does at a time.
    alone: Lns<P, K>,
    /// What that repairs: the families' best, once they have been handed over.
    pool: Arc<Mutex<Pool<P::Move>>>,
    handed_over: bool,
}

/// What repairs lines, and what anneals them if it can.
type Machines<P, K> =
    (Box<dyn Repairs<<P as Puzzle>::State, <P as Puzzle>::Move>>, Option<Foundry<P, K>>);

/// A search, the family it is for, and the moves before it.
struct Task<P: Puzzle> {
    family: usize,
    prefix: Vec<P::Move>,
    repair: Repair<P::State, P::Move>,
}

impl<P: Puzzle, K: Kit<P>> Swarm<P, K> {
    fn new(
        puzzle: &P,
        kits: Kits<K>,
        (machine, foundry): Machines<P, K>,
        config: &SwarmConfig,
        line: Option<&Line<P::Move>>,
        seed: u64,
    ) -> Self {
        let given = |line: &Line<P::Move>| Elite::new(puzzle, &kits.all[0], line.clone(), 0);
        let families = line.into_iter().map(|line| family(config, given(line))).collect();
        let pool = Arc::new(Mutex::new(Pool::new(config.alone().pool as usize)));
        let all = Arc::new(kits.all.clone());
        let alone = Lns::on_pool(puzzle, all, &config.alone(), Arc::clone(&pool), seed);
        Swarm {
            puzzle: puzzle.clone(),
            arms: kits.arms(),
            kits,
            config: SwarmConfig { rounds: config.rounds.max(1), ..config.clone() },
            rng: Rng::new(seed),
            round: 0,
            elders: Vec::new(),
            families,
            machine: Some(machine),
            foundry,
            annealing: false,
            begun: 0,
            beams: 0,
            beam: None,
            alone,
            pool,
            handed_over: false,
        }
    }

    /// Anneals when it is time for it and the machine can; says whether it has.
    fn anneal(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let late = meter.used() >= 1.0 - self.config.anneal && !self.families.is_empty();
        let Some(foundry) = self.foundry.as_mut().filter(|_| late || self.annealing) else {
            return false;
        };
        if !std::mem::replace(&mut self.annealing, true) {
            let all = self.families.iter().flat_map(Pool::elites).chain(&self.elders);
            all.for_each(|elite| foundry.add(elite.clone()));
        }
        foundry.run(meter)
    }

    /// Which round it is time for, and the part of it that is over.
    fn time_of(&self, meter: &Meter<P::Move>) -> (u64, f64) {
        let all = meter.used() * self.config.rounds as f64;
        let round = (all as u64).min(self.config.rounds - 1);
        (round, all - round as f64)
    }

    /// Begins a new round when it is time.
    fn begin_round(&mut self, meter: &Meter<P::Move>) {
        let (now, _) = self.time_of(meter);
        if now <= self.round {
            return;
        }
        self.round = now;
        let best = self.families.iter().filter_map(|family| family.elites().first());
        self.elders.extend(best.max_by_key(|elite| elite.line.score).cloned());
        (self.families, self.beam, self.begun, self.beams) = (Vec::new(), None, 0, 0);
        if now + 1 == self.config.rounds {
            let elders = std::mem::take(&mut self.elders);
            self.begun = elders.len() as u64;
            self.families = elders.into_iter().map(|elder| family(&self.config, elder)).collect();
        }
    }

    /// Whether the first lines are still looked for.
    fn is_beginning(&self, meter: &Meter<P::Move>) -> bool {
        self.families.is_empty() || self.time_of(meter).1 < self.config.first
    }

    /// A search for a better end of a line.
    fn repair(&mut self, family: usize, elite: &Elite<P::Move>) -> Task<P> {
        let moves = &elite.line.moves;
        let (kept, start) = cut(&self.puzzle, &elite.line, self.config.longest, &mut self.rng);
        let other = self.rng.unit() < self.config.strange;
        let kin = self.kits.kin(elite.variant);
        let variant = if other {
            kin.start + self.rng.below(kin.len() as u32) as usize
        } else {
            elite.variant
        };
        let line = moves[kept..].to_vec();
        let prefix = moves[..kept].to_vec();
        Task { family, prefix, repair: Repair { start, played: kept, variant, line } }
    }

    /// Gives up the families that are too many for what is left of the round.
    fn thin_out(&mut self, used: f64) {
        let best = |pool: &Pool<P::Move>| pool.elites().first().map(|elite| elite.line.score);
        self.families.sort_by_key(|family| Reverse(best(family)));
        let first = self.config.first;
        let gone = ((used - first) / (ALONE - first).max(0.01)).clamp(0.0, 1.0);
        let still = (self.begun as f64).powf(1.0 - gone).ceil() as usize;
        self.families.truncate(still.max(1));
    }

    fn tasks(&mut self, count: usize) -> Vec<Task<P>> {
        let families = std::mem::take(&mut self.families);
        let mut tasks = Vec::with_capacity(count);
        while tasks.len() < count {
            let number = tasks.len() % families.len();
            let Some(elite) = families[number].draw(&mut self.rng) else { break };
            tasks.push(self.repair(number, elite));
        }
        self.families = families;
        tasks
    }

    /// A generation; false if the machine cannot.
    fn generation(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let Some(machine) = &self.machine else { return false };
        if self.families.is_empty() {
            return false;
        }
        let count = machine.places() * self.config.turns as usize;
        let effort = Effort {
            lower: self.config.lower as u32,
            upper: self.config.upper as u32,
            warm: self.config.warm as u32,
            patience: self.config.patience as u32,
            alpha: self.config.alpha as f32,
        };
        let (nodes, playouts) = meter.allowance();
        if nodes.min(playouts) < count as u64 * machine.games(&effort) {
            return false;
        }
        self.thin_out(self.time_of(meter).1);
        let tasks = self.tasks(count);
        let seed = self.rng.next_u64();
        let repairs: Vec<_> = tasks.iter().map(|task| task.repair.clone()).collect();
        let Some(machine) = &mut self.machine else { return false };
        let before = machine.played();
        match machine.run(&repairs, &effort, seed) {
            Ok(found) => {
                let playouts = machine.played() - before;
                meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
                self.beams = 0;
                for (task, found) in self.worth_a_look(tasks, found) {
                    self.take(task, found, meter);
                }
            }
            Err(_) => self.machine = None,
        }
        true
    }

    /// Of all that was found for a family one line of each score, the best first and not
    /// many: to tell all of them apart takes as long as the machine takes to find them.
    fn worth_a_look(
        &self,
        tasks: Vec<Task<P>>,
        found: Vec<Repaired<P::Move>>,
    ) -> Vec<(Task<P>, Repaired<P::Move>)> {
        let mut all: Vec<_> = tasks.into_iter().zip(found).collect();
        all.sort_by_key(|(task, found)| (task.family, Reverse(found.score)));
        all.dedup_by_key(|(task, found)| (task.family, found.score));
        let most = LOOKED_AT * self.config.pool as usize;
        let mut before = vec![0; self.families.len()];
        all.retain(|(task, _)| {
            before[task.family] += 1;
            before[task.family] <= most
        });
        all
    }

    /// Takes what a search found, if it is good enough and holds.
    fn take(&mut self, task: Task<P>, found: Repaired<P::Move>, meter: &mut Meter<P::Move>) {
        let Some(pool) = self.families.get(task.family) else { return };
        let worst = pool.elites().last().map(|elite| elite.line.score);
        if pool.is_full() && worst.is_some_and(|worst| worst >= found.score) {
            return;
        }
        let mut moves = task.prefix;
        moves.extend(found.moves);
        let line = Line { score: found.score, moves };
        if !self.holds(&line) {
            return;
        }
        if meter.improves(line.score) {
            meter.offer(line.clone());
        }
        let variant = task.repair.variant;
        let elite = Elite::new(&self.puzzle, &self.kits.all[variant], line, variant);
        self.families[task.family].add(elite);
    }

    /// Whether a line that the machine found is one; a machine that lies is refused.
    fn holds(&mut self, line: &Line<P::Move>) -> bool {
        let holds = solitree_core::replay(&self.puzzle, &line.moves)
            .is_ok_and(|end| self.puzzle.is_over(&end) && self.puzzle.score(&end) == line.score);
        if !holds && let Some(mut machine) = self.machine.take() {
            machine.refuse();
        }
        holds
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Swarm<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if let Some(reason) = meter.stop() {
            return Status::Done(reason);
        }
        if self.anneal(meter) {
            return Status::Going;
        }
        self.begin_round(meter);
        if self.beam_on(meter) || self.generation(meter) {
            return Status::Going;
        }
        if !std::mem::replace(&mut self.handed_over, true) {
            let best = self.families.iter().filter_map(|family| family.elites().first());
            best.chain(&self.elders).for_each(|elite| lock(&self.pool).add(elite.clone()));
        }
        self.alone.step(meter)
    }

    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        self.alone.finish(meter);
    }

    fn save(&self) -> Vec<u8> {
        let rounds = (self.round, &self.elders);
        let foundry = self.foundry.as_ref().map(|foundry| (self.annealing, foundry.save()));
        let all = (&self.rng, self.begun, &self.families, &self.arms, rounds, foundry);
        postcard::to_stdvec(&all).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        type Foundries = Option<(bool, Vec<u8>)>;
        type All<M> = (Rng, u64, Vec<Pool<M>>, Arms, (u64, Vec<Elite<M>>), Foundries);
        let (rng, begun, families, arms, rounds, foundry): All<P::Move> =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let mut elites = families.iter().flat_map(Pool::elites).chain(&rounds.1);
        if elites.any(|elite| elite.variant >= self.kits.all.len()) || !arms.are_like(&self.arms) {
            return Err("a line of a variant that the domain has not".to_owned());
        }
        (self.rng, self.begun, self.families, self.arms) = (rng, begun, families, arms);
        (self.round, self.elders) = rounds;
        if let (Some(own), Some((annealing, saved))) = (&mut self.foundry, foundry) {
            own.load(&saved)?;
            self.annealing = annealing;
        }
        Ok(())
    }
}

/// A family with its first line.
fn family<M: Copy + PartialEq>(config: &SwarmConfig, elite: Elite<M>) -> Pool<M> {
    let mut family = Pool::new(config.pool as usize);
    family.add(elite);
    family
}
