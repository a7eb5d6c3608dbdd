//! Players at the board: what is asked of them, and those of our own.

use std::time::{Duration, Instant};

use solitree_core::{Game, Player, Rng};
use solitree_games::colorshapelinks::{AnyGame, Layout, Placement};
use solitree_search::thinker::{Candidate, Patience, Thinker, Thought, think, think_aloud};
use solitree_search::uct::Uct;

use super::agent::{Agent, AgentKind};
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

    /// The room for a tree: no more than the playouts can fill.
    fn room(&self, layout: Layout) -> u64 {
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
        _ => Box::new(Own { agent: agent.clone(), thinker: None }),
    }
}

/// An agent of our own.
struct Own {
    agent: Agent,
    thinker: Option<AnyThinker>,
}

/// A thinker for a board of whatever size.
pub enum AnyThinker {
    /// In one word.
    Small(Box<dyn Thinker<solitree_games::colorshapelinks::SmallGame>>),
    /// In many.
    Large(Box<dyn Thinker<solitree_games::colorshapelinks::LargeGame>>),
}

impl AnyThinker {
    /// An agent of our own for a game; the error says why there is none.
    pub fn new(agent: &Agent, layout: Layout, pace: Pace, seed: u64) -> Result<Self, String> {
        let game = AnyGame::new(layout).map_err(|error| error.to_string())?;
        let room = pace.room(layout);
        Ok(match &game {
            AnyGame::Small(game) => AnyThinker::Small(thinker(agent, game, seed, room)?),
            AnyGame::Large(game) => AnyThinker::Large(thinker(agent, &**game, seed, room)?),
        })
    }

    /// Thinks about a position.
    pub fn think(&mut self, history: &[Placement], patience: Patience<'_>) -> Thought<Placement> {
        match self {
            AnyThinker::Small(thinker) => think(&mut **thinker, history, patience),
            AnyThinker::Large(thinker) => think(&mut **thinker, history, patience),
        }
    }

    /// The same, and now and then says what it thinks so far.
    pub fn think_aloud(
        &mut self,
        history: &[Placement],
        patience: Patience<'_>,
        say: &mut dyn FnMut(Thought<Placement>),
    ) -> Thought<Placement> {
        match self {
            AnyThinker::Small(thinker) => think_aloud(&mut **thinker, history, patience, say),
            AnyThinker::Large(thinker) => think_aloud(&mut **thinker, history, patience, say),
        }
    }
}

fn thinker<G: Game + 'static>(
    agent: &Agent,
    game: &G,
    seed: u64,
    room: u64,
) -> Result<Box<dyn Thinker<G>>, String> {
    match &agent.kind {
        AgentKind::Uct(config) => Ok(Box::new(Uct::new(game, config, seed, room))),
        AgentKind::Random => {
            Ok(Box::new(AnyMove { game: game.clone(), rng: Rng::new(seed), choice: None }))
        }
        AgentKind::Program(_) => Err("a program is not an agent of our own".to_owned()),
    }
}

/// Plays any legal move.
struct AnyMove<G: Game> {
    game: G,
    rng: Rng,
    choice: Option<G::Move>,
}

impl<G: Game> Thinker<G> for AnyMove<G> {
    fn begin(&mut self, history: &[G::Move]) {
        let (mut state, mut moves) = (self.game.start(), Vec::new());
        history.iter().for_each(|&mv| self.game.play(&mut state, mv));
        self.game.moves(&state, &mut moves);
        self.choice = match moves.len() {
            0 => None,
            count => Some(moves[self.rng.below(count as u32) as usize]),
        };
    }

    fn step(&mut self, _: u64) -> bool {
        false
    }

    fn playouts(&self) -> u64 {
        0
    }

    fn thought(&self) -> Thought<G::Move> {
        let proof = solitree_search::uct::Proof::Open;
        let best = self.choice.map(|mv| Candidate { mv, visits: 0, value: 0.5, proof });
        let lines = self.choice.into_iter().map(|mv| vec![mv]).collect();
        Thought { best, candidates: best.into_iter().collect(), lines, playouts: 0, deepest: 0 }
    }
}

impl Seat for Own {
    fn new_game(&mut self, layout: Layout, pace: Pace, seed: u64) -> Result<(), Trouble> {
        let made = AnyThinker::new(&self.agent, layout, pace, seed);
        self.thinker = Some(made.map_err(Trouble::Crash)?);
        Ok(())
    }

    fn choose(&mut self, _: Player, history: &[Placement], pace: Pace) -> Answer {
        let start = Instant::now();
        let patience = Patience { playouts: pace.playouts, until: pace.until(start), stop: None };
        let thought = self.thinker.as_mut().map(|thinker| thinker.think(history, patience));
        let best = thought.as_ref().and_then(|thought| thought.best);
        let mv = best.map(|best| best.mv.to_string());
        Answer {
            mv: mv.ok_or_else(|| Trouble::Crash("there is no game".to_owned())),
            elapsed: start.elapsed(),
            value: best.map(|best| best.value),
            playouts: thought.map(|thought| thought.playouts),
        }
    }
}
