//! Parallel Monte-Carlo Tree Search.
//!
//! All threads grow one tree. The values of a position's moves are scaled to
//! [-1, 1] between the least and the greatest of them, so that PUCT needs no
//! knowledge of the puzzle's points; a visit under way lowers the value of its
//! moves by a share, so that the next goes elsewhere and leaves can be played
//! out in batches. Options turn it into UCB1-tuned, RAVE, GRAVE, progressive
//! widening and unpruning, nested and beam MCTS. The answer is the best line.
//!
//! # References
//! - A. Seify, M. Buro, "Single-Agent Optimization Through Policy Iteration
//!   Using Monte-Carlo Tree Search", 2020.
//! - G.M.J-B. Chaslot, M.H.M. Winands, H.J. van den Herik, "Parallel
//!   Monte-Carlo Tree Search", CG 2008.
//! - P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the
//!   Multiarmed Bandit Problem", Machine Learning 47, 2002: UCB1, UCB1-tuned.
//! - S. Gelly, D. Silver, "Monte-Carlo tree search and rapid action value
//!   estimation in computer Go", Artificial Intelligence 175, 2011: RAVE.
//! - T. Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015.
//! - G.M.J-B. Chaslot et al., "Progressive Strategies for Monte-Carlo Tree
//!   Search", 2008; R. Coulom, "Computing Elo Ratings of Move Patterns in the
//!   Game of Go", 2007: unpruning and widening.
//! - H. Baier, M.H.M. Winands, "Nested Monte-Carlo Tree Search for Online
//!   Planning in Large MDPs", ECAI 2012; "Beam Monte-Carlo Tree Search", CIG
//!   2012.
//!
//! # Where we differ
//! A thread gathers several leaves before it plays them out in one batch, as
//! if each were a thread of its own; nothing is locked meanwhile, so a visit
//! may pass through a position whose first playout is not back yet. Moves are
//! kept in random order, which settles ties. Subtrees in which every line is
//! known are not entered again. Leaf parallelisation plays its playouts in the
//! lanes of a batch, root parallelisation merges nothing but the best line. A
//! beam with nothing left to cut begins again with an empty tree. Games that are
//! played move by move may follow one another, by every variant of the domain's
//! knowledge: a tree that has all of the time for one game soon stands still.

mod amaf;
mod climb;
mod config;
mod method;
mod nest;
mod node;
mod noise;
mod prior;
mod saved;
mod select;
mod taught;
mod tree;
mod turns;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use serde::Deserialize;
use solitree_core::{Counters, Insight, Kit, Line, Puzzle, Rng, StopReason};

pub use config::{
    Amaf, BeamBy, Growth, Order, Parallel, ParallelMctsConfig, PriorSource, RaveRule,
    SelectionRule, Value,
};
pub use taught::PolicyUse;

use crate::method::Request;
use crate::spmcts::{Control, FinalMove};
use crate::{Meter, Search, Status};
use climb::{Context, Leaf, Scout};
use nest::{Nest, SavedNest};
use node::Node;
use saved::SavedTree;
use select::Formula;
use taught::Lessons;
use tree::Tree;
use turns::Turns;

/// Playouts after which a step ends.
const PLAYOUTS_PER_STEP: u64 = 128;
/// Visits after which it ends in any case.
const VISITS_PER_STEP: u64 = 256;

/// One worker: a thread in a tree that it may share with others.
pub struct ParallelMcts<P: Puzzle, K> {
    puzzle: P,
    /// What games are played by, in turn.
    kits: Vec<K>,
    config: ParallelMctsConfig,
    formula: Formula,
    /// The policy that takes part, shared by all threads.
    lessons: Option<Arc<Lessons>>,
    /// `None` if the game is over at the start.
    tree: Option<Arc<RwLock<Tree<P>>>>,
    /// Whether the tree is this worker's to save.
    keeper: bool,
    scout: Scout<P>,
    nest: Option<Nest<P>>,
    nest_memory: u64,
}

/// What [`Search::save`] writes, as it is read back.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
struct Saved<M> {
    rng: Rng,
    tree: Option<SavedTree<M>>,
    nest: Option<SavedNest<M>>,
}

