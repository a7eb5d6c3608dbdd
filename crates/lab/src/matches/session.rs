//! The line protocol from the engine's side: a line in, lines out. Whatever comes
//! in, it goes on.

use std::time::{Duration, Instant};

use solitree_core::Player;
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{Layout, Placement};
use solitree_search::uct::Proof;

use super::agent::Agent;
use super::desk::Desk;
use super::own::AnyThinker;
use super::player::Pace;

/// An engine and the game it is in.
pub struct Session {
    agent: Agent,
    pace: Pace,
    seed: u64,
    game: Option<(Layout, Desk)>,
    /// Milliseconds of every move so far.
    times: Vec<f64>,
}

/// What is to be done after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Write these lines, if any.
    Lines(Vec<String>),
    /// End.
    Quit,
}

impl Session {
    /// An engine of an agent of our own; the error says why it is none.
    pub fn new(agent: &Agent, pace: Pace, seed: u64) -> Result<Session, String> {
        // Whether there is such a thing, before anybody waits for it.
        AnyThinker::new(agent, Layout::default(), Pace { memory: 1 << 20, ..pace }, seed)?;
        Ok(Session { agent: agent.clone(), pace, seed, game: None, times: Vec::new() })
    }

    /// Answers a line that arrived at a moment.
    pub fn answer(&mut self, line: &str, arrived: Instant) -> Response {
        let mut words = line.split_whitespace();
        let answer = match words.next() {
            None => Ok(Vec::new()),
            Some("quit") => return Response::Quit,
            Some("new") => self.new_game(words).map(|()| vec!["ready".to_owned()]),
            Some("go") => match self.go(words, arrived) {
                Ok(lines) => Ok(lines),
                // The referee waits for an answer.
                Err(error) => Ok(vec![format!("info error: {error}"), format!("forfeit {error}")]),
            },
            Some(word) => {
                let word: String = word.chars().take(40).flat_map(char::escape_debug).collect();
                Err(format!("unknown command '{word}': new, go or quit"))
            }
        };
        Response::Lines(answer.unwrap_or_else(|error| vec![format!("info error: {error}")]))
    }

