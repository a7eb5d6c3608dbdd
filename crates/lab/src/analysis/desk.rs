//! Where requests come in and answers go out.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use serde_json::{Value, json};
use solitree_search::ALGORITHMS;

use super::PROTOCOL;
use super::request::{Job, Manner, Refusal, Request, Wish};
use crate::{catalogue, lock, wire};

/// The most requests that may wait.
const MOST_WAITING: usize = 1_000;

/// Takes requests and answers them. When it is dropped, everything is stopped and
/// answered first.
pub struct Desk {
    shared: Arc<Shared>,
}

/// Whether there is more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More requests may come.
    Continue,
    /// Somebody asked for the end: nothing is under way any more.
    Quit,
}

struct Shared {
    /// Threads that may search at once.
    threads: usize,
    state: Mutex<State>,
    /// Something has ended.
    ended: Condvar,
    say: Box<dyn Fn(Value) + Send + Sync>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Work>,
    /// The threads that are taken.
    taken: usize,
    /// The searches that go on.
    running: usize,
    /// How to stop what is under way, by the name of the request as JSON.
    under_way: HashMap<String, Arc<AtomicBool>>,
}

/// A search and who asked for it.
struct Work {
    id: Value,
    job: Job,
    manner: Manner,
    stop: Arc<AtomicBool>,
}

impl Desk {
    /// A desk that searches with so many threads at once. `say` is given every
    /// answer, from many threads, and must not call the desk.
    pub fn new(threads: usize, say: impl Fn(Value) + Send + Sync + 'static) -> Desk {
        let shared = Shared {
            threads: threads.max(1),
            state: Mutex::default(),
            ended: Condvar::new(),
            say: Box::new(say),
        };
        Desk { shared: Arc::new(shared) }
    }

    /// Takes a request: a JSON object as text. An empty line is none.
    pub fn take(&self, line: &str) -> Next {
        if line.trim().is_empty() {
            return Next::Continue;
        }
        let Request { id, wish } = match Request::read(line) {
            Ok(request) => request,
            Err(Refusal { id, message }) => {
                self.shared.refuse(&id, &message);
                return Next::Continue;
            }
        };
        let done = match wish {
            Wish::Search(job, manner) => {
                self.search(Work { id, job, manner, stop: Arc::default() });
                return Next::Continue;
            }
            Wish::Stop(of) => json!({"stopped": self.shared.stop(&of)}),
            Wish::Agents => json!({"agents": catalogue::agents()}),
            Wish::Algorithms => json!({"algorithms": catalogue::algorithms(ALGORITHMS)}),
            Wish::Version => json!({
                "protocol": PROTOCOL, "version": wire::VERSION, "threads": self.shared.threads,
            }),
            Wish::Quit => {
                self.close();
                self.shared.answer(&id, "done", json!({}));
                return Next::Quit;
            }
        };
        self.shared.answer(&id, "done", done);
        Next::Continue
    }

    /// Answers something that is no request at all.
    pub fn refuse(&self, message: &str) {
        self.shared.refuse(&Value::Null, message);
    }

