//! Networks on a GPU: see net.cu.

mod arrange;
mod cuda;
mod evaluator;
mod machine;
mod shape;
mod tiling;

pub use cuda::Nets;
pub use evaluator::{BATCH, NetEvaluator};
pub use machine::{Convolving, NetCall, NetHost, NetKernel, NetLane};
pub use shape::{Limits, NetShape};
