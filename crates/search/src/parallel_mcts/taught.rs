//! Visits with a policy, in three parts: gather leaves, ask about all of them at
//! once, then go on from each, play it out and back the result up.

use std::sync::Arc;

use solitree_core::{Counters, Job, Kit, Puzzle, UniformPolicy};

use super::climb::{Context, Leaf, Scout, likeliest};
use super::node::Node;
use super::noise;
use super::prior::Moves;
use super::tree::Tree;
use crate::Meter;
use crate::opinions::{Found, Opinions};

/// How a policy takes part in a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyUse {
    /// Whether playouts draw their moves from it, or are the domain's.
    pub informed: bool,
    /// How much of the priors at the root is noise, and the parameter of its
    /// Dirichlet distribution.
    pub noise: (f64, f64),
    /// Whole games after which the search ends; 0 for as many as the budget
    /// allows.
    pub games: u64,
}

/// A policy at work: how it is used, and what it has said so far.
pub(super) struct Lessons {
    pub(super) usage: PolicyUse,
    opinions: Opinions,
}

impl Lessons {
    /// Nothing has been said yet; at most so many bytes are remembered.
    pub(super) fn new(usage: PolicyUse, limit: u64) -> Lessons {
        Lessons { usage, opinions: Opinions::new(limit) }
    }
}

/// One visit.
struct Visit<'t, M> {
    path: Vec<&'t Node<M>>,
    leaf: Leaf,
    /// Whether the leaf is only played out: it has not been visited often
    /// enough to get its moves.
    early: bool,
    /// The depth of the position that got its moves, if one did.
    added: Option<usize>,
}

/// Some visits, and the positions of those leaves that are open, in the same order.
struct Gathered<'t, P: Puzzle> {
    visits: Vec<Visit<'t, P::Move>>,
    /// Those to be asked about.
    found: Vec<Found<P>>,
    /// Those that are only played out.
    early: Vec<P::State>,
}

impl<P: Puzzle> Scout<P> {
    /// A batch of at most so many visits. Returns how many there were.
    pub(super) fn iterate_taught<K: Kit<P>>(
        &mut self,
        (context, lessons): (&Context<'_, P, K>, &Lessons),
        tree: &Tree<P>,
        meter: &mut Meter<P::Move>,
        most: u64,
    ) -> u64 {
        let policy = context.kit.policy().unwrap_or(&UniformPolicy);
        let leaves = context.config.leaves(policy.preferred_batch()) as u64;
        let Gathered { mut visits, mut found, early } =
            self.gather(context, tree, meter, leaves.min(most));
        let priors = lessons.opinions.ask(context.puzzle, policy, &found);
        let asked = visits.iter_mut().filter(|visit| matches!(visit.leaf, Leaf::Open));
        let asked = asked.filter(|visit| !visit.early);
        for ((visit, found), priors) in asked.zip(&mut found).zip(&priors) {
            self.go_on((context, lessons), tree, visit, found, priors);
        }
        let open = found.len() + early.len();
        let mut jobs = std::mem::take(&mut self.jobs);
        jobs.resize_with(jobs.len().max(open), || Job::new(context.puzzle.start(), 0));
        let (mut early, mut asked) = (early.iter(), found.iter().map(|(state, _)| state));
        let leaves = visits.iter().filter(|visit| matches!(visit.leaf, Leaf::Open));
        let states = leaves.filter_map(|leaf| if leaf.early { early.next() } else { asked.next() });
        for (job, state) in jobs.iter_mut().zip(states) {
            job.state.clone_from(state);
            job.seed = self.rng.next_u64();
        }
        let played = &mut jobs[..open];
        if lessons.usage.informed {
            lessons.opinions.play_out(context.puzzle, policy, played);
        } else {
            context.kit.run(context.puzzle, played);
        }
        let mut done = played.iter();
        for visit in &visits {
            let played = match visit.leaf {
                Leaf::Stuck => None,
                Leaf::End(score) => {
                    self.record(context, tree, &visit.path, (score, &[]), meter);
                    None
                }
                Leaf::Open => done.next(),
            };
            if let Some(job) = played {
                self.take_in(context, tree, &visit.path, job, meter);
            }
            self.close(context, tree, &visit.path);
            let depth = visit.added.unwrap_or(0) as u64;
            meter.count(Counters {
                playouts: u64::from(played.is_some()),
                nodes: u64::from(visit.added.is_some()),
                spent: 1,
                depth_sum: depth,
                deepest: depth,
            });
        }
        self.jobs = jobs;
        visits.len() as u64
    }

    /// Goes down several times.
    fn gather<'t, K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &'t Tree<P>,
        meter: &Meter<P::Move>,
        leaves: u64,
    ) -> Gathered<'t, P> {
        let (nodes, mut playouts) = meter.allowance();
        let (mut visits, mut found, mut played) = (Vec::new(), Vec::new(), Vec::new());
        while (visits.len() as u64) < leaves.min(nodes) && playouts > 0 {
            let mut path = Vec::with_capacity(32);
            let (mut leaf, _) = self.descend(context, tree, &mut path);
            let node = path[path.len() - 1];
            let early = context.is_early(node, path.len() - 1);
            if matches!(leaf, Leaf::Open) && early {
                played.push(self.leaf_state(tree, path.len() - 1));
                playouts -= 1;
            } else if matches!(leaf, Leaf::Open) {
                let state = self.leaf_state(tree, path.len() - 1);
                let mut moves = Vec::new();
                context.puzzle.moves(&state, &mut moves);
                if moves.is_empty() {
                    node.close();
                    leaf = Leaf::End(context.puzzle.score(&state));
                } else {
                    found.push((state, moves));
                    playouts -= 1;
                }
            }
            visits.push(Visit { path, leaf, early, added: None });
            if matches!(leaf, Leaf::Stuck) {
                break;
            }
        }
        Gathered { visits, found, early: played }
    }

    /// Gives a leaf its moves and plays the most likely of them. A visit that
    /// finds the moves there, from another of the batch, chooses by the formula.
    fn go_on<'t, K: Kit<P>>(
        &mut self,
        (context, lessons): (&Context<'_, P, K>, &Lessons),
        tree: &Tree<P>,
        visit: &mut Visit<'t, P::Move>,
        (state, moves): &mut Found<P>,
        priors: &Arc<[f32]>,
    ) {
        let depth = visit.path.len() - 1;
        let leaf = visit.path[depth];
        if leaf.below.get().is_none() {
            // At random, so that of equals none is favoured by its place.
            let mut order: Vec<usize> = (0..moves.len()).collect();
            self.rng.shuffle(&mut order);
            let mut found = Moves {
                moves: order.iter().map(|&index| moves[index]).collect(),
                priors: order.iter().map(|&index| priors[index]).collect(),
            };
            if depth == 0 {
                noise::add(&mut found.priors, lessons.usage.noise, &mut self.rng);
            }
            visit.added = self.expand(context, tree, leaf, state, &found).then_some(depth);
        }
        let Some(below) = leaf.below.get() else { return };
        let edge = match visit.added {
            Some(_) => likeliest(&below.priors),
            None => context.formula.select(leaf, below, None, &mut self.open),
        };
        if let Some(edge) = edge {
            let node = &below.edges[edge];
            node.begin_visit();
            below.touch(edge);
            context.puzzle.play(state, node.mv);
            visit.path.push(node);
        }
    }
}
