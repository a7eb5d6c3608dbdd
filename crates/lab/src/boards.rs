//! Boards as the command line names them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use solitree_games::samegame::{Board, BoardName, BoardNameError, BoardSet, SETS};

use crate::failure::Failure;

/// The most a board's text may take: nobody's is longer.
const MAX_TEXT: u64 = 1 << 20;

/// The board that a text names: one with a name, a file, rows, or `-`.
pub fn find(text: &str) -> Result<BoardName> {
    if text == "-" {
        return read("standard input", &mut std::io::stdin());
    }
    match (text.parse(), File::open(text)) {
        // Names of sets come before files, and files before rows.
        (Ok(name), Err(_)) => Ok(name),
        (Ok(name), _) if !matches!(name, BoardName::Inline(_)) => Ok(name),
        (_, Ok(mut file)) => read(text, &mut file),
        (Err(error), Err(missing)) => match error {
            BoardNameError::Inline(_, rows) => {
                Err(Failure::input(format!("{text}: {missing}; and as rows: {rows}")))
            }
            BoardNameError::Unknown(_) if looks_like_a_path(text) => {
                Err(Failure::input(format!("{text}: {missing}")))
            }
            error @ BoardNameError::Unknown(_) => {
                Err(Failure::usage(format!("{error}; or morpion:5D, or leftmove:100")))
            }
            error => Err(Failure::usage(error)),
        },
    }
}

fn looks_like_a_path(text: &str) -> bool {
    Path::new(text).extension().is_some() || text.starts_with(['/', '.', '~'])
}

fn read(name: &str, source: &mut dyn Read) -> Result<BoardName> {
    let mut bytes = Vec::new();
    let failed = |error: &dyn std::fmt::Display| Failure::input(format!("{name}: {error}"));
    source.take(MAX_TEXT).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&"not a text"))?;
    let board: Board = text.parse().map_err(|error| failed(&error))?;
    Ok(BoardName::Inline(board))
}

/// The boards of a set such as `std`, or of a part of it such as `r250:1-50`.
pub fn set(text: &str) -> Result<Vec<BoardName>> {
    let (name, part) = text.split_once(':').map_or((text, None), |(name, part)| (name, Some(part)));
    let Some(set) = BoardSet::named(name) else {
        let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
        return Err(Failure::usage(format!(
            "no set is called '{name}'; there is: {}",
            names.join(", ")
        )));
    };
    let (first, last) = match part {
        None => (1, set.len),
        Some(part) => {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse().ok().filter(|n| (1..=set.len).contains(n));
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => (first, last),
                _ => {
                    let hint = format!("'{part}' is not a part of {name} such as 1-{}", set.len);
                    return Err(Failure::usage(hint));
                }
            }
        }
    };
    Ok((first..=last).filter_map(|number| set.board(number)).collect())
}
