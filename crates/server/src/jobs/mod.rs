//! Searches on behalf of clients: as many at a time as there are cores, the rest in
//! a fair queue, and too many turned away.
//!
//! A search belongs to a socket or to a request. When its owner is lost it goes on
//! for a grace, during which somebody who knows its id may attach to it, and is then
//! ended.

mod queue;
mod state;
mod view;

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::config::Limits;
use crate::errand::{Ended, Errand};
use crate::lock;
use crate::protocol::Refusal;
use state::{INTERRUPTED, Job, State, Then};
pub use view::{Outcome, Phase, Told, View};

/// Who asked for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A socket.
    Socket(u64),
    /// A plain request from an address.
    Address(IpAddr),
}

/// Every search there is. Copies are the same.
#[derive(Clone, Debug)]
pub struct Jobs {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    owners: AtomicU64,
    state: Mutex<State>,
}

/// How long those that are over can still be attached to.
const REMEMBERED: Duration = Duration::from_secs(30);
/// Seconds after which those that are turned away may try again.
const RETRY_AFTER: u32 = 5;

impl Jobs {
    /// No searches yet.
    #[must_use]
    pub fn new(limits: Limits) -> Jobs {
        let shared = Shared { limits, owners: AtomicU64::new(0), state: Mutex::default() };
        Jobs { shared: Arc::new(shared) }
    }

    /// An owner for a new socket.
    #[must_use]
    pub fn new_owner(&self) -> Owner {
        Owner::Socket(self.shared.owners.fetch_add(1, Ordering::Relaxed))
    }

    /// An id that no client can choose.
    #[must_use]
    pub fn new_id(&self) -> String {
        format!("request-{}", self.shared.owners.fetch_add(1, Ordering::Relaxed))
    }

    /// Asks for a search, and watches it.
    pub fn submit(
        &self,
        owner: Owner,
        id: &str,
        errand: Errand,
    ) -> Result<watch::Receiver<View>, Refusal> {
        errand.check().map_err(|message| Refusal::of("what", message))?;
        let mut state = lock(&self.shared.state);
        if state.jobs.contains_key(id) {
            return Err(Refusal::of("id", "there is a search of that id already"));
        }
        let limits = &self.shared.limits;
        let alive = || state.jobs.values().filter(|job| job.over.is_none());
        if alive().filter(|job| job.owner == owner).count() >= limits.per_owner(owner) {
            let most = limits.per_owner(owner);
            return Err(Refusal::of("id", format!("at most {most} searches at a time for you")));
        }
        if alive().count() >= limits.cores + limits.waiting {
            let message = "the server is busy: too many searches wait already".to_owned();
            return Err(Refusal { field: String::new(), message, retry_after: Some(RETRY_AFTER) });
        }
        let (view, watched) = watch::channel(View::new(errand.started()));
        let job = Job {
            errand: Arc::new(errand),
            owner,
            view,
            interrupt: Arc::default(),
            then: Then::GoOn,
            saved: None,
            lost: None,
            over: None,
        };
        state.jobs.insert(id.to_owned(), job);
        state.queue.push(owner, id.to_owned());
        self.dispatch(&mut state);
        Ok(watched)
    }

    /// Gives a search to another owner, who watches it from now on.
    #[must_use]
    pub fn attach(&self, owner: Owner, id: &str) -> Option<watch::Receiver<View>> {
        let mut state = lock(&self.shared.state);
        let job = state.jobs.get_mut(id)?;
        (job.owner, job.lost) = (owner, None);
        Some(job.view.subscribe())
    }

    /// Ends a search. False if the owner has none of that id.
    pub fn stop(&self, owner: Owner, id: &str) -> bool {
        let mut state = lock(&self.shared.state);
        let known = state.owned(owner, id).is_some();
        if known {
            state.stop(id);
            self.dispatch(&mut state);
        }
        known
    }

    /// Pauses a search: its core is free for another.
    pub fn pause(&self, owner: Owner, id: &str) -> bool {
        let mut state = lock(&self.shared.state);
        let Some(job) = state.owned(owner, id) else { return false };
        let phase = job.view.borrow().phase.clone();
        match phase {
            Phase::Running => {
                job.then = Then::Pause;
                job.interrupt.store(true, Ordering::Relaxed);
            }
            Phase::Queued(_) => {
                job.view.send_modify(|view| view.phase = Phase::Paused);
                state.queue.remove(id);
                state.renumber();
            }
            Phase::Paused | Phase::Over(..) | Phase::Failed(_) => {}
        }
        true
    }

