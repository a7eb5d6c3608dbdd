//! The keys of a request, each taken once: what is left over is a mistake.

use std::time::Duration;

use serde_json::{Map, Value};
use solitree_core::params::{nearest, parse_count, parse_duration};

/// The keys that have not been taken yet. Every error names its key.
pub(super) struct Fields {
    map: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn new(map: Map<String, Value>) -> Fields {
        Fields { map, known: Vec::new() }
    }

    /// The value of a key; `null` is as good as none.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.map.remove(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(key, &other, "a text")),
        }
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Result<bool, String> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(key, &other, "true or false")),
        }
    }

    /// A whole number, not negative.
    pub(super) fn number(&mut self, key: &'static str) -> Result<Option<u64>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(wrong(key, &value, "a whole number of 0 or more")),
            },
        }
    }

    /// A whole number of any sign.
    pub(super) fn signed(&mut self, key: &'static str) -> Result<Option<i64>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(wrong(key, &value, "a whole number")),
            },
        }
    }

    /// A number above 0, or a text such as `100k`.
    pub(super) fn count(&mut self, key: &'static str) -> Result<Option<u64>, String> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let count = value.as_str().map_or_else(|| value.as_u64(), parse_count);
        match count {
            Some(count) if count > 0 => Ok(Some(count)),
            _ => Err(wrong(key, &value, "a count above 0 such as 250 or \"100k\"")),
        }
    }

    /// A text such as `500ms`, a day at most.
    pub(super) fn time(&mut self, key: &'static str) -> Result<Option<Duration>, String> {
        const LONGEST: Duration = Duration::from_secs(24 * 3600);
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.as_str().and_then(parse_duration) {
            Some(time) if time <= LONGEST => Ok(Some(time)),
            _ => Err(wrong(key, &value, "a time such as \"500ms\" or \"10s\", a day at most")),
        }
    }

    /// Bytes: a number, or a text such as `512M`; from a megabyte to eight
    /// gigabytes.
    pub(super) fn bytes(&mut self, key: &'static str) -> Result<Option<u64>, String> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let scaled = |text: &str| {
            let (number, unit) = match text.char_indices().last()? {
                (at, 'k' | 'K') => (&text[..at], 10),
                (at, 'm' | 'M') => (&text[..at], 20),
                (at, 'g' | 'G') => (&text[..at], 30),
                _ => (text, 0),
            };
            number.parse::<u64>().ok()?.checked_mul(1 << unit)
        };
        let bytes = value.as_str().map_or_else(|| value.as_u64(), scaled);
        match bytes {
            Some(bytes) if (1 << 20..=8 << 30).contains(&bytes) => Ok(Some(bytes)),
            _ => Err(wrong(key, &value, "a size from \"1M\" to \"8G\"")),
        }
    }

    /// Words: a list of texts, or one text with spaces between them.
    pub(super) fn words(&mut self, key: &'static str) -> Result<Vec<String>, String> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let wanted = "a list of moves, or a text with spaces between them";
        match value {
            Value::String(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
            Value::Array(list) => list
                .into_iter()
                .map(|word| match word {
                    Value::String(word) => Ok(word),
                    other => Err(wrong(key, &other, wanted)),
                })
                .collect(),
            other => Err(wrong(key, &other, wanted)),
        }
    }

    /// `KEY=VALUE` for each entry of an object of numbers, texts and truth values.
    pub(super) fn settings(&mut self, key: &'static str) -> Result<Vec<String>, String> {
        let Some(value) = self.take(key) else { return Ok(Vec::new()) };
        let Value::Object(map) = value else { return Err(wrong(key, &value, "an object")) };
        map.into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok(format!("{name}={text}")),
                Value::Number(_) | Value::Bool(_) => Ok(format!("{name}={value}")),
                other => Err(format!(
                    "{key}: {}",
                    wrong(&quoted(&name), &other, "a number, a text or a truth value")
                )),
            })
            .collect()
    }

    /// Whether everything was taken; the error names a key that means nothing here.
    pub(super) fn finish(self) -> Result<(), String> {
        let Some(key) = self.map.keys().next() else { return Ok(()) };
        let near = nearest(key, self.known.iter().copied());
        let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
        Err(format!("unknown key {}{hint}", quoted(key)))
    }
}

/// Says that a value is not what it should be.
fn wrong(key: &str, value: &Value, wanted: &str) -> String {
    format!("{key}: {} is not {wanted}", shortened(&value.to_string()))
}

/// The beginning of a text, in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    // Quotes are as good as they were.
    short.replace("\\\"", "\"").replace("\\'", "'")
}
