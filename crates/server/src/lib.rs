//! The page of Solitree and the API behind it.
//!
//! One router: the built page (inside the program), lists and boards as JSON,
//! `solve` and `verify`, and a WebSocket that speaks the events of `solve --jsonl`.
//! Every request passes the `guard`; every search passes the `jobs`, which
//! run as many as there are cores and queue the rest.

mod api;
mod boards;
mod config;
mod errand;
mod guard;
mod jobs;
mod page;
mod plan;
pub mod protocol;
mod rate;
mod runner;
mod serving;
mod socket;
mod thinking;
#[cfg(test)]
mod typescript;
#[cfg(test)]
mod vectors;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use config::{Config, ConfigError, Limits};
pub use serving::Server;

use jobs::Jobs;
use rate::RateLimiter;

/// What every request may want to know.
#[derive(Clone)]
struct App {
    config: Arc<Config>,
    jobs: Jobs,
    rate: Arc<RateLimiter>,
    sockets: Arc<tokio::sync::Semaphore>,
    /// The port that was bound, which a Host header has to name.
    port: u16,
}

/// What a lock guards, also after a panic elsewhere: nothing here is left half
/// changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
