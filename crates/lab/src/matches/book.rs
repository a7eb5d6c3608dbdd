//! An opening book: what the champion plays in the first moves, thought about for
//! longer than any game allows.
//!
//! A line of the file is a position by the moves that lead to it, a colon, the
//! answer, the part of its games that it won in percent, and the playouts behind
//! it. Of a position and its mirror image one is there.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use solitree_core::Game;
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{Layout, Placement, SmallGame};
use solitree_search::thinker::{Candidate, Patience, Thinker, Thought};
use solitree_search::uct::{Proof, Uct};

use super::agent::{Agent, AgentKind};

/// The book of this program, for the base board.
const TEXT: &str = include_str!("../../../../data/colorshapelinks/book.txt");

/// Answers to positions of the base board.
#[derive(Clone, Debug, Default)]
pub struct Book {
    answers: HashMap<u64, Answer>,
}

/// What is played in a position as it stands in the book.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answer {
    mv: Placement,
    /// The part of its games that the move won.
    value: f32,
    playouts: u64,
    /// The key of the position itself, not of its mirror image.
    key: u64,
}

impl Book {
    /// The book of this program.
    #[must_use]
    pub fn ours() -> &'static Book {
        static OURS: OnceLock<Book> = OnceLock::new();
        // A test reads it; what cannot be read is no book.
        OURS.get_or_init(|| Book::parse(TEXT).unwrap_or_default())
    }

    /// Reads a book; the error names the line.
    pub fn parse(text: &str) -> Result<Book, String> {
        let mut answers = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (both, answer) =
                entry(line).map_err(|error| format!("line {}: {error}", index + 1))?;
            answers.insert(both, answer);
        }
        Ok(Book { answers })
    }

    /// How many positions are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// What is played after some moves, which are legal on the base board.
    #[must_use]
    pub fn thought(&self, history: &[Placement]) -> Option<Thought<Placement>> {
        let keys = keys(history);
        let answer = self.answers.get(&keys[0].min(keys[1]))?;
        let mv = if answer.key == keys[0] { answer.mv } else { mirrored(answer.mv) };
        let best = Candidate {
            mv,
            visits: u32::try_from(answer.playouts).unwrap_or(u32::MAX),
            value: answer.value,
            proof: Proof::Open,
        };
        let (candidates, lines) = (vec![best], vec![vec![mv]]);
        Some(Thought { best: Some(best), candidates, lines, playouts: 0, deepest: 0 })
    }
}

/// The keys of the position after some moves and of its mirror image.
fn keys(history: &[Placement]) -> [u64; 2] {
    let Ok(game) = SmallGame::new(Layout::default()) else { return [0; 2] };
    [false, true].map(|mirror| {
        let mut state = game.start();
        for &mv in history {
            game.play(&mut state, if mirror { mirrored(mv) } else { mv });
        }
        game.key(&state)
    })
}

fn mirrored(mv: Placement) -> Placement {
    Placement::new(Layout::default().cols - 1 - mv.column(), mv.shape())
}

/// A line of a book, and the key of its position whichever way round.
fn entry(line: &str) -> Result<(u64, Answer), String> {
    let (moves, answer) = line.split_once(':').ok_or("no colon between moves and answer")?;
    let placement =
        |word: &str| word.parse::<Placement>().map_err(|error| format!("{word}: {error}"));
    let history: Vec<Placement> =
        moves.split_whitespace().map(placement).collect::<Result<_, _>>()?;
    let mut words = answer.split_whitespace();
    let mut next = |what: &str| words.next().ok_or_else(|| format!("no {what}"));
    let mv = placement(next("answer")?)?;
    let value = next("value")?.trim_end_matches('%').parse::<f32>();
    let value = value.map_err(|error| format!("the value: {error}"))? / 100.0;
    let playouts = next("playouts")?.parse();
    let playouts = playouts.map_err(|error| format!("the playouts: {error}"))?;
    let mut board = PlainGame::new(Layout::default()).map_err(|error| error.to_string())?;
    for &mv in history.iter().chain([&mv]) {
        board.play(mv).map_err(|refusal| format!("{mv}: {refusal}"))?;
    }
    let [key, other] = keys(&history);
    Ok((key.min(other), Answer { mv, value, playouts, key }))
}

