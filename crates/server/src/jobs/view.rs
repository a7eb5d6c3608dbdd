//! What is to be seen of a search. Always the latest and never a queue: whoever
//! looks seldom sees less.

use std::sync::Arc;

use solitree_lab::wire::{SearchEvent, Solution};

use crate::protocol::{JobEvent, Reply, Thought};

/// How a search stands.
#[derive(Clone, Debug)]
pub struct View {
    /// What the server does with it.
    pub phase: Phase,
    /// Its first event.
    pub started: Option<Arc<SearchEvent>>,
    /// Its best line.
    pub best: Option<Arc<SearchEvent>>,
    /// Its progress.
    pub progress: Option<Arc<SearchEvent>>,
    /// How the best score came to be, in seconds and points.
    pub trail: Arc<Vec<(f64, f64)>>,
}

/// What the server does with a search.
#[derive(Clone, Debug)]
pub enum Phase {
    /// It waits behind so many.
    Queued(usize),
    /// It runs.
    Running,
    /// It is paused.
    Paused,
    /// It is over.
    Over(Outcome),
    /// There was a bug, or it could not be run.
    Failed(Arc<str>),
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The last event of a search, and what it found.
    Search(Arc<SearchEvent>, Option<Arc<Solution>>),
    /// What an agent thinks.
    Thought(Arc<Thought>),
}

/// The points of a trail that are kept.
const TRAIL: usize = 400;

impl View {
    /// Of a search that has just been asked for.
    pub fn new(started: Option<SearchEvent>) -> View {
        View {
            phase: Phase::Queued(0),
            started: started.map(Arc::new),
            best: None,
            progress: None,
            trail: Arc::default(),
        }
    }

    /// Takes note of an event.
    pub fn see(&mut self, event: SearchEvent) {
        match &event {
            SearchEvent::Best { score, work, .. } => {
                let trail = Arc::make_mut(&mut self.trail);
                if trail.len() >= TRAIL {
                    // The early ones follow each other closest: every other one goes.
                    let mut keep = false;
                    trail.retain(|_| {
                        keep = !keep;
                        keep
                    });
                }
                trail.push((work.seconds, *score as f64));
                self.best = Some(Arc::new(event));
            }
            _ => self.progress = Some(Arc::new(event)),
        }
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(..) | Phase::Failed(_))
    }
}

/// What somebody has been told of a search.
#[derive(Debug, Default)]
pub struct Told {
    started: bool,
    trail: bool,
    stage: Option<Stage>,
    best: Option<Arc<SearchEvent>>,
    progress: Option<Arc<SearchEvent>>,
}

impl Told {
    /// Of somebody who attaches, and has to be told how it came about.
    pub fn attached() -> Told {
        Told { trail: true, ..Told::default() }
    }

    /// What is new since the last time.
    pub fn news(&mut self, id: &str, view: &View) -> Vec<Reply> {
        let mut news = Vec::new();
        let search = |event: &SearchEvent| Reply::Search { id: id.into(), event: event.clone() };
        let job = |event: JobEvent| Reply::Job { id: id.into(), event };
        if !std::mem::replace(&mut self.started, true) {
            news.extend(view.started.as_deref().map(search));
        }
        if std::mem::take(&mut self.trail) {
            news.push(job(JobEvent::Trail { points: view.trail.to_vec() }));
        }
        let stage = Stage::of(&view.phase);
        let turned = self.stage.replace(stage) != Some(stage);
        match view.phase {
            Phase::Queued(ahead) if turned => news.push(job(JobEvent::Queued { ahead })),
            Phase::Running if turned => news.push(job(JobEvent::Running)),
            _ => {}
        }
        if differs(&self.best, &view.best) {
            self.best.clone_from(&view.best);
            news.extend(view.best.as_deref().map(search));
        }
        if differs(&self.progress, &view.progress) {
            self.progress.clone_from(&view.progress);
            news.extend(view.progress.as_deref().map(search));
        }
        match &view.phase {
            Phase::Paused if turned => news.push(job(JobEvent::Paused)),
            Phase::Over(Outcome::Search(end, _)) if turned => news.push(search(end)),
            Phase::Failed(message) if turned => {
                news.push(job(JobEvent::Failed { message: message.to_string() }));
            }
            _ => {}
        }
        news
    }
}

/// A phase without what comes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Queued(usize),
    Running,
    Paused,
    Over,
}

impl Stage {
    fn of(phase: &Phase) -> Stage {
        match phase {
            Phase::Queued(ahead) => Stage::Queued(*ahead),
            Phase::Running => Stage::Running,
            Phase::Paused => Stage::Paused,
            Phase::Over(..) | Phase::Failed(_) => Stage::Over,
        }
    }
}

fn differs(old: &Option<Arc<SearchEvent>>, new: &Option<Arc<SearchEvent>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
        (None, None) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_lab::wire::Work;

    fn best(score: i64) -> SearchEvent {
        let seconds = score as f64;
        let work = Work { playouts: 1, nodes: 1, average_depth: 0.0, deepest: 0, seconds };
        SearchEvent::Best { board: "12/21".into(), score, moves: Vec::new(), work }
    }

    fn view() -> View {
        let ask = r#"{"board":"12/21"}"#;
        let limits = crate::Limits::default();
        let task = crate::plan::task(&serde_json::from_str(ask).unwrap(), &limits).unwrap();
        View::new(Some(SearchEvent::started(&task)))
    }

    #[test]
    fn who_looks_seldom_sees_the_latest_only() {
        let (mut view, mut told) = (view(), Told::default());
        assert_eq!(told.news("x", &view).len(), 2, "started and queued");
        view.phase = Phase::Running;
        for score in 0..100_000 {
            view.see(best(score));
        }
        let news = told.news("x", &view);
        assert_eq!(news.len(), 2, "running and one best: {news:?}");
        assert_eq!(news[1], Reply::Search { id: "x".into(), event: best(99_999) });
        assert!(told.news("x", &view).is_empty());
        assert!(view.trail.len() <= TRAIL);
        assert_eq!(view.trail.last(), Some(&(99_999.0, 99_999.0)));
    }

    #[test]
    fn who_attaches_hears_how_it_came_about() {
        let mut view = view();
        view.see(best(7));
        view.phase = Phase::Paused;
        let news = Told::attached().news("x", &view);
        let trail = JobEvent::Trail { points: vec![(7.0, 7.0)] };
        assert_eq!(news[1], Reply::Job { id: "x".into(), event: trail });
        assert_eq!(news.last(), Some(&Reply::Job { id: "x".into(), event: JobEvent::Paused }));
    }
}
