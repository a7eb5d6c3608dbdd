//! One game between two agents of our own, apart from any event: what experiments
//! are made of.

use std::sync::OnceLock;
use std::time::Duration;

use solitree_core::{Budget, mix};
use solitree_games::colorshapelinks::plain::PlainGame;
use solitree_games::colorshapelinks::{Layout, Placement};

use super::agent::{Agent, AgentKind};
use super::opening::opening;
use super::player::{Pace, seat};
use super::referee::{End, Terms, play};

/// A game that can be played; the same one is the same game again, unless it is
/// limited by time.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// White and Red.
    agents: [AgentKind; 2],
    paces: [Pace; 2],
    opening: Vec<Placement>,
    seeds: [u64; 2],
}

/// How a game went.
#[derive(Clone, Debug, PartialEq)]
pub struct Met {
    /// 1 if White won, -1 if Red did, 0 if nobody.
    pub score: i64,
    /// How it ended.
    pub end: End,
    /// Every move, the opening's too.
    pub moves: Vec<String>,
    /// Moves there were to choose from, on average.
    pub branching: f64,
    /// Playouts of both.
    pub playouts: u64,
}

/// Nobody loses an experiment by the clock, or by patience.
const PATIENCE: Duration = Duration::from_secs(3600);

impl Meeting {
    /// A game on the usual board: White and Red, each with the part of the budget
    /// that it gets and its seed, after an opening of so many random moves.
    pub(crate) fn new(
        seats: [(AgentKind, f64, u64); 2],
        budget: &Budget,
        plies: usize,
        seed: u64,
    ) -> Meeting {
        let paces = [seats[0].1, seats[1].1].map(|part| Pace {
            limit: budget.time.map_or(PATIENCE, |time| time.mul_f64(part)),
            playouts: budget.playouts.map(|count| ((count as f64 * part) as u64).max(1)),
            reserve: Duration::ZERO,
            ..Pace::default()
        });
        let opening = opening(Layout::default(), plies, seed, 0);
        let seeds = [seats[0].2, seats[1].2];
        Meeting { agents: seats.map(|(agent, ..)| agent), paces, opening, seeds }
    }

    /// Plays the game.
    #[must_use]
    pub fn play(&self) -> Met {
        let layout = Layout::default();
        let seated = |kind: &AgentKind| {
            seat(&Agent { name: String::new(), kind: kind.clone(), budget: 1.0 })
        };
        let [mut white, mut red] = [seated(&self.agents[0]), seated(&self.agents[1])];
        let terms = Terms { layout, paces: self.paces, margin: PATIENCE };
        let played = play([&mut *white, &mut *red], terms, &self.opening, self.seeds);
        Met {
            score: match played.result {
                "W" => 1,
                "R" => -1,
                _ => 0,
            },
            end: played.end.unwrap_or(End::Board),
            branching: branching(layout, &played.moves),
            playouts: played.playouts.iter().flatten().sum(),
            moves: played.moves,
        }
    }
}

/// The choices at each move of a game, on average.
fn branching(layout: Layout, moves: &[String]) -> f64 {
    let Ok(mut board) = PlainGame::new(layout) else { return 0.0 };
    let mut choices = 0;
    for mv in moves.iter().filter_map(|text| text.parse::<Placement>().ok()) {
        choices += board.moves().len();
        if board.play(mv).is_err() {
            break;
        }
    }
    choices as f64 / moves.len().max(1) as f64
}

/// The agents of this program in one number: games of others are not mixed with
/// theirs. It is that of four short games.
pub(crate) fn signature() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let agent =
            |text: &str| text.parse::<Agent>().map_or(AgentKind::Random, |agent| agent.kind);
        let budget = Budget { playouts: Some(200), ..Budget::default() };
        let pairs = [
            ("uct", "uct:decisive"),
            ("uct:combined", "champion"),
            ("champion,playout=careful", "uct:sufficiency"),
            ("random", "uct:reduction"),
        ];
        let mut hash = mix(0x516);
        for (game, (white, red)) in (1..).zip(pairs) {
            let seats = [(agent(white), 1.0, game), (agent(red), 1.0, game + 9)];
            for text in Meeting::new(seats, &budget, 2, game).play().moves {
                hash = text.bytes().fold(hash, |hash, byte| mix(hash ^ u64::from(byte)));
            }
        }
        format!("{hash:016x}")
    })
}
