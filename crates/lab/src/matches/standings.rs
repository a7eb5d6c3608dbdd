//! What the games of a match say: everything here is computed from the records
//! alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::referee::{End, GameRecord};
use crate::report::Table;
use crate::stats::{Anchor, Bound, Crosstable, Fit, Pairs, Rating, Sprt, Verdict, rate};

/// The games so far.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    /// In the order they were named, then of their first game.
    pub(super) agents: Vec<String>,
    /// What each pairing has come to, by the agents' places, the lower first.
    pub(super) pairings: BTreeMap<(usize, usize), Pairing>,
    /// Halves of pairs whose other game is still to come, by the pair's number:
    /// points of the lower agent, in halves.
    waiting: BTreeMap<u64, usize>,
    /// What went wrong, by agent.
    troubles: BTreeMap<(usize, End), u64>,
    /// The first game of each kind, and the trouble in words, by agent.
    notes: BTreeMap<(usize, End), (u64, String)>,
    /// Milliseconds of the moves of each.
    times: Vec<Vec<f64>>,
    /// Games won by White, drawn, and won by Red.
    colours: [u64; 3],
    /// How many games had so many moves, the opening's included.
    pub(super) lengths: BTreeMap<u64, u64>,
    /// The programs that refereed.
    pub(super) builds: BTreeSet<String>,
    games: u64,
}

/// Two agents' games.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pairing {
    pub(super) pairs: Pairs,
    /// Won, drawn and lost by the first, as White and as Red.
    pub(super) results: [[u64; 3]; 2],
}

impl Pairing {
    /// Won, drawn and lost by the first.
    pub(super) fn sums(&self) -> [u64; 3] {
        let [white, red] = self.results;
        [white[0] + red[0], white[1] + red[1], white[2] + red[2]]
    }
}

/// The part of the points that were made, draws as halves.
pub(super) fn score([won, drawn, lost]: [u64; 3]) -> f64 {
    (2 * won + drawn) as f64 / (2 * (won + drawn + lost).max(1)) as f64
}

