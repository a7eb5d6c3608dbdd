//! UCT for games of two players.
//!
//! The tree grows by one position an iteration: down by the upper confidence
//! bound of each move, a playout from where the tree ends, and its result back to
//! every move on the way. What the thesis adds is in the parameters: playouts that
//! win where they can, no exploration beside a move that is good enough, fewer
//! moves early in the game. What we add: positions that are won or lost for
//! certain, a look two moves ahead, exact endgames, and games that a new move begins
//! with, by the look of it and by all moves as first.
//!
//! # References
//! - L. Kocsis, C. Szepesvári, "Bandit Based Monte-Carlo Planning", ECML 2006.
//! - K. Oppenhuis, "Variants of Monte Carlo Tree Search in the game
//!   ColorShapeLinks", bachelor thesis, Leiden University (2022).
//! - M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo Tree Search Solver", CG
//!   2008: `solver`.
//! - F. Teytaud, O. Teytaud, "On the huge benefit of decisive moves in Monte-Carlo
//!   Tree Search algorithms", CIG 2010: `playout` and `tactics`.
//! - T. Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015: `grave`.
//!
//! # Where we differ
//! A position gets all its children when it is come to a second time, not one by
//! one. The thesis's move reduction is of the game ([`Game::early_moves`]). All moves
//! as first are looked up once, when a position gets its children, and not at every
//! choice between them.

mod bounds;
mod config;
mod family;
mod ledgers;
mod meetings;
mod prior;
#[cfg(target_arch = "x86_64")]
mod side_by_side;
mod tables;
mod team;
mod tree;
mod witnesses;

use solitree_core::{Game, Manner, Outcome, Player, Rng, Sight};

pub use config::{PlayoutManner, UCT, UctConfig};
pub use team::Team;
pub use tree::Proof;

use crate::solver::Solver;
use crate::thinker::{Candidate, Thinker, Thought};
use bounds::select;
use family::Node;
use meetings::Meetings;
use prior::imagine;
use tree::Tree;
use witnesses::Witnesses;

/// Positions that the exact solver may look at for a new one in the tree.
const SOLVED_POSITIONS: u64 = 2_000;

/// UCT at work on one game.
pub struct Uct<G: Game> {
    game: G,
    config: UctConfig,
    manner: Manner,
    rng: Rng,
    /// The moves that led to the root.
    history: Vec<G::Move>,
    state: G::State,
    tree: Option<Tree<G::Move>>,
    memory: u64,
    solver: Solver<G>,
    meetings: Meetings,
    /// From the root to where an iteration is.
    path: Vec<Node>,
    witnesses: Witnesses<G::State>,
    moves: Vec<G::Move>,
    playouts: u64,
    deepest: usize,
    /// Whether the processor has the instructions of `iterate_wide`.
    #[cfg(target_arch = "x86_64")]
    wide: bool,
}

impl<G: Game> Uct<G> {
    /// A player who may keep so many bytes of tree.
    pub fn new(game: &G, config: &UctConfig, seed: u64, memory: u64) -> Self {
        Uct {
            game: game.clone(),
            config: config.clone(),
            manner: config.playout.manner(),
            rng: Rng::new(seed),
            history: Vec::new(),
            state: game.start(),
            tree: None,
            memory,
            solver: Solver::new(game, 1 << 16),
            meetings: Meetings::new(if config.transpositions { 1 << 17 } else { 0 }),
            path: Vec::new(),
            witnesses: Witnesses::new(),
            moves: Vec::new(),
            playouts: 0,
            deepest: 0,
            #[cfg(target_arch = "x86_64")]
            wide: is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt"),
        }
    }

    /// Bytes of the tree for each iteration so far.
    #[must_use]
    pub fn bytes_per_iteration(&self) -> f64 {
        self.tree.as_ref().map_or(0, Tree::size) as f64 / self.playouts.max(1) as f64
    }

    /// The tree below the root, which has children if the game is not over.
    fn plant(&mut self) {
        if self.tree.is_none() {
            self.game.moves(&self.state, &mut self.moves);
            let codes = if self.config.grave > 0 { self.game.codes() } else { 0 };
            if let Some(&first) = self.moves.first() {
                self.tree = Some(Tree::new(first, self.memory, codes));
            }
        }
        if let Some(tree) = &mut self.tree
            && tree.family(Node::ROOT).is_none()
        {
            // The root has its children at once: one of them is to be played.
            let state = self.state.clone();
            let proof = self.list_moves(&state, true);
            if let Some(tree) = &mut self.tree {
                tree.expand(Node::ROOT, &self.moves);
                tree.prove(Node::ROOT, proof);
            }
        }
    }

