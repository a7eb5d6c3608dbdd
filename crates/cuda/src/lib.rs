//! SameGame in bulk on an NVIDIA GPU: playouts, and beams valued by them; and networks.
//!
//! The kernels (samegame.cu, team.cu, repair.cu, bench.cu, anneal.cu, net/net.cu) are compiled by NVRTC when they
//! are first needed; nothing of CUDA is needed to build this. They do what the engine on the CPU
//! does, playout by playout, so that either checks the other. The tests build
//! the same source with a C compiler and hold it against that engine.

mod anneal;
mod bulk;
mod driver;
mod layer;
mod machine;
mod net;
mod pass;
mod swarm;

pub use anneal::{Annealing, bench_bytes};
pub use bulk::{Bulk, Maker};
pub use driver::{Gpu, find};
pub use layer::Layer;
pub use machine::{Argument, Array, Kernel, Machine, Number};
pub use net::{
    BATCH, Convolving, Limits, NetCall, NetEvaluator, NetHost, NetKernel, NetLane, NetShape, Nets,
};
pub use swarm::{Swarm, TABLE_BITS};
