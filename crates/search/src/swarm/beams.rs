//! The beams of a swarm.

use solitree_core::{Counters, Job, Kit, Layers, Line, Plan, Puzzle, Score, Stage};

use super::{Swarm, family};
use crate::Meter;
use crate::lns::Elite;

/// A beam on its way.
pub(super) struct OneBeam<P: Puzzle> {
    layers: Box<dyn Layers<P::Move>>,
    /// None if it begins one.
    family: Option<usize>,
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
            None => match self.begin_beam(meter) {
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
                if let Some(line) = beam.best {
                    let elite = Elite { line, variant: beam.variant };
                    match beam.family.and_then(|family| self.families.get_mut(family)) {
                        Some(family) => family.add(elite),
                        None => self.families.push(family(&self.config, elite)),
                    }
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

    /// The next beam, if it is a beam's turn: from the start as long as first lines
    /// are looked for, then from a line of a family.
    fn begin_beam(&mut self, meter: &Meter<P::Move>) -> Option<OneBeam<P>> {
        let (family, prefix, start, variant) = if self.is_beginning(meter) {
            self.begun += 1;
            let variant = (self.begun - 1) as usize % self.kits.len();
            (None, Vec::new(), self.puzzle.start(), variant)
        } else if self.beams < self.config.beams {
            self.beams += 1;
            let number = self.rng.below(self.families.len() as u32) as usize;
            let elite = self.families[number].draw(&mut self.rng)?.clone();
            let task = self.repair(number, &elite);
            (Some(number), task.prefix, task.repair.start, task.repair.variant)
        } else {
            return None;
        };
        let (width, samples) = (self.config.width, self.config.samples);
        let seeds = self.rng.next_u64();
        let plan = Plan { start: &start, seeds, width, samples, bonus: 0.0 };
        let layers = self.kits[variant].layers(&self.puzzle, &plan)?;
        Some(OneBeam { layers, family, prefix, start, variant, depth: 0, best: None })
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
