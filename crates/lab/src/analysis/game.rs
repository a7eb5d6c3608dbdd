//! The analysis of a position of ColorShapeLinks: what is known of every move.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use solitree_core::Player;
use solitree_games::colorshapelinks::{AnyGame, Layout, Placement};
use solitree_search::thinker::{Candidate, Patience, Thought};
use solitree_search::uct::Proof;

use super::fields::Fields;
use super::position::Position;
use super::puzzle::DEFAULT_TIME;
use crate::matches::{Agent, AgentKind, AnyThinker, Pace};
use crate::wire;

/// What the game is called in requests.
pub(super) const GAME: &str = "colorshapelinks";

/// A position and how to think about it.
pub(super) struct GameJob {
    position: Position,
    agent: Agent,
    seed: u64,
    pace: Pace,
}

impl GameJob {
    /// Reads the keys of a request; the error says what is wrong.
    pub(super) fn read(fields: &mut Fields) -> Result<GameJob, String> {
        let mut size = |key: &'static str, default: u32| match fields.number(key)? {
            None => Ok(default),
            Some(number) => u32::try_from(number).map_err(|_| format!("{key}: {number} is absurd")),
        };
        let base = Layout::default();
        let layout = Layout {
            rows: size("rows", base.rows)?,
            cols: size("cols", base.cols)?,
            line: size("line", base.line)?,
            rounds: size("rounds", base.rounds)?,
            squares: size("squares", base.squares)?,
        };
        AnyGame::new(layout).map_err(|error| error.to_string())?;
        let position = Position::after(layout, &fields.words("moves")?)
            .map_err(|error| format!("moves: {error}"))?;
        let agent: Agent = fields.text("agent")?.as_deref().unwrap_or("champion").parse()?;
        if let AgentKind::Program(_) = agent.kind {
            return Err("agent: a program cannot be asked what it thinks".to_owned());
        }
        let (time, playouts) = (fields.time("time_limit")?, fields.count("playouts")?);
        let time = if playouts.is_none() { time.or(Some(DEFAULT_TIME)) } else { time };
        let pace = Pace {
            limit: time.unwrap_or(Pace::LONGEST),
            playouts,
            reserve: Duration::ZERO,
            memory: fields.bytes("memory_limit")?.unwrap_or(Pace::default().memory),
        };
        let seed = fields.number("seed")?.unwrap_or(1);
        Ok(GameJob { position, agent, seed, pace })
    }

    /// How many threads it takes.
    pub(super) fn threads(&self) -> usize {
        self.agent.threads()
    }

    /// What was asked for.
    pub(super) fn asked(&self) -> Map<String, Value> {
        let Layout { rows, cols, line, rounds, squares } = self.position.layout();
        let history: Vec<String> =
            self.position.history().iter().map(ToString::to_string).collect();
        let fields = [
            ("game", json!(GAME)),
            ("rows", json!(rows)),
            ("cols", json!(cols)),
            ("line", json!(line)),
            ("rounds", json!(rounds)),
            ("squares", json!(squares)),
            ("moves", json!(history)),
            ("to_move", json!(if self.position.to_move() == Player::First { "W" } else { "R" })),
            ("agent", json!(self.agent.name)),
            ("seed", json!(self.seed)),
            ("threads", json!(self.threads())),
        ];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// Thinks until the time is up or `stop` is set.
    pub(super) fn run(
        &self,
        stop: &AtomicBool,
        say: &mut dyn FnMut(Value),
    ) -> Result<Value, String> {
        let started = Instant::now();
        let layout = self.position.layout();
        let thinker = AnyThinker::new(&self.agent, layout, self.pace, self.seed)?;
        let mut thinker = thinker.without_book();
        let sights = self.position.sights()?;
        let until = started + self.pace.limit;
        let patience =
            Patience { playouts: self.pace.playouts, until: Some(until), stop: Some(stop) };
        let (mut best, mut told) = (None, started);
        let thought = thinker.think(self.position.history(), patience, &mut |thought| {
            let of_best = thought.best.map(|best| best.mv);
            // Before the first playout any move is as good as another.
            if of_best != best && thought.playouts > 0 {
                best = of_best;
                let mut fields = Map::from_iter([("event".to_owned(), json!("best"))]);
                fields.extend(first(&moves(&thought, &sights)));
                work(&mut fields, &thought, started);
                say(Value::Object(fields));
            }
            if told.elapsed() >= PROGRESS {
                told = Instant::now();
                let mut fields = Map::from_iter([("event".to_owned(), json!("progress"))]);
                fields.insert("candidates".into(), Value::Array(moves(&thought, &sights)));
                work(&mut fields, &thought, started);
                say(Value::Object(fields));
            }
        });
        let reason = if stop.load(std::sync::atomic::Ordering::Relaxed) {
            "interrupted"
        } else if self.pace.playouts.is_some_and(|playouts| thought.playouts >= playouts) {
            "playouts"
        } else if Instant::now() >= until {
            "time-limit"
        } else {
            "solved"
        };
        Ok(self.answer(&thought, &sights, started, reason))
    }

    /// The answer to a request that was stopped before it began.
    pub(super) fn unsearched(&self) -> Value {
        let (candidates, lines) = (Vec::new(), Vec::new());
        let thought = Thought { best: None, candidates, lines, playouts: 0, deepest: 0 };
        self.answer(&thought, &[], Instant::now(), "interrupted")
    }

    /// Of an answer, what is needed to play the next move.
    pub(super) fn brief(answer: &Value) -> Map<String, Value> {
        let keys = ["move", "mean", "proof", "playouts", "seconds", "stop", "version"];
        keys.into_iter().map(|key| (key.to_owned(), answer[key].clone())).collect()
    }

    fn answer(
        &self,
        thought: &Thought<Placement>,
        sights: &[(Placement, Proof)],
        started: Instant,
        reason: &str,
    ) -> Value {
        let mut fields = self.asked();
        let moves = moves(thought, sights);
        fields.extend(first(&moves));
        fields.insert("candidates".into(), Value::Array(moves));
        work(&mut fields, thought, started);
        fields.insert("stop".into(), json!(reason));
        fields.insert("version".into(), json!(wire::VERSION));
        Value::Object(fields)
    }
}

