//! One search in one tree: selection, expansion, back-up.
//!
//! An iteration is cut in two at the playouts, so that several searches can
//! ask for theirs together: [`Climber::descend`] finds the position to play out
//! from, [`Climber::back_up`] takes the result.

use serde::{Deserialize, Serialize};
use solitree_core::{Counters, Job, Line, Playout, Puzzle, Rng, Score};

use super::config::{Expansion, Solved, SpMctsConfig};
use super::table::Table;
use super::tree::{Formula, NodeId, ROOT, Tree};

/// What an iteration needs besides the search itself.
pub(super) struct Context<'a, P: Puzzle, R> {
    pub(super) puzzle: &'a P,
    pub(super) playout: &'a R,
    pub(super) config: &'a SpMctsConfig,
    pub(super) formula: Formula,
}

/// A node on the way down and the position there.
struct Step<S> {
    node: NodeId,
    state: S,
    key: u64,
}

/// Where a descent ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// At a node that was added just now.
    Fresh,
    /// At a node whose moves are still the playout's to choose.
    Open,
    /// At the end of a game.
    End,
}

/// A search in progress. Its position, and the places on the path, are not
/// saved but found again by playing the moves before it.
pub(super) struct Climber<P: Puzzle> {
    pub(super) tree: Tree<P::Move>,
    /// Moves from the start of the game to the root of the tree.
    pub(super) prefix: Vec<P::Move>,
    rng: Rng,
    /// The best line through the root, from the start of the game.
    pub(super) best: Option<Line<P::Move>>,
    /// What the node budget has paid for: see `Counters::spent`.
    pub(super) spent: u64,
    /// The way down of the latest iteration, the root first. The next one
    /// reuses the positions as far as it goes the same way.
    path: Vec<Step<P::State>>,
    /// How much of the path the present iteration has gone.
    depth: usize,
    /// Nodes the present iteration has added.
    added: u64,
    /// Whether it wanted to add one and had no room.
    is_full: bool,
    legal: Vec<P::Move>,
}

/// What [`Climber::save`] gives, field by field, as it is read back.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
pub(super) struct SavedClimber<M> {
    tree: Tree<M>,
    prefix: Vec<M>,
    rng: Rng,
    best: Option<Line<M>>,
    spent: u64,
}

impl<P: Puzzle> Climber<P> {
    /// A search from a position, given by the moves to it.
    pub(super) fn new(puzzle: &P, tree: Tree<P::Move>, prefix: Vec<P::Move>, rng: Rng) -> Self {
        let mut state = puzzle.start();
        for &mv in &prefix {
            puzzle.play(&mut state, mv);
        }
        let key = puzzle.key(&state);
        let path = vec![Step { node: ROOT, state, key }];
        Climber {
            tree,
            prefix,
            rng,
            best: None,
            spent: 0,
            path,
            depth: 0,
            added: 0,
            is_full: false,
            legal: Vec::new(),
        }
    }

