//! Ctrl-C: once stops the search, twice stops the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// What has arrived so far.
#[derive(Clone, Default)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    which: Arc<AtomicUsize>,
}

impl Signals {
    /// From now on the first SIGINT or SIGTERM asks the search to stop, and a
    /// second one ends the program at once.
    pub fn watch() -> std::io::Result<Signals> {
        let signals = Signals::default();
        for signal in [SIGINT, SIGTERM] {
            let code = 128 + signal;
            // In this order: a second signal finds the flag already set.
            signal_hook::flag::register_conditional_shutdown(
                signal,
                code,
                Arc::clone(&signals.stop),
            )?;
            signal_hook::flag::register_usize(signal, Arc::clone(&signals.which), signal as usize)?;
            signal_hook::flag::register(signal, Arc::clone(&signals.stop))?;
        }
        Ok(signals)
    }

    /// Set when the search should stop.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// The exit code of a program stopped by a signal, if one came.
    pub fn exit_code(&self) -> Option<u8> {
        let stopped = self.stop.load(Ordering::Relaxed);
        stopped.then(|| 128 + self.which.load(Ordering::Relaxed) as u8)
    }
}