impl<P: Puzzle, K: Kit<P>> ParallelMcts<P, K> {
    /// The workers of a run, one a thread.
    pub fn workers(
        puzzle: &P,
        kit: &K,
        config: &ParallelMctsConfig,
        request: &Request<'_, P::Move>,
    ) -> Result<Vec<Self>, String> {
        Self::all_workers(puzzle, kit, (config, None), request)
    }

    /// The workers of a run with the policy that the kit lends, in one tree. The
    /// configuration's own priors, growth, AMAF, nesting and beam are left off.
    pub(crate) fn taught(
        puzzle: &P,
        kit: &K,
        (config, usage): (&ParallelMctsConfig, PolicyUse),
        request: &Request<'_, P::Move>,
    ) -> Result<Vec<Self>, String> {
        // An eighth is for what the policy said.
        let lessons = Arc::new(Lessons::new(usage, request.memory() / 8));
        Self::all_workers(puzzle, kit, (config, Some(lessons)), request)
    }

    fn all_workers(
        puzzle: &P,
        kit: &K,
        (config, lessons): (&ParallelMctsConfig, Option<Arc<Lessons>>),
        request: &Request<'_, P::Move>,
    ) -> Result<Vec<Self>, String> {
        config.check()?;
        let threads = request.threads.max(1) as u64;
        let trees = if config.parallel == Parallel::Root { threads } else { 1 };
        // A quarter is for the lower searches, if there are any.
        let lower = if config.nested > 0 { request.memory() / 4 } else { 0 };
        let said = if lessons.is_some() { request.memory() / 8 } else { 0 };
        let limit = (request.memory() - lower - said) / trees;
        let kits = if config.variants { kit.variants(puzzle) } else { vec![kit.clone()] };
        let tree = |worker: u64| {
            let mut tree = Tree::new(puzzle, puzzle.start(), Vec::new(), limit)?;
            tree.share(0.0, config.game_length);
            tree.turns = Turns::new(kits.len(), Rng::stream(request.seed, u64::MAX - worker));
            Some(Arc::new(RwLock::new(tree)))
        };
        let shared = tree(0);
        let make = |worker: u64| ParallelMcts {
            puzzle: puzzle.clone(),
            kits: kits.clone(),
            config: config.clone(),
            formula: Formula::new(config),
            lessons: lessons.clone(),
            tree: if trees == 1 { shared.clone() } else { tree(worker) },
            keeper: trees > 1 || worker == 0,
            scout: Scout::new(Rng::stream(request.seed, worker)),
            nest: None,
            nest_memory: lower / threads,
        };
        Ok((0..threads).map(make).collect())
    }

    /// A batch of visits, or a batch of the search that takes a playout's place.
    fn iterate(&mut self, tree: &RwLock<Tree<P>>, meter: &mut Meter<P::Move>) -> u64 {
        let ParallelMcts {
            puzzle, kits, config, formula, lessons, scout, nest, nest_memory, ..
        } = self;
        let tree = read(tree);
        let kit = &kits[tree.turns.kit()];
        let context = Context { puzzle, kit, config, formula, taught: lessons.is_some() };
        if let Some(lessons) = lessons {
            let done = tree.simulations.load(Relaxed);
            // No more than what is due before the next move.
            let enough = config.simulations.max(config.longest);
            let most = match config.control {
                Control::Move if enough > 0 => enough.saturating_sub(done).max(1),
                _ => u64::MAX,
            };
            return scout.iterate_taught((&context, lessons), &tree, meter, most);
        }
        if config.nested == 0 {
            return scout.iterate(&context, &tree, meter, u64::MAX);
        }
        match nest {
            Some(lower) => {
                if lower.advance(&context, meter) {
                    Self::conclude(&context, scout, lower, &tree, meter);
                    *nest = None;
                }
            }
            None => *nest = Self::begin(&context, scout, &tree, meter, *nest_memory),
        }
        1
    }

