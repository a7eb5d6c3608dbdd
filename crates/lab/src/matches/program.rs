//! A program at the board, behind a pipe.

use std::time::{Duration, Instant};

use solitree_core::Player;
use solitree_games::colorshapelinks::{Layout, Placement};

use super::player::{Answer, Pace, Seat, Trouble};
use super::process::{Process, Reply};

/// A program behind a pipe. One that has crashed is started again for the next
/// game.
pub(super) struct Program {
    command: Vec<String>,
    /// How long it may take to begin a game.
    pub(super) patience: Duration,
    pub(super) process: Option<Process>,
    /// How many `info` lines it has sent.
    pub(super) remarks: u64,
}

/// How long a program may take to begin, unless said otherwise.
const START: Duration = Duration::from_secs(10);
/// How long after its time is up a program is waited for.
const GRACE: Duration = Duration::from_secs(2);

impl Program {
    /// A program that is started when it is needed.
    pub(super) fn new(command: &[String]) -> Program {
        Program { command: command.to_vec(), patience: START, process: None, remarks: 0 }
    }

    /// The next line that is not `info`, with its time.
    pub(super) fn line(&mut self, until: Instant) -> Result<(String, Instant), Trouble> {
        loop {
            let Some(process) = &mut self.process else {
                return Err(Trouble::Crash("it is not running".to_owned()));
            };
            let trouble = match process.receive(until) {
                Reply::Line(line, _) if is_remark(&line) => {
                    self.remarks += 1;
                    continue;
                }
                Reply::Line(line, at) => return Ok((line, at)),
                Reply::TimedOut => Trouble::Hang,
                Reply::Gone(status) => {
                    let status = status.map_or_else(String::new, |status| format!(" ({status})"));
                    let words = process.last_words();
                    let words = if words.is_empty() { words } else { format!(": {words}") };
                    Trouble::Crash(format!("it ended{status}{words}"))
                }
                Reply::TooLong => Trouble::Nonsense("a line without end".to_owned()),
                Reply::Flood => Trouble::Nonsense("more output than anybody can read".to_owned()),
                Reply::NotText => Trouble::Nonsense("a line that is not text".to_owned()),
            };
            self.process = None;
            return Err(trouble);
        }
    }

    /// Begins a game, with a new process if there is none.
    pub(super) fn begin(&mut self, layout: Layout, pace: Pace) -> Result<(), Trouble> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.command).map_err(Trouble::Crash)?);
        }
        let Layout { rows, cols, line, rounds, squares } = layout;
        let limit = pace.limit.as_millis();
        self.send(&format!("new {rows} {cols} {line} {rounds} {squares} {limit}"))?;
        let until = Instant::now() + self.patience;
        match self.line(until)?.0.as_str() {
            "ready" => Ok(()),
            other => {
                let other = shortened(other);
                self.process = None;
                Err(Trouble::Nonsense(format!("'{other}' in answer to new, not ready")))
            }
        }
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), Trouble> {
        let sent = self.process.as_mut().map(|process| process.send(line));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => {
                let words = self.process.take().map(|process| process.last_words());
                Err(Trouble::Crash(format!("it has ended: {}", words.unwrap_or_default())))
            }
        }
    }
}

impl Seat for Program {
    fn new_game(&mut self, layout: Layout, pace: Pace, _: u64) -> Result<(), Trouble> {
        let known = self.process.is_some();
        match self.begin(layout, pace) {
            // It ended after its last game, as it may: it is started again.
            Err(Trouble::Crash(_)) if known => self.begin(layout, pace),
            begun => begun,
        }
    }

    fn choose(&mut self, side: Player, history: &[Placement], pace: Pace) -> Answer {
        let letter = if side == Player::First { 'W' } else { 'R' };
        let moves: String = history.iter().map(|mv| format!(" {mv}")).collect();
        let start = Instant::now();
        let asked = self.send(&format!("go {letter} {} moves{moves}", pace.limit.as_millis()));
        let answer = asked.and_then(|()| self.line(start + pace.limit + GRACE));
        let elapsed = match &answer {
            Ok((_, at)) => at.saturating_duration_since(start),
            Err(_) => start.elapsed(),
        };
        let mv = answer.and_then(|(line, _)| match line.split_once(' ') {
            Some(("move", mv)) => Ok(mv.trim().to_owned()),
            Some(("forfeit", reason)) => Err(Trouble::Forfeit(shortened(reason))),
            _ if line == "forfeit" => Err(Trouble::Forfeit(String::new())),
            _ => Err(Trouble::Nonsense(format!("'{}' in answer to go", shortened(&line)))),
        });
        if matches!(mv, Err(Trouble::Nonsense(_))) {
            self.process = None;
        }
        Answer { mv, elapsed, value: None, playouts: None }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            process.quit(Duration::from_millis(500));
        }
    }
}

/// Whether a line is for people only.
pub(super) fn is_remark(line: &str) -> bool {
    line == "info" || line.starts_with("info ")
}

/// The beginning of a text, fit to be printed.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
