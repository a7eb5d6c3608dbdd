//! What a running search tells the world.

use std::time::Duration;

use crate::{Counters, Insight, Line, StopReason};

/// A moment in the life of a search. The terminal, JSON Lines, a store and a
/// browser are all observers of these.
#[derive(Clone, Debug)]
pub enum Event<'a, M> {
    /// A better line than any before, already checked against the rules.
    NewBest {
        /// The line.
        line: &'a Line<M>,
        /// The work done when it was found.
        counters: Counters,
        /// The time since the search began.
        elapsed: Duration,
    },
    /// Still searching; sent a few times a second.
    Progress {
        /// The work done so far.
        counters: Counters,
        /// The time since the search began.
        elapsed: Duration,
    },
    /// A look inside the search; sent a few times a second to those who ask for it.
    Insight {
        /// What is to be seen.
        insight: &'a Insight<M>,
        /// The work done so far.
        counters: Counters,
        /// The time since the search began.
        elapsed: Duration,
    },
    /// The state of the search has been handed over to be saved.
    Checkpoint {
        /// The work done so far.
        counters: Counters,
        /// The time since the search began.
        elapsed: Duration,
    },
    /// The search is over.
    Stopped {
        /// Why.
        reason: StopReason,
        /// The work done in all.
        counters: Counters,
        /// The time it took.
        elapsed: Duration,
    },
}
