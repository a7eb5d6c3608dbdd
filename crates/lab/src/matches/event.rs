//! A match: who meets whom, from which openings, and the games played so far.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use solitree_core::mix;
use solitree_games::colorshapelinks::{AnyGame, Layout};

use super::agent::Agent;
use super::meeting::signature;
use super::opening::opening;
use super::player::{Pace, Seat, seat};
use super::referee::{End, GameRecord, Terms, play};
use crate::Failure;
use crate::journal::{Appender, each_line, hold};
use crate::lock;
use crate::parallel::parallel;

/// What is played.
#[derive(Clone, Debug)]
pub struct Event {
    /// Who takes part; no two of one name.
    pub agents: Vec<Agent>,
    /// Whether everybody meets the first only, instead of everybody.
    pub gauntlet: bool,
    /// Pairs of games of each two: the same opening with sides swapped.
    pub pairs: u64,
    /// Random moves of an opening.
    pub plies: usize,
    /// Board, line and supplies.
    pub layout: Layout,
    /// How long players think.
    pub pace: Pace,
    /// What the referee lets pass beyond the limit.
    pub margin: Duration,
    /// The seed of it all.
    pub seed: u64,
    /// Games at a time.
    pub concurrency: usize,
}

impl Event {
    /// Checks what can be wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |text: String| Err(Failure::usage(text));
        if let Err(error) = AnyGame::new(self.layout) {
            return wrong(error.to_string());
        }
        if self.agents.len() < 2 {
            return wrong("a match takes two agents at least".to_owned());
        }
        for (index, agent) in self.agents.iter().enumerate() {
            if self.agents[..index].iter().any(|other| other.name == agent.name) {
                return wrong(format!("'{}' is named twice", agent.name));
            }
        }
        if self.pairs == 0 || self.games() > 100_000_000 {
            return wrong("no games at all, or more than a hundred million".to_owned());
        }
        if self.pace.limit.is_zero() || self.pace.playouts == Some(0) {
            return wrong("no time at all to think".to_owned());
        }
        if self.pace.limit.max(self.margin) > Pace::LONGEST {
            return wrong("more than a day for a move".to_owned());
        }
        Ok(())
    }

    /// Who meets whom.
    #[must_use]
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        let count = self.agents.len();
        let first = if self.gauntlet { 1 } else { count };
        (0..first).flat_map(|one| (one + 1..count).map(move |other| (one, other))).collect()
    }

    /// How many games there are.
    #[must_use]
    pub fn games(&self) -> u64 {
        (self.pairings().len() as u64).saturating_mul(self.pairs).saturating_mul(2)
    }

    /// The pairing, the pair and whether sides are swapped, of a game by its
    /// number: all pairings come on alike.
    fn place(&self, number: u64) -> ((usize, usize), u64, bool) {
        let pairings = self.pairings();
        let (half, swapped) = (number / 2, !number.is_multiple_of(2));
        let pairing = pairings[(half % pairings.len() as u64) as usize];
        (pairing, half / pairings.len() as u64, swapped)
    }

    /// A hash of all that a game is asked to be.
    fn task(&self, number: u64) -> String {
        let ((one, other), pair, swapped) = self.place(number);
        let Pace { limit, playouts, reserve, memory } = self.pace;
        // Games of other builds that play otherwise are not these.
        let text = format!(
            "{} {:?} {:?} {pair} {swapped} {} {} {limit:?} {playouts:?} {reserve:?} {memory} {}",
            signature(),
            self.agents[one],
            self.agents[other],
            self.layout,
            self.plies,
            self.seed
        );
        format!("{:016x}", text.bytes().fold(mix(0x3A7C), |hash, byte| mix(hash ^ u64::from(byte))))
    }

    fn record(&self, number: u64, build: &str, seats: &mut [Box<dyn Seat>]) -> GameRecord {
        let ((one, other), pair, swapped) = self.place(number);
        let (white, red) = if swapped { (other, one) } else { (one, other) };
        let opening = opening(self.layout, self.plies, self.seed, pair);
        let paces = [white, red].map(|agent| self.pace.times(self.agents[agent].budget));
        let terms = Terms { layout: self.layout, paces, margin: self.margin };
        let seed = |agent: usize| mix(mix(self.seed ^ mix(number)) ^ agent as u64);
        let [first, second] = seats else { unreachable!("two seats for a game") };
        let seeds = [seed(white), seed(red)];
        let played = play([&mut **first, &mut **second], terms, &opening, seeds);
        GameRecord {
            number,
            white: self.agents[white].name.clone(),
            red: self.agents[red].name.clone(),
            layout: self.layout,
            opening: opening.len(),
            moves: played.moves,
            result: played.result.to_owned(),
            end: played.end.unwrap_or(End::Board),
            note: played.note,
            times: played.times,
            values: played.values,
            playouts: played.playouts,
            task: self.task(number),
            build: build.to_owned(),
        }
    }

    /// Plays what is left and hands every game to `see`, those of earlier times
    /// first. `see` says whether to go on. With a folder, games are kept there.
    pub fn run(
        &self,
        folder: Option<&Path>,
        build: &str,
        interrupt: &AtomicBool,
        see: &mut dyn FnMut(&GameRecord) -> bool,
    ) -> Result<()> {
        self.check()?;
        let _held = folder.map(hold).transpose()?;
        let mut known: BTreeMap<u64, GameRecord> = BTreeMap::new();
        let mut out = None;
        if let Some(folder) = folder {
            let path = folder.join("games.jsonl");
            each_line(&path, |line, record: GameRecord| {
                if record.number >= self.games() || record.task != self.task(record.number) {
                    return Err(Failure::usage(format!(
                        "{}, line {line}: a game of another match. Choose another --out, or \
                         delete the folder",
                        path.display()
                    )));
                }
                known.entry(record.number).or_insert(record);
                Ok(())
            })?;
            out = Some(Appender::open(&path)?.0);
        }
        for record in known.values() {
            if !see(record) {
                return Ok(());
            }
        }
        // Players are seated once and keep their programs from game to game.
        let free: Mutex<BTreeMap<usize, Vec<Box<dyn Seat>>>> = Mutex::default();
        let enough = AtomicBool::new(false);
        let job = |number: u64, _: &AtomicBool| {
            if known.contains_key(&number) || enough.load(std::sync::atomic::Ordering::Relaxed) {
                return Ok(None);
            }
            let ((one, other), _, swapped) = self.place(number);
            let order = if swapped { [other, one] } else { [one, other] };
            let take = |agent: usize| {
                let spare = lock(&free).get_mut(&agent).and_then(Vec::pop);
                spare.unwrap_or_else(|| seat(&self.agents[agent]))
            };
            let mut seats: Vec<Box<dyn Seat>> = order.into_iter().map(take).collect();
            let record = self.record(number, build, &mut seats);
            for (agent, seat) in order.into_iter().zip(seats) {
                lock(&free).entry(agent).or_default().push(seat);
            }
            Ok(Some(record))
        };
        parallel(self.games(), self.concurrency.max(1), interrupt, job, |record| {
            if let Some(out) = &mut out {
                out.add(&record)?;
            }
            if !see(&record) {
                enough.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(())
        })
    }
}
