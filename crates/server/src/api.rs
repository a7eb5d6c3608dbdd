//! The API: the same JSON as the command line.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Extension, Query, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use solitree_lab::{catalogue, replay};
use solitree_search::ALGORITHMS;

use crate::guard::Peer;
use crate::jobs::{Jobs, Owner, Phase};
use crate::protocol::{BoardView, Refusal, SolveAsk, Verified, VerifyAsk};
use crate::{App, boards, plan, socket};

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
    let owner = Owner::Address(peer);
    let Owner::Socket(number) = app.jobs.new_owner() else {
        return Err(StatusCode::INTERNAL_SERVER_ERROR.into_response());
    };
    let id = format!("request-{number}");
    let submitted = app.jobs.submit(owner, &id, task);
    let mut watched = submitted.map_err(IntoResponse::into_response)?;
    // Whoever hangs up wants no answer.
    let _guard = StopOnDrop { jobs: &app.jobs, owner, id: &id };
    let over = watched.wait_for(crate::jobs::View::is_over).await;
    let phase = over.map(|view| view.phase.clone());
    match phase {
        Ok(Phase::Over(_, Some(solution))) => Ok(Json(&*solution).into_response()),
        Ok(Phase::Failed(message)) => Err(Refusal::of("what", &*message).into_response()),
        _ => Err((
            StatusCode::UNPROCESSABLE_ENTITY,
            Json(json!({"field": "budget", "message": "it ended before the first playout"})),
        )
            .into_response()),
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
