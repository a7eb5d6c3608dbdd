//! A program at the other end of two pipes: lines out, lines in, and no trust.
//!
//! Nothing the program does, or fails to do, holds us up or fills our memory.
//! Three threads serve its pipes. They are never waited for: a stranger that has
//! left the process group may hold a pipe open for as long as it likes, and the
//! thread at our end of it sleeps until then.

mod command_line;
mod pipes;

use std::fmt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::lock;
pub use command_line::split_command;
use pipes::{End, MOST_BYTES, Output, keep_tail, read_lines, write_lines};

/// The most characters of `last_words`.
const LAST_WORDS: usize = 400;
/// How long the pipes and the exit status of a program may come after its end.
const GRACE: Duration = Duration::from_millis(200);
/// How long a killed program may take to die.
const DEATH: Duration = Duration::from_secs(2);

/// The program takes no more lines: it has ended, has closed its standard input,
/// or has left 8 MiB of lines unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program takes no more lines")
    }
}

impl std::error::Error for Gone {}

/// What `Process::receive` has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A line without its end, and when that end arrived.
    Line(String, Instant),
    /// No line had arrived by the time given.
    TimedOut,
    /// The program has ended or has closed its standard output, and all its lines
    /// were given. Without a status it still runs, or its status is not known.
    Gone(Option<ExitStatus>),
    /// A line over 64 KiB. Nothing is read after it.
    TooLong,
    /// Over 8 MiB or 100,000 lines were waiting unread. They are dropped, and
    /// nothing is read after them.
    Flood,
    /// A line that is not UTF-8. It is dropped; the next one follows.
    NotText,
}

/// A running program. On Unix it leads a process group of its own, which dies with
/// it. The program dies with this value.
#[derive(Debug)]
pub struct Process {
    child: Child,
    ended: Option<Ended>,
    input: Option<Sender<String>>,
    /// The bytes sent that are not written yet.
    unwritten: Arc<AtomicUsize>,
    output: Arc<Output>,
    tail: Arc<Mutex<Vec<u8>>>,
    tail_reader: Option<JoinHandle<()>>,
    killed: bool,
}

/// How and when we learnt that the program has ended.
#[derive(Debug)]
struct Ended {
    status: Option<ExitStatus>,
    at: Instant,
}

