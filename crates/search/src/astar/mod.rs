//! Best-first search with an over-estimator: A* for a score to maximise.
//!
//! The open positions are kept in the order of their bounds, and the one that
//! promises most is expanded next. When the best finished game is as good as
//! every promise left, it is optimal. Positions reached again with no more
//! points are dropped. On a large board that proof is out of reach, and as with
//! IDA* a search for every move plays the one below which most was earned.
//!
//! # References
//! - P.E. Hart, N.J. Nilsson, B. Raphael, "A Formal Basis for the Heuristic
//!   Determination of Minimum Cost Paths", IEEE Transactions on Systems Science
//!   and Cybernetics 4, 1968.
//! - M.P.D. Schadd, M.H.M. Winands, M.J.W. Tak, J.W.H.M. Uiterwijk,
//!   "Single-Player Monte-Carlo Tree Search for SameGame", Knowledge-Based
//!   Systems 34, 2012: the over-estimator.
//!
//! # Where we differ
//! Memory is bounded: when it is full, the open position that promises least is
//! dropped. The claim of optimality goes only if that promised more than the
//! best game in the end. Positions are not stored but played again from the
//! root. One in some hundreds is finished greedily. Further workers break ties
//! another way, and the first to end ends all.

mod config;
mod engine;
mod graph;
mod method;

pub use config::AStarConfig;
