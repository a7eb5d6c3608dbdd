//! The API's part for the runs of the laboratory.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::App;
use crate::protocol::{Refusal, RunList};
use crate::runs::{Missing, Runs};

/// Reports bring their styles with them, run nothing and load nothing; the page may
/// frame them.
const REPORT_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'; sandbox",
);

/// `GET /api/runs`
pub async fn list(State(app): State<App>) -> Response {
    match app.runs {
        None => Json(RunList { served: false, runs: Vec::new() }).into_response(),
        Some(_) => answer(app, |runs| Ok(Json(runs.list()).into_response())).await,
    }
}

/// `GET /api/runs/{name}`
pub async fn view(State(app): State<App>, Path(name): Path<String>) -> Response {
    answer(app, move |runs| Ok(Json(runs.view(&name)?).into_response())).await
}

/// `GET /api/runs/{name}/report`
pub async fn report(State(app): State<App>, Path(name): Path<String>) -> Response {
    let kind = "text/html; charset=utf-8";
    answer(app, move |runs| Ok(apart(kind, runs.report(&name)?.to_string().into_bytes()))).await
}

/// `GET /api/runs/{name}/files/{file}`
pub async fn file(State(app): State<App>, Path((name, file)): Path<(String, String)>) -> Response {
    answer(app, move |runs| {
        let (kind, bytes) = runs.file(&name, &file)?;
        Ok(apart(kind, bytes))
    })
    .await
}

/// What a file of a run says, kept apart from the page.
fn apart(kind: &'static str, bytes: Vec<u8>) -> Response {
    let head = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (CONTENT_SECURITY_POLICY, REPORT_POLICY),
        (X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN")),
    ];
    (head, bytes).into_response()
}

/// Looks something up where a disk may be waited for.
async fn answer(
    app: App,
    look: impl FnOnce(&Runs) -> Result<Response, Missing> + Send + 'static,
) -> Response {
    let Some(runs) = app.runs else { return missing(Missing::Unknown) };
    match tokio::task::spawn_blocking(move || look(&runs)).await {
        Ok(found) => found.unwrap_or_else(missing),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn missing(missing: Missing) -> Response {
    let (status, message) = match missing {
        Missing::Unknown => (StatusCode::NOT_FOUND, "there is no such run or file".to_owned()),
        Missing::Unreadable(message) => (StatusCode::UNPROCESSABLE_ENTITY, message),
    };
    (status, Json(Refusal::of("run", message))).into_response()
}