    /// Fills `moves` with those of a position that are worth a look, and says what
    /// is known of the position, to the player who moved there. Of the root there
    /// are always some.
    fn list_moves(&mut self, state: &G::State, root: bool) -> Proof {
        let mut proof = Proof::Open;
        if self.config.tactics {
            match self.game.look_ahead(state, &mut self.moves) {
                Sight::Won(mv) => {
                    self.moves.clear();
                    self.moves.push(mv);
                    return Proof::Lost;
                }
                Sight::Lost => {
                    self.game.moves(state, &mut self.moves);
                    return Proof::Won;
                }
                Sight::Open => {}
            }
            let left = (self.game.max_moves() - self.game.played(state)) as u64;
            if left <= self.config.endgame
                && !root
                && let Some(value) = self.solver.solve(state, SOLVED_POSITIONS)
            {
                proof = proven(value, self.game.to_move(state).other());
            }
        } else {
            self.game.moves(state, &mut self.moves);
        }
        // A player's moves so far: half of all.
        if (self.game.played(state) as u64) / 2 < self.config.reduce {
            let mut early = Vec::new();
            self.game.early_moves(state, &mut early);
            early.retain(|mv| self.moves.contains(mv));
            if !early.is_empty() {
                self.moves = early;
            }
        }
        proof
    }

    /// Some iterations; false when nothing is left to find out.
    #[inline(always)]
    fn iterate_often<const AVX2: bool>(&mut self, iterations: u64) -> bool {
        for _ in 0..iterations {
            let Some(tree) = &self.tree else { return false };
            let decided = tree.proof(Node::ROOT) != Proof::Open && self.config.solver;
            if decided || tree.degree(Node::ROOT) == 1 && self.config.tactics {
                return false;
            }
            self.iterate::<AVX2>();
        }
        true
    }

    /// The same with instructions that not every processor has: the bounds of
    /// eight moves at once. The results are the same bit for bit.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn iterate_wide(&mut self, iterations: u64) -> bool {
        self.iterate_often::<true>(iterations)
    }

    /// One iteration.
    #[inline(always)]
    fn iterate<const AVX2: bool>(&mut self) {
        let Some(tree) = &mut self.tree else { return };
        let mut state = self.state.clone();
        let mover = self.game.to_move(&state);
        self.path.clear();
        self.path.push(Node::ROOT);
        let mut at = Node::ROOT;
        let mut children = tree.family(at);
        self.witnesses.clear();
        while let Some(family) = children {
            if self.config.grave > 0 {
                self.witnesses.pass(tree, at, &state, self.config.grave);
            }
            let block;
            (at, block) = select::<AVX2, _>(tree, at, family, &self.config);
            self.path.push(at);
            if tree.proof_in(block, at.lane) != Proof::Open {
                break;
            }
            children = tree.family_in(block, at.lane);
            let mv = tree.mv_in(block, at.lane);
            if children.is_some() {
                self.game.replay(&mut state, mv);
            } else {
                self.game.play(&mut state, mv);
            }
        }
        let depth = self.path.len() - 1;
        let player = if depth.is_multiple_of(2) { mover.other() } else { mover };
        let (mut proof, visits) = (tree.proof(at), tree.visits(at));
        if proof == Proof::Open
            && let Some(outcome) = self.game.outcome(&state)
        {
            proof = proven(outcome, player);
        }
        if proof == Proof::Open && u64::from(visits) > self.config.imagined() {
            proof = self.grow(at, &state);
        }
        self.deepest = self.deepest.max(depth);
        self.playouts += 1;
        let outcome = match proof {
            Proof::Open => {
                self.enter(&mut state);
                self.game.play_out(&mut state, self.manner, &mut self.rng)
            }
            Proof::Won => Outcome::Won(player),
            Proof::Lost => Outcome::Won(player.other()),
            Proof::Drawn => Outcome::Draw,
        };
        if let Some(tree) = &mut self.tree {
            self.witnesses.tell(&mut tree.ledgers, &self.game, &state, outcome);
        }
        self.back_up(outcome, mover, proof);
    }

    /// Expands a leaf; says what is known of it then.
    fn grow(&mut self, at: Node, state: &G::State) -> Proof {
        if self.config.transpositions
            && let Some(tree) = &mut self.tree
            && let Some(family) = self.meetings.find(self.game.key(state))
        {
            tree.adopt(at, family);
            return follows(tree, at);
        }
        let proof = self.list_moves(state, false);
        if let Some(tree) = &mut self.tree
            && proof == Proof::Open
        {
            tree.expand(at, &self.moves);
            if self.config.imagined() > 0 {
                imagine(&self.game, tree, (at, state), self.witnesses.reference(), &self.config);
            }
            if self.config.transpositions
                && let Some(family) = tree.family(at)
            {
                self.meetings.note(self.game.key(state), family);
            }
        }
        proof
    }

    /// Takes a first move from a leaf that has just got its children.
    fn enter(&mut self, state: &mut G::State) {
        let (Some(tree), Some(&at)) = (&self.tree, self.path.last()) else { return };
        if let Some(family) = tree.family(at) {
            let child = family.member(self.rng.below(tree.degree(at)));
            self.game.play(state, tree.mv(child));
            self.path.push(child);
        }
    }

    /// What is thought of a node.
    fn candidate(tree: &Tree<G::Move>, at: Node) -> Candidate<G::Move> {
        Candidate {
            mv: tree.mv(at),
            visits: tree.visits(at),
            value: if tree.visits(at) > 0 { tree.value(at) } else { 0.5 },
            proof: tree.proof(at),
        }
    }

    /// The moves that are expected from a node on, its own first.
    fn line(&self, tree: &Tree<G::Move>, mut node: Node) -> Vec<G::Move> {
        let mut line = vec![tree.mv(node)];
        let rank = |&at: &Node| rank(&Self::candidate(tree, at), &self.config);
        while let Some(next) = tree.children(node).rev().max_by_key(rank)
            && tree.visits(next) > 0
        {
            line.push(tree.mv(next));
            node = next;
        }
        line
    }

    /// Counts a result for every move on the path, and takes what is proven of the
    /// last up as far as it goes.
    fn back_up(&mut self, outcome: Outcome, mover: Player, proof: Proof) {
        let Some(tree) = &mut self.tree else { return };
        // The root's own move was the opponent's.
        let halves = [mover.other(), mover].map(|player| match outcome {
            Outcome::Won(winner) if winner == player => 2,
            Outcome::Won(_) => 0,
            Outcome::Draw => 1,
        });
        tree.count(&mut self.path, halves);
        if proof == Proof::Open || !self.config.solver {
            return;
        }
        let Some((&last, above)) = self.path.split_last() else { return };
        tree.prove(last, proof);
        for &node in above.iter().rev() {
            let proof = follows(tree, node);
            if proof == Proof::Open {
                break;
            }
            tree.prove(node, proof);
        }
    }
}

