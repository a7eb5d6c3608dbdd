//! The tree as a whole: its root, its memory, and the changes for which all
//! threads must wait.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use solitree_core::{Counted, Line, Puzzle, Rng, Score, TreeInsight, TriedMove};

use super::amaf::ENTRY_BYTES;
use super::config::BeamBy;
use super::node::{Below, Node};
use super::turns::Turns;

/// A search tree of bounded size, for any number of threads.
pub(super) struct Tree<P: Puzzle> {
    pub(super) root: Node<P::Move>,
    /// Moves from the start of the game to the root.
    pub(super) prefix: Vec<P::Move>,
    /// The position of the root.
    pub(super) state: P::State,
    /// Changes with the root: what is known of places then no longer holds.
    pub(super) epoch: u64,
    /// The number of the game, of those played one after the other.
    pub(super) game: u64,
    /// By which kit it is played.
    pub(super) turns: Turns,
    /// Visits since the root is what it is.
    pub(super) simulations: AtomicU64,
    /// The share of the budget at which the next move is played.
    pub(super) until: f64,
    /// What each move of this game has of the budget.
    pub(super) share_of_a_move: f64,
    /// Visits through each depth, up to the limit of a beam.
    pub(super) passed: Vec<AtomicU32>,
    line: Mutex<Option<Line<P::Move>>>,
    best: AtomicI64,
    used: AtomicU64,
    limit: u64,
}

impl<P: Puzzle> Tree<P> {
    /// A tree with a root only, that takes at most so many bytes; `None` if the
    /// game is over there.
    pub(super) fn new(
        puzzle: &P,
        state: P::State,
        prefix: Vec<P::Move>,
        limit: u64,
    ) -> Option<Self> {
        let mut legal = Vec::new();
        puzzle.moves(&state, &mut legal);
        // The root needs some move in its place; which one does not matter.
        let root = Node::new(*legal.first()?);
        Some(Tree {
            root,
            prefix,
            state,
            epoch: 1,
            game: 0,
            turns: Turns::new(1, Rng::new(0)),
            simulations: AtomicU64::new(0),
            until: 0.0,
            share_of_a_move: 0.0,
            passed: (0..=puzzle.max_moves()).map(|_| AtomicU32::new(0)).collect(),
            line: Mutex::new(None),
            best: AtomicI64::new(Score::MIN.0),
            used: AtomicU64::new(0),
            limit,
        })
    }

    /// Forgets everything and begins the next game.
    pub(super) fn restart(&mut self, puzzle: &P) {
        self.root = Node::new(self.root.mv);
        self.prefix.clear();
        self.state = puzzle.start();
        self.game += 1;
        self.turns.next(Score(*self.best.get_mut()));
        self.passed.iter_mut().for_each(|count| *count.get_mut() = 0);
        self.set_line(None);
        self.rooted();
    }

    /// Deals what is left of the budget, of which so much is used, to the moves
    /// of a game of this length.
    pub(super) fn share(&mut self, used: f64, moves: f64) {
        self.share_of_a_move = (1.0 - used).max(0.0) / moves;
        self.until = used + self.share_of_a_move;
    }

    /// Plays a move: what is below it stays, all else is forgotten.
    pub(super) fn play(&mut self, puzzle: &P, mv: P::Move) {
        let below = self.root.below.take().map(|below| below.edges.into_vec());
        let kept = below.into_iter().flatten().find(|edge| edge.mv == mv);
        self.root = kept.unwrap_or_else(|| Node::new(mv));
        puzzle.play(&mut self.state, mv);
        self.prefix.push(mv);
        self.rooted();
    }

    fn rooted(&mut self) {
        self.epoch += 1;
        *self.simulations.get_mut() = 0;
        *self.used.get_mut() = bytes(&self.root);
    }

