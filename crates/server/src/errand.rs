//! What a job does: a search of a puzzle, or a move of a game for two.

use std::sync::atomic::AtomicBool;

use solitree_lab::Task;
use solitree_lab::wire::SearchEvent;

use crate::protocol::Thought;
use crate::runner;
use crate::thinking::Think;

/// What a job does.
#[derive(Debug)]
pub enum Errand {
    /// Looks for the best line of a board.
    Search(Box<Task>),
    /// Looks for a move of ColorShapeLinks.
    Think(Box<Think>),
}

/// What came of it.
#[derive(Debug)]
pub enum Ended {
    /// Of a search, or of the part of it until a pause.
    Search(Box<runner::Ended>),
    /// Of a move.
    Thought(Thought),
}

impl Errand {
    /// The event that its events begin with, if it has events.
    pub fn started(&self) -> Option<SearchEvent> {
        match self {
            Errand::Search(task) => Some(SearchEvent::started(task)),
            Errand::Think(_) => None,
        }
    }

    /// Whether it can be done at all.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Errand::Search(task) => runner::check(task),
            Errand::Think(_) => Ok(()),
        }
    }

    /// Does it, from the beginning or from where it was paused.
    pub fn run(
        &self,
        saved: Option<Vec<u8>>,
        interrupt: &AtomicBool,
        observer: &mut dyn FnMut(SearchEvent),
    ) -> Result<Ended, String> {
        match self {
            Errand::Search(task) => {
                let ended = runner::run(task, saved, interrupt, observer)?;
                Ok(Ended::Search(Box::new(ended)))
            }
            Errand::Think(think) => think.run(interrupt).map(Ended::Thought),
        }
    }
}
