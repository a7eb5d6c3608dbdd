//! An agent of our own in a thread of its own.
//!
//! On a busy machine a thread that computes may be held up for longer than it
//! keeps back of its time. One that sleeps is woken soon: so it is not the thinker
//! who answers when the time is up but the one who asked, with what he was told
//! last.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use solitree_games::colorshapelinks::Placement;
use solitree_search::thinker::{Patience, Thought};

use super::own::AnyThinker;
use super::player::Pace;
use crate::lock;

/// Someone who thinks, and whom one can ask.
pub struct Desk {
    /// None when it is over.
    orders: Option<Sender<Order>>,
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
    asked: u64,
}

/// By how many microseconds answers came late, lately. It is the machine that is
/// busy, so that all desks learn from each other.
static LATE: AtomicU64 = AtomicU64::new(0);

/// What is kept back because of that: twice as much, since the next time may be
/// worse.
fn wariness() -> Duration {
    Duration::from_micros(2 * LATE.load(Ordering::Relaxed))
}

/// Takes note of an answer that was to be there at a moment. What is long ago is
/// forgotten by and by.
fn learn(until: Instant) {
    let late = Instant::now().saturating_duration_since(until).as_micros() as u64;
    let before = LATE.load(Ordering::Relaxed);
    LATE.store(late.max(before - before.div_ceil(200)), Ordering::Relaxed);
}

/// What is to be thought about.
struct Order {
    number: u64,
    history: Vec<Placement>,
    playouts: Option<u64>,
    until: Option<Instant>,
}

#[derive(Default)]
struct Shared {
    slate: Mutex<Slate>,
    changed: Condvar,
    stop: AtomicBool,
}

/// What was said last, and to which question.
#[derive(Default)]
struct Slate {
    number: u64,
    thought: Option<Thought<Placement>>,
    done: bool,
}

impl Desk {
    /// Gives a thinker a thread; the error says why there is none.
    pub fn new(thinker: AnyThinker) -> Result<Desk, String> {
        let (orders, received) = channel();
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("thinker".to_owned());
        let worker = builder.spawn(move || work(thinker, &received, &seen));
        let worker = Some(worker.map_err(|error| format!("no thread to think in: {error}"))?);
        Ok(Desk { orders: Some(orders), shared, worker, asked: 0 })
    }

    /// What it would play after these moves, which are legal, when the time since
    /// `start` or the playouts are up; none if it cannot think any more.
    pub fn ask(
        &mut self,
        history: &[Placement],
        pace: Pace,
        start: Instant,
    ) -> Option<Thought<Placement>> {
        self.asked += 1;
        let reserve = (pace.reserve + wariness()).min(pace.limit / 2).max(pace.reserve);
        let until = Pace { reserve, ..pace }.until(start);
        self.shared.stop.store(false, Ordering::Relaxed);
        *lock(&self.shared.slate) = Slate { number: self.asked, ..Slate::default() };
        let (number, playouts) = (self.asked, pace.playouts);
        let order = Order { number, history: history.to_vec(), playouts, until };
        self.orders.as_ref()?.send(order).ok()?;
        let thought = self.wait(until);
        self.shared.stop.store(true, Ordering::Relaxed);
        until.into_iter().for_each(learn);
        thought
    }

    /// The last word before a moment, or the first after it.
    fn wait(&self, until: Option<Instant>) -> Option<Thought<Placement>> {
        /// How often to look whether there is anybody left to wait for.
        const LOOK: Duration = Duration::from_secs(1);
        let mut slate = lock(&self.shared.slate);
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let up = slate.thought.is_some() && left.is_some_and(|left| left.is_zero());
            if slate.done || up {
                return slate.thought.take();
            }
            if self.worker.as_ref().is_none_or(JoinHandle::is_finished) {
                return None;
            }
            let left = left.filter(|left| !left.is_zero()).unwrap_or(LOOK).min(LOOK);
            let waited = self.shared.changed.wait_timeout(slate, left);
            slate = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.orders = None;
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(worker) = self.worker.take() {
            // If it panicked, that was said when it was asked.
            let _ = worker.join();
        }
    }
}

/// Thinks about one position after the other.
fn work(mut thinker: AnyThinker, orders: &Receiver<Order>, shared: &Shared) {
    while let Ok(Order { number, history, playouts, until }) = orders.recv() {
        let tell = |thought: Thought<Placement>, done: bool| {
            let mut slate = lock(&shared.slate);
            if slate.number == number {
                let first = slate.thought.is_none();
                (slate.thought, slate.done) = (Some(thought), done);
                if first || done {
                    shared.changed.notify_all();
                }
            }
        };
        let patience = Patience { playouts, until, stop: Some(&shared.stop) };
        let thought = thinker.think(&history, patience, &mut |thought| tell(thought, false));
        tell(thought, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_games::colorshapelinks::Layout;

    fn desk(pace: Pace) -> Desk {
        let agent = "champion,book=false".parse().unwrap();
        Desk::new(AnyThinker::new(&agent, Layout::default(), pace, 1).unwrap()).unwrap()
    }

    #[test]
    fn playouts_are_counted_and_time_is_kept() {
        let pace = Pace { playouts: Some(3_000), ..Pace::default() };
        let thought = desk(pace).ask(&[], pace, Instant::now()).unwrap();
        assert_eq!(thought.playouts, 3_000);
        let pace = Pace { limit: Duration::from_millis(100), ..Pace::default() };
        let (mut desk, mut history) = (desk(pace), Vec::new());
        for _ in 0..4 {
            let start = Instant::now();
            let thought = desk.ask(&history, pace, start).unwrap();
            history.push(thought.best.unwrap().mv);
        }
    }

    #[test]
    fn more_time_is_kept_back_after_it_was_late() {
        learn(Instant::now() - Duration::from_millis(15));
        assert!(wariness() >= Duration::from_millis(30));
        let pace = Pace { limit: Duration::from_millis(100), ..Pace::default() };
        let (mut desk, start) = (desk(pace), Instant::now());
        desk.ask(&[], pace, start).unwrap();
        // But never more than half.
        learn(Instant::now() - Duration::from_secs(1));
        let start = Instant::now().max(start);
        desk.ask(&[], pace, start).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(50));
        // It is forgotten by and by.
        (0..5_000).for_each(|_| learn(Instant::now() + Duration::from_secs(1)));
        assert!(wariness() < Duration::from_millis(1));
    }
}
