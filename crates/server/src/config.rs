//! Where the server listens, who may talk to it, and how much of it they may use.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// What a client has to know, if anything. Needed beyond loopback.
    pub token: Option<String>,
    /// Names by which the server is reached, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// How much a client may ask for.
    pub limits: Limits,
}

/// What there is an end to.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Searches that run at a time.
    pub cores: usize,
    /// Searches that wait or are paused, all together; more are turned away.
    pub waiting: usize,
    /// Searches of one socket that run, wait or are paused.
    pub per_socket: usize,
    /// The time of one search.
    pub search_time: Duration,
    /// The memory of one search, in bytes.
    pub search_memory: u64,
    /// How long a search outlives its socket.
    pub grace: Duration,
    /// How long a socket may be silent before it is taken for lost.
    pub silence: Duration,
    /// Open connections.
    pub connections: usize,
    /// Open sockets.
    pub sockets: usize,
    /// Bytes of a request's body.
    pub body: usize,
    /// Bytes of a message on a socket.
    pub message: usize,
    /// Bytes of the text of a board.
    pub board: usize,
    /// Requests a second of one address, and messages a second of one socket.
    pub rate: f64,
    /// How many may come at once before the rate counts.
    pub burst: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            waiting: 64,
            per_socket: 8,
            search_time: Duration::from_secs(600),
            search_memory: 256 << 20,
            grace: Duration::from_secs(5),
            silence: Duration::from_secs(8),
            connections: 512,
            sockets: 128,
            body: 64 << 10,
            message: 16 << 10,
            board: 4 << 10,
            rate: 40.0,
            burst: 400.0,
        }
    }
}

/// Why a server is not started.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Anybody could use it.
    #[error("{0} can be reached from other machines: that needs a token")]
    TokenNeeded(IpAddr),
    /// Anybody could guess it.
    #[error(
        "a token has at least {} characters, letters, digits, '-' and '_'",
        Config::SHORTEST_TOKEN
    )]
    WeakToken,
    /// The address is taken, or not ours.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0),
            token: None,
            names: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl Config {
    /// The shortest token that is one.
    pub const SHORTEST_TOKEN: usize = 16;

    /// Whether it is safe to start.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let sound = |token: &String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            token.len() >= Self::SHORTEST_TOKEN && token.chars().all(plain)
        };
        match &self.token {
            None if !self.listen.ip().is_loopback() => {
                Err(ConfigError::TokenNeeded(self.listen.ip()))
            }
            Some(token) if !sound(token) => Err(ConfigError::WeakToken),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_need_a_token() {
        let on = |listen: &str, token: Option<&str>| {
            let token = token.map(str::to_owned);
            Config { listen: listen.parse().unwrap(), token, ..Config::default() }.check()
        };
        assert!(on("127.0.0.1:0", None).is_ok() && on("[::1]:0", None).is_ok());
        assert!(matches!(on("0.0.0.0:80", None), Err(ConfigError::TokenNeeded(_))));
        assert!(matches!(on("192.168.0.7:80", None), Err(ConfigError::TokenNeeded(_))));
        assert!(on("0.0.0.0:80", Some("0123456789abcdef")).is_ok());
        for weak in ["", "short", "0123456789 bcdef", "0123456789äbcdef"] {
            assert!(matches!(on("0.0.0.0:80", Some(weak)), Err(ConfigError::WeakToken)), "{weak}");
        }
    }
}
