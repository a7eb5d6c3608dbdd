//! What searches that are led by an upper bound have in common: a depth-first
//! stack that can stop anywhere, greedy playouts, and the loop that spends a
//! budget on a game or on each of its moves.

mod dive;
mod driver;
mod greedy;

use solitree_core::Score;

pub(crate) use dive::{Dive, Rank};
pub(crate) use driver::{Driver, Engine, Host, Pace, Progress};
pub(crate) use greedy::Greedy;

/// More than every score a puzzle can pay: the bound of a position without one.
pub(crate) const UNBOUNDED: Score = Score(i64::MAX / 4);
