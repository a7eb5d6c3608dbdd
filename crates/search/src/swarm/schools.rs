//! The schools of a swarm: a third level above the two of the machine's searches.
//!
//! All searches of a school begin with the same weights, at the start of the puzzle. After
//! each generation these move towards the best line of the school so far, which is
//! what a level of NRPA does with the levels below it, here many at a time. There are some schools
//! for each kit, under rules too that the playouts of beams do not know. The worst are closed
//! as time goes by, and the best line of each that is left begins a family. Swarms have none
//! unless asked for.
//!
//! # References
//! - C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011.
//! - B. Negrevergne and T. Cazenave, "Distributed Nested Rollout Policy for SameGame", 2017:
//!   many searches of the level below at a time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Effort, Kit, Line, Puzzle, Repair};

use super::{Swarm, family};
use crate::Meter;
use crate::lns::Elite;

/// The part of the schools that is still there at the end.
const LEFT: f64 = 0.25;

/// A school.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub(super) struct School<M> {
    variant: usize,
    room: usize,
    best: Option<Line<M>>,
}

impl<P: Puzzle, K: Kit<P>> Swarm<P, K> {
    /// A generation of all schools; false if it is not their time, or the machine cannot.
    pub(super) fn school_on(&mut self, meter: &mut Meter<P::Move>) -> bool {
        if !self.is_schooling(meter) {
            self.end_schools();
            return false;
        }
        let effort = self.effort(self.config.school, self.config.school, 1);
        let Some(machine) = &self.machine else { return false };
        let (nodes, playouts) = meter.allowance();
        if nodes.min(playouts) < machine.places() as u64 * machine.games(&effort) {
            return false;
        }
        if self.try_school(&effort, meter).is_err() {
            self.machine = None;
        }
        true
    }

    pub(super) fn is_schooling(&self, meter: &Meter<P::Move>) -> bool {
        let (_, time) = self.time_of(meter);
        let from = self.config.first;
        (from..from + self.config.taught()).contains(&time)
    }

    fn try_school(&mut self, effort: &Effort, meter: &mut Meter<P::Move>) -> Result<(), String> {
        if self.schools.is_empty() {
            self.open_schools();
        }
        if !std::mem::replace(&mut self.taught, true) {
            self.teach(true, effort)?;
        }
        self.close_some(meter);
        let places = self.machine.as_ref().map_or(0, |machine| machine.places());
        let searches: Vec<_> = (0..places.max(self.schools.len()))
            .map(|number| self.search_of(&self.schools[number % self.schools.len()], Vec::new()))
            .collect();
        let seed = self.rng.next_u64();
        let machine = self.machine.as_mut().ok_or("no machine")?;
        let before = machine.played();
        let found = machine.run(&searches, effort, seed)?;
        let playouts = machine.played() - before;
        meter.count(Counters { playouts, spent: playouts, ..Counters::default() });
        let schools = self.schools.len();
        for number in 0..schools {
            // Of equal ones the last: a school is not to stand still.
            let own = found.iter().skip(number).step_by(schools);
            let Some(best) = own.max_by_key(|found| found.score) else { continue };
            let known = self.schools[number].best.as_ref();
            if known.is_some_and(|known| known.score > best.score) {
                continue;
            }
            let line = Line { score: best.score, moves: best.moves.clone() };
            if !self.holds(&line) {
                return Ok(());
            }
            if meter.improves(line.score) {
                meter.offer(line.clone());
            }
            self.schools[number].best = Some(line);
        }
        self.teach(false, effort)
    }

    /// So many for each kit, in turn.
    fn open_schools(&mut self) {
        let rooms = self.machine.as_ref().map_or(0, |machine| machine.rooms());
        let count = (self.config.schools as usize).clamp(1, rooms.max(1));
        let kits = &self.kits.schools;
        let school = |room: usize| School { variant: kits[room % kits.len()], room, best: None };
        self.schools = (0..count).map(school).collect();
        (self.opened, self.taught) = (count as u64, false);
    }

    /// Closes those that are too many for the time that is left.
    fn close_some(&mut self, meter: &Meter<P::Move>) {
        let gone = (self.time_of(meter).1 - self.config.first) / self.config.taught();
        // Few at first: what comes late may come to more.
        let still = self.opened as f64 * LEFT.powf(gone * gone);
        let best = |school: &School<P::Move>| school.best.as_ref().map(|line| line.score);
        self.schools.sort_by_key(|school| std::cmp::Reverse(best(school)));
        self.schools.truncate((still.ceil() as usize).max(1));
    }

    fn search_of(&self, school: &School<P::Move>, line: Vec<P::Move>) -> Repair<P::State, P::Move> {
        let (start, variant, room) = (self.puzzle.start(), school.variant, Some(school.room));
        Repair { start, played: 0, variant, line, room }
    }

    /// Moves the weights of every school towards its best line.
    fn teach(&mut self, anew: bool, effort: &Effort) -> Result<(), String> {
        let lesson = |school: &School<P::Move>| {
            let best = school.best.as_ref().map_or_else(Vec::new, |line| line.moves.clone());
            self.search_of(school, best)
        };
        let lessons: Vec<_> = self.schools.iter().map(lesson).collect();
        self.machine.as_mut().ok_or("no machine")?.teach(&lessons, anew, effort)
    }

    /// The best line of each school begins a family.
    pub(super) fn end_schools(&mut self) {
        for School { variant, best, .. } in std::mem::take(&mut self.schools) {
            if let Some(line) = best {
                let elite = Elite::new(&self.puzzle, &self.kits.all[variant], line, variant);
                self.families.push(family(&self.config, elite));
                self.begun += 1;
            }
        }
    }

    /// Whether schools are of kits that there are, in rooms that there are.
    pub(super) fn are_sound(&self, schools: &[School<P::Move>]) -> bool {
        let rooms = self.machine.as_ref().map_or(usize::MAX, |machine| machine.rooms());
        schools.iter().all(|school| school.variant < self.kits.all.len() && school.room < rooms)
    }
}