impl Standings {
    /// No games yet, of agents in this order.
    #[must_use]
    pub fn new<'a>(agents: impl Iterator<Item = &'a str>) -> Standings {
        let mut standings = Standings::default();
        agents.for_each(|name| {
            standings.agent(name);
        });
        standings
    }

    /// Takes note of a game.
    pub fn add(&mut self, record: &GameRecord) {
        let halves = match record.result.as_str() {
            "W" => 2,
            "R" => 0,
            _ => 1,
        };
        let (white, red) = self.count(record.number, &record.white, &record.red, halves);
        *self.lengths.entry(record.moves.len() as u64).or_default() += 1;
        if !self.builds.contains(&record.build) {
            self.builds.insert(record.build.clone());
        }
        if record.end != End::Board {
            let loser = if halves == 2 { red } else { white };
            *self.troubles.entry((loser, record.end)).or_default() += 1;
            let note = (record.number, record.note.clone());
            let first = self.notes.entry((loser, record.end)).or_insert_with(|| note.clone());
            *first = note.min(first.clone());
        }
        for (index, &time) in record.times.iter().enumerate() {
            let whites = (record.opening + index).is_multiple_of(2);
            self.times[if whites { white } else { red }].push(time);
        }
    }

    /// Takes note of a result: the half points of White. Two games whose numbers
    /// follow each other are a pair, the even one first.
    pub fn count(&mut self, number: u64, white: &str, red: &str, halves: usize) -> (usize, usize) {
        let (white, red) = (self.agent(white), self.agent(red));
        self.games += 1;
        self.colours[2 - halves] += 1;
        let first = white.min(red);
        let first_is_white = first == white;
        let points = if first_is_white { halves } else { 2 - halves };
        let pairing = self.pairings.entry((first, white.max(red))).or_default();
        pairing.results[usize::from(!first_is_white)][2 - points] += 1;
        match self.waiting.remove(&(number / 2)) {
            Some(other) => {
                pairing.pairs.add(points + other);
            }
            None => {
                self.waiting.insert(number / 2, points);
            }
        }
        (white, red)
    }

    fn agent(&mut self, name: &str) -> usize {
        if let Some(place) = self.agents.iter().position(|known| known == name) {
            return place;
        }
        self.agents.push(name.to_owned());
        self.times.push(Vec::new());
        self.agents.len() - 1
    }

    /// How many games there are.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The pairs of the first two agents, seen by the first.
    #[must_use]
    pub fn first_pairs(&self) -> Pairs {
        self.pairings.get(&(0, 1)).map_or_else(Pairs::default, |pairing| pairing.pairs)
    }

    /// Every pairing: games, points, Elo from pairs.
    #[must_use]
    pub fn pairings(&self) -> Table {
        let head =
            ["agent", "against", "games", "won", "drawn", "lost", "score", "Elo", "95 %", "LOS"];
        let rows = self.pairings.iter().map(|(&(one, other), pairing)| {
            let [won, drawn, lost] = pairing.sums();
            let elo = pairing.pairs.elo();
            vec![
                self.agents[one].clone(),
                self.agents[other].clone(),
                (won + drawn + lost).to_string(),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
                format!("{:.1} %", 100.0 * score(pairing.sums())),
                written(elo.difference),
                format!("{} to {}", written(elo.low), written(elo.high)),
                pairing.pairs.los().map_or_else(String::new, |los| format!("{:.1} %", 100.0 * los)),
            ]
        });
        Table {
            title: "pairings".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// Ratings of all by Bradley and Terry, the best first and the last named at 0,
    /// with the virtual draws they needed; or why there are none.
    pub(super) fn rated(&self) -> Result<(Vec<Rating>, f64), String> {
        let mut results = Crosstable::default();
        for (&(one, other), pairing) in &self.pairings {
            let [won, drawn, lost] = pairing.sums();
            results.add(&self.agents[one], &self.agents[other], won, drawn, lost);
        }
        let anchor = self.agents.last().cloned().map_or(Anchor::Mean, Anchor::Player);
        let fit = Fit { anchor, virtual_draws: 0.0 };
        let ratings = rate(&results, &fit).map_err(|error| error.to_string())?;
        let mut players = ratings.players;
        players.sort_by(|one, other| other.elo.total_cmp(&one.elo));
        Ok((players, ratings.virtual_draws))
    }

    /// The ratings as a table, or why there are none.
    pub fn ratings(&self) -> Result<Table, String> {
        let (players, virtual_draws) = self.rated()?;
        let rows = players.iter().map(|rating| {
            vec![
                rating.name.clone(),
                format!("{:+.0}", rating.elo),
                format!("{:+.0} to {:+.0}", rating.low, rating.high),
            ]
        });
        let mut title = "ratings (Bradley-Terry)".to_owned();
        if virtual_draws > 0.0 {
            let s = if virtual_draws == 1.0 { "" } else { "s" };
            let _ = write!(title, ", with {virtual_draws} virtual draw{s} a pairing");
        }
        let head = ["agent", "Elo", "95 %"].map(str::to_owned).to_vec();
        Ok(Table { title, head, rows: rows.collect() })
    }

    /// Milliseconds of moves and what went wrong, for each agent.
    #[must_use]
    pub fn conduct(&self) -> Table {
        let mut head: Vec<String> =
            ["agent", "moves", "median", "99 %", "longest"].map(str::to_owned).to_vec();
        head.extend(End::TROUBLES.map(|end| end.to_string()));
        let rows = self.agents.iter().enumerate().map(|(place, name)| {
            let mut sorted = self.times[place].clone();
            sorted.sort_by(f64::total_cmp);
            let at = |part: f64| {
                let index = (sorted.len().saturating_sub(1) as f64 * part).round() as usize;
                sorted.get(index).map_or_else(String::new, |time| format!("{time:.1} ms"))
            };
            let mut row = vec![name.clone(), sorted.len().to_string(), at(0.5), at(0.99), at(1.0)];
            row.extend(
                End::TROUBLES
                    .map(|end| self.troubles.get(&(place, end)).copied().unwrap_or(0).to_string()),
            );
            row
        });
        Table { title: "conduct".to_owned(), head, rows: rows.collect() }
    }

    /// What went wrong first, of each kind and for each agent, a line each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (&(agent, end), (game, note)) in &self.notes {
            lines.push(format!("{}: {end} in game {game}: {note}", self.agents[agent]));
        }
        lines
    }

    /// Who wins more, White or Red.
    #[must_use]
    pub fn colours(&self) -> String {
        let [white, drawn, red] = self.colours;
        let part = |count: u64| 100.0 * count as f64 / self.games.max(1) as f64;
        format!(
            "White won {white} ({:.1} %), Red {red} ({:.1} %), {drawn} drawn",
            part(white),
            part(red)
        )
    }

    /// What a sequential test of the first two says, in a line.
    #[must_use]
    pub fn sprt(&self, sprt: &Sprt) -> (Verdict, String) {
        let pairs = self.first_pairs();
        let (low, high) = sprt.bounds();
        let verdict = sprt.verdict(&pairs);
        let word = match verdict {
            Verdict::Accept => "accepted",
            Verdict::Reject => "rejected",
            Verdict::Continue => "undecided",
        };
        let llr = sprt.llr(&pairs);
        let Sprt { elo0, elo1, .. } = sprt;
        (verdict, format!("SPRT ({elo0}, {elo1}): {word}, LLR {llr:.2} ({low:.2} to {high:.2})"))
    }
}

fn written(bound: Bound) -> String {
    match bound.value() {
        // Nobody is behind by nothing.
        Some(elo) => format!("{:+.0}", elo.round() + 0.0),
        None => "no bound".to_owned(),
    }
}
