//! Visits to the tree, in three parts: gather leaves, play them out together,
//! back the results up.
//!
//! Whatever values leaves in batches, a network too, takes the place of the
//! middle part and nothing else changes.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use solitree_core::{Counters, Job, Kit, Line, Puzzle, Rng, Score, slot};

use super::amaf::{ENTRY_BYTES, Table};
use super::config::{Amaf, ParallelMctsConfig};
use super::node::{Below, Node};
use super::prior::{Moves, moves_of};
use super::select::{Formula, Open};
use super::tree::Tree;
use crate::Meter;

/// What a visit needs besides the tree.
pub(super) struct Context<'a, P, K> {
    pub(super) puzzle: &'a P,
    pub(super) kit: &'a K,
    pub(super) config: &'a ParallelMctsConfig,
    pub(super) formula: &'a Formula,
    /// Whether leaves wait for a policy before they get their moves.
    pub(super) taught: bool,
}

impl<P, K> Context<'_, P, K> {
    /// Whether a leaf at a depth is only played out, since it has not been visited often
    /// enough to get its moves. The root gets them at once.
    pub(super) fn is_early<M>(&self, leaf: &Node<M>, depth: usize) -> bool {
        depth > 0 && u64::from(leaf.done()) + 1 < self.config.t
    }
}

/// Where a descent ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// At a position to be played out.
    Open,
    /// At the end of a game.
    End(Score),
    /// Where others are about to close the last moves.
    Stuck,
}

/// One visit: a stretch of the path, and of the jobs.
struct Visit {
    path: std::ops::Range<usize>,
    leaf: Leaf,
    /// The depth of the position that got its moves, if one did.
    added: Option<usize>,
    jobs: std::ops::Range<usize>,
}

/// A move on the way down and the position after it.
struct Step<S> {
    edge: usize,
    state: S,
}

/// One who visits the tree; what it keeps between visits only saves time, but
/// for its random numbers.
pub(super) struct Scout<P: Puzzle> {
    pub(super) rng: Rng,
    /// The way of the latest descent. The next reuses the positions as far as
    /// it goes the same way.
    trail: Vec<Step<P::State>>,
    epoch: u64,
    pub(super) jobs: Vec<Job<P>>,
    moves: Moves<P::Move>,
    pub(super) open: Vec<Open>,
    slots: Vec<u32>,
    /// Depths that have been visited as often as a beam allows.
    pub(super) due: Vec<usize>,
}

impl<P: Puzzle> Scout<P> {
    pub(super) fn new(rng: Rng) -> Self {
        Scout {
            rng,
            trail: Vec::new(),
            epoch: 0,
            jobs: Vec::new(),
            moves: Moves::default(),
            open: Vec::new(),
            slots: Vec::new(),
            due: Vec::new(),
        }
    }

