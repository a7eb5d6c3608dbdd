//! A swarm: thousands of short searches at a time, on a machine apart.
//!
//! A pool holds many good lines, no two alike. Narrow Monte-Carlo beams find the
//! first ones, from the start, and go on from cuts of lines in the pool. Between
//! them come generations of thousands of short NRPA searches: each cuts a line of
//! the pool at a random move and searches for a better end, with weights that
//! begin near the old one. What is found joins the pool if it is good enough.
//!
//! This is large-neighbourhood search ([`crate::lns`]) for a machine with room for
//! thousands of searches, a GPU. Without such a machine it is that search, with
//! the same parameters.
//!
//! # References
//! See [`crate::lns`] and [`crate::nrpa`].

mod beams;
mod config;
mod method;

use std::sync::{Arc, Mutex};

use solitree_core::{Counters, Effort, Kit, Line, Puzzle, Repair, Repaired, Repairs, Rng};

pub use config::SwarmConfig;

use self::beams::OneBeam;
use crate::lns::{Elite, Lns, Pool};
use crate::{Meter, Search, Status, lock};

/// The search on a machine.
pub struct Swarm<P: Puzzle, K> {
    puzzle: P,
    kits: Arc<Vec<K>>,
    config: SwarmConfig,
    rng: Rng,
    pool: Arc<Mutex<Pool<P::Move>>>,
    /// None once it is lost.
    machine: Option<Box<dyn Repairs<P::State, P::Move>>>,
    generation: u64,
    /// Beams since the last generation.
    beams: u64,
    beam: Option<OneBeam<P>>,
    /// Goes on where the machine cannot: it is lost, or the budget has no room for
    /// what it does at a time.
    alone: Lns<P, K>,
}

/// A search and the moves before it.
struct Task<P: Puzzle> {
    prefix: Vec<P::Move>,
    repair: Repair<P::State, P::Move>,
}

impl<P: Puzzle, K: Kit<P>> Swarm<P, K> {
    fn new(
        puzzle: &P,
        kits: Vec<K>,
        machine: Box<dyn Repairs<P::State, P::Move>>,
        config: &SwarmConfig,
        line: Option<&Line<P::Move>>,
        seed: u64,
    ) -> Self {
        let mut pool = Pool::new(config.pool as usize);
        if let Some(line) = line {
            pool.add(Elite { line: line.clone(), variant: 0 });
        }
        let (kits, pool) = (Arc::new(kits), Arc::new(Mutex::new(pool)));
        let alone =
            Lns::on_pool(puzzle, Arc::clone(&kits), &config.alone(), Arc::clone(&pool), seed);
        Swarm {
            puzzle: puzzle.clone(),
            kits,
            config: config.clone(),
            rng: Rng::new(seed),
            pool,
            machine: Some(machine),
            generation: 0,
            beams: 0,
            beam: None,
            alone,
        }
    }

    /// A search from the start.
    fn fresh(&mut self, number: usize) -> Task<P> {
        let variant = number % self.kits.len();
        let start = self.puzzle.start();
        Task { prefix: Vec::new(), repair: Repair { start, played: 0, variant, line: Vec::new() } }
    }

    /// A search for a better end of a line.
    fn repair(&mut self, elite: &Elite<P::Move>) -> Task<P> {
        let moves = &elite.line.moves;
        let longest = (moves.len() as f64 * self.config.longest) as u32;
        let mut kept = self.rng.below(longest + 1) as usize;
        // Not from where nothing better can come.
        let start = loop {
            let mut state = self.puzzle.start();
            for &mv in &moves[..kept] {
                self.puzzle.play(&mut state, mv);
            }
            let hope = self.puzzle.upper_bound(&state).is_none_or(|most| most > elite.line.score);
            if kept == 0 || hope {
                break state;
            }
            kept /= 2;
        };
        let other = self.rng.unit() < self.config.strange;
        let variant =
            if other { self.rng.below(self.kits.len() as u32) as usize } else { elite.variant };
        let line = moves[kept..].to_vec();
        let prefix = moves[..kept].to_vec();
        Task { prefix, repair: Repair { start, played: kept, variant, line } }
    }

