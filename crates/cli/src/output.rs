//! Standard output is for results, standard error for everything else.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
pub use solitree_lab::wire::VERSION;

/// The version and what it was built from.
pub const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), "\ncommit ", env!("SOLITREE_COMMIT"), "\nboard generator 1");

/// The build: a search only goes on in the one that began it.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("SOLITREE_COMMIT"), ")");

/// Prints a line of results.
pub fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Prints an object as a line of results.
pub fn print_json(object: &impl Serialize) -> io::Result<()> {
    print(&serde_json::to_string(object)?)
}

/// Prints a line for people; if even that fails there is nobody to tell.
pub fn message(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Panics are bugs: one line, and no trace unless it is asked for.
pub fn quiet_panics() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|panic| message(&format!("{panic}"))));
    }
}

/// A number with commas between thousands.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// A time people can read.
pub fn readable(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Work per second.
pub fn per_second(work: u64, time: Duration) -> i64 {
    (work as f64 / time.as_secs_f64().max(1e-9)) as i64
}

/// A text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,=+@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (-1234567, "-1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
