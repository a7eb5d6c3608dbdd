//! What an engine is asked, in order.

use std::time::{Duration, Instant};

use solitree_core::{Outcome, Player};
use solitree_games::colorshapelinks::{Layout, Placement, Shape};
use solitree_search::thinker::Patience;

use super::positions::{self, loses, moves, played, wins};
use super::talk::{Talk, milliseconds};
use crate::matches::AnyThinker;
use crate::matches::agent::{Agent, AgentKind};
use crate::matches::player::Pace;

/// A thing to find out.
pub(super) struct Check {
    pub(super) name: &'static str,
    /// Whether an engine must pass it; otherwise it is advice.
    pub(super) required: bool,
    /// What was seen, or what is wrong.
    pub(super) run: fn(&mut Talk<'_>) -> Seen,
}

type Seen = Result<String, String>;

const fn required(name: &'static str, run: fn(&mut Talk<'_>) -> Seen) -> Check {
    Check { name, required: true, run }
}

const fn advice(name: &'static str, run: fn(&mut Talk<'_>) -> Seen) -> Check {
    Check { name, required: false, run }
}

/// Every check. Without the first there is no use in the others.
pub(super) const CHECKS: [Check; 17] = [
    required("ready", ready),
    required("first move", |talk| one(talk, "")),
    required("second move", |talk| one(talk, "3o")),
    required("middle of a game", |talk| one(talk, positions::MIDDLE)),
    required("one column left", |talk| several(talk, &[positions::COLUMN_3, positions::COLUMN_0])),
    required("one shape left", |talk| one(talk, positions::ROUNDS_ONLY)),
    required("any history", history),
    required("200 ms", |talk| in_time(talk, Duration::from_millis(200))),
    required("50 ms", |talk| in_time(talk, Duration::from_millis(50))),
    required("other boards", boards),
    required("nonsense", nonsense),
    required("a game as White", |talk| game(talk, Player::First)),
    required("a game as Red", |talk| game(talk, Player::Second)),
    required("one answer each", one_answer_each),
    advice("takes a win", takes_a_win),
    advice("meets a threat", meets_a_threat),
    required("quit and end of input", ends),
];

/// The time for moves where time is not what is asked about.
const USUAL: Duration = Duration::from_millis(200);
/// How soon an engine must end.
const END: Duration = Duration::from_secs(1);

fn ready(talk: &mut Talk<'_>) -> Seen {
    let took = talk.begin(Layout::default(), USUAL)?;
    Ok(format!("after {}", milliseconds(took)))
}

fn one(talk: &mut Talk<'_>, history: &str) -> Seen {
    several(talk, &[history])
}

/// A move in each of some positions, each in a game of its own.
fn several(talk: &mut Talk<'_>, histories: &[&str]) -> Seen {
    let mut answers = Vec::new();
    for history in histories {
        talk.begin(Layout::default(), USUAL)?;
        let (mv, took) = talk.ask(&moves(history), USUAL)?;
        answers.push(format!("{mv} after {}", milliseconds(took)));
    }
    Ok(answers.join(", "))
}

/// Positions that do not follow from each other, in one game.
fn history(talk: &mut Talk<'_>) -> Seen {
    talk.begin(Layout::default(), USUAL)?;
    for history in [positions::COLUMN_6, positions::MIDDLE, positions::COLUMN_3] {
        talk.ask(&moves(history), USUAL)?;
    }
    Ok("it plays from the moves it is sent, whatever it was sent before".to_owned())
}

fn in_time(talk: &mut Talk<'_>, limit: Duration) -> Seen {
    // The limit of each move is what counts, not that of the game.
    talk.begin(Layout::default(), Duration::from_secs(1))?;
    let mut longest = Duration::ZERO;
    let histories = ["", "3o", "3o 3s", "3o 3s 2o 2s", positions::MIDDLE];
    for history in histories {
        longest = longest.max(talk.ask(&moves(history), limit)?.1);
    }
    Ok(format!("the longest of {} moves took {}", histories.len(), milliseconds(longest)))
}

/// A small board and those of the competition, with their limits.
fn boards(talk: &mut Talk<'_>) -> Seen {
    let sizes = [
        (4, 5, 3, 5, 5, 100),
        (8, 13, 4, 26, 26, 325),
        (12, 12, 6, 35, 37, 300),
        (18, 22, 9, 99, 99, 550),
        (9, 37, 5, 83, 84, 925),
    ];
    let mut names = Vec::new();
    for (rows, cols, line, rounds, squares, limit) in sizes {
        let layout = Layout { rows, cols, line, rounds, squares };
        let limit = Duration::from_millis(limit);
        let wrong = |error: String| format!("{rows}x{cols}, {line} in a line: {error}");
        talk.begin(layout, limit).map_err(wrong)?;
        let first = Placement::new(cols / 2, Shape::Round);
        talk.ask(&[first], limit).map_err(wrong)?;
        names.push(format!("{rows}x{cols}"));
    }
    Ok(names.join(", "))
}

