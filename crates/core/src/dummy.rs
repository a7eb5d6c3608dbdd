//! A puzzle written down in a line of text, for tests whose answer can be read
//! off the page.

use serde::{Deserialize, Serialize};

use crate::{Puzzle, Score, mix};

/// A game tree such as `(3(7 2)5)`: a list in parentheses is a position whose
/// moves lead to its items, a number is a finished game with that score.
///
/// ```
/// use solitree_core::{DummyPuzzle, Puzzle, Score, replay};
/// let puzzle: DummyPuzzle = "(3(7 2)5)".parse()?;
/// let end = replay(&puzzle, &[1, 0])?;
/// assert_eq!(puzzle.score(&end), Score(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DummyPuzzle {
    nodes: Vec<Node>,
    depth: usize,
}

#[derive(Clone, Debug)]
struct Node {
    children: Vec<u32>,
    score: Score,
    best: Score,
}

/// What is wrong with the text of a [`DummyPuzzle`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct DummyPuzzleError {
    column: usize,
    what: &'static str,
}

/// A position of a [`DummyPuzzle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DummyState(u32);

impl std::str::FromStr for DummyPuzzle {
    type Err = DummyPuzzleError;

    fn from_str(text: &str) -> Result<Self, DummyPuzzleError> {
        let error = |column, what| Err(DummyPuzzleError { column, what });
        let bytes = text.as_bytes();
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while at < bytes.len() {
            let column = at + 1;
            match bytes[at] {
                b' ' => at += 1,
                b')' => {
                    let Some(closed) = open.pop() else { return error(column, "nothing to close") };
                    let best = nodes[closed as usize]
                        .children
                        .iter()
                        .map(|&c| nodes[c as usize].best)
                        .max();
                    let Some(best) = best else { return error(column, "a position without moves") };
                    nodes[closed as usize].best = best;
                    at += 1;
                }
                byte => {
                    let id = nodes.len() as u32;
                    match open.last() {
                        Some(&parent) => nodes[parent as usize].children.push(id),
                        None if id > 0 => return error(column, "text after the end"),
                        None => {}
                    }
                    depth = depth.max(open.len());
                    let mut score = Score(0);
                    if byte == b'(' {
                        open.push(id);
                        at += 1;
                    } else {
                        let len = bytes[at..]
                            .iter()
                            .position(|b| !b.is_ascii_digit() && *b != b'-')
                            .unwrap_or(bytes.len() - at);
                        let Ok(points) = text[at..at + len].parse() else {
                            return error(column, "expected a number, ( or )");
                        };
                        score = Score(points);
                        at += len;
                    }
                    nodes.push(Node { children: Vec::new(), score, best: score });
                }
            }
        }
        if !open.is_empty() {
            return error(bytes.len() + 1, "a ( is never closed");
        }
        if nodes.is_empty() {
            return error(1, "empty");
        }
        Ok(DummyPuzzle { nodes, depth })
    }
}

impl DummyPuzzle {
    /// The highest score there is.
    #[must_use]
    pub fn optimum(&self) -> Score {
        self.nodes[0].best
    }

    fn node(&self, state: &DummyState) -> &Node {
        &self.nodes[state.0 as usize]
    }
}

impl Puzzle for DummyPuzzle {
    type State = DummyState;
    type Move = u16;

    fn start(&self) -> DummyState {
        DummyState(0)
    }

    fn moves(&self, state: &DummyState, out: &mut Vec<u16>) {
        out.clear();
        out.extend(0..self.node(state).children.len() as u16);
    }

    fn play(&self, state: &mut DummyState, mv: u16) {
        *state = DummyState(self.node(state).children[usize::from(mv)]);
    }

    fn score(&self, state: &DummyState) -> Score {
        self.node(state).score
    }

    fn key(&self, state: &DummyState) -> u64 {
        mix(u64::from(state.0) + 1)
    }

    fn upper_bound(&self, state: &DummyState) -> Option<Score> {
        Some(self.node(state).best)
    }

    fn move_code(&self, state: &DummyState, mv: u16) -> u64 {
        u64::from(self.node(state).children[usize::from(mv)])
    }

    fn move_name(&self, _: &DummyState, mv: u16) -> String {
        mv.to_string()
    }

    fn max_moves(&self) -> usize {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_written() {
        let puzzle: DummyPuzzle = "(3 (7 2) (-5 (1)))".parse().unwrap();
        assert_eq!(puzzle.optimum(), Score(7));
        assert_eq!(puzzle.max_moves(), 3);
        crate::check::check_puzzle(&puzzle, 0..20);
        crate::check::check_kit(&puzzle, &crate::PlainKit, 0..20);
    }

    #[test]
    fn a_bare_number_is_a_game_already_over() {
        let puzzle: DummyPuzzle = "9".parse().unwrap();
        assert!(puzzle.is_over(&puzzle.start()));
        assert_eq!(puzzle.optimum(), Score(9));
        crate::check::check_kit(&puzzle, &crate::PlainKit, 0..2);
    }

    #[test]
    fn says_where_the_text_is_wrong() {
        for (text, message) in [
            ("", "column 1: empty"),
            ("(1", "column 3: a ( is never closed"),
            ("1)", "column 2: nothing to close"),
            ("(1 x)", "column 4: expected a number, ( or )"),
            ("()", "column 2: a position without moves"),
            ("(1) 2", "column 5: text after the end"),
        ] {
            let error = text.parse::<DummyPuzzle>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
