//! The seam between a player of a two-player game and whoever gives it time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use solitree_core::Game;

use crate::uct::Proof;

/// Someone who plays one side of a game.
pub trait Thinker<G: Game>: Send {
    /// Turns to the position after these moves, which are legal.
    fn begin(&mut self, history: &[G::Move]);

    /// Thinks for so many playouts at most. False when nothing is left to find out.
    fn step(&mut self, most: u64) -> bool;

    /// Playouts since the position was turned to.
    fn playouts(&self) -> u64;

    /// What it would play now. There is a best move unless the game is over.
    fn thought(&self) -> Thought<G::Move>;

    /// Thinks about the position after these moves, which are legal.
    fn think(&mut self, history: &[G::Move], patience: Patience<'_>) -> Thought<G::Move> {
        self.think_aloud(history, patience, &mut |_| {})
    }

    /// The same, and tells now and then what it would play.
    fn think_aloud(
        &mut self,
        history: &[G::Move],
        patience: Patience<'_>,
        tell: &mut dyn FnMut(Thought<G::Move>),
    ) -> Thought<G::Move> {
        think(self, history, patience, tell)
    }
}

/// A move that was thought about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried.
    pub visits: u32,
    /// The part of its games that it won, draws as halves.
    pub value: f32,
    /// What is known of it for certain.
    pub proof: Proof,
}

/// What a player thinks of a position.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The move to play.
    pub best: Option<Candidate<M>>,
    /// Every move that was thought about.
    pub candidates: Vec<Candidate<M>>,
    /// What is expected to come of each of them, it itself first.
    pub lines: Vec<Vec<M>>,
    /// Playouts since the position was turned to.
    pub playouts: u64,
    /// The longest line that was looked at.
    pub deepest: usize,
}

/// How long to think about a move: whatever comes first.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// Playouts.
    pub playouts: Option<u64>,
    /// A moment.
    pub until: Option<Instant>,
    /// Set from outside when it is enough.
    pub stop: Option<&'a AtomicBool>,
}

/// How long a portion of playouts should take, and the largest.
const BRIEF: Duration = Duration::from_micros(100);
const MOST: u64 = 64;

/// How long nothing is told.
const PAUSE: Duration = Duration::from_millis(4);

/// One portion after the other, with looks at the clock in between.
fn think<G: Game, T: Thinker<G> + ?Sized>(
    thinker: &mut T,
    history: &[G::Move],
    patience: Patience<'_>,
    tell: &mut dyn FnMut(Thought<G::Move>),
) -> Thought<G::Move> {
    thinker.begin(history);
    tell(thinker.thought());
    // Playouts between two looks at the clock: few on large boards, where one takes
    // milliseconds.
    let mut portion = 1;
    let mut now = Instant::now();
    let mut told = now;
    loop {
        let playouts = patience.playouts.unwrap_or(u64::MAX);
        let left = playouts.saturating_sub(thinker.playouts());
        let late = patience.until.is_some_and(|until| now >= until);
        let stopped = patience.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if left == 0 || late || stopped || !thinker.step(left.min(portion)) {
            return thinker.thought();
        }
        let before = std::mem::replace(&mut now, Instant::now());
        if now - told > PAUSE {
            tell(thinker.thought());
            told = now;
        }
        portion = if now - before < BRIEF { (2 * portion).min(MOST) } else { (portion / 2).max(1) };
    }
}
