//! Parameters as one table: the struct, the keys of `--set`, the ranges a tuner
//! may use and the documentation all come from a single definition.

use std::fmt;
use std::time::Duration;

/// The values a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// A real number between two ends, both included.
    Real(f64, f64),
    /// A whole number between two ends, both included.
    Count(u64, u64),
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or the path of a file.
    WordOrFile(&'static [&'static str]),
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Real(low, high) => write!(f, "{low} to {high}"),
            Range::Count(low, high) => write!(f, "{low} to {high}"),
            Range::Flag => f.write_str("true or false"),
            Range::Choice(words) => f.write_str(&words.join(", ")),
            Range::WordOrFile(words) => write!(f, "{} or a file", words.join(", ")),
        }
    }
}

/// What is known of one parameter.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// The key on the command line and in files.
    pub key: &'static str,
    /// The values it may take.
    pub range: Range,
    /// The default, as text.
    pub default: String,
    /// What it does.
    pub help: &'static str,
}

/// Why a parameter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// There is no such key.
    #[error("unknown parameter '{key}'{}", did_you_mean(.near))]
    UnknownKey {
        /// The key that was given.
        key: String,
        /// The nearest one there is.
        near: Option<String>,
    },
    /// The value is not one of the range.
    #[error("parameter '{key}': '{value}' is not {expected}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been right.
        expected: String,
    },
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("; did you mean '{near}'?")).unwrap_or_default()
}

/// The candidate most like a word, if any is like enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(word.len()) / 3)
        .map(|(_, candidate)| candidate.to_owned())
}

/// A type that a parameter can have.
pub trait ParamValue: Sized {
    /// Reads a value of the range; says nothing more than "no" if it is not one.
    fn read(text: &str, range: &Range) -> Option<Self>;
    /// The text that [`read`](ParamValue::read) understands.
    fn write(&self) -> String;
}

