//! Many jobs on all cores, their results in one place.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::Result;

use crate::lock;

/// Does the jobs `0..count` on some threads and hands each result to `sink`, in
/// the order they are done. A job without a result has nothing to do. Ends early
/// when `interrupt` is set, and on the first error of a job or of the sink; jobs
/// under way are told by the flag they are given, and have no result then.
pub fn parallel<T: Send>(
    count: u64,
    threads: usize,
    interrupt: &AtomicBool,
    job: impl Fn(u64, &AtomicBool) -> Result<Option<T>> + Sync,
    mut sink: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let stopped = || interrupt.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
    let fail = |error| {
        lock(&failure).get_or_insert(error);
        stop.store(true, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(2 * threads.max(1));
        for _ in 0..threads.max(1) {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                let _guard = StopOnPanic(&stop);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || stopped() {
                        return;
                    }
                    match job(number, &stop) {
                        _ if stopped() => return,
                        Ok(None) => {}
                        Ok(Some(result)) => {
                            if sender.send(result).is_err() {
                                return;
                            }
                        }
                        Err(error) => return fail(error),
                    }
                }
            });
        }
        drop(sender);
        loop {
            if interrupt.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            match receiver.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(result) => {
                    if let Err(error) = sink(result) {
                        // Results that cannot be kept are not waited for.
                        return fail(error);
                    }
                }
            }
        }
    });
    lock(&failure).take().map_or(Ok(()), Err)
}

/// How soon jobs hear of an interrupt.
const PATIENCE: Duration = Duration::from_millis(20);

/// A thread that panics stops the others, so that the bug is shown soon.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        let mut seen = vec![0; 1000];
        let count = |number: u64| {
            seen[number as usize] += 1;
            Ok(())
        };
        let never = AtomicBool::new(false);
        let odd = |number: u64, _: &AtomicBool| Ok((number % 2 == 1).then_some(number));
        parallel(1000, 3, &never, odd, count).unwrap();
        assert!(seen.iter().enumerate().all(|(number, &times)| times == number % 2));
    }

    #[test]
    fn the_first_error_ends_it() {
        let never = AtomicBool::new(false);
        let job = |number: u64, _: &AtomicBool| {
            if number == 10 { anyhow::bail!("no") } else { Ok(Some(number)) }
        };
        let mut done = 0;
        let error = parallel(1_000_000_000, 2, &never, job, |_| {
            done += 1;
            Ok(())
        });
        assert_eq!(error.unwrap_err().to_string(), "no");
        assert!(done < 1_000_000);
        let full =
            parallel(1_000_000_000, 2, &never, |n, _| Ok(Some(n)), |_| anyhow::bail!("full"));
        assert_eq!(full.unwrap_err().to_string(), "full");
    }

    #[test]
    fn jobs_under_way_are_told_to_stop() {
        let never = AtomicBool::new(false);
        let job = |number: u64, stop: &AtomicBool| {
            while number > 0 && !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            if number == 0 { anyhow::bail!("no") } else { Ok(Some(number)) }
        };
        assert!(parallel(2, 2, &never, job, |_| Ok(())).is_err());
        let interrupt = AtomicBool::new(false);
        let job = |_: u64, stop: &AtomicBool| {
            interrupt.store(true, Ordering::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(Some(()))
        };
        parallel(9, 2, &interrupt, job, |()| panic!("cut short")).unwrap();
    }
}
