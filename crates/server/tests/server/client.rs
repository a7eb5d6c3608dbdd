//! A server to test, and a client that says exactly what it is told to.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use solitree_server::{Config, Limits, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Nothing in a test takes longer.
pub const LONG: Duration = Duration::from_secs(30);

/// A server that runs until the test ends.
pub async fn server(config: Config) -> SocketAddr {
    let server = Server::bind(config).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    address
}

/// A server with limits of one's own.
pub async fn limited(change: impl FnOnce(&mut Limits)) -> SocketAddr {
    let mut config = Config::default();
    change(&mut config.limits);
    server(config).await
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// Sends bytes as they are and reads the answer to its end.
pub async fn raw(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that has refused may not read to the end.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut bytes)).await.unwrap();
    let split = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let body = bytes.get(split + 4..).unwrap_or_default().to_vec();
    Answer { status, head, body }
}

/// A request with headers of one's own; the right Host unless they name one.
pub async fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.0\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str("Content-Type: application/json\r\n");
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    raw(address, text.as_bytes()).await
}

pub async fn get(address: SocketAddr, path: &str) -> Answer {
    request(address, "GET", path, &[], "").await
}

pub async fn post(address: SocketAddr, path: &str, body: &Value) -> Answer {
    request(address, "POST", path, &[], &body.to_string()).await
}

/// A socket.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// Opens a socket; the error is the status of the answer.
pub async fn open(address: SocketAddr, headers: &[(&str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://{address}/api/socket").into_client_request().unwrap();
    for (name, value) in headers {
        let name: tokio_tungstenite::tungstenite::http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    match timeout(LONG, connect_async(request)).await.unwrap() {
        Ok((stream, _)) => Ok(Socket(stream)),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Socket {
    pub async fn say(&mut self, text: &str) -> bool {
        self.0.send(Message::text(text)).await.is_ok()
    }

    pub async fn ask(&mut self, ask: Value) {
        assert!(self.say(&ask.to_string()).await);
    }

    /// Asks for a search of so many milliseconds.
    pub async fn search(&mut self, id: &str, time_ms: u64) {
        let what =
            json!({"board": "std:1", "algorithm": "sp-mcts", "budget": {"time_ms": time_ms}});
        self.ask(json!({"ask": "search", "id": id, "what": what})).await;
    }

    pub async fn tell(&mut self, ask: &str, id: &str) {
        self.ask(json!({"ask": ask, "id": id})).await;
    }

    /// The next event; nothing once the socket is closed.
    pub async fn hear(&mut self) -> Option<Value> {
        loop {
            match timeout(LONG, self.0.next()).await.expect("something is said") {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).ok(),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next event of a name; those before it are skipped.
    pub async fn until(&mut self, event: &str) -> Value {
        loop {
            let heard = self.hear().await.unwrap_or_else(|| panic!("closed before '{event}'"));
            if heard["event"] == event {
                return heard;
            }
        }
    }

    /// Goes without a word.
    pub fn vanish(self) {}
}

/// An id for a search.
pub fn id(name: &str) -> String {
    format!("{name:0>20}")
}
