//! The beams of a swarm.

use solitree_core::{Counters, Job, Kit, Layers, Line, Plan, Puzzle, Score, Stage};

use super::Swarm;
use crate::lns::Elite;
use crate::{Meter, lock};

/// A beam on its way.
pub(super) struct OneBeam<P: Puzzle> {
    layers: Box<dyn Layers<P::Move>>,
    prefix: Vec<P::Move>,
    start: P::State,
    variant: usize,
    depth: u64,
    best: Option<Line<P::Move>>,
}

impl<P: Puzzle, K: Kit<P>> Swarm<P, K> {
    /// Lets a beam work for a while; false if it is not a beam's turn, or the machine
    /// has none.
    pub(super) fn beam_on(&mut self, meter: &mut Meter<P::Move>) -> bool {
        let (nodes, playouts) = meter.allowance();
        let most = nodes.min(playouts);
        if most < self.config.samples || self.machine.is_none() {
            return false;
        }
        let mut beam = match self.beam.take() {
            Some(beam) => beam,
            None => match self.begin_beam() {
                Some(beam) => beam,
                None => return false,
            },
        };
        match beam.layers.next(most) {
            Ok(Stage::Expanded(nodes)) => {
                beam.depth += 1;
                let deepest = beam.depth + beam.prefix.len() as u64;
                let (spent, depth_sum) = (nodes.max(1), nodes * deepest);
                meter.count(Counters { nodes, spent, depth_sum, deepest, ..Counters::default() });
            }
            Ok(Stage::Played(playouts)) => {
                meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
            }
            Ok(Stage::Layer { best, .. }) => {
                let score = beam.best.as_ref().map_or(Score::MIN, |line| line.score);
                if best > score && !self.take_layer(&mut beam, best, meter) {
                    self.machine = None;
                    return true;
                }
            }
            Ok(Stage::Over) => {
                self.beams += 1;
                if let Some(line) = beam.best {
                    lock(&self.pool).add(Elite { line, variant: beam.variant });
                }
                return true;
            }
            Err(_) => {
                self.machine = None;
                return true;
            }
        }
        self.beam = Some(beam);
        true
    }

    /// The next beam, if it is a beam's turn.
    fn begin_beam(&mut self) -> Option<OneBeam<P>> {
        let first = self.generation == 0;
        let due = if first { self.config.first_beams } else { self.config.beams };
        if self.beams >= due {
            return None;
        }
        let from_start = first || self.rng.unit() < self.config.root;
        let elite = if from_start { None } else { lock(&self.pool).draw(&mut self.rng).cloned() };
        let task = match &elite {
            Some(elite) => self.repair(elite),
            None => self.fresh(self.beams as usize),
        };
        let (prefix, start, variant) = (task.prefix, task.repair.start, task.repair.variant);
        let (width, samples) = (self.config.width, self.config.samples);
        let seeds = self.rng.next_u64();
        let plan = Plan { start: &start, seeds, width, samples, bonus: 0.0 };
        let layers = self.kits[variant].layers(&self.puzzle, &plan)?;
        Some(OneBeam { layers, prefix, start, variant, depth: 0, best: None })
    }

    /// Takes the best playout of a layer; false if it does not hold.
    fn take_layer(&self, beam: &mut OneBeam<P>, score: Score, meter: &mut Meter<P::Move>) -> bool {
        let Ok((moves, seed)) = beam.layers.best() else { return false };
        let mut state = beam.start.clone();
        for &mv in &moves {
            self.puzzle.play(&mut state, mv);
        }
        let kit = &self.kits[beam.variant];
        let mut jobs = [Job::new(state.clone(), seed)];
        kit.run(&self.puzzle, &mut jobs);
        if jobs[0].score != score {
            beam.layers.refuse();
            return false;
        }
        let mut line = beam.prefix.clone();
        line.extend(moves);
        for &mv in &jobs[0].moves {
            let mv = kit.canonical(&self.puzzle, &state, mv);
            line.push(mv);
            self.puzzle.play(&mut state, mv);
        }
        let line = Line { score, moves: line };
        if meter.improves(score) {
            meter.offer(line.clone());
        }
        beam.best = Some(line);
        true
    }
}
