//! What is kept of a run: one line of the results.

use serde::{Deserialize, Serialize};

/// A run and how it went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The board.
    pub instance: String,
    /// The setting by name; White's in a game of two.
    pub setting: String,
    /// Red's, in a game of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// The budget by name.
    pub budget: String,
    /// Which of several runs of the same.
    pub repetition: u64,
    /// The seed.
    pub seed: u64,
    /// The score; of a game of two, 1 if White won, -1 if Red did.
    pub score: i64,
    /// Whether the board was cleared, in games that have blocks.
    pub cleared: Option<bool>,
    /// Moves there were to choose from, on average over the line or the game.
    pub branching: f64,
    /// Playouts.
    pub playouts: u64,
    /// Nodes.
    pub nodes: u64,
    /// The mean depth of the nodes.
    pub average_depth: f64,
    /// The depth of the deepest node.
    pub deepest: u64,
    /// The time it took.
    pub seconds: f64,
    /// Why it stopped.
    pub stop: String,
    /// The program that ran it.
    pub version: String,
    /// The signature of its searches: runs of other searches are done again.
    pub signature: String,
    /// A hash of all that the run was asked to do.
    pub task: String,
    /// The best line, or the game, which was replayed through the plain rules.
    pub moves: Vec<String>,
}
