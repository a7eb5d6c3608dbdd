//! The loop that every algorithm runs in.
//!
//! One thread a worker, each with a search and a [`Meter`] of its own; the
//! calling thread coordinates. It owns the clock, stops the workers, collects
//! their lines, checks each against the rules, tells the observer, and gathers
//! snapshots.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use solitree_core::{
    Budget, Counters, Event, Insight, Line, Puzzle, StopReason, TreeInsight, replay,
};

use crate::{Limits, Meter, Search, Status};

/// How often the observer hears of progress.
const PROGRESS: Duration = Duration::from_millis(200);
/// How often the coordinator looks at the clock and at the interrupt.
const TICK: Duration = Duration::from_millis(10);
/// A look inside a search may take this part of its time: one in so many.
const LOOKS: u32 = 50;

/// What to run and how long.
pub struct Execution<'a, P: Puzzle, S> {
    /// The puzzle.
    pub puzzle: &'a P,
    /// The searches, one a thread.
    pub workers: Vec<S>,
    /// When to stop.
    pub budget: Budget,
    /// Set from outside to stop early.
    pub interrupt: &'a AtomicBool,
    /// A line that is known already: the answer is never worse.
    pub known: Option<Line<P::Move>>,
    /// Where to go on from.
    pub resume: Option<Snapshot<P::Move>>,
    /// How often to take a snapshot, if at all; there is always one at the end.
    pub snapshots: Option<Duration>,
    /// How often to look inside the search of the first worker, if at all; there is
    /// always one look at the end. Where a look takes long there are fewer.
    pub insights: Option<Duration>,
}

/// The state of a whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub struct Snapshot<M> {
    /// The time used so far.
    pub elapsed: Duration,
    /// The best line of all.
    pub best: Option<Line<M>>,
    /// Each worker's part.
    pub workers: Vec<WorkerSnapshot<M>>,
}

/// The state of one worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub struct WorkerSnapshot<M> {
    /// The work done.
    pub counters: Counters,
    /// Its own best line.
    pub best: Option<Line<M>>,
    /// What its search saved.
    pub search: Vec<u8>,
    /// What its meter counted for those who watch.
    pub counted: Option<TreeInsight<M>>,
}

/// How a run went.
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// The best line, checked against the rules.
    pub best: Option<Line<M>>,
    /// The work done.
    pub counters: Counters,
    /// The time it took, earlier parts of a resumed run included.
    pub elapsed: Duration,
    /// Why it stopped.
    pub reason: StopReason,
    /// The last state, if snapshots were asked for.
    pub snapshot: Option<Snapshot<M>>,
}

/// What a worker tells the coordinator.
enum Message<M> {
    Improvement(Line<M>),
    Snapshot(usize, WorkerSnapshot<M>),
    /// What was seen inside, and how long it took to see it.
    Insight(Option<Insight<M>>, Duration),
    Done(usize, StopReason),
}

/// What the coordinator and a worker share.
#[derive(Default)]
struct Shared {
    halt: AtomicBool,
    /// Counts the snapshots asked for.
    wanted: AtomicU64,
    /// Set to ask the first worker for a look inside.
    look: AtomicBool,
}

/// Stops the workers when the coordinator goes, even by a panic: the threads are
/// joined in any case, and would wait for ever.
struct HaltOnDrop<'a>(&'a Shared);

impl Drop for HaltOnDrop<'_> {
    fn drop(&mut self) {
        self.0.halt.store(true, Ordering::Relaxed);
    }
}

/// Stops the other workers when one panics: they may be waiting for it.
struct HaltOnPanic<'a>(&'a Shared);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// A worker's counters, for everybody to read.
#[derive(Default)]
struct Gauge {
    values: [AtomicU64; 5],
}

impl Gauge {
    fn set(&self, counters: Counters) {
        let Counters { playouts, nodes, spent, depth_sum, deepest } = counters;
        for (slot, value) in self.values.iter().zip([playouts, nodes, spent, depth_sum, deepest]) {
            slot.store(value, Ordering::Relaxed);
        }
    }

