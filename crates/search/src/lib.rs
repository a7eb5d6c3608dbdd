//! Searches for puzzles, one module an algorithm, and the executor that runs
//! them.
//!
//! An algorithm implements [`Search`]: it takes small steps and tells a
//! [`Meter`] what it did and found. [`execute`] owns everything else: threads,
//! the clock, the budget, interruption, checkpoints and observers.

pub mod anneal;
mod apart;
pub mod astar;
pub mod beam;
mod bounded;
pub mod checkpoint;
pub mod dbs;
pub mod endgame;
mod executor;
pub mod idastar;
mod keyed;
pub mod lns;
pub mod mc_rws;
mod memory;
mod meter;
pub mod method;
pub mod nmcs;
pub mod nrpa;
mod opinions;
pub mod parallel_mcts;
pub mod policy_alone;
pub mod policy_beam;
pub mod policy_mcts;
pub mod policy_nrpa;
pub mod portfolio;
mod registry;
mod sample;
pub mod solver;
pub mod spmcts;
pub mod swarm;
mod tally;
pub mod thinker;
pub mod uct;
pub mod value_beam;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use executor::{Execution, Report, Snapshot, WorkerSnapshot, execute};
pub use meter::{Limits, Meter, Search, Status};
pub use method::{Algorithm, Method, Part, Preset, Request};
pub use registry::{ALGORITHMS, Settings, UnknownAlgorithm, algorithm};

/// Compiles and runs the examples of the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-game.md")]
struct Book;

/// What workers share is never left half changed: one that panicked has spoiled
/// nothing that the others cannot use.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
