//! Statistics: what a mean is worth, and whether a difference is one.
//!
//! Distributions come from `statrs`; the tests are our own, each checked
//! against published values.

mod binomial;
mod bootstrap;
mod holm;
mod paired;
mod summary;

pub use binomial::binomial_at_least;
pub use bootstrap::bootstrap_mean;
pub use holm::holm;
pub use paired::{Paired, paired};
pub use summary::Summary;
