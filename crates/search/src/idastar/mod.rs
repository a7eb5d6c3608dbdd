//! Iterative deepening with an over-estimator: IDA* for a score to maximise.
//!
//! A depth-first search leaves every position from which no game can reach a
//! threshold, at first what no game can exceed. The highest bound that was left
//! is the next threshold; a finished game that reaches the threshold is optimal.
//! That is far away on a large board: the authors search for every move anew
//! and, when its time is up, play the move below which the most points were
//! earned, greedily as that is.
//!
//! # References
//! - R.E. Korf, "Depth-First Iterative-Deepening: An Optimal Admissible Tree
//!   Search", Artificial Intelligence 27, 1985.
//! - M.P.D. Schadd, M.H.M. Winands, M.J.W. Tak, J.W.H.M. Uiterwijk,
//!   "Single-Player Monte-Carlo Tree Search for SameGame", Knowledge-Based
//!   Systems 34, 2012: the over-estimator, and 22,354 points on the standard
//!   boards with a search for every move.
//!
//! # Where we differ
//! One position in some hundreds is finished greedily, so that there is always
//! a complete game to show; what is found that way also ends the search when it
//! reaches the threshold. `answer=played` with `order=moves` is the authors'
//! program. Further workers search the root's moves in another order, and the
//! first to end ends all.

mod config;
mod engine;
mod method;

pub use config::{IdaStarConfig, MoveOrder};
