//! Networks as data: a line of text says which.
//!
//! `BODY+HEAD+HEAD…`, for example `residual(blocks=4,filters=32)+policy+value`.
//! Bodies are `paper`, `residual(blocks=B,filters=F)` and
//! `tiny(layers=L,filters=F)`; heads are `policy`, `value` and `clear`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NetConfig {
    /// The convolutions.
    pub body: Body,
    /// What is asked of them.
    pub heads: Heads,
}

/// The convolutions of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The thirteen convolutions with 64 filters of Seify and Buro (2020), see
    /// [`crate::Network`]. Its policy goes through a linear layer over the
    /// whole board, so that weights serve one size only.
    Paper,
    /// A convolution, then blocks of two with a way around them, all 3x3 with
    /// batch normalisation and ReLU.
    Residual {
        /// How many blocks.
        blocks: usize,
        /// Filters of each convolution.
        filters: usize,
    },
    /// A few 3x3 convolutions with batch normalisation and ReLU.
    Tiny {
        /// How many convolutions.
        layers: usize,
        /// Filters of each.
        filters: usize,
    },
}

/// What a network answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// How good each move is, as a logit a cell.
    pub policy: bool,
    /// What the rest of the game will bring.
    pub value: bool,
    /// How likely the board is cleared.
    pub clear: bool,
}

impl NetConfig {
    /// The network of the paper: a policy and nothing else.
    pub const PAPER: NetConfig = NetConfig { body: Body::Paper, heads: Heads::POLICY };

    /// Fit for search on one processor core.
    pub const TINY: NetConfig =
        NetConfig { body: Body::Tiny { layers: 4, filters: 16 }, heads: Heads::POLICY };

    /// Fit for search on a small GPU, and for small boards.
    pub const SMALL: NetConfig =
        NetConfig { body: Body::Residual { blocks: 4, filters: 32 }, heads: Heads::POLICY };
}

impl Heads {
    /// A policy and nothing else.
    pub const POLICY: Heads = Heads { policy: true, value: false, clear: false };
    /// Everything.
    pub const ALL: Heads = Heads { policy: true, value: true, clear: true };
}

/// What is wrong with the text of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No such body.
    #[error("'{0}' is not paper, residual(blocks=B,filters=F) or tiny(layers=L,filters=F)")]
    Body(String),
    /// A number out of bounds.
    #[error("{name}={value}: {name} is 1 to {most}")]
    Bounds {
        /// Of which parameter.
        name: &'static str,
        /// The number.
        value: usize,
        /// The largest there may be.
        most: usize,
    },
    /// No such head, or one named twice.
    #[error("'{0}' is not one of policy, value and clear, each named once")]
    Head(String),
    /// A network that answers nothing.
    #[error("'{0}' has no head: add +policy, +value or +clear")]
    NoHead(String),
}

const MOST_LAYERS: usize = 64;
const MOST_FILTERS: usize = 1024;

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Paper => f.write_str("paper"),
            Body::Residual { blocks, filters } => {
                write!(f, "residual(blocks={blocks},filters={filters})")
            }
            Body::Tiny { layers, filters } => write!(f, "tiny(layers={layers},filters={filters})"),
        }
    }
}

impl FromStr for Body {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Body, ConfigError> {
        let wrong = || ConfigError::Body(text.to_owned());
        if text == "paper" {
            return Ok(Body::Paper);
        }
        let (kind, rest) = text.split_once('(').ok_or_else(wrong)?;
        let (first, second) =
            rest.strip_suffix(')').and_then(|rest| rest.split_once(',')).ok_or_else(wrong)?;
        let number = |part: &str, name: &'static str, most: usize| {
            let value = part.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
            let value = value.and_then(|value| value.parse().ok()).ok_or_else(wrong)?;
            if (1..=most).contains(&value) {
                Ok(value)
            } else {
                Err(ConfigError::Bounds { name, value, most })
            }
        };
        let filters = number(second, "filters", MOST_FILTERS);
        match kind {
            "residual" => Ok(Body::Residual {
                blocks: number(first, "blocks", MOST_LAYERS)?,
                filters: filters?,
            }),
            "tiny" => {
                Ok(Body::Tiny { layers: number(first, "layers", MOST_LAYERS)?, filters: filters? })
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for NetConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.body.fmt(f)?;
        let Heads { policy, value, clear } = self.heads;
        for (there, name) in [(policy, "policy"), (value, "value"), (clear, "clear")] {
            if there {
                write!(f, "+{name}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for NetConfig {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<NetConfig, ConfigError> {
        let mut parts = text.split('+').map(str::trim);
        let body = parts.next().unwrap_or_default().parse()?;
        let mut heads = Heads { policy: false, value: false, clear: false };
        for part in parts {
            let head = match part {
                "policy" => &mut heads.policy,
                "value" => &mut heads.value,
                "clear" => &mut heads.clear,
                _ => return Err(ConfigError::Head(part.to_owned())),
            };
            if std::mem::replace(head, true) {
                return Err(ConfigError::Head(part.to_owned()));
            }
        }
        if heads == (Heads { policy: false, value: false, clear: false }) {
            return Err(ConfigError::NoHead(text.to_owned()));
        }
        Ok(NetConfig { body, heads })
    }
}

impl TryFrom<String> for NetConfig {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<NetConfig, ConfigError> {
        text.parse()
    }
}

impl From<NetConfig> for String {
    fn from(config: NetConfig) -> String {
        config.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_print_and_parse() {
        for text in [
            "paper+policy",
            "residual(blocks=4,filters=32)+policy+value",
            "tiny(layers=4,filters=16)+policy+value+clear",
            "tiny(layers=1,filters=1)+clear",
        ] {
            let config: NetConfig = text.parse().unwrap();
            assert_eq!(config.to_string(), text);
            let json = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<NetConfig>(&json).unwrap(), config);
        }
        assert_eq!(NetConfig::TINY.to_string(), "tiny(layers=4,filters=16)+policy");
    }

    #[test]
    fn says_what_is_wrong() {
        let message = |text: &str| text.parse::<NetConfig>().unwrap_err().to_string();
        let body = "is not paper, residual(blocks=B,filters=F) or tiny(layers=L,filters=F)";
        for wrong in ["", "papers", "residual", "tiny(blocks=3,filters=2)", "tiny(layers=3)"] {
            assert_eq!(message(&format!("{wrong}+policy")), format!("'{wrong}' {body}"));
        }
        assert_eq!(message("tiny(layers=0,filters=9)+policy"), "layers=0: layers is 1 to 64");
        assert_eq!(
            message("tiny(layers=1,filters=9999)+policy"),
            "filters=9999: filters is 1 to 1024"
        );
        let head = "is not one of policy, value and clear, each named once";
        assert_eq!(message("paper+priors"), format!("'priors' {head}"));
        assert_eq!(message("paper+policy+policy"), format!("'policy' {head}"));
        assert_eq!(message("paper"), "'paper' has no head: add +policy, +value or +clear");
    }
}
