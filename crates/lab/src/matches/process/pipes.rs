//! Our ends of the three pipes of a program. All that waits in them is bounded.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::Reply;
use crate::lock;

/// The longest line a program may write, in bytes before the newline.
const LONGEST_LINE: usize = 64 << 10;
/// The most bytes that may wait unread, in either direction.
pub(super) const MOST_BYTES: usize = 8 << 20;
/// The most lines of the program that may wait unread.
const MOST_LINES: usize = 100_000;
/// How much of the end of standard error is kept, in bytes.
const TAIL: usize = 4 << 10;
/// How much is read from a pipe at a time.
const CHUNK: usize = 16 << 10;
/// How often a silent program is asked whether it still lives.
const PULSE: Duration = Duration::from_millis(20);

/// The lines of the program that wait for us.
#[derive(Debug, Default)]
pub(super) struct Output {
    inbox: Mutex<Inbox>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inbox {
    lines: VecDeque<(Vec<u8>, Instant)>,
    bytes: usize,
    end: Option<End>,
}

/// Why no line is added any more. Flood and killing drop the lines that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Closed,
    TooLong,
    Flood,
    Killed,
}

impl Output {
    /// Adds a line, or ends in a flood. Says whether more lines are wanted.
    pub(super) fn push(&self, mut line: Vec<u8>, at: Instant) -> bool {
        line.pop_if(|last| *last == b'\r');
        let mut inbox = lock(&self.inbox);
        if inbox.end.is_some() {
            return false;
        }
        if inbox.lines.len() == MOST_LINES || inbox.bytes + line.len() > MOST_BYTES {
            drop(inbox);
            self.end(End::Flood);
            return false;
        }
        inbox.bytes += line.len();
        inbox.lines.push_back((line, at));
        self.changed.notify_all();
        true
    }

    /// Ends the lines. The first reason stands, but for killing.
    pub(super) fn end(&self, reason: End) {
        let mut inbox = lock(&self.inbox);
        if inbox.end.is_none() || reason == End::Killed {
            inbox.end = Some(reason);
            if matches!(reason, End::Flood | End::Killed) {
                inbox.lines = VecDeque::new();
                inbox.bytes = 0;
            }
        }
        self.changed.notify_all();
    }

    /// The next reply, if there is one within a pulse or by `until`. The exit
    /// status is left out.
    pub(super) fn next(&self, until: Instant) -> Option<Reply> {
        let left = until.saturating_duration_since(Instant::now()).min(PULSE);
        let silent = |inbox: &mut Inbox| inbox.lines.is_empty() && inbox.end.is_none();
        let waited = self.changed.wait_timeout_while(lock(&self.inbox), left, silent);
        let (mut inbox, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if inbox.lines.front().is_some_and(|(_, at)| *at > until) {
            return Some(Reply::TimedOut);
        }
        if let Some((line, at)) = inbox.lines.pop_front() {
            inbox.bytes -= line.len();
            return Some(
                String::from_utf8(line).map_or(Reply::NotText, |line| Reply::Line(line, at)),
            );
        }
        Some(match inbox.end? {
            End::Closed | End::Killed => Reply::Gone(None),
            End::TooLong => Reply::TooLong,
            End::Flood => Reply::Flood,
        })
    }
}

/// Writes the lines that come until they end or the pipe does.
pub(super) fn write_lines(mut pipe: impl Write, lines: &Receiver<String>, unwritten: &AtomicUsize) {
    for line in lines {
        if pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).is_err() {
            return;
        }
        unwritten.fetch_sub(line.len(), Ordering::Relaxed);
    }
}

/// Cuts what a pipe gives into lines, until it ends or no more are wanted.
pub(super) fn read_lines(mut pipe: impl Read, output: &Output) {
    let mut chunk = vec![0; CHUNK];
    let mut line = Vec::new();
    while let Some(bytes) = read_some(&mut pipe, &mut chunk) {
        let now = Instant::now();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let end = piece.strip_suffix(b"\n");
            let text = end.unwrap_or(piece);
            if line.len() + text.len() > LONGEST_LINE {
                return output.end(End::TooLong);
            }
            line.extend_from_slice(text);
            if end.is_some() && !output.push(std::mem::take(&mut line), now) {
                return;
            }
        }
    }
    if line.is_empty() || output.push(line, Instant::now()) {
        output.end(End::Closed);
    }
}

/// Keeps the last bytes that a pipe gives, as long as anyone wants them.
pub(super) fn keep_tail(mut pipe: impl Read, tail: &Weak<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; CHUNK];
    while let Some(bytes) = read_some(&mut pipe, &mut chunk) {
        let Some(tail) = tail.upgrade() else { return };
        let mut tail = lock(&tail);
        tail.extend_from_slice(bytes);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }
}

/// The next bytes of a pipe, or nothing at its end.
fn read_some<'a>(pipe: &mut impl Read, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
    let count = loop {
        match pipe.read(chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => break result.ok()?,
        }
    };
    chunk.get(..count).filter(|bytes| !bytes.is_empty())
}