    /// Begins a lower search where a playout is due, if there is anything to
    /// search.
    fn begin(
        context: &Context<'_, P, K>,
        scout: &mut Scout<P>,
        tree: &Tree<P>,
        meter: &mut Meter<P::Move>,
        memory: u64,
    ) -> Option<Nest<P>> {
        let mut path = Vec::new();
        let (leaf, added) = scout.descend(context, tree, &mut path);
        let depth = added.unwrap_or(0) as u64;
        let nodes = u64::from(added.is_some());
        let work = Counters { playouts: 0, nodes, spent: 1, depth_sum: depth, deepest: depth };
        meter.count(work);
        let state = scout.leaf_state(tree, path.len() - 1);
        let score = context.puzzle.score(&state);
        if matches!(leaf, Leaf::Open) {
            let moves = path[1..].iter().map(|node| node.mv);
            let prefix = tree.prefix.iter().copied().chain(moves).collect();
            let rng = Rng::new(scout.rng.next_u64());
            let size = (tree.game, context.config.nested, memory);
            let nest = Nest::new(context.puzzle, (state, prefix), size, rng);
            if nest.is_some() {
                return nest;
            }
            // The game is over, which is not seen before the T-th visit.
            path[path.len() - 1].close();
        }
        if !matches!(leaf, Leaf::Stuck) {
            scout.record(context, tree, &path, (score, &[]), meter);
        }
        scout.close(context, tree, &path);
        None
    }

    /// Takes the best line of a lower search for a playout of this one.
    fn conclude(
        context: &Context<'_, P, K>,
        scout: &mut Scout<P>,
        nest: &Nest<P>,
        tree: &Tree<P>,
        meter: &mut Meter<P::Move>,
    ) {
        let path = places(tree, nest);
        let Some(&leaf) = path.last() else { return };
        let depth = tree.prefix.len() + path.len() - 1;
        if let Some(line) = nest.line() {
            scout.record(context, tree, &path, (line.score, &line.moves[depth..]), meter);
        }
        if nest.is_exact() && depth == nest.prefix().len() {
            leaf.close();
        }
        scout.close(context, tree, &path);
    }

    /// What is due between two batches: levels to cut, moves to play.
    fn turn_over(&mut self, lock: &RwLock<Tree<P>>, meter: &mut Meter<P::Move>) -> Status {
        let tree = read(lock);
        let closed = tree.root.is_closed();
        if closed && tree.root.is_exact() && tree.prefix.is_empty() {
            return Status::Done(StopReason::Solved);
        }
        let due = closed || self.is_move_due(&tree, meter);
        drop(tree);
        if !due && self.scout.due.is_empty() {
            return Status::Going;
        }
        let mut tree = lock.write().unwrap_or_else(PoisonError::into_inner);
        for depth in std::mem::take(&mut self.scout.due) {
            tree.prune(depth, self.config.beam as usize, self.config.beam_by);
        }
        // Another may have seen to it meanwhile.
        let closed = tree.root.is_closed();
        match self.config.control {
            Control::Move if closed || self.is_move_due(&tree, meter) => {
                self.play_move(&mut tree, meter);
            }
            Control::Game if closed && !tree.root.is_exact() => tree.restart(&self.puzzle),
            _ => {}
        }
        Status::Going
    }

    /// Whether all games that were asked for are over.
    fn has_played_enough(&self, tree: &Tree<P>) -> bool {
        let games = self.lessons.as_ref().map_or(0, |lessons| lessons.usage.games);
        games > 0 && tree.game >= games
    }

    fn is_move_due(&self, tree: &Tree<P>, meter: &Meter<P::Move>) -> bool {
        self.config.control == Control::Move
            && match (self.config.simulations, self.config.longest) {
                (0, longest) => {
                    (tree.until..1.0).contains(&meter.used())
                        || longest > 0 && tree.simulations.load(Relaxed) >= longest
                }
                (enough, _) => tree.simulations.load(Relaxed) >= enough,
            }
    }

    /// Commits to the move that the search decided on; at the end of the game
    /// the next one begins.
    fn play_move(&mut self, tree: &mut Tree<P>, meter: &mut Meter<P::Move>) {
        let line = tree.line().filter(|line| line.moves.starts_with(&tree.prefix));
        let along = line.and_then(|line| line.moves.get(tree.prefix.len()).copied());
        let tried = || {
            let edges = tree.root.below.get().into_iter().flat_map(|below| &below.edges);
            edges.filter(|edge| edge.done() > 0)
        };
        let chosen = match self.config.final_move {
            FinalMove::TopScore => {
                along.or_else(|| Some(tried().max_by_key(|edge| edge.top())?.mv))
            }
            FinalMove::Visits => tried().max_by_key(|edge| edge.done()).map(|edge| edge.mv),
            FinalMove::Average => {
                tried().max_by(|a, b| a.mean().total_cmp(&b.mean())).map(|edge| edge.mv)
            }
        };
        let Some(mv) = chosen.or(along) else { return self.begin_game(tree, meter) };
        tree.play(&self.puzzle, mv);
        tree.until = meter.used() + tree.share_of_a_move;
        if let Some(lessons) = &self.lessons
            && let Some(below) = tree.root.below.get_mut()
        {
            noise::add(&mut below.priors, lessons.usage.noise, &mut self.scout.rng);
        }
        if self.puzzle.is_over(&tree.state) {
            let score = self.puzzle.score(&tree.state);
            meter.offer(Line { score, moves: tree.prefix.clone() });
            self.begin_game(tree, meter);
        }
    }

