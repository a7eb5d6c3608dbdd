//! Several trees that vote, a thread each.
//!
//! The trees share nothing while they grow, so no thread waits for another; their
//! visits are added up for the choice. With playouts as the budget each gets its
//! share, and the choice is the same on any machine.
//!
//! # References
//! - G. Chaslot, M. Winands, J. van den Herik, "Parallel Monte-Carlo Tree Search",
//!   CG 2008: root parallelization.

use solitree_core::{Game, mix};

use super::{Proof, Uct, UctConfig, best_of};
use crate::thinker::{Candidate, Patience, Thinker, Thought};

/// Some players who think about the same position, each for himself.
pub struct Team<G: Game> {
    members: Vec<Uct<G>>,
    config: UctConfig,
}

/// What is thought together before the threads begin: enough for a move that is
/// forced or won at once.
const GLANCE: u64 = 64;

impl<G: Game> Team<G> {
    /// As many as the parameters say, who share so many bytes.
    pub fn new(game: &G, config: &UctConfig, seed: u64, memory: u64) -> Self {
        let share = memory / config.threads;
        let member = |number| Uct::new(game, config, mix(seed ^ mix(number)), share);
        Team { members: (0..config.threads).map(member).collect(), config: config.clone() }
    }
}

impl<G: Game> Thinker<G> for Team<G> {
    fn begin(&mut self, history: &[G::Move]) {
        self.members.iter_mut().for_each(|member| member.begin(history));
    }

    fn step(&mut self, most: u64) -> bool {
        let share = most.div_ceil(self.config.threads);
        self.members.iter_mut().all(|member| member.step(share))
    }

    fn playouts(&self) -> u64 {
        self.members.iter().map(Uct::playouts).sum()
    }

    fn thought(&self) -> Thought<G::Move> {
        let thoughts: Vec<Thought<G::Move>> = self.members.iter().map(Uct::thought).collect();
        let mut candidates: Vec<Candidate<G::Move>> = Vec::new();
        let mut lines = Vec::new();
        for thought in &thoughts {
            for (candidate, line) in thought.candidates.iter().zip(&thought.lines) {
                match candidates.iter_mut().find(|known| known.mv == candidate.mv) {
                    Some(known) => *known = together(known, candidate),
                    None => {
                        candidates.push(*candidate);
                        lines.push(line.clone());
                    }
                }
            }
        }
        Thought {
            best: best_of(&candidates, &self.config),
            candidates,
            lines,
            playouts: self.playouts(),
            deepest: thoughts.iter().map(|thought| thought.deepest).max().unwrap_or(0),
        }
    }

    /// What is told on the way is what the first one thinks.
    fn think_aloud(
        &mut self,
        history: &[G::Move],
        patience: Patience<'_>,
        tell: &mut dyn FnMut(Thought<G::Move>),
    ) -> Thought<G::Move> {
        self.begin(history);
        let few = patience.playouts.map_or(GLANCE, |playouts| playouts.min(GLANCE));
        if !self.step(few) {
            return self.thought();
        }
        let share = patience.playouts.map(|playouts| playouts.div_ceil(self.config.threads));
        let patience = Patience { playouts: share, ..patience };
        let Some((first, others)) = self.members.split_first_mut() else { return self.thought() };
        std::thread::scope(|scope| {
            for member in others {
                scope.spawn(move || member.think(history, patience));
            }
            first.think_aloud(history, patience, tell);
        });
        self.thought()
    }
}

/// What two trees think of one move.
fn together<M: Copy>(one: &Candidate<M>, other: &Candidate<M>) -> Candidate<M> {
    let visits = one.visits + other.visits;
    let of = |candidate: &Candidate<M>| candidate.value * candidate.visits as f32;
    let value = if visits > 0 { (of(one) + of(other)) / visits as f32 } else { 0.5 };
    // What is proven is true, whoever did it.
    let proof = if one.proof == Proof::Open { other.proof } else { one.proof };
    Candidate { mv: one.mv, visits, value, proof }
}
