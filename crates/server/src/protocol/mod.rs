//! What is said on the socket and by the API. Searches speak the events of
//! `solve --jsonl` ([`SearchEvent`]), each with the `id` of its search.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use solitree_lab::wire::{SearchEvent, VERSION};

mod boards;
mod links;

pub use boards::{BoardView, KnownScore, RulesView, Verified, VerifyAsk};
pub use links::{LayoutView, ProofView, ThinkAsk, Thought, ThoughtMove};

/// Raised whenever an old page would not understand.
pub const PROTOCOL: u32 = 1;

/// What a client asks on the socket, one JSON object a message.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {
    /// Begin a search.
    Search(Box<SearchAsk>),
    /// End a search; what it has found stays.
    Stop(Which),
    /// Save the state of a search and free its core.
    Pause(Which),
    /// Go on with a paused search.
    Resume(Which),
    /// Hear of a search again, after the socket was lost.
    Attach(Which),
}

/// A search by its id.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Which {
    /// The id that the client gave it.
    pub id: String,
}

/// A search to begin.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SearchAsk {
    /// A name that nobody can guess: 16 to 64 letters and digits. Whoever knows it
    /// may attach to the search.
    pub id: String,
    /// What to search.
    pub what: SolveAsk,
}

/// What to search and how, as `solve` takes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SolveAsk {
    /// The name of a board, or its rows.
    pub board: String,
    /// The rules; `samegame` unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub rules: Option<String>,
    /// The algorithm and preset; the strongest there is unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub algorithm: Option<String>,
    /// Parameters that differ from the preset.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, number | boolean | string>"))]
    pub params: Option<Map<String, Value>>,
    /// The seed; 1 unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub seed: Option<u64>,
    /// When to stop; the server's own limit on time always counts too.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub budget: Option<BudgetAsk>,
}

/// When to stop: at whatever comes first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BudgetAsk {
    /// Milliseconds.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub time_ms: Option<u64>,
    /// Nodes added to trees.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub nodes: Option<u64>,
    /// Playouts.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub playouts: Option<u64>,
    /// A score that is good enough.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub target: Option<i64>,
}

/// What the server says on the socket, one JSON object a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reply {
    /// Of a search.
    Search {
        /// Which.
        id: String,
        /// What happened: a line of `solve --jsonl`.
        #[serde(flatten)]
        event: SearchEvent,
    },
    /// Of what the server does with a search.
    Job {
        /// Which.
        id: String,
        /// What happened.
        #[serde(flatten)]
        event: JobEvent,
    },
    /// Of the socket.
    Socket(SocketEvent),
}

/// What the server does with a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum JobEvent {
    /// It waits for a core.
    Queued {
        /// How many are before it.
        ahead: usize,
    },
    /// It runs, after a pause or a queue.
    Running,
    /// It is paused.
    Paused,
    /// How the best score came to be so far: seconds and scores. Sent to those who
    /// attach.
    Trail {
        /// The points, the first one first.
        points: Vec<(f64, f64)>,
    },
    /// It cannot be done as asked.
    Refused(Refusal),
    /// There was a bug.
    Failed {
        /// What went wrong.
        message: String,
    },
    /// There is no such search, or no longer.
    Unknown,
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refusal {
    /// Which part of the request is at fault.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// Seconds after which it may go better, if that is all.
    pub retry_after: Option<u32>,
}

impl Refusal {
    /// A fault of the request.
    pub fn of(field: &str, message: impl Into<String>) -> Refusal {
        Refusal { field: field.to_owned(), message: message.into(), retry_after: None }
    }
}

/// What concerns a socket as a whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SocketEvent {
    /// The first message of the server.
    Hello {
        /// The version of what is said here.
        protocol: u32,
        /// The version of the program.
        version: String,
        /// How many searches run at a time.
        cores: usize,
        /// The most milliseconds of one search.
        longest_ms: u64,
        /// How long a search outlives its socket.
        grace_ms: u64,
    },
    /// A message that means nothing.
    Error {
        /// What is wrong with it.
        message: String,
    },
}

impl SocketEvent {
    /// The first message.
    pub(crate) fn hello(limits: &crate::Limits) -> SocketEvent {
        SocketEvent::Hello {
            protocol: PROTOCOL,
            version: VERSION.to_owned(),
            cores: limits.cores,
            longest_ms: limits.search_time.as_millis() as u64,
            grace_ms: limits.grace.as_millis() as u64,
        }
    }
}

/// Reads what a client asks; the error says what is wrong.
pub fn read_ask(text: &str) -> Result<Ask, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
