//! A conversation with an engine in which every answer is looked at.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use solitree_games::colorshapelinks::{Layout, Placement};

use super::positions::played;
use crate::matches::player::{Pace, Seat, Trouble};
use crate::matches::process::Reply;
use crate::matches::program::{Program, is_remark, shortened};

/// So many answers that never came are enough.
const SILENCES: u32 = 3;

/// What an engine is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// How long it may take to say `ready`.
    pub start: Duration,
    /// How much later than its time limit a move may come.
    pub margin: Duration,
    /// Set from outside to give up.
    pub interrupt: &'a AtomicBool,
}

/// An engine in conversation. One that has ended is started again by `begin`.
pub(super) struct Talk<'a> {
    pub(super) program: Program,
    terms: Terms<'a>,
    layout: Layout,
    /// Answers that never came.
    silences: u32,
    /// Moves that were answered.
    pub(super) answers: u64,
    /// The first line that nobody had asked for.
    pub(super) unasked: Option<String>,
}

impl<'a> Talk<'a> {
    pub(super) fn new(command: &[String], terms: Terms<'a>) -> Self {
        let mut program = Program::new(command);
        program.patience = terms.start;
        Talk { program, terms, layout: Layout::default(), silences: 0, answers: 0, unasked: None }
    }

    /// Why there is no use in going on, if there is none.
    pub(super) fn is_over(&self) -> Option<&'static str> {
        if self.is_interrupted() {
            Some("interrupted")
        } else if self.silences >= SILENCES {
            Some("too many answers never came")
        } else {
            None
        }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.terms.interrupt.load(Ordering::Relaxed)
    }

    /// Begins a game: how long that took.
    pub(super) fn begin(&mut self, layout: Layout, limit: Duration) -> Result<Duration, String> {
        self.layout = layout;
        self.listen();
        let start = Instant::now();
        let pace = Pace { limit, ..Pace::default() };
        match self.program.new_game(layout, pace, 0) {
            Ok(()) => Ok(start.elapsed()),
            Err(trouble) => Err(format!("new: {}", self.told(trouble, start))),
        }
    }

    /// Asks for a move after these, which are legal: the move and its time. An
    /// answer that is not legal or comes too late is an error.
    pub(super) fn ask(
        &mut self,
        history: &[Placement],
        limit: Duration,
    ) -> Result<(Placement, Duration), String> {
        if let Some(why) = self.is_over() {
            return Err(why.to_owned());
        }
        let board = played(self.layout, history)?;
        self.listen();
        let pace = Pace { limit, ..Pace::default() };
        let start = Instant::now();
        let answer = self.program.choose(board.to_move(), history, pace);
        let text = match answer.mv {
            Ok(text) => text,
            Err(trouble) => return Err(format!("go: {}", self.told(trouble, start))),
        };
        self.answers += 1;
        let said = shortened(&text);
        let mv: Placement = text.parse().map_err(|error| format!("'move {said}': {error}"))?;
        if let Err(refusal) = board.check(mv) {
            let history: Vec<String> = history.iter().map(ToString::to_string).collect();
            let after = if history.is_empty() { "no moves".to_owned() } else { history.join(" ") };
            return Err(format!("move {mv} is not legal, {refusal}; after {after}"));
        }
        let Terms { margin, .. } = self.terms;
        if answer.elapsed > limit + margin {
            return Err(format!(
                "move {mv} came after {}, {} were allowed and {} more",
                milliseconds(answer.elapsed),
                milliseconds(limit),
                milliseconds(margin)
            ));
        }
        Ok((mv, answer.elapsed))
    }

    /// Takes the lines that have come unasked.
    pub(super) fn listen(&mut self) {
        let Some(process) = &mut self.program.process else { return };
        let until = Instant::now();
        loop {
            match process.receive(until) {
                Reply::Line(line, _) if is_remark(&line) => self.program.remarks += 1,
                Reply::Line(line, _) if line.trim().is_empty() => {}
                Reply::Line(line, _) => {
                    self.unasked.get_or_insert_with(|| shortened(&line));
                }
                Reply::NotText => {
                    self.unasked.get_or_insert_with(|| "(not text)".to_owned());
                }
                // Whoever asks next will hear of it.
                _ => return,
            }
        }
    }

    /// A trouble in words.
    fn told(&mut self, trouble: Trouble, start: Instant) -> String {
        match trouble {
            Trouble::Hang => {
                self.silences += 1;
                format!("no answer within {}", milliseconds(start.elapsed()))
            }
            Trouble::Crash(note) | Trouble::Nonsense(note) => note,
            Trouble::Forfeit(reason) => format!("it gave the game up: {reason}"),
        }
    }
}

/// A time as it is told.
pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
