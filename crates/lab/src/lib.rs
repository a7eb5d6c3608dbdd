//! What is done with searches: single runs described by text, experiments made
//! of many, their statistics, and reports of them.

pub mod analysis;
mod boards;
pub mod catalogue;
pub mod experiment;
mod failure;
pub mod hunt;
pub mod insight;
mod instance;
mod journal;
mod machines;
pub mod matches;
mod measured;
mod parallel;
mod policy;
pub mod report;
pub mod reproduce;
pub mod runs;
mod setup;
pub mod stats;
mod store;
mod task;
mod toml_text;
pub mod train;
pub mod tune;
mod verification;
pub mod wire;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use boards::set as board_set;
pub use failure::Failure;
pub use instance::{GameName, Instance};
pub use machines::Machines;
pub use policy::{PolicyConfig, shipped_weights};
pub use setup::{DEFAULT_ALGORITHM, Setup, full_name};
pub use store::{export_csv, export_sqlite};
pub use task::{Listeners, Outcome, Prepared, Run, Saved, Task};
pub use verification::{Replay, played_morpion, replay};

/// What a lock guards, also after a panic elsewhere: nothing here is left half
/// changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
