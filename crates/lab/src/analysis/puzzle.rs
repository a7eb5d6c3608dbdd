//! The analysis of a puzzle: a search from a position, by the names of moves.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Map, Value, json};
use solitree_core::{Budget, Event, Line, Score, StopReason};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Board, BoardName};
use solitree_search::Report;

use super::fields::{Fields, quoted};
use crate::instance::{GameName, Instance};
use crate::setup::{DEFAULT_ALGORITHM, Setup, full_name};
use crate::task::{Listeners, Prepared, Run, Task};
use crate::verification::{Replay, replay};
use crate::wire::{RunHead, SearchEvent, Solution};

/// How long a search takes for those who name no limit.
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// More threads help nobody.
const MOST_THREADS: u64 = 1024;

/// A position of a puzzle and how to search it.
pub(super) struct PuzzleJob {
    /// What was asked for, from the first move on.
    task: Task,
    instance: Instance,
    /// The moves that were played already.
    played: Vec<String>,
    /// What they earned.
    points: Score,
    /// The search from there.
    rest: Task,
    prepared: Prepared,
}

impl PuzzleJob {
    /// Reads the keys of a request for a board of a game, if that is named; the
    /// error says what is wrong.
    pub(super) fn read(fields: &mut Fields, named: Option<GameName>) -> Result<PuzzleJob, String> {
        let board = fields.text("board")?.ok_or("board: missing")?;
        let rules = fields.text("rules")?;
        let instance = Instance::named(&name(&board)?, rules.as_deref())?;
        let game = instance.game();
        if let Some(named) = named.filter(|&named| named != game) {
            return Err(format!("game: the board is one of {game}, not of {named}"));
        }
        let algorithm = algorithm(fields)?;
        let params = Setup::given(game, &algorithm, &fields.settings("params")?)
            .map_err(|error| format!("{error:#}"))?
            .values();
        let threads = fields.number("threads")?.unwrap_or(1);
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(format!("threads: {threads} is not from 1 to {MOST_THREADS}"));
        }
        let task = Task {
            board: instance.name(),
            rules: rules.or(game.default_rules().map(str::to_owned)),
            algorithm,
            params,
            seed: fields.number("seed")?.unwrap_or(1),
            threads: threads as usize,
            budget: budget(fields)?,
            line: None,
        };
        let (position, played, points) = position(&instance, &fields.words("moves")?)?;
        let mut rest = Task { board: position.name(), ..task.clone() };
        rest.budget.target = task.budget.target.map(|target| Score(target.0 - points.0));
        let prepared = rest.prepare_for(position).map_err(|error| format!("{error:#}"))?;
        Ok(PuzzleJob { task, instance, played, points, rest, prepared })
    }

    /// How many threads it takes.
    pub(super) fn threads(&self) -> usize {
        self.task.threads
    }

    /// What was asked for.
    pub(super) fn asked(&self) -> Value {
        json!(RunHead::of(&self.task))
    }

    /// Searches until the budget is spent or `stop` is set.
    pub(super) fn run(
        &self,
        stop: &AtomicBool,
        say: &mut dyn FnMut(Value),
    ) -> Result<Value, String> {
        let mut observer = |event: Event<'_, String>| match event {
            Event::NewBest { line, counters, elapsed } => {
                let line = &self.whole(line);
                let event = Event::NewBest { line, counters, elapsed };
                say(json!(SearchEvent::of(&self.task, &event)));
            }
            Event::Progress { .. } => say(json!(SearchEvent::of(&self.task, &event))),
            Event::Insight { .. } | Event::Checkpoint { .. } | Event::Stopped { .. } => {}
        };
        let run = Run::new(stop);
        let listeners = Listeners { observer: &mut observer, keep: &mut |_| {} };
        let report = self
            .rest
            .run(&self.prepared, run, listeners)
            .map_err(|error| format!("{error:#}"))?
            .report;
        let found = report.best.as_ref().map(|line| self.checked(line));
        Ok(json!(Solution::of(&self.task, &self.instance, &report, found.as_ref())))
    }

    /// The answer to a request that was stopped before it began.
    pub(super) fn unsearched(&self) -> Value {
        let report = Report {
            best: None,
            counters: Default::default(),
            elapsed: Duration::ZERO,
            reason: StopReason::Interrupted,
            snapshot: None,
        };
        json!(Solution::of(&self.task, &self.instance, &report, None))
    }

    /// Of an answer, what is needed to play the next move.
    pub(super) fn brief(&self, answer: &Value) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("move".into(), json!(answer["moves"].get(self.played.len())));
        for key in ["score", "playouts", "nodes", "seconds", "stop", "version"] {
            fields.insert(key.into(), answer[key].clone());
        }
        fields
    }

    /// A line of the rest as one of the whole game.
    fn whole(&self, line: &Line<String>) -> Line<String> {
        Line {
            score: Score(self.points.0 + line.score.0),
            moves: self.played.iter().chain(&line.moves).cloned().collect(),
        }
    }

    /// A line replayed under the plain rules, from the first move on. Panics if it
    /// does not hold: no answer is better than a false one.
    fn checked(&self, line: &Line<String>) -> Replay {
        let line = self.whole(line);
        let replay = replay(&self.instance, &line.moves)
            .unwrap_or_else(|error| panic!("the plain rules refuse the line: {error}"));
        assert_eq!(replay.score, line.score, "the plain rules give another score");
        replay
    }
}

