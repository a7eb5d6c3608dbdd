//! One game: the referee owns the rules and the clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use solitree_core::{Outcome, Player};
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{Layout, Placement};

use super::player::{Answer, Pace, Seat, Trouble};

/// A game that was played, as it is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match.
    pub number: u64,
    /// Who played White.
    pub white: String,
    /// Who played Red.
    pub red: String,
    /// Board, line and supplies.
    #[serde(flatten)]
    pub layout: Layout,
    /// How many of the moves were given.
    pub opening: usize,
    /// Every move.
    pub moves: Vec<String>,
    /// `W`, `R` or `D`.
    pub result: String,
    /// How it ended.
    pub end: End,
    /// In the players' or the rules' own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Milliseconds of each move that was not given.
    pub times: Vec<f64>,
    /// What the mover thought of each, where it said so.
    pub values: Vec<Option<f32>>,
    /// Playouts of each, where it said so.
    pub playouts: Vec<Option<u64>>,
    /// What was asked, in one number: games of other matches are not mixed.
    pub task: String,
    /// The program.
    pub build: String,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By a line, or without one.
    Board,
    /// By a move that is not legal.
    Illegal,
    /// By a move that came too late.
    Time,
    /// By no move at all.
    Hang,
    /// By a program that ended.
    Crash,
    /// By an answer that is none.
    Nonsense,
    /// By giving up.
    Forfeit,
}

impl End {
    /// Every way that is no way to lose a game.
    pub const TROUBLES: [End; 6] =
        [End::Illegal, End::Time, End::Hang, End::Crash, End::Nonsense, End::Forfeit];
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Board => "board",
            End::Illegal => "illegal move",
            End::Time => "time",
            End::Hang => "hang",
            End::Crash => "crash",
            End::Nonsense => "nonsense",
            End::Forfeit => "forfeit",
        })
    }
}

/// What the referee has to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) layout: Layout,
    /// How long White and Red may think.
    pub(super) paces: [Pace; 2],
    /// What the referee lets pass beyond the limit.
    pub(super) margin: Duration,
}

/// Plays a game between two seats, White first, from an opening.
pub(super) fn play(
    seats: [&mut dyn Seat; 2],
    terms: Terms,
    opening: &[Placement],
    seeds: [u64; 2],
) -> Played {
    let mut played = Played::default();
    let mut board = match PlainGame::new(terms.layout) {
        Ok(board) => board,
        Err(error) => return played.ended(None, End::Crash, error.to_string()),
    };
    let mut history: Vec<Placement> = Vec::new();
    for &mv in opening {
        if board.play(mv).is_ok() {
            history.push(mv);
        }
    }
    played.moves = history.iter().map(ToString::to_string).collect();
    let [white, red] = seats;
    let mut seats = [(Player::First, white), (Player::Second, red)];
    for ((side, seat), seed) in seats.iter_mut().zip(seeds) {
        let pace = terms.paces[*side as usize];
        if let Err(trouble) = seat.new_game(terms.layout, pace, seed) {
            return played.in_trouble(*side, trouble);
        }
    }
    loop {
        if let Some(outcome) = board.outcome() {
            let winner = match outcome {
                Outcome::Won(player) => Some(player),
                Outcome::Draw => None,
            };
            return played.ended(winner, End::Board, String::new());
        }
        let side = board.to_move();
        let pace = terms.paces[side as usize];
        let Answer { mv, elapsed, value, playouts } =
            seats[side as usize].1.choose(side, &history, pace);
        played.times.push((elapsed.as_secs_f64() * 1e6).round() / 1e3);
        played.values.push(value);
        played.playouts.push(playouts);
        let text = match mv {
            Ok(text) => text,
            Err(trouble) => return played.in_trouble(side, trouble),
        };
        let lost = Some(side.other());
        // In time first, as the clock is the referee's; with playouts there is none
        // but patience.
        if elapsed > pace.limit + terms.margin {
            return played.ended(lost, End::Time, format!("{text} after {elapsed:.1?}"));
        }
        let mv: Placement = match text.parse() {
            Ok(mv) => mv,
            Err(error) => return played.ended(lost, End::Illegal, error),
        };
        if let Err(refusal) = board.play(mv) {
            return played.ended(lost, End::Illegal, format!("{mv}: {refusal}"));
        }
        history.push(mv);
        played.moves.push(mv.to_string());
    }
}

/// What came of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Played {
    pub(super) moves: Vec<String>,
    pub(super) result: &'static str,
    pub(super) end: Option<End>,
    pub(super) note: String,
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<Option<f32>>,
    pub(super) playouts: Vec<Option<u64>>,
}

impl Played {
    fn ended(mut self, winner: Option<Player>, end: End, note: String) -> Played {
        self.result = match winner {
            Some(Player::First) => "W",
            Some(Player::Second) => "R",
            None => "D",
        };
        (self.end, self.note) = (Some(end), note);
        self
    }

    fn in_trouble(self, side: Player, trouble: Trouble) -> Played {
        let (end, note) = match trouble {
            Trouble::Hang => (End::Hang, String::new()),
            Trouble::Crash(note) => (End::Crash, note),
            Trouble::Nonsense(note) => (End::Nonsense, note),
            Trouble::Forfeit(note) => (End::Forfeit, note),
        };
        self.ended(Some(side.other()), end, note)
    }
}
