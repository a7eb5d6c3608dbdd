//! `solitree engine`: plays ColorShapeLinks by the line protocol.

use std::io::{BufRead, ErrorKind, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use solitree_lab::Failure;
use solitree_lab::matches::{Pace, Response, Session};

use super::engine_jsonl;
use crate::args::EngineArgs;
use crate::output::message;

/// No line of the protocol is longer.
pub(super) const LONGEST: usize = 1 << 20;

pub fn run(args: &EngineArgs, quiet: bool) -> Result<ExitCode> {
    if args.jsonl {
        return engine_jsonl::run(args.threads);
    }
    let pace = Pace {
        limit: Duration::from_millis(200),
        playouts: args.playouts,
        reserve: args.reserve,
        memory: args.memory_limit,
    };
    let mut session = Session::new(&args.agent, pace, args.seed).map_err(Failure::usage)?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let whole = read_line(&mut input, &mut line)?;
        let arrived = Instant::now();
        let Some(whole) = whole else { break };
        let lines = if whole {
            match session.answer(&String::from_utf8_lossy(&line), arrived) {
                Response::Lines(lines) => lines,
                Response::Quit => break,
            }
        } else {
            vec!["info error: a line without end".to_owned()]
        };
        let mut text = lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            // Nobody listens any more.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    if let Some((moves, [median, high, longest])) = session.latency().filter(|_| !quiet) {
        message(&format!(
            "{moves} moves: median {median:.1} ms, 99 % {high:.1} ms, longest {longest:.1} ms"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads to the end of a line: none at the end of the input, false if the line is
/// longer than any can be, and was passed over.
pub(super) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<Option<bool>> {
    let mut whole = true;
    loop {
        let bytes = input.fill_buf().map_err(|error| Failure::input(format!("input: {error}")))?;
        if bytes.is_empty() {
            return Ok(if line.is_empty() && whole { None } else { Some(whole) });
        }
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(bytes.len());
        if line.len() + taken > LONGEST {
            whole = false;
            line.clear();
        } else if whole {
            line.extend_from_slice(&bytes[..taken]);
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}