/// The name of a board that is named or written out.
fn name(text: &str) -> Result<String, String> {
    if !text.trim().contains('\n') {
        return Ok(text.trim().to_owned());
    }
    let board: Board = text.parse().map_err(|error| format!("board: {error}"))?;
    Ok(BoardName::Inline(board).to_string())
}

/// The algorithm with its preset, which may be named apart.
fn algorithm(fields: &mut Fields) -> Result<String, String> {
    let algorithm = fields.text("algorithm")?;
    match (algorithm, fields.text("preset")?) {
        (Some(name), Some(_)) if name.contains(':') => {
            Err(format!("preset: {} names one already", quoted(&name)))
        }
        (Some(name), Some(preset)) => Ok(format!("{name}:{preset}")),
        (None, Some(_)) => Err("preset: no algorithm is named".to_owned()),
        (Some(name), None) => Ok(full_name(&name)),
        (None, None) => Ok(DEFAULT_ALGORITHM.to_owned()),
    }
}

fn budget(fields: &mut Fields) -> Result<Budget, String> {
    let mut budget = Budget {
        time: fields.time("time_limit")?,
        nodes: fields.count("nodes")?,
        playouts: fields.count("playouts")?,
        target: fields.signed("target")?.map(Score),
        memory: fields.bytes("memory_limit")?,
    };
    if !budget.is_bounded() {
        budget.time = Some(DEFAULT_TIME);
    }
    Ok(budget)
}

/// The position after some moves, the moves in their canonical names, and what they
/// earned.
fn position(
    instance: &Instance,
    moves: &[String],
) -> Result<(Instance, Vec<String>, Score), String> {
    if moves.is_empty() {
        return Ok((instance.clone(), Vec::new(), Score(0)));
    }
    let Instance::SameGame { board, rules, .. } = instance else {
        let samegame = GameName::SameGame;
        return Err(format!("moves: only {samegame} can be searched from the middle of a game"));
    };
    let Replay { score, unfinished, moves, .. } = replay(instance, moves)?;
    if !unfinished {
        return Err("moves: the game is over after them".to_owned());
    }
    let mut game = PlainGame::new(board, rules);
    for cell in moves.iter().filter_map(|name| name.parse().ok()) {
        game.play(cell);
    }
    let board = game.board();
    let name = BoardName::Inline(board.clone());
    Ok((Instance::SameGame { name, board, rules: rules.clone() }, moves, score))
}
