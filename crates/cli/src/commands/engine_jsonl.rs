//! `solitree engine --jsonl`: analyses positions, a line of JSON a request.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use solitree_lab::analysis::{Desk, Next};

use super::engine::{LONGEST, read_line};

/// Answers requests until the input ends or somebody asks for the end.
pub fn run(threads: Option<u16>) -> Result<ExitCode> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = threads.map_or_else(cores, usize::from);
    let deaf = Arc::new(AtomicBool::new(false));
    let nobody_listens = Arc::clone(&deaf);
    let desk = Desk::new(threads, move |answer| {
        let mut text = answer.to_string();
        text.push('\n');
        let mut out = std::io::stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            nobody_listens.store(true, Ordering::Relaxed);
        }
    });
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while !deaf.load(Ordering::Relaxed) {
        line.clear();
        let Some(whole) = read_line(&mut input, &mut line)? else { break };
        if !whole {
            desk.refuse(&format!("a line of more than {LONGEST} bytes"));
            continue;
        }
        match std::str::from_utf8(&line) {
            Err(_) => desk.refuse("a line that is not UTF-8"),
            Ok(text) if desk.take(text) == Next::Quit => return Ok(ExitCode::SUCCESS),
            Ok(_) => {}
        }
    }
    desk.close();
    Ok(ExitCode::SUCCESS)
}
