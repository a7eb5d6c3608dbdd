//! A request: a line of JSON, understood.

use std::sync::atomic::AtomicBool;

use serde_json::Value;
use solitree_core::params::nearest;

use super::fields::{Fields, quoted};
use super::game::{GAME, GameJob};
use super::puzzle::PuzzleJob;
use crate::instance::GameName;

/// What somebody wants.
pub(super) struct Request {
    /// Repeated in every answer: a text or a number.
    pub(super) id: Value,
    pub(super) wish: Wish,
}

/// What is to be done.
pub(super) enum Wish {
    /// Search a position, in some manner.
    Search(Job, Manner),
    /// Stop the request of this name.
    Stop(Value),
    /// List the agents of two-player games.
    Agents,
    /// List the algorithms for puzzles.
    Algorithms,
    /// Say which protocol this is.
    Version,
    /// Stop everything and end.
    Quit,
}

/// How much to say about a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Whatever improves, and now and then how it goes.
    Progress,
    /// Whatever improves.
    Improvements,
    /// The next move, and nothing before it.
    MoveOnly,
}

/// A request that cannot be fulfilled.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Null if it has no name.
    pub(super) id: Value,
    pub(super) message: String,
}

const WISHES: [&str; 7] = ["analyse", "move", "stop", "agents", "algorithms", "version", "quit"];

impl Request {
    /// Understands a line.
    pub(super) fn read(line: &str) -> Result<Request, Refusal> {
        let nameless = |message: String| Refusal { id: Value::Null, message };
        let value: Value =
            serde_json::from_str(line).map_err(|error| nameless(format!("not JSON: {error}")))?;
        let Value::Object(map) = value else {
            return Err(nameless("a request is a JSON object".to_owned()));
        };
        let mut fields = Fields::new(map);
        let id = fields.take("id").ok_or_else(|| nameless("id: missing".to_owned()))?;
        if !is_name(&id) {
            return Err(nameless(format!("id: {NAME}")));
        }
        match wish(fields) {
            Ok(wish) => Ok(Request { id, wish }),
            Err(message) => Err(Refusal { id, message }),
        }
    }
}

const NAME: &str = "not a number or a text of at most 200 bytes";

/// Whether a value can name a request.
fn is_name(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| text.len() <= 200)
}

fn wish(mut fields: Fields) -> Result<Wish, String> {
    let word = fields.text("do")?.ok_or("do: missing")?;
    let wish = match word.as_str() {
        "analyse" => {
            let aloud = fields.flag("progress")?;
            let manner = if aloud { Manner::Progress } else { Manner::Improvements };
            Wish::Search(Job::read(&mut fields)?, manner)
        }
        "move" => Wish::Search(Job::read(&mut fields)?, Manner::MoveOnly),
        "stop" => match fields.take("of") {
            Some(of) if is_name(&of) => Wish::Stop(of),
            Some(_) => return Err(format!("of: {NAME}")),
            None => return Err("of: missing; it is the id of the request to stop".to_owned()),
        },
        "agents" => Wish::Agents,
        "algorithms" => Wish::Algorithms,
        "version" => Wish::Version,
        "quit" => Wish::Quit,
        other => {
            let near = nearest(other, WISHES);
            let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            let all = WISHES.join(", ");
            return Err(format!("do: {} is none of {all}{hint}", quoted(other)));
        }
    };
    fields.finish()?;
    Ok(wish)
}

/// A position to search.
pub(super) enum Job {
    Puzzle(Box<PuzzleJob>),
    Game(Box<GameJob>),
}

impl Job {
    fn read(fields: &mut Fields) -> Result<Job, String> {
        match fields.text("game")?.as_deref() {
            Some(GAME) => Ok(Job::Game(Box::new(GameJob::read(fields)?))),
            None => Ok(Job::Puzzle(Box::new(PuzzleJob::read(fields, None)?))),
            Some(named) => match GameName::ALL.iter().find(|game| game.name() == named) {
                Some(&game) => Ok(Job::Puzzle(Box::new(PuzzleJob::read(fields, Some(game))?))),
                None => {
                    let games = GameName::WORDS.join(", ");
                    Err(format!("game: {} is none of {games}, {GAME}", quoted(named)))
                }
            },
        }
    }

    /// How many threads it takes.
    pub(super) fn threads(&self) -> usize {
        match self {
            Job::Puzzle(job) => job.threads(),
            Job::Game(job) => job.threads(),
        }
    }

    /// What was asked for, with every default filled in.
    pub(super) fn asked(&self) -> Value {
        match self {
            Job::Puzzle(job) => job.asked(),
            Job::Game(job) => Value::Object(job.asked()),
        }
    }

    /// Searches until its budget is spent or `stop` is set, and hands events to
    /// `say`: the answer, or why there is none.
    pub(super) fn run(
        &self,
        stop: &AtomicBool,
        say: &mut dyn FnMut(Value),
    ) -> Result<Value, String> {
        match self {
            Job::Puzzle(job) => job.run(stop, say),
            Job::Game(job) => job.run(stop, say),
        }
    }

    /// The answer of one that was stopped before it began.
    pub(super) fn unsearched(&self) -> Value {
        match self {
            Job::Puzzle(job) => job.unsearched(),
            Job::Game(job) => job.unsearched(),
        }
    }

    /// Of an answer, what is needed to play the next move.
    pub(super) fn brief(&self, answer: &Value) -> Value {
        Value::Object(match self {
            Job::Puzzle(job) => job.brief(answer),
            Job::Game(_) => GameJob::brief(answer),
        })
    }
}