    /// What must be kept to go on, by reference: the tree may be large.
    pub(super) fn save(&self) -> impl Serialize + '_ {
        (&self.tree, &self.prefix, &self.rng, &self.best, self.spent)
    }

    pub(super) fn restore(puzzle: &P, saved: SavedClimber<P::Move>) -> Self {
        let climber = Climber::new(puzzle, saved.tree, saved.prefix, saved.rng);
        Climber { best: saved.best, spent: saved.spent, ..climber }
    }

    /// Whether every line from the root is known.
    pub(super) fn is_solved(&self) -> bool {
        self.tree.is_solved(ROOT)
    }

    /// Goes down the tree to where a playout is due. The position is then
    /// [`leaf_state`](Climber::leaf_state).
    pub(super) fn descend<R>(&mut self, context: &Context<'_, P, R>, table: &Table) -> Leaf {
        let threshold = u32::try_from(context.config.t).unwrap_or(u32::MAX);
        self.depth = 0;
        self.added = 0;
        self.is_full = false;
        loop {
            let node = self.path[self.depth].node;
            if self.tree.is_end(node) {
                return Leaf::End;
            }
            if !self.tree.is_complete(node) {
                if self.tree.visits(node) < threshold {
                    return Leaf::Open;
                }
                match context.config.expansion {
                    Expansion::One => {
                        if let Some(mv) = self.untried(context) {
                            return if self.add(context, mv, table) {
                                Leaf::Fresh
                            } else {
                                Leaf::Open
                            };
                        }
                    }
                    Expansion::Rest | Expansion::All => {
                        if !self.add_all(context, table) {
                            return if self.tree.is_end(node) { Leaf::End } else { Leaf::Open };
                        }
                    }
                }
            }
            let child = self.tree.select(node, &context.formula);
            self.advance(context, child);
        }
    }

    /// The position where the latest descent ended.
    pub(super) fn leaf_state(&self) -> &P::State {
        &self.path[self.depth].state
    }

    pub(super) fn next_seed(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// A move without a node, drawn at random; if there is none the node is
    /// complete.
    fn untried<R>(&mut self, context: &Context<'_, P, R>) -> Option<P::Move> {
        let Step { node, ref state, .. } = self.path[self.depth];
        context.puzzle.moves(state, &mut self.legal);
        let tree = &self.tree;
        self.legal.retain(|&mv| tree.child(node, mv).is_none());
        if self.legal.is_empty() {
            self.tree.set_complete(node);
            return None;
        }
        Some(self.legal[self.rng.below(self.legal.len() as u32) as usize])
    }

    /// Adds a child and goes there; `false`, and stays, if memory is full.
    fn add<R>(&mut self, context: &Context<'_, P, R>, mv: P::Move, table: &Table) -> bool {
        let node = self.path[self.depth].node;
        let Some(child) = self.tree.add_child(node, mv) else {
            self.is_full = true;
            return false;
        };
        // The children may have moved, and the way on from here with them.
        self.path.truncate(self.depth + 1);
        self.advance(context, child);
        self.inherit(context, child, table);
        self.added += 1;
        true
    }

    fn add_all<R>(&mut self, context: &Context<'_, P, R>, table: &Table) -> bool {
        let Step { node, ref state, .. } = self.path[self.depth];
        context.puzzle.moves(state, &mut self.legal);
        if self.legal.is_empty() {
            self.tree.set_solved(node, &context.formula);
            return false;
        }
        let tree = &self.tree;
        self.legal.retain(|&mv| tree.child(node, mv).is_none());
        if self.legal.is_empty() {
            self.tree.set_complete(node);
            return true;
        }
        if !self.tree.add_children(node, &self.legal) {
            self.is_full = true;
            return false;
        }
        // Those it had have moved, and the way on from here with them.
        self.path.truncate(self.depth + 1);
        self.added += self.legal.len() as u64;
        if table.is_on() {
            let depth = self.depth;
            for child in self.tree.children(node) {
                if self.tree.visits(child) > 0 {
                    continue;
                }
                self.path.truncate(depth + 1);
                self.advance(context, child);
                self.inherit(context, child, table);
                self.depth = depth;
            }
        }
        true
    }

    fn inherit<R>(&mut self, context: &Context<'_, P, R>, child: NodeId, table: &Table) {
        let step = &self.path[self.depth];
        // The end of a game needs a playout of its own to be known as one.
        if table.is_on() && !context.puzzle.is_over(&step.state) {
            let points = context.puzzle.score(&step.state);
            if let Some(statistics) = table.get(step.key, points) {
                self.tree.inherit(child, statistics, &context.formula);
            }
        }
    }

    fn advance<R>(&mut self, context: &Context<'_, P, R>, child: NodeId) {
        let known = self.path.get(self.depth + 1).is_some_and(|step| step.node == child);
        if !known {
            self.path.truncate(self.depth + 1);
            let mut state = self.path[self.depth].state.clone();
            context.puzzle.play(&mut state, self.tree.mv(child));
            let key = if context.config.table > 0 { context.puzzle.key(&state) } else { 0 };
            self.path.push(Step { node: child, state, key });
        }
        self.depth += 1;
    }

    /// Takes the playouts from where the latest descent ended into the tree.
    /// Returns the work it was.
    pub(super) fn back_up<R: Playout<P>>(
        &mut self,
        context: &Context<'_, P, R>,
        leaf: Leaf,
        jobs: &[Job<P>],
        table: &mut Table,
    ) -> Counters {
        let mut work = Counters { playouts: jobs.len() as u64, ..Counters::default() };
        match jobs {
            [] => {
                let node = self.path[self.depth].node;
                self.update(context, self.tree.top(node), table);
            }
            [first, ..] => {
                let end = first.moves.is_empty();
                for job in jobs {
                    self.offer(context, job);
                }
                if matches!(leaf, Leaf::Open) && context.config.expansion != Expansion::All && !end
                {
                    self.follow(context, &first.moves, table);
                }
                for job in jobs {
                    self.update(context, job.score, table);
                }
                if end {
                    self.tree.set_solved(self.path[self.depth].node, &context.formula);
                }
            }
        }
        self.propagate_solved(context);
        work.nodes = self.added;
        let stuck = self.added == 0 && (self.is_full || matches!(leaf, Leaf::End));
        work.spent = self.added + u64::from(stuck);
        // All nodes of an iteration are siblings, or below the last of them.
        work.depth_sum = self.added * self.depth as u64;
        work.deepest = if self.added > 0 { self.depth as u64 } else { 0 };
        self.spent += work.spent;
        work
    }

    /// A line through the root of a search that has none yet.
    pub(super) fn play_out<R: Playout<P>>(&mut self, context: &Context<'_, P, R>) -> Line<P::Move> {
        self.depth = 0;
        let mut job = [Job::new(self.path[0].state.clone(), self.next_seed())];
        context.playout.run(context.puzzle, &mut job);
        self.line(context, &job[0])
    }

    /// Goes along a playout's moves through the nodes there are and adds the
    /// first one missing, if there is room: Coulom's expansion.
    fn follow<R: Playout<P>>(
        &mut self,
        context: &Context<'_, P, R>,
        moves: &[P::Move],
        table: &Table,
    ) {
        for (index, &mv) in moves.iter().enumerate() {
            let Step { node, ref state, .. } = self.path[self.depth];
            let mv = context.playout.canonical(context.puzzle, state, mv);
            if let Some(child) = self.tree.child(node, mv) {
                self.advance(context, child);
                continue;
            }
            let added = self.add(context, mv, table);
            if added && index + 1 == moves.len() {
                self.tree.set_solved(self.path[self.depth].node, &context.formula);
            }
            return;
        }
    }

    fn update<R>(&mut self, context: &Context<'_, P, R>, score: Score, table: &mut Table) {
        for step in &self.path[..=self.depth] {
            self.tree.update(step.node, score, &context.formula);
            if table.is_on() {
                table.add(step.key, score - context.puzzle.score(&step.state));
            }
        }
    }

    fn propagate_solved<R>(&mut self, context: &Context<'_, P, R>) {
        if context.config.solved == Solved::Ignore
            || !self.tree.is_solved(self.path[self.depth].node)
        {
            return;
        }
        for step in self.path[..self.depth].iter().rev() {
            if !self.tree.solve(step.node, &context.formula) {
                break;
            }
        }
    }

    /// Keeps a playout if it is the best of this search.
    fn offer<R: Playout<P>>(&mut self, context: &Context<'_, P, R>, job: &Job<P>) {
        if self.best.as_ref().is_none_or(|best| job.score > best.score) {
            self.best = Some(self.line(context, job));
        }
    }

    /// The whole game of a playout from where the path stands.
    fn line<R: Playout<P>>(&self, context: &Context<'_, P, R>, job: &Job<P>) -> Line<P::Move> {
        let mut moves = self.prefix.clone();
        moves.extend(self.path[1..=self.depth].iter().map(|step| self.tree.mv(step.node)));
        let mut state = job.state.clone();
        for &mv in &job.moves {
            let mv = context.playout.canonical(context.puzzle, &state, mv);
            context.puzzle.play(&mut state, mv);
            moves.push(mv);
        }
        Line { score: job.score, moves }
    }
}
