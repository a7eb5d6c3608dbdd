//! Who may talk to the server, and the headers of every answer.
//!
//! - The Host header must name an address, `localhost` or a name the server was
//!   told, with its port: a page of another site that resolves its own name to this
//!   machine (DNS rebinding) is turned away.
//! - A request that a browser says comes from another origin reaches no API and no
//!   socket.
//! - With a token nothing is served without it: a cookie, set by following the link
//!   that is printed at the start, or `Authorization: Bearer`.
//! - An address that asks too often is told to wait.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, LOCATION,
    ORIGIN, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::App;
use crate::config::Config;

/// Where a connection comes from; put beside every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Everything comes from here, nothing is run that is not a file of the page, and
/// nobody frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const COOKIE_NAME: &str = "solitree-token";

/// Lets a request pass or answers it.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = match refuse(&app, &request) {
        Some(answer) => answer,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The answer to a request that does not pass.
fn refuse(app: &App, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let said =
        |status: StatusCode, message: &str| Some((status, message.to_owned()).into_response());
    let Some(host) = only(headers, &HOST).filter(|host| knows_host(&app.config, app.port, host))
    else {
        return said(StatusCode::MISDIRECTED_REQUEST, "this server has another name\n");
    };
    let is_api = request.uri().path().starts_with("/api/");
    let writes = request.method() != Method::GET && request.method() != Method::HEAD;
    if (is_api || writes) && !same_origin(headers, host) {
        return said(StatusCode::FORBIDDEN, "not from another site\n");
    }
    if let Some(token) = &app.config.token {
        match admission(headers, request.uri().query(), token) {
            Admission::Granted => {}
            Admission::ByLink => return Some(welcome(token)),
            Admission::Denied => {
                return said(
                    StatusCode::UNAUTHORIZED,
                    "follow the link that `solitree serve` printed, or send the token\n",
                );
            }
        }
    }
    let peer = request.extensions().get::<Peer>()?.0;
    if is_api && !app.rate.allows(peer, Instant::now()) {
        let wait = [(RETRY_AFTER, "1")];
        let slow_down = (StatusCode::TOO_MANY_REQUESTS, wait, "too many requests\n");
        return Some(slow_down.into_response());
    }
    None
}

/// The value of a header that must be there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Whether a Host header is of this server.
fn knows_host(config: &Config, port: u16, host: &str) -> bool {
    let local_only = config.listen.ip().is_loopback();
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.port() == port && (!local_only || address.ip().is_loopback());
    }
    // Without a port a browser means 80.
    let (name, named_port) = match host.rsplit_once(':') {
        Some((name, digits)) if !name.is_empty() => (name, digits.parse().ok()),
        _ => (host, Some(80)),
    };
    let known = config.names.iter().any(|known| known.eq_ignore_ascii_case(name))
        || name.eq_ignore_ascii_case("localhost");
    let address = name.parse::<IpAddr>().is_ok_and(|ip| !local_only || ip.is_loopback());
    named_port == Some(port) && (known || address)
}

/// Whether a browser says that a request is of a page of ours, or no browser sent it.
fn same_origin(headers: &HeaderMap, host: &str) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let near = matches!(site, None | Some(b"same-origin" | b"none"));
    let mut origins = headers.get_all(ORIGIN).iter();
    near && origins.all(|origin| {
        let origin = origin.to_str().ok();
        let authority = origin.and_then(|text| {
            text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))
        });
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
    })
}

enum Admission {
    Granted,
    /// The token is in the address: it belongs into a cookie.
    ByLink,
    Denied,
}

fn admission(headers: &HeaderMap, query: Option<&str>, token: &str) -> Admission {
    let bearer = only(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookie = cookies
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='));
    if [bearer, cookie].into_iter().flatten().any(|given| same_text(given, token)) {
        return Admission::Granted;
    }
    let mut pairs = query.unwrap_or_default().split('&');
    match pairs.find_map(|pair| pair.strip_prefix("token=")) {
        Some(given) if same_text(given, token) => Admission::ByLink,
        _ => Admission::Denied,
    }
}

/// Compares in a time that does not tell where the texts differ.
fn same_text(given: &str, wanted: &str) -> bool {
    let pairs = given.bytes().zip(wanted.bytes());
    given.len() == wanted.len() && pairs.fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Puts the token into a cookie and takes it out of the address.
fn welcome(token: &str) -> Response {
    let cookie = format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Lax");
    let headers = [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())];
    (StatusCode::SEE_OTHER, headers, Body::empty()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_or_known_names() {
        let local = Config::default();
        for good in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"] {
            assert!(knows_host(&local, 8000, good), "{good}");
        }
        for bad in [
            "evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "localhost.evil.example:8000",
            "192.168.0.7:8000",
            "127.0.0.1:8001",
            "127.0.0.1",
            "localhost",
            "",
            ":8000",
        ] {
            assert!(!knows_host(&local, 8000, bad), "{bad}");
        }
        assert!(knows_host(&local, 80, "localhost") && knows_host(&local, 80, "127.0.0.1"));
        let listen = "0.0.0.0:8000".parse().unwrap();
        let wide = Config { listen, names: vec!["play.lan".into()], ..Config::default() };
        assert!(knows_host(&wide, 8000, "192.168.0.7:8000"));
        assert!(knows_host(&wide, 8000, "play.lan:8000"));
        assert!(!knows_host(&wide, 8000, "evil.example:8000"));
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same_text("abc", "abc"));
        assert!(!same_text("abc", "abd") && !same_text("ab", "abc") && !same_text("", "a"));
    }
}