    /// Begins the next game. It has all that is left of the budget, or, where games follow
    /// one another, the same share for each move as the first: else the last ones would have
    /// less and less.
    fn begin_game(&self, tree: &mut Tree<P>, meter: &Meter<P::Move>) {
        tree.restart(&self.puzzle);
        match self.config.longest {
            0 => tree.share(meter.used(), self.config.game_length),
            _ => tree.until = meter.used() + tree.share_of_a_move,
        }
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// The places of the tree that a lower search was announced at, as far as they
/// are still there.
fn places<'t, P: Puzzle>(tree: &'t Tree<P>, nest: &Nest<P>) -> Vec<&'t Node<P::Move>> {
    let Some(moves) = nest.prefix().strip_prefix(tree.prefix.as_slice()) else { return Vec::new() };
    if nest.game != tree.game {
        return Vec::new();
    }
    let mut path = vec![&tree.root];
    for &mv in moves {
        let Some(child) = path[path.len() - 1].child(mv) else { break };
        path.push(child);
    }
    path
}

impl<P: Puzzle, K: Kit<P>> Search<P> for ParallelMcts<P, K> {
    fn step(&mut self, meter: &mut Meter<P::Move>) -> Status {
        let Some(tree) = self.tree.clone() else {
            let score = self.puzzle.score(&self.puzzle.start());
            meter.offer(Line { score, moves: Vec::new() });
            return Status::Done(StopReason::Solved);
        };
        let before = meter.counters().playouts;
        let mut visits = 0;
        while visits < VISITS_PER_STEP && meter.counters().playouts - before < PLAYOUTS_PER_STEP {
            if let Some(reason) = meter.stop() {
                return Status::Done(reason);
            }
            if self.has_played_enough(&read(&tree)) {
                return Status::Done(StopReason::Finished);
            }
            visits += self.iterate(&tree, meter);
            if let done @ Status::Done(_) = self.turn_over(&tree, meter) {
                return done;
            }
            // A batch with a policy may take long.
            if self.lessons.is_some() {
                break;
            }
        }
        Status::Going
    }

    fn look(&self) -> Option<Insight<P::Move>> {
        let insight = read(self.tree.as_deref()?).insight();
        // A game that has just begun shows nothing: the look before says more.
        (!insight.moves.is_empty()).then_some(Insight::Tree(insight))
    }

    fn save(&self) -> Vec<u8> {
        let tree = self.tree.as_ref().filter(|_| self.keeper);
        let tree = tree.map(|tree| SavedTree::of(&*read(tree)));
        let nest = self.nest.as_ref().map(Nest::save);
        postcard::to_stdvec(&(&self.scout.rng, tree, nest)).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved: Saved<P::Move> = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        let top_share = self.formula.top_share;
        if let Some(tree) = &self.tree {
            let mut tree = tree.write().unwrap_or_else(PoisonError::into_inner);
            if saved.tree.is_some() != self.keeper {
                return Err("saved with another number of threads".to_owned());
            }
            if let Some(saved) = saved.tree {
                saved.restore(&self.puzzle, top_share, &mut tree)?;
            }
            self.nest = match saved.nest {
                Some(nest) => {
                    let settings = (top_share, self.nest_memory);
                    Some(Nest::restore(&self.puzzle, nest, settings)?)
                }
                None => None,
            };
            if let Some(nest) = &self.nest {
                places(&tree, nest).into_iter().for_each(Node::begin_visit);
            }
        }
        self.scout = Scout::new(saved.rng);
        Ok(())
    }
}