    /// Stops everything and waits until each request has its answer.
    pub fn close(&self) {
        let mut state = lock(&self.shared.state);
        let waiting = std::mem::take(&mut state.waiting);
        state.under_way.values().for_each(|stop| stop.store(true, Ordering::Relaxed));
        drop(state);
        waiting.into_iter().for_each(|work| self.shared.pass_over(&work));
        let mut state = lock(&self.shared.state);
        while state.running > 0 {
            state = self.shared.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn search(&self, work: Work) {
        let mut state = lock(&self.shared.state);
        let key = work.id.to_string();
        let refusal = if state.under_way.contains_key(&key) {
            Some(format!("id: {key} is under way already"))
        } else if state.waiting.len() >= MOST_WAITING {
            Some(format!("{MOST_WAITING} requests are waiting already"))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            drop(state);
            return self.shared.refuse(&work.id, &refusal);
        }
        state.under_way.insert(key, Arc::clone(&work.stop));
        let mut asked = work.job.asked();
        let free = self.shared.fits(&state, &work) && state.waiting.is_empty();
        asked["before"] = json!(if free { 0 } else { state.waiting.len() + 1 });
        drop(state);
        // Before anything that it finds.
        self.shared.answer(&work.id, "accepted", asked);
        lock(&self.shared.state).waiting.push_back(work);
        Shared::start(&self.shared);
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Sends an answer with its name and kind before everything else.
    fn answer(&self, id: &Value, event: &str, answer: Value) {
        let mut fields = serde_json::Map::new();
        fields.insert("id".into(), id.clone());
        fields.insert("event".into(), json!(event));
        if let Value::Object(answer) = answer {
            fields.extend(answer.into_iter().filter(|(key, _)| key != "event"));
        }
        (self.say)(Value::Object(fields));
    }

    fn refuse(&self, id: &Value, message: &str) {
        self.answer(id, "error", json!({"error": message}));
    }

    /// The last answer to a search.
    fn conclude(&self, work: &Work, answer: Value) {
        // The name is free before anybody can hear that.
        lock(&self.state).under_way.remove(&work.id.to_string());
        let answer = if work.manner == Manner::MoveOnly { work.job.brief(&answer) } else { answer };
        self.answer(&work.id, "done", answer);
    }

    /// Answers a search that was stopped before it began.
    fn pass_over(&self, work: &Work) {
        self.conclude(work, work.job.unsearched());
    }

    /// Stops a search, whether it has begun or not; says whether there was one.
    fn stop(&self, of: &Value) -> bool {
        let mut state = lock(&self.state);
        let Some(stop) = state.under_way.get(&of.to_string()) else { return false };
        stop.store(true, Ordering::Relaxed);
        let place = state.waiting.iter().position(|work| work.id == *of);
        let work = place.and_then(|place| state.waiting.remove(place));
        drop(state);
        if let Some(work) = work {
            self.pass_over(&work);
        }
        true
    }

    /// Whether there are threads enough. What wants more than there are gets all.
    fn fits(&self, state: &State, work: &Work) -> bool {
        state.taken + work.job.threads().min(self.threads) <= self.threads
    }

    /// Begins what waits, in order, as far as there are threads.
    fn start(this: &Arc<Shared>) {
        loop {
            let mut state = lock(&this.state);
            if !state.waiting.front().is_some_and(|work| this.fits(&state, work)) {
                return;
            }
            let Some(work) = state.waiting.pop_front() else { return };
            let threads = work.job.threads().min(this.threads);
            state.taken += threads;
            state.running += 1;
            drop(state);
            let (shared, work) = (Arc::clone(this), Arc::new(work));
            let in_thread = Arc::clone(&work);
            let begun = std::thread::Builder::new().name("analysis".into()).spawn(move || {
                shared.run(&in_thread);
                shared.leave(threads);
                Shared::start(&shared);
            });
            if let Err(error) = begun {
                this.fail(&work, &format!("no thread for it: {error}"));
                this.leave(threads);
            }
        }
    }

    /// Gives threads back.
    fn leave(&self, threads: usize) {
        let mut state = lock(&self.state);
        state.taken -= threads;
        state.running -= 1;
        self.ended.notify_all();
    }

    /// Searches, and answers whatever happens.
    fn run(&self, work: &Work) {
        let mut say = |event: Value| {
            let name = event["event"].as_str().unwrap_or_default().to_owned();
            let wanted = match work.manner {
                Manner::Progress => true,
                Manner::Improvements => name == "best",
                Manner::MoveOnly => false,
            };
            if wanted {
                self.answer(&work.id, &name, event);
            }
        };
        let searched = catch_unwind(AssertUnwindSafe(|| work.job.run(&work.stop, &mut say)));
        match searched {
            Ok(Ok(answer)) => self.conclude(work, answer),
            Ok(Err(message)) => self.fail(work, &message),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                let said = said.unwrap_or("no words");
                self.fail(work, &format!("this is a bug of solitree {}: {said}", wire::VERSION));
            }
        }
    }

    /// Answers a search that came to nothing.
    fn fail(&self, work: &Work, message: &str) {
        lock(&self.state).under_way.remove(&work.id.to_string());
        self.refuse(&work.id, message);
    }
}