    fn get(&self) -> Counters {
        let at = |i: usize| self.values[i].load(Ordering::Relaxed);
        Counters { playouts: at(0), nodes: at(1), spent: at(2), depth_sum: at(3), deepest: at(4) }
    }
}

/// Runs until the budget is spent, the searches have nothing left to do, or
/// somebody interrupts. Panics if a search offers a line that the rules refuse:
/// that is a bug, and no answer is better than a false one.
///
/// `observer` sees every event; `keep` is handed every snapshot but the last,
/// which is part of the report.
pub fn execute<P: Puzzle, S: Search<P>>(
    execution: Execution<'_, P, S>,
    observer: &mut dyn FnMut(Event<'_, P::Move>),
    keep: &mut dyn FnMut(Snapshot<P::Move>),
) -> Report<P::Move> {
    let Execution { puzzle, workers, budget, interrupt, known, resume, snapshots, insights } =
        execution;
    let started = Instant::now();
    let (before, mut best, parts) = match resume {
        Some(snapshot) => (snapshot.elapsed, snapshot.best, snapshot.workers),
        None => (Duration::ZERO, None, Vec::new()),
    };
    let count = workers.len();
    let weights: Vec<u64> = workers.iter().map(Search::weight).collect();
    let meters: Vec<Meter<P::Move>> = (0..count)
        .map(|worker| {
            let limits = share(&budget, worker, &weights);
            let Some(part) = parts.get(worker) else { return Meter::new(limits) };
            let mut meter = Meter::resumed(limits, part.counters, part.best.clone());
            if insights.is_some()
                && let Some(counted) = &part.counted
            {
                meter.watch_on(counted.clone());
            }
            meter
        })
        .collect();
    let shared = Shared::default();
    let gauges: Vec<Gauge> = meters
        .iter()
        .map(|meter| {
            let gauge = Gauge::default();
            gauge.set(meter.counters());
            gauge
        })
        .collect();
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        let _guard = HaltOnDrop(&shared);
        for (worker, (search, meter)) in workers.into_iter().zip(meters).enumerate() {
            let thread = Worker {
                number: worker,
                search,
                meter,
                shared: &shared,
                gauge: &gauges[worker],
                outbox: sender.clone(),
                clock: budget.time.map(|time| (started, before, time)),
                snapshot_at_end: snapshots.is_some(),
                looked_into: insights.is_some() && worker == 0,
            };
            scope.spawn(move || thread.run::<P>());
        }
        drop(sender);
        let mut coordinator = Coordinator {
            puzzle,
            budget: &budget,
            interrupt,
            shared: &shared,
            gauges: &gauges,
            started,
            before,
            best: &mut best,
            observer,
            reasons: Vec::new(),
            halted: None,
            parts: vec![None; count],
            running: vec![true; count],
            awaited: vec![false; count],
            last_progress: started,
            last_snapshot: started,
            next_look: insights.map(|every| started + every),
        };
        if let Some(line) = known {
            let enough = budget.target.is_some_and(|target| line.score >= target);
            coordinator.improve(line);
            if enough {
                coordinator.halt(StopReason::Target);
            }
        }
        coordinator.run(&receiver, (snapshots, insights), keep);
        let (reasons, halted) = (coordinator.reasons, coordinator.halted);
        let (counters, elapsed) = (total(&gauges), before + started.elapsed());
        let workers: Option<Vec<_>> = coordinator.parts.into_iter().collect();
        let reason = halted.or_else(|| reasons.first().copied()).unwrap_or(StopReason::Finished);
        observer(Event::Stopped { reason, counters, elapsed });
        let snapshot = workers.filter(|_| snapshots.is_some()).map(|workers| Snapshot {
            elapsed,
            best: best.clone(),
            workers,
        });
        Report { best, counters, elapsed, reason, snapshot }
    })
}