    fn new_game<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        self.game = None;
        let numbers: Vec<u32> = words
            .map(|word| word.parse().map_err(|_| "new: six numbers are needed".to_owned()))
            .collect::<Result<_, _>>()?;
        let [rows, cols, line, rounds, squares, limit] = numbers[..] else {
            return Err(
                "new: six numbers are needed: rows, columns, line, rounds, squares, milliseconds"
                    .to_owned(),
            );
        };
        let layout = Layout { rows, cols, line, rounds, squares };
        PlainGame::new(layout).map_err(|error| format!("new: {error}"))?;
        self.pace.limit = Duration::from_millis(u64::from(limit));
        let desk = AnyThinker::new(&self.agent, layout, self.pace, self.seed).and_then(Desk::new);
        self.game = Some((layout, desk.map_err(|error| format!("new: {error}"))?));
        Ok(())
    }

    fn go<'a>(
        &mut self,
        mut words: impl Iterator<Item = &'a str>,
        arrived: Instant,
    ) -> Result<Vec<String>, String> {
        let Some((layout, desk)) = &mut self.game else {
            return Err("go before new".to_owned());
        };
        let side = match words.next() {
            Some("W") => Player::First,
            Some("R") => Player::Second,
            _ => return Err("go: the side is W or R".to_owned()),
        };
        let limit = words.next().and_then(|word| word.parse().ok());
        let limit = limit.ok_or("go: milliseconds are needed after the side")?;
        if words.next() != Some("moves") {
            return Err("go: 'moves' is needed after the milliseconds".to_owned());
        }
        let mut board = PlainGame::new(*layout).map_err(|error| error.to_string())?;
        let mut history: Vec<Placement> = Vec::new();
        for (index, word) in words.enumerate() {
            let mv: Placement =
                word.parse().map_err(|error| format!("move {}: {error}", index + 1))?;
            board.play(mv).map_err(|refusal| format!("move {} ({mv}): {refusal}", index + 1))?;
            history.push(mv);
        }
        if board.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        if board.to_move() != side {
            return Err("it is the other side's turn".to_owned());
        }
        let pace = Pace { limit: Duration::from_millis(limit), ..self.pace };
        let thought = desk.ask(&history, pace, arrived).ok_or("it cannot think any more")?;
        let best = thought.best.ok_or("no move is left")?;
        let took = arrived.elapsed().as_secs_f64() * 1e3;
        self.times.push(took);
        let known = match best.proof {
            Proof::Open => "",
            Proof::Won => ", won",
            Proof::Lost => ", lost",
            Proof::Drawn => ", drawn",
        };
        let value = f64::from(best.value) * 100.0;
        Ok(vec![
            format!(
                "info {} {value:.1} %{known}, {} playouts, deepest {}, {took:.1} ms",
                best.mv, thought.playouts, thought.deepest
            ),
            format!("move {}", best.mv),
        ])
    }

    /// How many moves there were, and their milliseconds: median, 99th percentile
    /// and longest.
    #[must_use]
    pub fn latency(&self) -> Option<(usize, [f64; 3])> {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        (!sorted.is_empty()).then(|| (sorted.len(), [at(0.5), at(0.99), at(1.0)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let pace = Pace { playouts: Some(500), ..Pace::default() };
        Session::new(&"uct".parse().unwrap(), pace, 1).unwrap()
    }

    fn said(session: &mut Session, line: &str) -> Vec<String> {
        match session.answer(line, Instant::now()) {
            Response::Lines(lines) => lines,
            Response::Quit => vec!["(quit)".to_owned()],
        }
    }

    #[test]
    fn a_game_is_played_by_the_protocol() {
        let mut session = session();
        assert_eq!(said(&mut session, "new 6 7 4 10 11 200"), ["ready"]);
        let lines = said(&mut session, "go W 200 moves");
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("info ") && lines[1].starts_with("move "), "{lines:?}");
        // Red must take the win that White has left him.
        let lines = said(&mut session, "go R 200 moves 0o 3s 0s 3s 1o 3s 6o");
        assert!(lines[1].starts_with("move 3"), "{lines:?}");
        assert_eq!(said(&mut session, "quit"), ["(quit)"]);
        assert_eq!(session.latency().unwrap().0, 2);
    }

    #[test]
    fn nothing_that_comes_in_is_the_end_of_it() {
        let mut session = session();
        let nonsense = [
            "go W 200 moves",
            "hello",
            "new",
            "new 6 7",
            "new a b c d e f",
            "new 0 7 4 10 11 200",
            "new 6 7 9 10 11 200",
            "new 6 7 4 0 0 200",
            "new 4000000000 4000000000 4 10 11 200",
            "new 6 7 4 99999999999 11 200",
            "\u{0}\u{7}\u{1b}[2J",
        ];
        for line in nonsense {
            let lines = said(&mut session, line);
            assert!(lines[0].starts_with("info error: "), "{line}: {lines:?}");
        }
        assert_eq!(said(&mut session, ""), [""; 0]);
        assert_eq!(said(&mut session, "  new 6 7 4 10 11 200\r"), ["ready"]);
        let wrong = [
            "go",
            "go X 200 moves",
            "go W moves",
            "go W 200",
            "go W -5 moves",
            "go W 200 moves 9o",
            "go W 200 moves 3o",
            "go R 200 moves 3o 3o",
            "go R 200 moves zz",
            "go R 200 moves 0o 0o 0o 0o 0o 0o 0o",
            "go R 200 moves 3o 2s 3o 2s 3o 2o 3o",
        ];
        for line in wrong {
            let lines = said(&mut session, line);
            assert!(lines[1].starts_with("forfeit "), "{line}: {lines:?}");
        }
        assert!(said(&mut session, "go W 200 moves")[1].starts_with("move "));
    }
}