    /// A batch of visits, of at most so many playouts. Returns the visits.
    pub(super) fn iterate<K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        meter: &mut Meter<P::Move>,
        most: u64,
    ) -> u64 {
        let (mut nodes, playouts) = meter.allowance();
        let mut playouts = playouts.min(most);
        let leaves = context.config.leaves(context.kit.preferred_batch());
        let each = context.config.playouts_of_a_leaf() as u64;
        let mut path = Vec::with_capacity(32 * leaves);
        let mut visits: Vec<Visit> = Vec::with_capacity(leaves);
        let mut asked = 0;
        while visits.len() < leaves && nodes > 0 && playouts > 0 {
            let (begin, first) = (path.len(), asked);
            let (leaf, added) = self.descend(context, tree, &mut path);
            if matches!(leaf, Leaf::Open) {
                let depth = path.len() - begin - 1;
                for _ in 0..each.min(playouts) {
                    self.ask(tree, depth, asked);
                    asked += 1;
                }
            }
            nodes -= 1;
            playouts -= (asked - first) as u64;
            visits.push(Visit { path: begin..path.len(), leaf, added, jobs: first..asked });
            if matches!(leaf, Leaf::Stuck) {
                break;
            }
        }
        context.kit.run(context.puzzle, &mut self.jobs[..asked]);
        let jobs = std::mem::take(&mut self.jobs);
        for visit in &mut visits {
            let path = &path[visit.path.clone()];
            match visit.leaf {
                Leaf::Stuck => {}
                Leaf::End(score) => self.record(context, tree, path, (score, &[]), meter),
                Leaf::Open => {
                    for job in &jobs[visit.jobs.clone()] {
                        if self.grow(context, tree, path, job) {
                            visit.added = Some(path.len() - 1);
                        }
                        self.take_in(context, tree, path, job, meter);
                    }
                }
            }
            self.close(context, tree, path);
            let depth = visit.added.unwrap_or(0) as u64;
            let added = u64::from(visit.added.is_some());
            let playouts = visit.jobs.len() as u64;
            let (depth_sum, deepest) = (depth, depth);
            meter.count(Counters { playouts, nodes: added, spent: 1, depth_sum, deepest });
        }
        self.jobs = jobs;
        visits.len() as u64
    }

    /// Goes down to where a playout is due, announcing the visit everywhere on
    /// the way.
    pub(super) fn descend<'t, K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &'t Tree<P>,
        path: &mut Vec<&'t Node<P::Move>>,
    ) -> (Leaf, Option<usize>) {
        if self.epoch != tree.epoch {
            self.epoch = tree.epoch;
            self.trail.clear();
        }
        let mut node = &tree.root;
        let mut reference = None;
        let mut depth = 0;
        node.begin_visit();
        path.push(node);
        loop {
            if node.is_closed() {
                return (Leaf::Stuck, None);
            }
            let Some(below) = node.below.get() else { break };
            reference = Self::reference(context, node, below, reference);
            let chosen = context.formula.select(node, below, reference, &mut self.open);
            let Some(edge) = chosen else { return (Leaf::Stuck, None) };
            node = self.advance(context, tree, below, edge, depth);
            path.push(node);
            depth += 1;
        }
        if context.is_early(node, depth) || context.taught || !context.config.is_eager() {
            return (Leaf::Open, None);
        }
        let mut moves = std::mem::take(&mut self.moves);
        let state = self.state(tree, depth);
        let played = tree.prefix.len() + depth;
        let mut rng = self.rng.clone();
        let ask = (context.puzzle, context.kit);
        moves_of(ask, context.config, (state, played), &mut rng, &mut moves);
        if moves.moves.is_empty() {
            node.close();
            let score = context.puzzle.score(state);
            self.moves = moves;
            return (Leaf::End(score), None);
        }
        let added = self.expand(context, tree, node, state, &moves);
        self.rng = rng;
        self.moves = moves;
        // The most likely move is the first of the playout: the paper. If all
        // are alike, the playout's own choice is as good.
        if let Some(below) = node.below.get()
            && let Some(edge) = likeliest(&below.priors)
        {
            path.push(self.advance(context, tree, below, edge, depth));
        }
        (Leaf::Open, added.then_some(depth))
    }

    /// Gives a position its moves, unless memory is full or another was faster.
    pub(super) fn expand<K: Kit<P>>(
        &self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        node: &Node<P::Move>,
        state: &P::State,
        found: &Moves<P::Move>,
    ) -> bool {
        let amaf = context.config.amaf != Amaf::Off;
        let (count, priors) = (found.moves.len(), !found.priors.is_empty());
        let bytes = Below::<P::Move>::bytes_of(count, priors, amaf);
        if !tree.take(bytes) {
            return false;
        }
        let mut below = Below::new(found.moves.iter().map(|&mv| Node::new(mv)).collect());
        below.priors = found.priors.as_slice().into();
        if amaf {
            let code = |&mv: &P::Move| slot(context.puzzle.move_code(state, mv));
            below.slots = found.moves.iter().map(code).collect();
            below.amaf = Some(Mutex::default());
        }
        if !context.taught && !context.config.is_eager() {
            below.set_touched(1);
        }
        let added = node.below.set(Box::new(below)).is_ok();
        if !added {
            tree.give_back(bytes);
        }
        added
    }

    fn reference<'t, K>(
        context: &Context<'_, P, K>,
        node: &Node<P::Move>,
        below: &'t Below<P::Move>,
        above: Option<&'t Mutex<Table>>,
    ) -> Option<&'t Mutex<Table>> {
        let here = below.amaf.as_ref();
        match context.config.amaf {
            Amaf::Grave if u64::from(node.done()) < context.config.grave_ref => above.or(here),
            _ => here,
        }
    }

    fn state<'s>(&'s self, tree: &'s Tree<P>, depth: usize) -> &'s P::State {
        depth.checked_sub(1).map_or(&tree.state, |last| &self.trail[last].state)
    }

    fn advance<'t, K>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        below: &'t Below<P::Move>,
        edge: usize,
        depth: usize,
    ) -> &'t Node<P::Move> {
        let node = &below.edges[edge];
        node.begin_visit();
        below.touch(edge);
        if self.trail.get(depth).is_none_or(|step| step.edge != edge) {
            self.trail.truncate(depth);
            let mut state = self.state(tree, depth).clone();
            context.puzzle.play(&mut state, node.mv);
            self.trail.push(Step { edge, state });
        }
        node
    }

    /// Asks for a playout from where the latest descent ended.
    fn ask(&mut self, tree: &Tree<P>, depth: usize, index: usize) {
        let seed = self.rng.next_u64();
        let state = depth.checked_sub(1).map_or(&tree.state, |last| &self.trail[last].state);
        match self.jobs.get_mut(index) {
            Some(job) => {
                job.state.clone_from(state);
                job.seed = seed;
            }
            None => self.jobs.push(Job::new(state.clone(), seed)),
        }
    }

    /// The position where the latest descent ended.
    pub(super) fn leaf_state(&self, tree: &Tree<P>, depth: usize) -> P::State {
        self.state(tree, depth).clone()
    }

    /// Gives the leaf of a playout its moves, the playout's own first: the
    /// others are all alike, and selection need not look at them before that
    /// one has been tried.
    fn grow<K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        path: &[&Node<P::Move>],
        job: &Job<P>,
    ) -> bool {
        let node = path[path.len() - 1];
        let early = context.is_early(node, path.len() - 1);
        let Some(&first) = job.moves.first() else { return false };
        if context.config.is_eager() || early || node.below.get().is_some() || tree.is_full() {
            return false;
        }
        let mut moves = std::mem::take(&mut self.moves);
        let at = (&job.state, tree.prefix.len() + path.len() - 1);
        let ask = (context.puzzle, context.kit);
        moves_of(ask, context.config, at, &mut self.rng, &mut moves);
        let first = context.kit.canonical(context.puzzle, &job.state, first);
        if let Some(index) = moves.moves.iter().position(|&mv| mv == first) {
            moves.moves.swap(0, index);
        }
        let added = self.expand(context, tree, node, &job.state, &moves);
        self.moves = moves;
        added
    }

    /// Backs a playout up.
    pub(super) fn take_in<K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        path: &[&Node<P::Move>],
        job: &Job<P>,
        meter: &mut Meter<P::Move>,
    ) {
        let needed = meter.improves(job.score)
            || tree.improves(job.score)
            || context.config.amaf != Amaf::Off;
        // The whole playout where its moves are wanted, else the first of them.
        let wanted = if needed { job.moves.len() } else { 1 };
        let mut state = job.state.clone();
        let mut moves = Vec::with_capacity(wanted.min(job.moves.len()));
        for &mv in job.moves.iter().take(wanted) {
            let mv = context.kit.canonical(context.puzzle, &state, mv);
            if moves.len() + 1 < wanted {
                context.puzzle.play(&mut state, mv);
            }
            moves.push(mv);
        }
        self.record(context, tree, path, (job.score, &moves), meter);
        let leaf = path[path.len() - 1];
        match job.moves.len() {
            0 => leaf.close(),
            1 => leaf.child(moves[0]).into_iter().for_each(Node::close),
            _ => {}
        }
    }

    /// Enters a game into the statistics: the path, then `moves`.
    pub(super) fn record<K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        path: &[&Node<P::Move>],
        (score, moves): (Score, &[P::Move]),
        meter: &mut Meter<P::Move>,
    ) {
        if meter.improves(score) || tree.improves(score) {
            let tail = path[1..].iter().map(|node| node.mv).chain(moves.iter().copied());
            let line = Line { score, moves: tree.prefix.iter().copied().chain(tail).collect() };
            tree.offer(&line);
            meter.offer(line);
        }
        let Formula { top_share, squares, .. } = *context.formula;
        for node in path {
            node.update(score, top_share, squares);
            if let Some(below) = node.below.get() {
                below.set_first(score);
            }
        }
        // The first move of the playout has a place in the tree already.
        if let Some(&mv) = moves.first()
            && let Some(child) = path[path.len() - 1].known_child(mv)
        {
            child.update(score, top_share, squares);
        }
        if context.config.amaf != Amaf::Off {
            self.learn(context, tree, path, (score, moves));
        }
    }

    /// Adds a game to the AMAF tables on its path.
    fn learn<K>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        path: &[&Node<P::Move>],
        (score, moves): (Score, &[P::Move]),
    ) {
        self.slots.clear();
        let mut state = tree.state.clone();
        for mv in path[1..].iter().map(|node| node.mv).chain(moves.iter().copied()) {
            self.slots.push(slot(context.puzzle.move_code(&state, mv)));
            context.puzzle.play(&mut state, mv);
        }
        for (depth, node) in path.iter().enumerate() {
            let table = node.below.get().and_then(|below| below.amaf.as_ref());
            let Some(mut table) = table.and_then(|table| table.lock().ok()) else { continue };
            let before = table.len();
            let room = !tree.is_full();
            self.slots[depth..].iter().for_each(|&slot| table.add(slot, score, room));
            // At most a game's moves too much.
            tree.charge((table.len() - before) as u64 * ENTRY_BYTES);
        }
    }

    /// Ends a visit: what is exhausted is closed, and depths are counted.
    pub(super) fn close<K>(
        &mut self,
        context: &Context<'_, P, K>,
        tree: &Tree<P>,
        path: &[&Node<P::Move>],
    ) {
        for (depth, node) in path.iter().enumerate() {
            node.end_visit();
            if context.config.beam > 0
                && depth > 0
                && u64::from(tree.passed[depth].fetch_add(1, Relaxed)) + 1
                    == context.config.beam_limit
            {
                self.due.push(depth);
            }
        }
        tree.simulations.fetch_add(1, Relaxed);
        for node in path.iter().rev() {
            if !node.close_if_exhausted() {
                break;
            }
        }
    }
}

/// The index of the highest prior.
pub(super) fn likeliest(priors: &[f32]) -> Option<usize> {
    (0..priors.len()).max_by(|&a, &b| priors[a].total_cmp(&priors[b]).then(b.cmp(&a)))
}