/// A worker's part of the budget, by its weight. Rounded so that the parts add
/// up to the whole.
fn share(budget: &Budget, worker: usize, weights: &[u64]) -> Limits {
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    let before: u128 = weights[..worker].iter().map(|&weight| u128::from(weight)).sum();
    let up_to = |n: u64, weight: u128| (u128::from(n) * weight / total.max(1)) as u64;
    let part = |whole: Option<u64>| {
        whole.map(|n| up_to(n, before + u128::from(weights[worker])) - up_to(n, before))
    };
    Limits { nodes: part(budget.nodes), playouts: part(budget.playouts), target: budget.target }
}

fn total(gauges: &[Gauge]) -> Counters {
    let mut counters = Counters::default();
    for gauge in gauges {
        counters.add(gauge.get());
    }
    counters
}

struct Worker<'a, S, M> {
    number: usize,
    search: S,
    meter: Meter<M>,
    shared: &'a Shared,
    gauge: &'a Gauge,
    outbox: Sender<Message<M>>,
    clock: Option<(Instant, Duration, Duration)>,
    snapshot_at_end: bool,
    looked_into: bool,
}

impl<S, M: Copy + Eq + Send> Worker<'_, S, M> {
    fn run<P: Puzzle<Move = M>>(mut self)
    where
        S: Search<P>,
    {
        let _guard = HaltOnPanic(self.shared);
        if self.looked_into {
            self.meter.watch();
        }
        // A send fails only when the coordinator is gone: then so are we.
        let (mut snapshots, mut stepped) = (0, false);
        let reason = loop {
            // Even one that is stopped at once takes a step, to have something to
            // show.
            if self.shared.halt.load(Ordering::Relaxed) && stepped {
                break StopReason::Interrupted;
            }
            stepped = true;
            if let Some((started, before, time)) = self.clock {
                let passed = before + started.elapsed();
                self.meter.set_time_used(passed.as_secs_f64() / time.as_secs_f64().max(1e-9));
            }
            let status = match self.meter.stop() {
                Some(reason) => Status::Done(reason),
                None => self.search.step(&mut self.meter),
            };
            self.gauge.set(self.meter.counters());
            if let Some(line) = self.meter.take_improvement() {
                let _ = self.outbox.send(Message::Improvement(line));
            }
            if let Status::Done(reason) = status {
                break reason;
            }
            let wanted = self.shared.wanted.load(Ordering::Relaxed);
            if wanted != snapshots {
                snapshots = wanted;
                self.send_snapshot::<P>();
            }
            if self.looked_into && self.shared.look.swap(false, Ordering::Relaxed) {
                self.send_insight::<P>();
            }
        };
        if self.looked_into {
            self.send_insight::<P>();
        }
        // The snapshot first: a search that is resumed has not been finished.
        if self.snapshot_at_end {
            self.send_snapshot::<P>();
        }
        self.search.finish(&mut self.meter);
        if let Some(line) = self.meter.take_improvement() {
            let _ = self.outbox.send(Message::Improvement(line));
        }
        let _ = self.outbox.send(Message::Done(self.number, reason));
    }

    fn send_insight<P: Puzzle<Move = M>>(&self)
    where
        S: Search<P>,
    {
        let begun = Instant::now();
        let insight = self.search.look().or_else(|| self.meter.insight());
        let _ = self.outbox.send(Message::Insight(insight, begun.elapsed()));
    }

    fn send_snapshot<P: Puzzle<Move = M>>(&self)
    where
        S: Search<P>,
    {
        let part = WorkerSnapshot {
            counters: self.meter.counters(),
            best: self.meter.best().cloned(),
            search: self.search.save(),
            counted: self.meter.counted(),
        };
        let _ = self.outbox.send(Message::Snapshot(self.number, part));
    }
}

