//! `solitree book`: computes an opening book of ColorShapeLinks.

use std::process::ExitCode;

use anyhow::{Context, Result};
use solitree_lab::Failure;
use solitree_lab::matches::book::{Book, line, positions};

use crate::args::BookArgs;
use crate::output::{message, print};
use crate::signals::Signals;

/// Prints the lines of a book, one a position, as they are found. Those of a file
/// are not thought about again.
pub fn run(args: &BookArgs, quiet: bool) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let known = match &args.known {
        None => String::new(),
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?,
    };
    let book = Book::parse(&known).map_err(|error| {
        let path = args.known.as_deref().unwrap_or(std::path::Path::new(""));
        Failure::input(format!("{}, {error}", path.display()))
    })?;
    let positions = positions(args.plies.into());
    let open: Vec<_> = positions.iter().filter(|history| book.thought(history).is_none()).collect();
    if !quiet {
        let (all, left) = (positions.len(), open.len());
        message(&format!("{all} positions, {left} of them to think about"));
    }
    if !known.trim().is_empty() {
        print(known.trim_end())?;
    }
    for history in open {
        match line(history, &args.agent, args.playouts, signals.stop()) {
            Some(line) => print(&line)?,
            None => return Ok(ExitCode::from(signals.exit_code().unwrap_or(130))),
        }
    }
    Ok(ExitCode::SUCCESS)
}