    /// Whether so many bytes more are granted; then they are taken.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let taken = self.used.fetch_add(bytes, Relaxed) + bytes <= self.limit;
        if !taken {
            self.used.fetch_sub(bytes, Relaxed);
        }
        taken
    }

    pub(super) fn is_full(&self) -> bool {
        self.used.load(Relaxed) >= self.limit
    }

    /// Takes bytes that are in use already.
    pub(super) fn charge(&self, bytes: u64) {
        self.used.fetch_add(bytes, Relaxed);
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    #[cfg(test)]
    pub(super) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Counts again the memory of a tree put in place from outside.
    pub(super) fn recount(&mut self) {
        *self.used.get_mut() = bytes(&self.root);
    }

    /// Whether a score would be the best of this game.
    pub(super) fn improves(&self, score: Score) -> bool {
        score.0 > self.best.load(Relaxed)
    }

    /// Keeps a line if it is the best of this game.
    pub(super) fn offer(&self, line: &Line<P::Move>) {
        if self.best.fetch_max(line.score.0, Relaxed) < line.score.0
            && let Ok(mut best) = self.line.lock()
            && best.as_ref().is_none_or(|best| best.score < line.score)
        {
            *best = Some(line.clone());
        }
    }

    /// The best line of this game.
    pub(super) fn line(&self) -> Option<Line<P::Move>> {
        self.line.lock().ok()?.clone()
    }

    pub(super) fn set_line(&mut self, line: Option<Line<P::Move>>) {
        self.best = AtomicI64::new(line.as_ref().map_or(Score::MIN.0, |line| line.score.0));
        self.line = Mutex::new(line);
    }

    /// The tree from above.
    pub(super) fn insight(&self) -> TreeInsight<P::Move> {
        let edges = self.root.below.get().into_iter().flat_map(|below| &below.edges);
        let tried = |edge: &Node<P::Move>| TriedMove {
            mv: edge.mv,
            visits: u64::from(edge.done()),
            mean: edge.mean(),
            best: edge.top(),
        };
        let moves = edges.filter(|edge| edge.done() > 0).map(tried).collect();
        let mut depths = vec![1];
        count_visited(&self.root, 1, &mut depths);
        let prefix = self.prefix.clone();
        TreeInsight { counted: Counted::Positions, prefix, moves, depths }
    }

    /// Keeps the best positions of a depth and cuts the others, with every
    /// ancestor that has none left.
    pub(super) fn prune(&mut self, depth: usize, width: usize, by: BeamBy) {
        let mut found = Vec::new();
        rank(&self.root, depth, by, &mut found);
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| found[b].total_cmp(&found[a]));
        let mut kept = vec![false; found.len()];
        order.into_iter().take(width).for_each(|index| kept[index] = true);
        cut(&mut self.root, depth, &mut kept.into_iter());
        *self.used.get_mut() = bytes(&self.root);
        self.epoch += 1;
    }
}

/// The bytes of all that is below a node.
fn bytes<M>(node: &Node<M>) -> u64 {
    let Some(below) = node.below.get() else { return 0 };
    let of_table = |table: &Mutex<super::amaf::Table>| {
        table.lock().map_or(0, |table| table.len() as u64 * ENTRY_BYTES)
    };
    below.bytes()
        + below.amaf.as_ref().map_or(0, of_table)
        + below.edges.iter().map(bytes).sum::<u64>()
}

/// Adds the visited positions below a node to those of their depths.
fn count_visited<M>(node: &Node<M>, depth: usize, depths: &mut Vec<u64>) {
    let edges = node.below.get().into_iter().flat_map(|below| &below.edges);
    for edge in edges.filter(|edge| edge.done() > 0) {
        if depth == depths.len() {
            depths.push(0);
        }
        depths[depth] += 1;
        count_visited(edge, depth + 1, depths);
    }
}

fn is_candidate<M>(node: &Node<M>) -> bool {
    !node.is_closed() && node.done() > 0
}

fn rank<M>(node: &Node<M>, depth: usize, by: BeamBy, out: &mut Vec<f64>) {
    if depth > 0 {
        let edges = node.below.get().into_iter().flat_map(|below| &below.edges);
        edges.for_each(|edge| rank(edge, depth - 1, by, out));
    } else if is_candidate(node) {
        out.push(match by {
            BeamBy::Visits => f64::from(node.done()),
            BeamBy::Value => node.value().unwrap_or(f64::NEG_INFINITY),
            BeamBy::Top => node.top().as_f64(),
        });
    }
}