    fn tasks(&mut self, count: usize) -> Vec<Task<P>> {
        let elites: Vec<Elite<P::Move>> = lock(&self.pool).elites().to_vec();
        let make = |number: usize| {
            if elites.is_empty() || self.rng.unit() < self.config.fresh {
                return self.fresh(number);
            }
            // The smallest of some draws: the better a line the more often.
            let len = elites.len() as u32;
            let drawn = (0..self.config.pressure).map(|_| self.rng.below(len)).min().unwrap_or(0);
            self.repair(&elites[drawn as usize])
        };
        (0..count).map(make).collect()
    }

    /// A generation; false if the machine cannot.
    fn generation(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let Some(machine) = &self.machine else { return false };
        let count = machine.places() * self.config.turns as usize;
        let first = lock(&self.pool).elites().is_empty();
        let SwarmConfig { lower, upper, first: long, .. } = self.config;
        let (lower, upper) = if first { (long, long) } else { (lower, upper) };
        let (nodes, playouts) = meter.allowance();
        if nodes.min(playouts) < count as u64 * lower * upper {
            return false;
        }
        let effort = Effort {
            lower: lower as u32,
            upper: upper as u32,
            warm: self.config.warm as u32,
            patience: self.config.patience as u32,
            alpha: self.config.alpha as f32,
        };
        let tasks = self.tasks(count);
        let seed = self.rng.next_u64();
        let repairs: Vec<_> = tasks.iter().map(|task| task.repair.clone()).collect();
        let Some(machine) = &mut self.machine else { return false };
        let before = machine.played();
        match machine.run(&repairs, &effort, seed) {
            Ok(found) => {
                let playouts = machine.played() - before;
                meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
                self.generation += 1;
                self.beams = 0;
                for (task, found) in tasks.into_iter().zip(found) {
                    self.take(task, found, meter);
                }
            }
            Err(_) => self.machine = None,
        }
        true
    }

    /// Takes what a search found, if it is good enough and holds.
    fn take(&mut self, task: Task<P>, found: Repaired<P::Move>, meter: &mut Meter<P::Move>) {
        let mut pool = lock(&self.pool);
        let worst = pool.elites().last().map(|elite| elite.line.score);
        if pool.is_full() && worst.is_some_and(|worst| worst >= found.score) {
            return;
        }
        let mut moves = task.prefix;
        moves.extend(found.moves);
        let holds = solitree_core::replay(&self.puzzle, &moves)
            .is_ok_and(|end| self.puzzle.is_over(&end) && self.puzzle.score(&end) == found.score);
        if !holds {
            if let Some(mut machine) = self.machine.take() {
                machine.refuse();
            }
            return;
        }
        let line = Line { score: found.score, moves };
        if meter.improves(line.score) {
            meter.offer(line.clone());
        }
        pool.add(Elite { line, variant: task.repair.variant });
    }
}

impl<P: Puzzle, K: Kit<P>> Search<P> for Swarm<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        if let Some(reason) = meter.stop() {
            return Status::Done(reason);
        }
        if self.beam_on(meter) || self.generation(meter) {
            Status::Going
        } else {
            self.alone.step(meter)
        }
    }

    fn finish(&mut self, meter: &mut Meter<P::Move>) {
        self.alone.finish(meter);
    }

    fn save(&self) -> Vec<u8> {
        let pool = lock(&self.pool).clone();
        postcard::to_stdvec(&(&self.rng, self.generation, pool)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let (rng, generation, pool): (Rng, u64, Pool<P::Move>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        if pool.elites().iter().any(|elite| elite.variant >= self.kits.len()) {
            return Err("a line of a variant that the domain has not".to_owned());
        }
        *lock(&self.pool) = pool;
        (self.rng, self.generation) = (rng, generation);
        Ok(())
    }
}
