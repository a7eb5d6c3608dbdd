//! Ctrl-C: once stops the search, twice stops the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level;

/// A second signal that comes sooner is no second thought: `timeout`, a terminal or a
/// supervisor may well send the same one to a process and to its group.
const ECHO: Duration = Duration::from_millis(500);

/// What has arrived so far.
#[derive(Clone, Default)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    which: Arc<AtomicUsize>,
}

impl Signals {
    /// From now on the first SIGINT or SIGTERM asks the search to stop, and a
    /// second one, after a moment, ends the program at once.
    pub fn watch() -> std::io::Result<Signals> {
        let signals = Signals::default();
        let (began, first) = (Instant::now(), Arc::new(AtomicU64::new(0)));
        for signal in [SIGINT, SIGTERM] {
            let (Signals { stop, which }, first) = (signals.clone(), Arc::clone(&first));
            let act = move || {
                let now = began.elapsed().as_millis() as u64 + 1;
                let order = Ordering::Relaxed;
                match first.compare_exchange(0, now, order, order) {
                    Err(then) if now.saturating_sub(then) > ECHO.as_millis() as u64 => {
                        low_level::exit(128 + signal);
                    }
                    Err(_) => {}
                    Ok(_) => {
                        which.store(signal as usize, order);
                        stop.store(true, order);
                    }
                }
            };
            // SAFETY: it reads a clock and atomic numbers, takes no lock and no memory, and
            // leaves by a way that is made for signals.
            unsafe { low_level::register(signal, act) }?;
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
