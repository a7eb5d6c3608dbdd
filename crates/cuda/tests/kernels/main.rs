//! The kernels, built by a C compiler, against the engine on the CPU.

mod beams;
mod host;
mod nets;
mod repairs;
