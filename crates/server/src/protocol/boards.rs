//! Boards and lines of SameGame.

use serde::{Deserialize, Serialize};

/// A board, and what things are worth on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BoardView {
    /// Its name, or its rows.
    pub board: String,
    /// Its rows from the top, `/` between them.
    pub rows: String,
    /// The rules.
    pub rules: RulesView,
    /// The best score known.
    pub best_known: Option<KnownScore>,
}

/// Rules as tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RulesView {
    /// The name or the formula.
    pub name: String,
    /// Points of a group by its size, from 0 to all blocks.
    pub points: Vec<i32>,
    /// What a cleared board adds.
    pub clear: i32,
    /// What so many blocks left of one colour add, from 0 to all.
    pub left: Vec<i32>,
}

/// A score and where it is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KnownScore {
    /// The score.
    pub score: i64,
    /// Where it is from.
    pub source: String,
}

/// A line to replay.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VerifyAsk {
    /// The name of a board, or its rows.
    pub board: String,
    /// The rules; `samegame` unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub rules: Option<String>,
    /// The line.
    pub moves: Vec<String>,
}

/// What a line is worth under the plain rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Verified {
    /// The score.
    pub score: i64,
    /// Whether no block is left.
    pub cleared: Option<bool>,
    /// Whether a move is still possible.
    pub unfinished: bool,
    /// The moves in the canonical notation.
    pub moves: Vec<String>,
}
