//! From an address to answers: binding, accepting, and the routes.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;
use tower_http::compression::CompressionLayer;

use crate::config::{Config, ConfigError};
use crate::guard::{self, Peer};
use crate::jobs::Jobs;
use crate::rate::RateLimiter;
use crate::{App, api, page};

/// How long a client may take to say what it wants.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// The bytes of a request's head.
const HEADER_BYTES: usize = 32 << 10;
/// How often lost searches are looked for.
const TIDY: Duration = Duration::from_millis(500);

/// A server that has its address and waits to be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: Arc<Config>,
}

impl Server {
    /// Takes the address.
    pub async fn bind(config: Config) -> Result<Server, ConfigError> {
        config.check()?;
        let failed = |error| ConfigError::Listen(config.listen, error);
        let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address, config: Arc::new(config) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to open in a browser, the token included.
    #[must_use]
    pub fn link(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        let token = self.config.token.as_ref();
        let query = token.map(|token| format!("?token={token}")).unwrap_or_default();
        format!("http://{address}/{query}")
    }

    /// Serves until `end` comes.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let limits = self.config.limits.clone();
        let jobs = Jobs::new(limits.clone());
        let app = App {
            jobs: jobs.clone(),
            rate: Arc::new(RateLimiter::new(limits.rate, limits.burst)),
            sockets: Arc::new(Semaphore::new(limits.sockets)),
            port: self.address.port(),
            config: self.config,
        };
        let router = router(app);
        let connections = Arc::new(Semaphore::new(limits.connections));
        let mut tidy = tokio::time::interval(TIDY);
        tokio::pin!(end);
        loop {
            let accepted = tokio::select! {
                () = &mut end => return,
                _ = tidy.tick() => {
                    jobs.tidy(Instant::now());
                    continue;
                }
                accepted = self.listener.accept() => accepted,
            };
            // One over the limit is hung up on: its browser says so.
            let (Ok((stream, peer)), Ok(permit)) =
                (accepted, Arc::clone(&connections).try_acquire_owned())
            else {
                continue;
            };
            let router = router.clone();
            tokio::spawn(async move {
                converse(stream, Peer(peer.ip()), router).await;
                drop(permit);
            });
        }
    }
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, peer: Peer, router: Router) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        let answer = router.clone().oneshot(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    // Whatever goes wrong on a connection concerns only that connection.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}

fn router(app: App) -> Router {
    let body = app.config.limits.body;
    Router::new()
        .route("/api/boards", get(api::list_boards))
        .route("/api/algorithms", get(api::list_algorithms))
        .route("/api/board", get(api::board))
        .route("/api/verify", post(api::verify))
        .route("/api/solve", post(api::solve))
        .route("/api/agents", get(api::list_agents))
        .route("/api/think", post(api::think))
        .route("/api/socket", get(api::open_socket))
        .fallback(get(page::file))
        .layer(CompressionLayer::new())
        .layer(DefaultBodyLimit::max(body))
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}