impl Process {
    /// Starts a program with its arguments. The error names the program and the
    /// reason.
    pub fn start(command: &[String]) -> Result<Process, String> {
        let Some((program, arguments)) = command.split_first() else {
            return Err("the command is empty".into());
        };
        let failed = |reason: &dyn fmt::Display| format!("cannot start {program:?}: {reason}");
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, lines) = channel();
        let mut process = Process {
            child,
            ended: None,
            input: Some(sender),
            unwritten: Arc::default(),
            output: Arc::default(),
            tail: Arc::default(),
            tail_reader: None,
            killed: false,
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(&"it has no pipes"));
        };
        let unwritten = Arc::clone(&process.unwritten);
        let output = Arc::clone(&process.output);
        let tail = Arc::downgrade(&process.tail);
        let serve = || {
            let thread = || thread::Builder::new().name("engine pipe".into());
            thread().spawn(move || write_lines(stdin, &lines, &unwritten))?;
            thread().spawn(move || read_lines(stdout, &output))?;
            process.tail_reader = Some(thread().spawn(move || keep_tail(stderr, &tail))?);
            Ok(())
        };
        serve().map_err(|error: std::io::Error| failed(&error))?;
        Ok(process)
    }

    /// Sends one line, given without its end. Never waits: the line is queued, and
    /// a thread writes it as the program reads. Once gone, always gone.
    pub fn send(&mut self, line: &str) -> Result<(), Gone> {
        let line = format!("{line}\n");
        let size = line.len();
        if self.unwritten.fetch_add(size, Ordering::Relaxed) + size > MOST_BYTES || self.has_ended()
        {
            self.input = None;
        }
        let sent = self.input.as_ref().is_some_and(|input| input.send(line).is_ok());
        if sent { Ok(()) } else { Err(Gone) }
    }

    /// The next line that arrived by `until`, waiting for it if need be. A line that
    /// came later is kept for a later call, so an endless talker cannot outrun the
    /// time. At the end of the program this may take 0.2 seconds longer, for the
    /// exit status and the last words.
    pub fn receive(&mut self, until: Instant) -> Reply {
        loop {
            match self.output.next(until) {
                Some(Reply::Gone(_)) => {
                    wait(GRACE, || self.has_ended() && self.tail_is_complete());
                    return Reply::Gone(self.ended.as_ref().and_then(|ended| ended.status));
                }
                Some(reply) => return reply,
                // Something it has started may hold the pipe open.
                None if self.has_ended() && self.ended_before(GRACE) => {
                    self.output.end(End::Closed);
                }
                None if Instant::now() >= until => return Reply::TimedOut,
                None => {}
            }
        }
    }

    /// Ends the input of the program, once it has read what was sent.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the program to end: how it did, if it did within `patience` and
    /// that is known.
    pub fn wait_for_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        wait(patience, || self.has_ended());
        self.ended.as_ref().and_then(|ended| ended.status)
    }

    /// Asks the program to quit, by the line `quit` and the end of its input, and
    /// kills it when it has not ended within `patience`. Unread lines are dropped.
    pub fn quit(&mut self, patience: Duration) {
        if self.send("quit").is_ok() {
            self.close_input();
            self.wait_for_end(patience);
        }
        self.kill();
    }

    /// Kills the program and its process group, and drops unread lines. Takes some
    /// milliseconds, a few seconds at worst; a second call does nothing. What has
    /// left the group, and a program that the system cannot end, are given up.
    pub fn kill(&mut self) {
        if std::mem::replace(&mut self.killed, true) {
            return;
        }
        self.input = None;
        if !self.has_ended() {
            kill_group(self.child.id());
            // An error says that it has just ended.
            let _ = self.child.kill();
            wait(DEATH, || self.has_ended());
        }
        self.output.end(End::Killed);
        wait(GRACE, || self.tail_is_complete());
    }

    /// The end of what the program wrote to standard error: one printable line of
    /// at most 400 characters.
    pub fn last_words(&self) -> String {
        let tail = String::from_utf8_lossy(&lock(&self.tail)).into_owned();
        let mut left = LAST_WORDS;
        let mut shown = Vec::new();
        for letter in tail.trim().chars().rev() {
            let letter = match letter {
                '"' | '\'' | '\\' => letter.to_string(),
                _ => letter.escape_debug().to_string(),
            };
            let Some(rest) = left.checked_sub(letter.chars().count()) else { break };
            left = rest;
            shown.push(letter);
        }
        shown.into_iter().rev().collect()
    }

    /// Whether the program has ended. When it is first seen to, the rest of its
    /// group is killed at once, while its number is too fresh to be another's.
    fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            let status = match self.child.try_wait() {
                Ok(None) => return false,
                Ok(status) => status,
                // Somebody else has reaped it.
                Err(_) => None,
            };
            kill_group(self.child.id());
            self.ended = Some(Ended { status, at: Instant::now() });
        }
        true
    }

    fn ended_before(&self, span: Duration) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.at.elapsed() >= span)
    }

    fn tail_is_complete(&self) -> bool {
        self.tail_reader.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills a process group as well as it can be done without `unsafe`. Every shell
/// has a `kill` of its own; the program of that name is not on every system. The
/// words are those of POSIX: some shells do not take `-9 --`.
fn kill_group(leader: u32) {
    #[cfg(unix)]
    {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("kill -s KILL -- -{leader}")]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Ok(mut killer) = command.spawn()
            && !wait(DEATH / 4, || !matches!(killer.try_wait(), Ok(None)))
        {
            let _ = killer.kill();
        }
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Waits until `done`, but not beyond `limit`. Says whether it is done.
fn wait(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !done() {
        if start.elapsed() >= limit {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

#[cfg(all(test, unix))]
mod tests;
