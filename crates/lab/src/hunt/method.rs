//! A method of a hunt, as a word.

use std::fmt;
use std::str::FromStr;

use crate::{GameName, Setup, full_name};

/// An algorithm with settings, such as `swarm,width=1000`; with a `+` before it,
/// it begins with the best line so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HuntMethod {
    /// The algorithm and its preset.
    pub algorithm: String,
    /// `KEY=VALUE`s.
    pub settings: Vec<String>,
    /// Whether it begins with the best line.
    pub from_best: bool,
}

impl FromStr for HuntMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<HuntMethod, String> {
        let (from_best, rest) = match text.strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut parts = rest.split(',').map(str::to_owned);
        let algorithm = parts.next().unwrap_or_default();
        let settings: Vec<String> = parts.collect();
        Setup::given(GameName::SameGame, &full_name(&algorithm), &settings)
            .map_err(|error| format!("{error:#}"))?;
        Ok(HuntMethod { algorithm, settings, from_best })
    }
}

impl fmt::Display for HuntMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plus = if self.from_best { "+" } else { "" };
        write!(f, "{plus}{}", self.algorithm)?;
        self.settings.iter().try_for_each(|setting| write!(f, ",{setting}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_words() {
        for text in ["portfolio", "+lns", "nrpa:selective,level=2", "+swarm,pool=4,beams=0"] {
            assert_eq!(text.parse::<HuntMethod>().unwrap().to_string(), text);
        }
        assert!("lsn".parse::<HuntMethod>().unwrap_err().contains("lns"));
        assert!("lns,iteration=3".parse::<HuntMethod>().unwrap_err().contains("iterations"));
    }
}
