//! The kernels, built by a C compiler, against the engine on the CPU.

mod anneal;
mod beams;
/// Positions and weights, as the tests of networks on the processor have them.
#[path = "../../../nn/tests/common/mod.rs"]
mod common;
mod host;
mod nets;
mod repairs;
