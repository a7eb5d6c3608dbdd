//! Players at the board: what is asked of them, and those of our own.

use std::time::{Duration, Instant};

use solitree_core::Player;
use solitree_games::colorshapelinks::{Layout, Placement};

use super::agent::{Agent, AgentKind};
use super::own::Own;
use super::program::Program;

/// How long a player may think about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time limit.
    pub limit: Duration,
    /// Playouts instead of time, for players of our own: repeatable.
    pub playouts: Option<u64>,
    /// What a player of our own keeps back of the limit, for everything between
    /// it and the referee's clock.
    pub reserve: Duration,
    /// Bytes for a tree.
    pub memory: u64,
}

impl Default for Pace {
    fn default() -> Self {
        let (limit, reserve) = (Duration::from_millis(200), Duration::from_millis(20));
        Pace { limit, playouts: None, reserve, memory: 256 << 20 }
    }
}

impl Pace {
    /// Nobody thinks longer about a move.
    pub const LONGEST: Duration = Duration::from_secs(24 * 3600);

    /// Until when a player of our own thinks, from a moment on.
    #[must_use]
    pub fn until(&self, start: Instant) -> Option<Instant> {
        let limit = self.limit.min(Pace::LONGEST);
        let time = limit.saturating_sub(self.reserve).max(limit / 10);
        if self.playouts.is_some() { None } else { Some(start + time) }
    }

    /// So many times as long.
    #[must_use]
    pub fn times(self, budget: f64) -> Pace {
        let limit = self.limit.min(Pace::LONGEST).mul_f64(budget);
        let playouts = self.playouts.map(|count| ((count as f64 * budget) as u64).max(1));
        Pace { limit, playouts, ..self }
    }

    /// The room for a tree: no more than the playouts can fill.
    pub(super) fn room(&self, layout: Layout) -> u64 {
        let most = self.playouts.map_or(u64::MAX, |playouts| {
            playouts.saturating_mul(64 * u64::from(layout.cols)).saturating_add(1 << 16)
        });
        self.memory.min(most)
    }
}

/// What comes of asking for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move as text, or why there is none.
    pub mv: Result<String, Trouble>,
    /// From the question to the answer.
    pub elapsed: Duration,
    /// The part of its games that the move won, as the player sees it.
    pub value: Option<f32>,
    /// Playouts.
    pub playouts: Option<u64>,
}

/// Why a player has no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It did not answer in time, and not long after either.
    Hang,
    /// It ended, or could not be started.
    Crash(String),
    /// It said something that means nothing.
    Nonsense(String),
    /// It gave up.
    Forfeit(String),
}

/// Someone who can be asked for moves.
pub(super) trait Seat: Send {
    /// Begins a game.
    fn new_game(&mut self, layout: Layout, pace: Pace, seed: u64) -> Result<(), Trouble>;

    /// Asks for a move after these.
    fn choose(&mut self, side: Player, history: &[Placement], pace: Pace) -> Answer;
}

/// A seat for an agent.
pub(super) fn seat(agent: &Agent) -> Box<dyn Seat> {
    match &agent.kind {
        AgentKind::Program(command) => Box::new(Program::new(command)),
        _ => Box::new(Own { agent: agent.clone(), desk: None }),
    }
}