/// How often there is word of progress.
const PROGRESS: Duration = Duration::from_millis(200);

/// Every legal move as JSON, the one to play first, then by what is known of them.
fn moves(thought: &Thought<Placement>, sights: &[(Placement, Proof)]) -> Vec<Value> {
    struct Row {
        candidate: Candidate<Placement>,
        line: Vec<Placement>,
    }
    let mut rows: Vec<Row> = sights
        .iter()
        .map(|&(mv, sight)| {
            let at = thought.candidates.iter().position(|candidate| candidate.mv == mv);
            let none = Candidate { mv, visits: 0, value: 0.5, proof: Proof::Open };
            let mut candidate = at.map_or(none, |at| thought.candidates[at]);
            if candidate.proof == Proof::Open {
                candidate.proof = sight;
            }
            let line = at.and_then(|at| thought.lines.get(at).cloned());
            Row { candidate, line: line.unwrap_or_else(|| vec![mv]) }
        })
        .collect();
    let best = thought.best.map(|best| best.mv);
    rows.sort_by_key(|Row { candidate, .. }| {
        let class = match candidate.proof {
            Proof::Won => 0,
            Proof::Open | Proof::Drawn => 1,
            Proof::Lost => 2,
        };
        (Some(candidate.mv) != best, class, std::cmp::Reverse(candidate.visits))
    });
    let written = |row: Row| {
        let Candidate { mv, visits, value, proof } = row.candidate;
        let line: Vec<String> = row.line.iter().map(ToString::to_string).collect();
        let mean = (visits > 0).then(|| (f64::from(value) * 1e4).round() / 1e4);
        json!({
            "move": mv.to_string(),
            "visits": visits,
            "mean": mean,
            "proof": name(proof),
            "best_line": line,
        })
    };
    rows.into_iter().map(written).collect()
}

/// What is said of the first of some moves.
fn first(moves: &[Value]) -> Map<String, Value> {
    let first = moves.first().unwrap_or(&Value::Null);
    let keys = ["move", "mean", "proof", "best_line"];
    keys.into_iter().map(|key| (key.to_owned(), first[key].clone())).collect()
}

fn work(fields: &mut Map<String, Value>, thought: &Thought<Placement>, started: Instant) {
    fields.insert("playouts".into(), json!(thought.playouts));
    fields.insert("deepest".into(), json!(thought.deepest));
    fields.insert("seconds".into(), json!(wire::seconds(started.elapsed())));
}

fn name(proof: Proof) -> &'static str {
    match proof {
        Proof::Open => "open",
        Proof::Won => "won",
        Proof::Lost => "lost",
        Proof::Drawn => "drawn",
    }
}
