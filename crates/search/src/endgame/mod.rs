//! Depth-first branch and bound with a transposition table.
//!
//! What a position can still earn does not depend on the points before it. The
//! table keeps an upper bound of that for every position searched, exact or
//! not, and it serves from then on whatever the points. A move is passed over
//! when neither its bound nor the table leaves room for a better game than the
//! best one known. On small boards, and where few blocks are left, that proves
//! the best line; [`Solver`] is the same for other searches to call.
//!
//! # References
//! - A.H. Land, A.G. Doig, "An Automatic Method of Solving Discrete Programming
//!   Problems", Econometrica 28, 1960.
//! - A. Reinefeld, T.A. Marsland, "Enhanced Iterative-Deepening Search", IEEE
//!   PAMI 16, 1994: tables in single-agent search.
//!
//! # Where we differ
//! The first incumbent is a greedy game, and one position in some hundreds is
//! finished greedily. Further workers search the root's moves in another order,
//! each with a table of its own; the first to end ends all.

mod config;
mod method;
mod search;
mod solver;
mod table;

pub use config::BranchAndBoundConfig;
pub use solver::{Outcome, Solver};