/// Cuts what is not kept; whether anything was.
fn cut<M>(node: &mut Node<M>, depth: usize, kept: &mut impl Iterator<Item = bool>) -> bool {
    let survives = if depth > 0 {
        let below: Option<&mut Box<Below<M>>> = node.below.get_mut();
        below.is_some_and(|below| {
            below.edges.iter_mut().fold(false, |any, edge| cut(edge, depth - 1, kept) | any)
        })
    } else {
        is_candidate(node) && kept.next().unwrap_or(false)
    };
    if !survives && !node.is_closed() {
        node.cut();
    }
    survives
}

#[cfg(test)]
mod tests {
    use solitree_core::DummyPuzzle;

    use super::*;

    fn grow(node: &Node<u16>, scores: &[i64]) {
        let edges: Box<[Node<u16>]> = (0..scores.len() as u16).map(Node::new).collect();
        for (edge, &score) in edges.iter().zip(scores) {
            edge.update(Score(score), 0.0, false);
            node.update(Score(score), 0.0, false);
        }
        node.below.set(Box::new(Below::new(edges))).unwrap();
    }

    fn tree() -> Tree<DummyPuzzle> {
        let puzzle: DummyPuzzle = "((1 2)(3 4)(5 6))".parse().unwrap();
        let tree = Tree::new(&puzzle, puzzle.start(), Vec::new(), 1 << 20).unwrap();
        grow(&tree.root, &[0, 0, 0]);
        for (edge, scores) in tree.root.below.get().unwrap().edges.iter().zip([[10, 50], [40, 20]])
        {
            grow(edge, &scores);
        }
        tree
    }

    #[test]
    fn a_beam_keeps_the_best_of_a_level() {
        let mut tree = tree();
        tree.prune(2, 2, BeamBy::Value);
        let edges = &tree.root.below.get().unwrap().edges;
        assert!(edges[2].is_closed() && !edges[2].is_exact(), "nothing of it survives");
        let open = |index: usize| {
            edges[index].below.get().unwrap().edges.iter().map(|e| !e.is_closed()).collect()
        };
        let (first, second): (Vec<bool>, Vec<bool>) = (open(0), open(1));
        assert_eq!((first, second), (vec![false, true], vec![true, false]));
    }

    #[test]
    fn a_beam_may_cut_everything_below_a_move() {
        let mut tree = tree();
        tree.prune(2, 1, BeamBy::Top);
        let edges = &tree.root.below.get().unwrap().edges;
        assert!(!edges[0].is_closed() && edges[1].is_closed() && edges[1].below.get().is_none());
        assert_eq!(tree.used(), bytes(&tree.root));
    }

    #[test]
    fn a_look_shows_moves_and_depths() {
        let insight = tree().insight();
        assert_eq!(insight.depths, [1, 3, 4]);
        let (visits, best): (Vec<u64>, Vec<i64>) =
            insight.moves.iter().map(|tried| (tried.visits, tried.best.0)).unzip();
        // Each was tried once by itself and twice by what is below it.
        assert_eq!((visits, best), (vec![3, 3, 1], vec![50, 40, 0]));
        assert_eq!(insight.moves[0].mean, 20.0);
    }

    #[test]
    fn a_move_played_keeps_what_is_below_it() {
        let puzzle: DummyPuzzle = "((1 2)(3 4)(5 6))".parse().unwrap();
        let mut tree = tree();
        tree.play(&puzzle, 1);
        assert_eq!((tree.prefix.as_slice(), tree.root.mv), (&[1u16][..], 1));
        assert_eq!(tree.root.below.get().unwrap().edges.len(), 2);
        tree.restart(&puzzle);
        assert!(tree.prefix.is_empty() && tree.root.below.get().is_none());
        assert_eq!((tree.used(), tree.game), (0, 1));
    }

    #[test]
    fn memory_is_granted_up_to_the_limit() {
        let tree = tree();
        assert!(tree.take(1 << 19) && !tree.take(1 << 20) && tree.take(1 << 18));
        tree.give_back(1 << 19);
        assert_eq!(tree.used(), 1 << 18);
    }
}