    /// Puts a paused search back into the queue.
    pub fn resume(&self, owner: Owner, id: &str) -> bool {
        let mut state = lock(&self.shared.state);
        let Some(job) = state.owned(owner, id) else { return false };
        // One that has not yet stopped for its pause goes on as soon as it has.
        if job.then == Then::Pause {
            job.then = Then::GoOn;
        }
        if matches!(job.view.borrow().phase, Phase::Paused) {
            state.queue.push(owner, id.to_owned());
            self.dispatch(&mut state);
        }
        true
    }

    /// Nobody listens to an owner's searches any more: the grace begins.
    pub fn lose(&self, owner: Owner) {
        let now = Instant::now();
        let mut state = lock(&self.shared.state);
        for job in state.jobs.values_mut().filter(|job| job.owner == owner) {
            job.lost.get_or_insert(now);
        }
    }

    /// Ends what was lost longer ago than the grace, and forgets what has long been
    /// over. To be called a few times a second.
    pub fn tidy(&self, now: Instant) {
        let grace = self.shared.limits.grace;
        let mut state = lock(&self.shared.state);
        let since = |at: Option<Instant>| at.map(|at| now.saturating_duration_since(at));
        let lost: Vec<String> = state
            .jobs
            .iter()
            .filter(|(_, job)| job.over.is_none() && since(job.lost) > Some(grace))
            .map(|(id, _)| id.clone())
            .collect();
        lost.iter().for_each(|id| state.stop(id));
        state.jobs.retain(|_, job| since(job.over) <= Some(REMEMBERED) || job.over.is_none());
        state.forget_oldest();
        self.dispatch(&mut state);
    }

    /// Starts what there are cores for.
    fn dispatch(&self, state: &mut State) {
        while state.running < self.shared.limits.cores {
            let Some(id) = state.queue.pop() else { break };
            let Some(job) = state.jobs.get_mut(&id) else { continue };
            let (errand, saved) = (Arc::clone(&job.errand), job.saved.take());
            job.interrupt = Arc::default();
            job.then = Then::GoOn;
            job.view.send_modify(|view| view.phase = Phase::Running);
            let (view, interrupt) = (job.view.clone(), Arc::clone(&job.interrupt));
            let shared = Arc::downgrade(&self.shared);
            let spawned = std::thread::Builder::new().name("search".to_owned()).spawn(move || {
                let mut see = |event| view.send_modify(|view| view.see(event));
                let ended = errand.run(saved, &interrupt, &mut see);
                Self::ended(&shared, &id, ended);
            });
            match spawned {
                Ok(_) => state.running += 1,
                Err(error) => job.fail(&format!("cannot start a thread: {error}")),
            }
        }
        state.renumber();
    }

    /// Takes note of the end of a search, or of its pause.
    fn ended(shared: &Weak<Shared>, id: &str, ended: Result<Ended, String>) {
        let Some(shared) = shared.upgrade() else { return };
        let jobs = Jobs { shared };
        let mut state = lock(&jobs.shared.state);
        state.running -= 1;
        let State { jobs: all, queue, .. } = &mut *state;
        if let Some(job) = all.get_mut(id) {
            match ended {
                Err(message) => job.fail(&message),
                Ok(Ended::Thought(thought)) => {
                    job.close(Phase::Over(Outcome::Thought(Arc::new(thought))));
                }
                Ok(Ended::Search(ended)) if ended.stop != INTERRUPTED || job.then == Then::End => {
                    job.finish(*ended);
                }
                Ok(Ended::Search(ended)) => {
                    job.saved = ended.saved;
                    job.view.send_modify(|view| view.phase = Phase::Paused);
                    if job.then == Then::GoOn {
                        queue.push(job.owner, id.to_owned());
                    }
                }
            }
        }
        jobs.dispatch(&mut state);
    }
}

impl Limits {
    fn per_owner(&self, owner: Owner) -> usize {
        match owner {
            Owner::Socket(_) => self.per_socket,
            // Behind an address there may be many.
            Owner::Address(_) => usize::MAX,
        }
    }
}
