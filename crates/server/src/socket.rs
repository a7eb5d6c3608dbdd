//! One socket: asks in, events out.
//!
//! Events are looked up at a steady pace, so a search that has much to say is
//! thinned and a client that reads slowly makes nothing grow.

use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::App;
use crate::errand::Errand;
use crate::jobs::{Owner, Told, View};
use crate::plan;
use crate::protocol::{Ask, JobEvent, Refusal, Reply, SearchAsk, SocketEvent, Which, read_ask};
use crate::rate::Bucket;

/// How often the client hears of its searches: nobody reads faster, and a page that draws
/// more often is late with its frames where searches leave it little of the processor.
const PACE: Duration = Duration::from_millis(100);
/// How long a message may take to leave.
const PATIENCE: Duration = Duration::from_secs(5);

/// A search that the client hears of.
struct Watched {
    id: String,
    view: watch::Receiver<View>,
    told: Told,
    fresh: bool,
}

struct Session<'a> {
    app: &'a App,
    owner: Owner,
    watched: Vec<Watched>,
    bucket: Bucket,
}

/// Why a socket is closed.
enum End {
    /// The client went, or cannot be reached.
    Gone,
    /// The client asks too much.
    TooMuch,
}

/// Serves a client until it goes; its searches then have their grace.
pub async fn serve(mut socket: WebSocket, app: &App) {
    let limits = &app.config.limits;
    let bucket = Bucket::new(limits.rate, limits.burst, Instant::now());
    let owner = app.jobs.new_owner();
    let mut session = Session { app, owner, watched: Vec::new(), bucket };
    if let End::TooMuch = session.run(&mut socket).await {
        let reason = "too many messages".into();
        let frame = CloseFrame { code: close_code::POLICY, reason };
        let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
    }
    app.jobs.lose(owner);
}

impl Session<'_> {
    async fn run(&mut self, socket: &mut WebSocket) -> End {
        let limits = &self.app.config.limits;
        let hello = Reply::Socket(SocketEvent::hello(limits));
        if send(socket, &[hello]).await.is_err() {
            return End::Gone;
        }
        let mut pace = interval(PACE);
        let mut pings = interval(limits.silence / 3);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let replies = tokio::select! {
                received = socket.recv() => {
                    heard = Instant::now();
                    match received {
                        None | Some(Err(_) | Ok(Message::Close(_))) => return End::Gone,
                        Some(Ok(message)) => {
                            if !self.bucket.take(heard) {
                                return End::TooMuch;
                            }
                            self.hear(&message)
                        }
                    }
                }
                _ = pace.tick(), if !self.watched.is_empty() => self.news(),
                _ = pings.tick() => {
                    if heard.elapsed() > limits.silence {
                        return End::Gone;
                    }
                    let ping = socket.send(Message::Ping(Default::default()));
                    match timeout(PATIENCE, ping).await {
                        Ok(Ok(())) => Vec::new(),
                        _ => return End::Gone,
                    }
                }
            };
            if send(socket, &replies).await.is_err() {
                return End::Gone;
            }
        }
    }

    fn hear(&mut self, message: &Message) -> Vec<Reply> {
        let text = match message {
            Message::Text(text) => text.as_str(),
            Message::Binary(_) => {
                let message = "messages are text".to_owned();
                return vec![Reply::Socket(SocketEvent::Error { message })];
            }
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return Vec::new(),
        };
        match read_ask(text) {
            Ok(ask) => self.answer(ask).into_iter().collect(),
            Err(message) => vec![Reply::Socket(SocketEvent::Error { message })],
        }
    }

    fn answer(&mut self, ask: Ask) -> Option<Reply> {
        let jobs = &self.app.jobs;
        let (id, known) = match ask {
            Ask::Search(search) => {
                let SearchAsk { id, what, insights } = *search;
                let begun = check_id(&id)
                    .and_then(|()| plan::task(&what, &self.app.config.limits))
                    .and_then(|task| {
                        let errand = Errand::Search { task: Box::new(task), insights };
                        jobs.submit(self.owner, &id, errand)
                    });
                return match begun {
                    Ok(view) => {
                        self.watch(id, view, Told::default());
                        None
                    }
                    Err(refusal) => Some(Reply::Job { id, event: JobEvent::Refused(refusal) }),
                };
            }
            Ask::Attach(Which { id }) => match jobs.attach(self.owner, &id) {
                Some(view) => {
                    self.watch(id, view, Told::attached());
                    return None;
                }
                None => (id, false),
            },
            Ask::Stop(Which { id }) => (id.clone(), jobs.stop(self.owner, &id)),
            Ask::Pause(Which { id }) => (id.clone(), jobs.pause(self.owner, &id)),
            Ask::Resume(Which { id }) => (id.clone(), jobs.resume(self.owner, &id)),
        };
        (!known).then_some(Reply::Job { id, event: JobEvent::Unknown })
    }

    fn watch(&mut self, id: String, view: watch::Receiver<View>, told: Told) {
        self.watched.retain(|watched| watched.id != id);
        self.watched.push(Watched { id, view, told, fresh: true });
    }

    /// What is new of every search; those that are over are let go.
    fn news(&mut self) -> Vec<Reply> {
        let mut news = Vec::new();
        self.watched.retain_mut(|watched| {
            let changed = watched.view.has_changed().unwrap_or(true);
            if !changed && !std::mem::take(&mut watched.fresh) {
                return true;
            }
            watched.fresh = false;
            let view = watched.view.borrow_and_update().clone();
            news.extend(watched.told.news(&watched.id, &view));
            !view.is_over()
        });
        news
    }
}

/// Ids are chosen by clients; whoever knows one may attach.
fn check_id(id: &str) -> Result<(), Refusal> {
    let sound = (16..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
    let message = "not 16 to 64 letters and digits";
    if sound { Ok(()) } else { Err(Refusal::of("id", message)) }
}

async fn send(socket: &mut WebSocket, replies: &[Reply]) -> Result<(), ()> {
    for reply in replies {
        let text = serde_json::to_string(reply).map_err(|_| ())?;
        let sent = timeout(PATIENCE, socket.send(Message::Text(text.into()))).await;
        sent.map_err(|_| ())?.map_err(|_| ())?;
    }
    Ok(())
}
