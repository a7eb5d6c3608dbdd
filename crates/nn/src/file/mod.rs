//! Weights and samples as files that PyTorch reads, too.

mod container;
mod half;
mod lessons;
mod samples;
mod weights;

pub use container::FileError;
pub use half::to_half;
pub use weights::{Precision, TrainingRecord, Weights, WeightsError, WeightsHeader};
