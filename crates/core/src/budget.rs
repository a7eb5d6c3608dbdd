//! How long a search may go on, and why it stopped.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Score;

/// The limits of a search; the first one reached stops it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Nodes added to search trees (or states expanded), over all threads.
    pub nodes: Option<u64>,
    /// Playouts, over all threads.
    pub playouts: Option<u64>,
    /// A score that is good enough.
    pub target: Option<Score>,
    /// Bytes that trees and tables may take, over all threads.
    pub memory: Option<u64>,
}

impl Budget {
    /// Whether any limit will end a search that does not end by itself.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.time.is_some() || self.nodes.is_some() || self.playouts.is_some()
    }
}

/// The work done so far, counted the same way for every algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Games finished at random.
    pub playouts: u64,
    /// Nodes added to search trees.
    pub nodes: u64,
    /// What the node budget has paid for: the nodes, and visits that could add
    /// none because they came to the end of a game or memory was full. Without
    /// these a search with nothing left to add would never spend its budget.
    pub spent: u64,
    /// The depths of all nodes added, summed: moves from the search's root.
    pub depth_sum: u64,
    /// The depth of the deepest node.
    pub deepest: u64,
}

impl Counters {
    /// Adds the work of another.
    pub fn add(&mut self, other: Counters) {
        self.playouts += other.playouts;
        self.nodes += other.nodes;
        self.spent += other.spent;
        self.depth_sum += other.depth_sum;
        self.deepest = self.deepest.max(other.deepest);
    }

    /// The mean depth of the nodes added.
    #[must_use]
    pub fn average_depth(&self) -> f64 {
        if self.nodes == 0 { 0.0 } else { self.depth_sum as f64 / self.nodes as f64 }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The time limit was reached.
    TimeLimit,
    /// The node budget is spent.
    Nodes,
    /// The playout budget is spent.
    Playouts,
    /// The target score was reached.
    Target,
    /// Every line has been searched: the best one is optimal.
    Solved,
    /// The algorithm did all it was asked to do.
    Finished,
    /// Somebody asked it to stop.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::TimeLimit => "time-limit",
            StopReason::Nodes => "nodes",
            StopReason::Playouts => "playouts",
            StopReason::Target => "target",
            StopReason::Solved => "solved",
            StopReason::Finished => "finished",
            StopReason::Interrupted => "interrupted",
        })
    }
}
