//! Solutions and games as files give them, one a line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use solitree_games::colorshapelinks::RecordedGame;
use solitree_lab::Failure;

/// A solution; what else `solve --json` prints of it does not matter here.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// The board by name, or its rows.
    pub board: String,
    /// The rules, where they are named.
    pub rules: Option<String>,
    /// The score it is said to have.
    pub score: i64,
    /// Whether it is said to clear the board.
    pub cleared: Option<bool>,
    /// The moves.
    pub moves: Vec<String>,
}

/// Reads solutions one by one, each with the place where it stands.
pub fn read(file: &Path) -> Result<impl Iterator<Item = Result<(String, Claim)>>> {
    read_by(file, claim)
}

/// Reads games of ColorShapeLinks one by one, each with the place where it stands.
pub fn read_games(file: &Path) -> Result<impl Iterator<Item = Result<(String, RecordedGame)>>> {
    read_by(file, |line| serde_json::from_str(line).map_err(|error| error.to_string()))
}

/// Reads a file line by line; `-` is standard input. Empty lines and those that
/// begin with `#` are passed over.
fn read_by<T>(
    file: &Path,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<impl Iterator<Item = Result<(String, T)>>> {
    let standard_input = file == Path::new("-");
    let name =
        if standard_input { "standard input".to_owned() } else { file.display().to_string() };
    let reader: Box<dyn BufRead> = if standard_input {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let opened =
            File::open(file).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        Box::new(BufReader::new(opened))
    };
    Ok(reader.lines().enumerate().filter_map(move |(index, line)| {
        let place = format!("{name}, line {}", index + 1);
        let wrong = |error: &dyn std::fmt::Display| Failure::input(format!("{place}: {error}"));
        let line = match &line {
            Ok(line) => line.trim(),
            Err(error) => return Some(Err(wrong(error))),
        };
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        Some(parse(line).map_err(|error| wrong(&error)).map(|read| (place, read)))
    }))
}

fn claim(line: &str) -> Result<Claim, String> {
    if line.starts_with('{') {
        return serde_json::from_str(line).map_err(|error| error.to_string());
    }
    let mut words = line.split_whitespace();
    let board = words.next().unwrap_or_default().to_owned();
    let score = words.next().ok_or("expected BOARD SCORE MOVES…")?;
    let score = score.parse().map_err(|_| format!("'{score}' is not a score"))?;
    let moves = words.map(str::to_owned).collect();
    Ok(Claim { board, rules: None, score, cleared: None, moves })
}