/// The positions of the base board after so many moves at most, one of each two
/// mirror images, by moves that lead there; those that are over are left out.
#[must_use]
pub fn positions(plies: usize) -> Vec<Vec<Placement>> {
    let mut seen = std::collections::HashSet::new();
    let (mut all, mut next) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..=plies {
        let mut later = Vec::new();
        for history in next {
            let [one, other] = keys(&history);
            let Ok(mut board) = PlainGame::new(Layout::default()) else { return all };
            let over = history.iter().any(|&mv| board.play(mv).is_err());
            if over || board.outcome().is_some() || !seen.insert(one.min(other)) {
                continue;
            }
            let longer = |mv| history.iter().copied().chain([mv]).collect::<Vec<_>>();
            later.extend(board.moves().into_iter().map(longer));
            all.push(history);
        }
        next = later;
    }
    all
}

/// Thinks about a position for so many playouts; the line of a book, or none if it
/// was stopped or the agent does not think.
#[must_use]
pub fn line(
    history: &[Placement],
    agent: &Agent,
    playouts: u64,
    stop: &AtomicBool,
) -> Option<String> {
    let AgentKind::Uct(config) = &agent.kind else { return None };
    let game = SmallGame::new(Layout::default()).ok()?;
    let memory = playouts.saturating_mul(64).clamp(1 << 20, 1 << 32);
    let mut uct = Uct::new(&game, config, 1, memory);
    let patience = Patience { playouts: Some(playouts), until: None, stop: Some(stop) };
    let thought = uct.think(history, patience);
    let best = thought.best.filter(|_| !stop.load(Ordering::Relaxed))?;
    let moves: String = history.iter().map(|mv| format!("{mv} ")).collect();
    let percent = best.value * 100.0;
    Some(format!("{moves}: {} {percent:.1}% {}", best.mv, thought.playouts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_found_either_way_round() {
        let book = Book::parse("# a note\n\n : 3o 55.5% 100\n2o 3s : 4s 51% 20\n").unwrap();
        let answer = |text: &str| {
            let history: Vec<Placement> =
                text.split_whitespace().map(|word| word.parse().unwrap()).collect();
            book.thought(&history).map(|thought| thought.best.unwrap().mv.to_string())
        };
        assert_eq!(book.len(), 2);
        assert_eq!(answer("").as_deref(), Some("3o"));
        assert_eq!(answer("2o 3s").as_deref(), Some("4s"));
        assert_eq!(answer("4o 3s").as_deref(), Some("2s"));
        assert_eq!(answer("3o"), None);
    }

    #[test]
    fn what_cannot_be_in_a_book_is_named() {
        let said = |text: &str| Book::parse(text).unwrap_err();
        assert_eq!(said("\n3o 4s"), "line 2: no colon between moves and answer");
        assert!(said("9o : 3o 50% 1").starts_with("line 1: 9o: "));
        assert!(said(": 3x 50% 1").starts_with("line 1: 3x: "));
        assert_eq!(said(": 3o"), "line 1: no value");
        assert!(said(": 3o much 1").starts_with("line 1: the value: "));
    }

    #[test]
    fn our_book_can_be_read_and_is_whole() {
        let book = Book::parse(TEXT).unwrap();
        assert!(positions(2).iter().all(|history| book.thought(history).is_some()));
    }

    #[test]
    fn positions_come_once() {
        assert_eq!(positions(0).len(), 1);
        // Four columns either way round, two shapes each.
        assert_eq!(positions(1).len(), 1 + 8);
        let agent = "uct".parse().unwrap();
        let line = line(&[], &agent, 500, &AtomicBool::new(false)).unwrap();
        assert_eq!(Book::parse(&line).unwrap().len(), 1);
    }
}