struct Coordinator<'a, 'o, P: Puzzle> {
    puzzle: &'a P,
    budget: &'a Budget,
    interrupt: &'a AtomicBool,
    shared: &'a Shared,
    gauges: &'a [Gauge],
    started: Instant,
    before: Duration,
    best: &'a mut Option<Line<P::Move>>,
    observer: &'a mut (dyn FnMut(Event<'_, P::Move>) + 'o),
    reasons: Vec<StopReason>,
    halted: Option<StopReason>,
    /// What each worker saved last; of those that are done, their end.
    parts: Vec<Option<WorkerSnapshot<P::Move>>>,
    running: Vec<bool>,
    /// Who has not yet answered the last request for a snapshot.
    awaited: Vec<bool>,
    last_progress: Instant,
    last_snapshot: Instant,
    /// When to look inside; none while a look is asked for, or if none are wanted.
    next_look: Option<Instant>,
}

impl<P: Puzzle> Coordinator<'_, '_, P> {
    fn run(
        &mut self,
        receiver: &Receiver<Message<P::Move>>,
        (snapshots, insights): (Option<Duration>, Option<Duration>),
        keep: &mut dyn FnMut(Snapshot<P::Move>),
    ) {
        let mut pending = false;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Message::Improvement(line)) => self.improve(line),
                Ok(Message::Snapshot(worker, part)) => {
                    // Replaced, never cleared: a worker's last one is its end.
                    self.parts[worker] = Some(part);
                    self.awaited[worker] = false;
                }
                Ok(Message::Insight(insight, took)) => {
                    if let Some(insight) = &insight {
                        let (counters, elapsed) = (total(self.gauges), self.elapsed());
                        (self.observer)(Event::Insight { insight, counters, elapsed });
                    }
                    let pause = insights.map(|every| every.max(took * LOOKS));
                    self.next_look = pause.map(|pause| Instant::now() + pause);
                }
                Ok(Message::Done(worker, reason)) => {
                    self.running[worker] = false;
                    self.awaited[worker] = false;
                    self.reasons.push(reason);
                    if reason == StopReason::Target || reason == StopReason::Solved {
                        self.halt(reason);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if pending && !self.awaited.contains(&true) && self.parts.iter().all(Option::is_some) {
                pending = false;
                let workers = self.parts.iter().flatten().cloned().collect();
                let elapsed = self.elapsed();
                keep(Snapshot { elapsed, best: self.best.clone(), workers });
                (self.observer)(Event::Checkpoint { counters: total(self.gauges), elapsed });
            }
            if self.interrupt.load(Ordering::Relaxed) {
                self.halt(StopReason::Interrupted);
            }
            if self.budget.time.is_some_and(|time| self.elapsed() >= time) {
                self.halt(StopReason::TimeLimit);
            }
            if self.last_progress.elapsed() >= PROGRESS {
                self.last_progress = Instant::now();
                let (counters, elapsed) = (total(self.gauges), self.elapsed());
                (self.observer)(Event::Progress { counters, elapsed });
            }
            if self.next_look.is_some_and(|at| Instant::now() >= at) {
                self.next_look = None;
                self.shared.look.store(true, Ordering::Relaxed);
            }
            if snapshots.is_some_and(|every| !pending && self.last_snapshot.elapsed() >= every) {
                self.last_snapshot = Instant::now();
                self.awaited.clone_from(&self.running);
                pending = true;
                self.shared.wanted.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn elapsed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// Stops every worker; the first reason counts.
    fn halt(&mut self, reason: StopReason) {
        self.halted.get_or_insert(reason);
        self.shared.halt.store(true, Ordering::Relaxed);
    }

    fn improve(&mut self, line: Line<P::Move>) {
        if self.best.as_ref().is_some_and(|best| best.score >= line.score) {
            return;
        }
        let end = replay(self.puzzle, &line.moves)
            .unwrap_or_else(|error| panic!("a search's line: {error}"));
        assert!(self.puzzle.is_over(&end), "a search's line does not end the game");
        assert_eq!(self.puzzle.score(&end), line.score, "a search's line earns something else");
        let line = self.best.insert(line);
        let (counters, elapsed) = (total(self.gauges), self.before + self.started.elapsed());
        (self.observer)(Event::NewBest { line, counters, elapsed });
    }
}
