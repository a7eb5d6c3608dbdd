//! What is known of every job, and what happens to one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use solitree_lab::wire::{SearchEvent, Work};
use tokio::sync::watch;

use super::Owner;
use super::queue::FairQueue;
use super::view::{Outcome, Phase, View};
use crate::errand::Errand;
use crate::runner;

/// Every job, and who waits.
#[derive(Debug, Default)]
pub struct State {
    pub jobs: HashMap<String, Job>,
    pub queue: FairQueue,
    /// How many run.
    pub running: usize,
}

/// A job.
#[derive(Debug)]
pub struct Job {
    pub errand: Arc<Errand>,
    pub owner: Owner,
    /// What is to be seen of it.
    pub view: watch::Sender<View>,
    /// Set to stop the search that runs.
    pub interrupt: Arc<AtomicBool>,
    /// What becomes of it when it is interrupted.
    pub then: Then,
    /// What a paused search goes on from.
    pub saved: Option<Vec<u8>>,
    /// Since when nobody has listened.
    pub lost: Option<Instant>,
    /// Since when it has been over.
    pub over: Option<Instant>,
}

/// What becomes of a search that is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It goes on: a pause that was taken back.
    GoOn,
    /// It waits to be resumed.
    Pause,
    /// It is over.
    End,
}

/// The reason of a search that was stopped from outside.
pub const INTERRUPTED: &str = "interrupted";
/// How many that are over are remembered, at most.
const MOST_REMEMBERED: usize = 256;

impl State {
    /// A job of an owner.
    pub fn owned(&mut self, owner: Owner, id: &str) -> Option<&mut Job> {
        self.jobs.get_mut(id).filter(|job| job.owner == owner)
    }

    /// Ends a search, whatever it does.
    pub fn stop(&mut self, id: &str) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        let view = job.view.borrow().clone();
        match view.phase {
            Phase::Running => {
                job.then = Then::End;
                job.interrupt.store(true, Ordering::Relaxed);
            }
            Phase::Queued(_) | Phase::Paused => {
                let work = view.progress.as_deref().or(view.best.as_deref()).and_then(work);
                let stop = INTERRUPTED.to_owned();
                let work = work.unwrap_or_else(|| Work::of(Default::default(), Duration::ZERO));
                job.finish(runner::Ended { work, stop, solution: None, saved: None });
                self.queue.remove(id);
            }
            Phase::Over(..) | Phase::Failed(_) => {}
        }
    }

    /// Tells those that wait how many are before them.
    pub fn renumber(&mut self) {
        for (ahead, id) in self.queue.order().into_iter().enumerate() {
            let Some(job) = self.jobs.get(id) else { continue };
            job.view.send_if_modified(|view| {
                let moved = !matches!(view.phase, Phase::Queued(n) if n == ahead);
                view.phase = Phase::Queued(ahead);
                moved
            });
        }
    }

    /// Forgets those that have been over longest, if they are too many.
    pub fn forget_oldest(&mut self) {
        let over = |(id, job): (&String, &Job)| Some((job.over?, id.clone()));
        let mut all: Vec<(Instant, String)> = self.jobs.iter().filter_map(over).collect();
        all.sort_unstable();
        for (_, id) in all.iter().rev().skip(MOST_REMEMBERED) {
            self.jobs.remove(id);
        }
    }
}

impl Job {
    /// A search is over.
    pub fn finish(&mut self, ended: runner::Ended) {
        let runner::Ended { work, stop, solution, .. } = ended;
        let Errand::Search(task) = &*self.errand else {
            return self.fail("nobody waits for it any more");
        };
        let end = SearchEvent::Stopped { board: task.board.clone(), work, stop };
        self.close(Phase::Over(Outcome::Search(Arc::new(end), solution.map(Arc::new))));
    }

    /// There will be no result.
    pub fn fail(&mut self, message: &str) {
        self.close(Phase::Failed(message.into()));
    }

    /// Nothing more will come.
    pub fn close(&mut self, phase: Phase) {
        (self.over, self.saved) = (Some(Instant::now()), None);
        self.view.send_modify(|view| view.phase = phase);
    }
}

/// The work that an event tells of.
fn work(event: &SearchEvent) -> Option<Work> {
    match event {
        SearchEvent::Started { .. } => None,
        SearchEvent::Best { work, .. }
        | SearchEvent::Progress { work, .. }
        | SearchEvent::Checkpoint { work, .. }
        | SearchEvent::Stopped { work, .. } => Some(work.clone()),
    }
}
