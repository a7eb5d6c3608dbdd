//! The API: the same JSON as the command line.

use std::net::IpAddr;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Extension, Query, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use solitree_lab::{catalogue, replay};
use solitree_search::ALGORITHMS;

use crate::errand::Errand;
use crate::guard::Peer;
use crate::jobs::{Jobs, Outcome, Owner, Phase, View};
use crate::protocol::{BoardView, Refusal, SolveAsk, ThinkAsk, Verified, VerifyAsk};
use crate::{App, boards, plan, socket, thinking};

/// A refusal as an answer.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self.retry_after {
            Some(seconds) => {
                let wait = [(RETRY_AFTER, seconds.to_string())];
                (StatusCode::SERVICE_UNAVAILABLE, wait, Json(self)).into_response()
            }
            None => (StatusCode::BAD_REQUEST, Json(self)).into_response(),
        }
    }
}

/// A body that cannot be read, in one line.
fn unreadable(rejection: &JsonRejection) -> Response {
    (rejection.status(), Json(Refusal::of("body", rejection.body_text()))).into_response()
}

/// `GET /api/boards`
pub async fn list_boards() -> Response {
    Json(catalogue::boards()).into_response()
}

/// `GET /api/algorithms`
pub async fn list_algorithms() -> Response {
    Json(catalogue::algorithms(ALGORITHMS)).into_response()
}

/// Which board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardQuery {
    board: String,
    rules: Option<String>,
}

/// `GET /api/board?board=…&rules=…`
pub async fn board(
    State(app): State<App>,
    query: Result<Query<BoardQuery>, QueryRejection>,
) -> Result<Json<BoardView>, Refusal> {
    let Query(query) = query.map_err(|error| Refusal::of("query", error.body_text()))?;
    let longest = app.config.limits.board;
    let instance = boards::instance(&query.board, query.rules.as_deref(), longest)?;
    let view = boards::view(&instance);
    view.map(Json).ok_or_else(|| Refusal::of("board", "only boards of SameGame are played here"))
}

/// `POST /api/verify`
pub async fn verify(
    State(app): State<App>,
    ask: Result<Json<VerifyAsk>, JsonRejection>,
) -> Result<Json<Verified>, Response> {
    let Json(ask) = ask.map_err(|rejection| unreadable(&rejection))?;
    let longest = app.config.limits.board;
    let instance = boards::instance(&ask.board, ask.rules.as_deref(), longest)
        .map_err(IntoResponse::into_response)?;
    let replay = replay(&instance, &ask.moves)
        .map_err(|message| Refusal::of("moves", message).into_response())?;
    Ok(Json(Verified {
        score: replay.score.0,
        cleared: replay.cleared,
        unfinished: replay.unfinished,
        moves: replay.moves,
    }))
}

/// `POST /api/solve`: answers when the search is over.
pub async fn solve(
    State(app): State<App>,
    Extension(Peer(peer)): Extension<Peer>,
    ask: Result<Json<SolveAsk>, JsonRejection>,
) -> Result<Response, Response> {
    let Json(ask) = ask.map_err(|rejection| unreadable(&rejection))?;
    let task = plan::task(&ask, &app.config.limits).map_err(IntoResponse::into_response)?;
    match finished(&app, peer, Errand::Search(Box::new(task))).await? {
        Outcome::Search(_, Some(solution)) => Ok(Json(&*solution).into_response()),
        _ => {
            let nothing = Refusal::of("budget", "it ended before the first playout");
            Err((StatusCode::UNPROCESSABLE_ENTITY, Json(nothing)).into_response())
        }
    }
}

/// `GET /api/agents`
pub async fn list_agents() -> Response {
    Json(catalogue::agents()).into_response()
}

/// `POST /api/think`: answers when the agent has thought.
pub async fn think(
    State(app): State<App>,
    Extension(Peer(peer)): Extension<Peer>,
    ask: Result<Json<ThinkAsk>, JsonRejection>,
) -> Result<Response, Response> {
    let Json(ask) = ask.map_err(|rejection| unreadable(&rejection))?;
    let think = thinking::plan(&ask, &app.config.limits).map_err(IntoResponse::into_response)?;
    match finished(&app, peer, Errand::Think(Box::new(think))).await? {
        Outcome::Thought(thought) => Ok(Json(&*thought).into_response()),
        Outcome::Search(..) => Err(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
    }
}

/// Waits for a job to be done. Whoever hangs up wants no answer, and it is stopped.
async fn finished(app: &App, peer: IpAddr, errand: Errand) -> Result<Outcome, Response> {
    let (owner, id) = (Owner::Address(peer), app.jobs.new_id());
    let submitted = app.jobs.submit(owner, &id, errand);
    let mut watched = submitted.map_err(IntoResponse::into_response)?;
    let _guard = StopOnDrop { jobs: &app.jobs, owner, id: &id };
    let over = watched.wait_for(View::is_over).await.map(|view| view.phase.clone());
    match over {
        Ok(Phase::Over(outcome)) => Ok(outcome),
        Ok(Phase::Failed(message)) => Err(Refusal::of("what", &*message).into_response()),
        _ => Err(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
    }
}

struct StopOnDrop<'a> {
    jobs: &'a Jobs,
    owner: Owner,
    id: &'a str,
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.jobs.stop(self.owner, self.id);
    }
}

/// `GET /api/socket`
pub async fn open_socket(State(app): State<App>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = std::sync::Arc::clone(&app.sockets).try_acquire_owned() else {
        let message = "too many sockets are open".to_owned();
        let busy = Refusal { field: String::new(), message, retry_after: Some(5) };
        return busy.into_response();
    };
    let most = app.config.limits.message;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |opened| async move {
        socket::serve(opened, &app).await;
        drop(permit);
    })
}
