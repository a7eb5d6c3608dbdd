//! The beams of a swarm.

use solitree_core::{Kit, Line, Plan, Puzzle, Score};

use super::{Swarm, family};
use crate::Meter;
use crate::apart::{self, Came};
use crate::lns::Elite;

/// A beam on its way.
pub(super) struct OneBeam<P: Puzzle> {
    beam: apart::Beam<P>,
    /// None if it begins one.
    family: Option<usize>,
    variant: usize,
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
        let Some(mut one) = self.beam.take().or_else(|| self.begin_beam(meter)) else {
            return false;
        };
        match one.beam.advance(most, meter) {
            Came::On => {}
            Came::Layer(score) => {
                let before = one.best.as_ref().map_or(Score::MIN, |line| line.score);
                if score > before {
                    let line = one.beam.line(&self.puzzle, &self.kits.all[one.variant], score);
                    let Some(line) = line else {
                        self.machine = None;
                        return true;
                    };
                    if meter.improves(score) {
                        meter.offer(line.clone());
                    }
                    one.best = Some(line);
                }
            }
            Came::Over => {
                if one.family.is_none() {
                    let score = one.best.as_ref().map(|line| line.score);
                    self.arms.hear(one.variant, score.unwrap_or(Score(0)));
                }
                if let Some(line) = one.best {
                    let kit = &self.kits.all[one.variant];
                    let elite = Elite::new(&self.puzzle, kit, line, one.variant);
                    match one.family.and_then(|family| self.families.get_mut(family)) {
                        Some(family) => family.add(elite),
                        None => self.families.push(family(&self.config, elite)),
                    }
                }
                return true;
            }
            Came::Lost => {
                self.machine = None;
                return true;
            }
        }
        self.beam = Some(one);
        true
    }

    /// The next beam, if it is a beam's turn: from the start as long as first lines
    /// are looked for, then from a line of a family.
    fn begin_beam(&mut self, meter: &Meter<P::Move>) -> Option<OneBeam<P>> {
        let (family, prefix, start, variant) = if self.is_beginning(meter) {
            self.begun += 1;
            (None, Vec::new(), self.puzzle.start(), self.arms.next())
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
        let beam = apart::Beam::begin(&self.puzzle, &self.kits.all[variant], prefix, &plan)?;
        Some(OneBeam { beam, family, variant, best: None })
    }
}