/// Lines that mean nothing. Whatever it says to them, it must go on.
fn nonsense(talk: &mut Talk<'_>) -> Seen {
    talk.begin(Layout::default(), USUAL)?;
    let unasked = talk.unasked.clone();
    let long = "x".repeat(20_000);
    let lines = ["", "hello", "xyzzy 1 2 3", "\u{1}\u{2}\t\u{7f}", "ünïcödé ✓", &long];
    for line in lines {
        if talk.program.send(line).is_err() {
            return Err("it ended while it was sent lines that mean nothing".to_owned());
        }
    }
    // Answers to nonsense are its own affair.
    std::thread::sleep(Duration::from_millis(200));
    talk.listen();
    talk.unasked = unasked;
    let killed = |error: String| format!("after lines that mean nothing: {error}");
    talk.ask(&[], USUAL).map_err(killed)?;
    Ok(format!("{} lines that mean nothing, and it goes on", lines.len()))
}

/// A whole game against an opponent that does not think long.
fn game(talk: &mut Talk<'_>, side: Player) -> Seen {
    let limit = Duration::from_millis(100);
    let layout = Layout::default();
    let pace = Pace { playouts: Some(300), ..Pace::default() };
    let kind = AgentKind::Uct(Default::default());
    let agent = Agent { name: "uct".to_owned(), kind, budget: 1.0 };
    let mut opponent = AnyThinker::new(&agent, layout, pace, 1)?;
    let patience = Patience { playouts: pace.playouts, until: None, stop: None };
    talk.begin(layout, limit)?;
    let mut history = Vec::new();
    loop {
        let board = played(layout, &history)?;
        if let Some(outcome) = board.outcome() {
            let result = match outcome {
                Outcome::Won(winner) if winner == side => "won",
                Outcome::Won(_) => "lost",
                Outcome::Draw => "drawn",
            };
            return Ok(format!("{} moves, {result}", history.len()));
        }
        history.push(if board.to_move() == side {
            talk.ask(&history, limit)?.0
        } else {
            opponent
                .think(&history, patience, &mut |_| {})
                .best
                .ok_or("the opponent has no move")?
                .mv
        });
    }
}

fn one_answer_each(talk: &mut Talk<'_>) -> Seen {
    // What comes late comes now.
    std::thread::sleep(Duration::from_millis(100));
    talk.listen();
    match &talk.unasked {
        Some(line) => Err(format!("'{line}' came unasked: only info lines may")),
        None => Ok(format!("{} moves, {} info lines", talk.answers, talk.program.remarks)),
    }
}

fn takes_a_win(talk: &mut Talk<'_>) -> Seen {
    judged(talk, &[positions::WIN_FOR_WHITE, positions::WIN_FOR_RED], |history, mv| {
        let board = played(Layout::default(), history)?;
        let all = board.moves();
        let win = all.into_iter().find(|&mv| wins(&board, mv)).ok_or("no win")?;
        Ok((!wins(&board, mv)).then(|| format!("{mv} where {win} wins at once")))
    })
}

fn meets_a_threat(talk: &mut Talk<'_>) -> Seen {
    judged(talk, &[positions::THREAT_TO_WHITE, positions::THREAT_TO_RED], |history, mv| {
        let board = played(Layout::default(), history)?;
        let all = board.moves();
        let safe = all.into_iter().find(|&mv| !loses(&board, mv)).ok_or("no way out")?;
        Ok(loses(&board, mv).then(|| format!("{mv} where only {safe} does not lose at once")))
    })
}

/// Moves in some positions, and what is wrong with them.
fn judged(
    talk: &mut Talk<'_>,
    histories: &[&str],
    judge: fn(&[Placement], Placement) -> Result<Option<String>, String>,
) -> Seen {
    let mut right = Vec::new();
    for history in histories {
        talk.begin(Layout::default(), USUAL)?;
        let (moves, mv) = (moves(history), talk.ask(&moves(history), USUAL)?.0);
        if let Some(mistake) = judge(&moves, mv)? {
            return Err(format!("{mistake}; after {history}"));
        }
        right.push(mv.to_string());
    }
    Ok(right.join(", "))
}

/// By `quit` alone, and in another life by the end of its input alone.
fn ends(talk: &mut Talk<'_>) -> Seen {
    let mut seen = Vec::new();
    for by in ["quit", "the end of its input"] {
        talk.begin(Layout::default(), USUAL)?;
        let Some(mut process) = talk.program.process.take() else {
            return Err("it is not running".to_owned());
        };
        if by == "quit" {
            let _ = process.send("quit");
        } else {
            process.close_input();
        }
        let start = Instant::now();
        let Some(status) = process.wait_for_end(END) else {
            return Err(format!("it still runs {} after {by}", milliseconds(start.elapsed())));
        };
        seen.push(format!("{by}: {status} after {}", milliseconds(start.elapsed())));
    }
    Ok(seen.join("; "))
}
