//! Agents of our own, on boards of any size.

use std::time::Instant;

use solitree_core::{Game, Player, Rng};
use solitree_games::colorshapelinks::{
    AnyGame, LargeGame, Layout, MediumGame, Placement, SmallGame,
};
use solitree_search::thinker::{Candidate, Patience, Thinker, Thought};
use solitree_search::uct::{Proof, Team, Uct};

use super::agent::{Agent, AgentKind};
use super::book::Book;
use super::desk::Desk;
use super::player::{Answer, Pace, Seat, Trouble};

/// An agent of our own at the board.
pub(super) struct Own {
    pub(super) agent: Agent,
    pub(super) desk: Option<Desk>,
}

/// A thinker for a board of whatever size.
pub struct AnyThinker {
    mind: Mind,
    /// Where it looks first.
    book: Option<&'static Book>,
}

enum Mind {
    /// For a board in one word.
    Small(Box<dyn Thinker<SmallGame>>),
    /// In a few.
    Medium(Box<dyn Thinker<MediumGame>>),
    /// In many.
    Large(Box<dyn Thinker<LargeGame>>),
}

impl AnyThinker {
    /// An agent of our own for a game; the error says why there is none.
    pub fn new(agent: &Agent, layout: Layout, pace: Pace, seed: u64) -> Result<Self, String> {
        let game = AnyGame::new(layout).map_err(|error| error.to_string())?;
        let room = pace.room(layout);
        let mind = match &game {
            AnyGame::Small(game) => Mind::Small(thinker(agent, game, seed, room)?),
            AnyGame::Medium(game) => Mind::Medium(thinker(agent, &**game, seed, room)?),
            AnyGame::Large(game) => Mind::Large(thinker(agent, &**game, seed, room)?),
        };
        let reads = matches!(&agent.kind, AgentKind::Uct(config) if config.book);
        let book = (reads && layout == Layout::default()).then(Book::ours);
        Ok(AnyThinker { mind, book })
    }

    /// The same, who thinks about the first moves too: for analysis.
    #[must_use]
    pub fn without_book(self) -> Self {
        AnyThinker { book: None, ..self }
    }

    /// Thinks about a position, and tells now and then what it would play.
    pub fn think(
        &mut self,
        history: &[Placement],
        patience: Patience<'_>,
        tell: &mut dyn FnMut(Thought<Placement>),
    ) -> Thought<Placement> {
        if let Some(thought) = self.book.and_then(|book| book.thought(history)) {
            return thought;
        }
        match &mut self.mind {
            Mind::Small(thinker) => thinker.think_aloud(history, patience, tell),
            Mind::Medium(thinker) => thinker.think_aloud(history, patience, tell),
            Mind::Large(thinker) => thinker.think_aloud(history, patience, tell),
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
        AgentKind::Uct(config) if config.threads > 1 => {
            Ok(Box::new(Team::new(game, config, seed, room)))
        }
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
        let proof = Proof::Open;
        let best = self.choice.map(|mv| Candidate { mv, visits: 0, value: 0.5, proof });
        let lines = self.choice.into_iter().map(|mv| vec![mv]).collect();
        Thought { best, candidates: best.into_iter().collect(), lines, playouts: 0, deepest: 0 }
    }
}

impl Seat for Own {
    fn new_game(&mut self, layout: Layout, pace: Pace, seed: u64) -> Result<(), Trouble> {
        let made = AnyThinker::new(&self.agent, layout, pace, seed).and_then(Desk::new);
        self.desk = Some(made.map_err(Trouble::Crash)?);
        Ok(())
    }

    fn choose(&mut self, _: Player, history: &[Placement], pace: Pace) -> Answer {
        let start = Instant::now();
        let thought = self.desk.as_mut().and_then(|desk| desk.ask(history, pace, start));
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