impl ParamValue for f64 {
    fn read(text: &str, range: &Range) -> Option<Self> {
        let Range::Real(low, high) = *range else { return None };
        text.parse().ok().filter(|value| (low..=high).contains(value))
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl ParamValue for u64 {
    fn read(text: &str, range: &Range) -> Option<Self> {
        let Range::Count(low, high) = *range else { return None };
        parse_count(text).filter(|value| (low..=high).contains(value))
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl ParamValue for bool {
    fn read(text: &str, _: &Range) -> Option<Self> {
        text.parse().ok()
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl ParamValue for String {
    fn read(text: &str, _: &Range) -> Option<Self> {
        (!text.is_empty()).then(|| text.to_owned())
    }
    fn write(&self) -> String {
        self.clone()
    }
}

/// A count with an optional unit: `250`, `10k`, `1.5M`, `2G`, `1e6`; `_` may
/// group digits.
#[must_use]
pub fn parse_count(text: &str) -> Option<u64> {
    let text: String = text.chars().filter(|&c| c != '_').collect();
    if let Ok(plain) = text.parse() {
        return Some(plain);
    }
    let (number, unit) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1e3),
        (at, 'm' | 'M') => (&text[..at], 1e6),
        (at, 'g' | 'G') => (&text[..at], 1e9),
        _ => (text.as_str(), 1.0),
    };
    let value = number.parse::<f64>().ok()? * unit;
    ((0.0..1e18).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// A time with a unit: `500ms`, `10s`, `1.5m`, `2h`, `1d`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..digits].parse().ok()?;
    let seconds = match &text[digits..] {
        "ms" => number / 1e3,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * 86_400.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// A set of parameters that can be read and written by key.
pub trait Params {
    /// Every parameter, in the order of the table.
    fn table() -> Vec<ParamInfo>;
    /// Sets one parameter from text.
    fn set(&mut self, key: &str, value: &str) -> Result<(), ParamError>;
    /// Every key with its present value as text.
    fn values(&self) -> Vec<(&'static str, String)>;
}

/// Defines a parameter struct: `field ("key"): type = default, range;`.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $struct_doc:literal])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ $field:ident ($key:literal): $type:ty = $default:expr, $range:expr; )+
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $doc])+ pub $field: $type, )+ }

        impl Default for $name {
            fn default() -> Self { $name { $( $field: $default, )+ } }
        }

        impl $crate::params::Params for $name {
            fn table() -> Vec<$crate::params::ParamInfo> {
                let defaults = Self::default();
                vec![ $( $crate::params::ParamInfo {
                    key: $key,
                    range: $range,
                    default: $crate::params::ParamValue::write(&defaults.$field),
                    help: concat!($($doc),+).trim_ascii_start(),
                }, )+ ]
            }

            fn set(&mut self, key: &str, value: &str) -> Result<(), $crate::params::ParamError> {
                match key {
                    $( $key => {
                        let range = $range;
                        self.$field = <$type as $crate::params::ParamValue>::read(value, &range)
                            .ok_or_else(|| $crate::params::ParamError::BadValue {
                                key: $key,
                                value: value.to_owned(),
                                expected: format!("one of: {range}"),
                            })?;
                        Ok(())
                    } )+
                    _ => Err($crate::params::ParamError::UnknownKey {
                        key: key.to_owned(),
                        near: $crate::params::nearest(key, [$($key),+]),
                    }),
                }
            }

            fn values(&self) -> Vec<(&'static str, String)> {
                vec![ $( ($key, $crate::params::ParamValue::write(&self.$field)), )+ ]
            }
        }
    };
}

/// Defines an enum whose variants print and parse as the given words.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $enum_doc:literal])*
        pub enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[doc = $enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[doc = $doc])+ $variant, )+ }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [$name] = &[ $( $name::$variant, )+ ];
            /// The words, in the same order.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )+ ];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $( $name::$variant => $word, )+ })
            }
        }

        impl $crate::params::ParamValue for $name {
            fn read(text: &str, _: &$crate::params::Range) -> Option<Self> {
                match text { $( $word => Some($name::$variant), )+ _ => None }
            }
            fn write(&self) -> String { self.to_string() }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    choice! {
        /// A colour.
        pub enum Colour {
            /// Like blood.
            Red = "red",
            /// Like the sky.
            Blue = "blue",
        }
    }

    params! {
        /// Something to set.
        pub struct Paint {
            /// How much of it.
            amount ("amount"): f64 = 1.5, Range::Real(0.0, 10.0);
            /// How many coats.
            coats ("coats"): u64 = 2, Range::Count(1, 1_000_000);
            /// Which colour.
            colour ("paint-colour"): Colour = Colour::Red, Range::Choice(Colour::WORDS);
            /// Whether it shines.
            gloss ("gloss"): bool = false, Range::Flag;
        }
    }

    #[test]
    fn sets_and_prints_by_key() {
        let mut paint = Paint::default();
        for (key, value) in
            [("amount", "2.5"), ("coats", "10k"), ("paint-colour", "blue"), ("gloss", "true")]
        {
            paint.set(key, value).unwrap();
        }
        assert_eq!(paint, Paint { amount: 2.5, coats: 10_000, colour: Colour::Blue, gloss: true });
        let mut copy = Paint::default();
        for (key, value) in paint.values() {
            copy.set(key, &value).unwrap();
        }
        assert_eq!(copy, paint);
        assert_eq!(Paint::table()[2].help, "Which colour.");
        let words: Vec<String> = Colour::ALL.iter().map(Colour::to_string).collect();
        assert_eq!(words, Colour::WORDS);
    }

    #[test]
    fn refuses_with_a_reason() {
        let mut paint = Paint::default();
        let message = |result: Result<(), ParamError>| result.unwrap_err().to_string();
        assert_eq!(
            message(paint.set("amout", "1")),
            "unknown parameter 'amout'; did you mean 'amount'?"
        );
        assert_eq!(message(paint.set("zzz", "1")), "unknown parameter 'zzz'");
        assert_eq!(
            message(paint.set("amount", "11")),
            "parameter 'amount': '11' is not one of: 0 to 10"
        );
        assert_eq!(
            message(paint.set("amount", "NaN")),
            "parameter 'amount': 'NaN' is not one of: 0 to 10"
        );
        assert_eq!(
            message(paint.set("paint-colour", "green")),
            "parameter 'paint-colour': 'green' is not one of: red, blue"
        );
        assert_eq!(paint, Paint::default());
    }

    #[test]
    fn counts_take_units() {
        for (text, value) in [
            ("7", 7),
            ("10k", 10_000),
            ("1.5M", 1_500_000),
            ("2G", 2_000_000_000),
            ("1e6", 1_000_000),
            ("1_000", 1000),
        ] {
            assert_eq!(parse_count(text), Some(value), "{text}");
        }
        for text in ["", "k", "-1", "1.5", "1x", "1e99", "nan"] {
            assert_eq!(parse_count(text), None, "{text}");
        }
    }
}
