//! Statistics: what a mean is worth, and whether a difference is one.
//!
//! Distributions come from `statrs`, but for the normal one; the tests are our own, each checked
//! against published values.

mod binomial;
mod bootstrap;
mod bradley_terry;
mod crosstable;
mod elo;
mod holm;
#[cfg(test)]
mod lcg;
mod paired;
mod pairs;
mod rating_error;
mod sprt;
mod strengths;
mod summary;
mod symmetric;

pub use binomial::binomial_at_least;
pub use bootstrap::bootstrap_mean;
pub use bradley_terry::{Anchor, Fit, Rating, Ratings, rate};
pub use crosstable::Crosstable;
pub use elo::{Bound, Elo, elo_of_score, score_of_elo};
pub use holm::holm;
pub use paired::{Paired, paired};
pub use pairs::{Pairs, los_of_games};
pub use rating_error::RatingError;
pub use sprt::{Sprt, Verdict};
pub use summary::Summary;