/// An outcome as a proof, to a player.
fn proven(outcome: Outcome, player: Player) -> Proof {
    match outcome {
        Outcome::Won(winner) if winner == player => Proof::Won,
        Outcome::Won(_) => Proof::Lost,
        Outcome::Draw => Proof::Drawn,
    }
}

/// What is known of a move by what is known of every answer to it.
fn follows<M: Copy>(tree: &Tree<M>, node: Node) -> Proof {
    let mut proof = Proof::Won;
    for child in tree.children(node) {
        match tree.proof(child) {
            Proof::Won => return Proof::Lost,
            Proof::Open => proof = Proof::Open,
            Proof::Drawn if proof == Proof::Won => proof = Proof::Drawn,
            _ => {}
        }
    }
    proof
}

/// What a move is chosen by: a sure win first and a sure loss last, otherwise how
/// often it was tried.
fn rank<M>(candidate: &Candidate<M>, config: &UctConfig) -> (u8, u32) {
    let known = if config.solver { candidate.proof } else { Proof::Open };
    let class = match known {
        Proof::Won => 2,
        Proof::Open | Proof::Drawn => 1,
        Proof::Lost => 0,
    };
    (class, candidate.visits)
}

/// The move to play; of equal ones the first.
fn best_of<M: Copy>(candidates: &[Candidate<M>], config: &UctConfig) -> Option<Candidate<M>> {
    candidates.iter().rev().max_by_key(|candidate| rank(candidate, config)).copied()
}

impl<G: Game> Thinker<G> for Uct<G> {
    fn begin(&mut self, history: &[G::Move]) {
        let played = self.history.len();
        let goes_on = history.len() >= played && history[..played] == self.history[..];
        if !goes_on {
            self.state = self.game.start();
            self.tree = None;
        }
        let new = if goes_on { &history[played..] } else { history };
        for &mv in new {
            if let Some(tree) = &mut self.tree {
                let known = tree.children(Node::ROOT).find(|&at| tree.mv(at) == mv);
                match known {
                    Some(child) if self.config.reuse => tree.descend(child),
                    _ => self.tree = None,
                }
            }
            self.game.play(&mut self.state, mv);
        }
        self.history = history.to_vec();
        (self.playouts, self.deepest) = (0, 0);
        self.meetings.clear();
        // What was proven of the root is of no use without moves.
        if let Some(tree) = &mut self.tree {
            tree.prove(Node::ROOT, Proof::Open);
        }
        self.plant();
    }

    fn step(&mut self, most: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` says that the processor has these instructions.
            return unsafe { self.iterate_wide(most) };
        }
        self.iterate_often::<false>(most)
    }

    fn playouts(&self) -> u64 {
        self.playouts
    }

    fn thought(&self) -> Thought<G::Move> {
        let Some(tree) = &self.tree else {
            let (candidates, lines) = (Vec::new(), Vec::new());
            return Thought { best: None, candidates, lines, playouts: 0, deepest: 0 };
        };
        let children = || tree.children(Node::ROOT);
        let candidates: Vec<_> = children().map(|at| Self::candidate(tree, at)).collect();
        Thought {
            best: best_of(&candidates, &self.config),
            candidates,
            lines: children().map(|at| self.line(tree, at)).collect(),
            playouts: self.playouts,
            deepest: self.deepest,
        }
    }
}
