//! The tree: statistics in flat arrays, children side by side.
//!
//! Selection reads only what it compares (16 bytes a child); everything else
//! of a node (32 bytes) is apart from that. A node's value is brought up to
//! date when its statistics change, so that choosing among children takes one
//! multiplication and one addition each, with no root and no division.

use serde::{Deserialize, Serialize};
use solitree_core::Score;

use super::config::{LogBase, SelectionFormula, Solved, SpMctsConfig, TopMode};

/// The place of a node.
pub(super) type NodeId = u32;

/// The root is always here.
pub(super) const ROOT: NodeId = 0;

/// What selection reads.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Hot {
    /// What of the value depends on the child alone.
    value: f64,
    /// What is multiplied by the share of the parent.
    spread: f32,
    visits: u32,
}

/// The rest of a node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Cold<M> {
    sum: i64,
    squares: f64,
    top: Score,
    first_child: NodeId,
    /// The number of children, and above it the flags.
    children: u16,
    mv: M,
}

const _: () = assert!(size_of::<Hot>() + size_of::<Cold<u16>>() <= 48);

/// Every legal move has its node.
const COMPLETE: u16 = 1 << 15;
/// Every line from here is known; without children, the game is over here.
const SOLVED: u16 = 1 << 14;
const COUNT: u16 = SOLVED - 1;

/// Room for children comes in these sizes; a full block is exchanged for one of
/// the next.
const BLOCKS: [u32; 18] =
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 1024, COUNT as u32];

/// The selection formula with its constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formula {
    exploration: f64,
    deviation: f64,
    average_weight: f64,
    top_weight: f64,
    kind: SelectionFormula,
    log: LogBase,
    skip_solved: bool,
}

impl Formula {
    pub(super) fn new(config: &SpMctsConfig) -> Formula {
        Formula {
            exploration: config.c,
            deviation: config.d,
            average_weight: if config.top == TopMode::Mix { 1.0 - config.w } else { 1.0 },
            top_weight: config.w,
            kind: config.formula,
            log: config.log,
            skip_solved: config.solved == Solved::Skip,
        }
    }

    /// The share of the parent: C * sqrt(log n), or C * n^(1/4).
    fn scale(&self, parent_visits: u32) -> f64 {
        let visits = f64::from(parent_visits.max(1));
        // From a library of our own choosing: that of the system may differ in
        // the last bit from one machine to the next.
        let squared = match (self.kind, self.log) {
            (SelectionFormula::Program, _) => visits.sqrt(),
            (SelectionFormula::Papers, LogBase::Ln) => libm::log(visits),
            (SelectionFormula::Papers, LogBase::Log10) => libm::log10(visits),
        };
        self.exploration * squared.sqrt()
    }
}

/// Statistics to start a node with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    pub(super) visits: u32,
    pub(super) sum: i64,
    pub(super) squares: f64,
    pub(super) top: i64,
}

/// A search tree of bounded size.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub(super) struct Tree<M> {
    hot: Vec<Hot>,
    cold: Vec<Cold<M>>,
    /// Blocks given back, by size.
    free: Vec<Vec<NodeId>>,
    capacity: usize,
}

/// Bytes a node takes.
pub(super) const fn node_bytes<M>() -> usize {
    size_of::<Hot>() + size_of::<Cold<M>>()
}

impl<M: Copy + Eq> Tree<M> {
    /// A tree with a root only, that takes at most so many bytes.
    pub(super) fn new(bytes: u64, root_move: M) -> Self {
        let capacity =
            (bytes / node_bytes::<M>() as u64).clamp(1, u64::from(u32::MAX) - 1) as usize;
        let free = vec![Vec::new(); BLOCKS.len()];
        let mut tree = Tree { hot: Vec::new(), cold: Vec::new(), free, capacity };
        tree.clear(root_move);
        tree
    }

    /// Forgets everything but an unvisited root.
    pub(super) fn clear(&mut self, root_move: M) {
        self.hot.clear();
        self.cold.clear();
        self.free.iter_mut().for_each(Vec::clear);
        self.extend(1, root_move);
    }

    fn extend(&mut self, count: usize, mv: M) -> NodeId {
        let first = self.hot.len();
        if first + count > self.hot.capacity() {
            // Doubled as usual, but never beyond what was granted.
            let more = (first.max(1024)).min(self.capacity - first).max(count);
            self.hot.reserve_exact(more);
            self.cold.reserve_exact(more);
        }
        let hot = Hot { value: f64::INFINITY, spread: 0.0, visits: 0 };
        let cold = Cold { sum: 0, squares: 0.0, top: Score::MIN, first_child: 0, children: 0, mv };
        self.hot.resize(first + count, hot);
        self.cold.resize(first + count, cold);
        first as NodeId
    }

    pub(super) fn visits(&self, node: NodeId) -> u32 {
        self.hot[node as usize].visits
    }

    pub(super) fn top(&self, node: NodeId) -> Score {
        self.cold[node as usize].top
    }

    pub(super) fn average(&self, node: NodeId) -> f64 {
        self.cold[node as usize].sum as f64 / f64::from(self.visits(node).max(1))
    }

    pub(super) fn mv(&self, node: NodeId) -> M {
        self.cold[node as usize].mv
    }

    pub(super) fn children(&self, node: NodeId) -> std::ops::Range<NodeId> {
        let cold = &self.cold[node as usize];
        cold.first_child..cold.first_child + NodeId::from(cold.children & COUNT)
    }

    /// Visited nodes at each depth, the root's first.
    pub(super) fn depths(&self) -> Vec<u64> {
        let (mut depths, mut level) = (Vec::new(), vec![ROOT]);
        while !level.is_empty() {
            depths.push(level.len() as u64);
            let below = level.iter().flat_map(|&node| self.children(node));
            level = below.filter(|&child| self.visits(child) > 0).collect();
        }
        depths
    }

    pub(super) fn child(&self, node: NodeId, mv: M) -> Option<NodeId> {
        self.children(node).find(|&child| self.cold[child as usize].mv == mv)
    }

    pub(super) fn is_complete(&self, node: NodeId) -> bool {
        self.cold[node as usize].children & COMPLETE != 0
    }

    pub(super) fn set_complete(&mut self, node: NodeId) {
        self.cold[node as usize].children |= COMPLETE;
    }

    pub(super) fn is_solved(&self, node: NodeId) -> bool {
        self.cold[node as usize].children & SOLVED != 0
    }

    /// Whether the game is over here.
    pub(super) fn is_end(&self, node: NodeId) -> bool {
        self.is_solved(node) && self.cold[node as usize].children & COUNT == 0
    }

    pub(super) fn set_solved(&mut self, node: NodeId, formula: &Formula) {
        self.cold[node as usize].children |= SOLVED | COMPLETE;
        if formula.skip_solved {
            self.hot[node as usize].value = f64::NEG_INFINITY;
        }
    }

    /// Marks a node solved if all its children are.
    pub(super) fn solve(&mut self, node: NodeId, formula: &Formula) -> bool {
        let solved =
            self.is_complete(node) && self.children(node).all(|child| self.is_solved(child));
        if solved {
            self.set_solved(node, formula);
        }
        solved
    }

    /// A new child, or `None` if there is no room. Moves the other children of
    /// the node: what is known of their places no longer holds.
    pub(super) fn add_child(&mut self, node: NodeId, mv: M) -> Option<NodeId> {
        let cold = self.cold[node as usize];
        let count = u32::from(cold.children & COUNT);
        let mut first = cold.first_child;
        if count == 0 || BLOCKS.contains(&count) {
            let size = BLOCKS.iter().position(|&block| block > count)?;
            first = match self.free[size].pop() {
                Some(block) => block,
                None if self.hot.len() + BLOCKS[size] as usize <= self.capacity => {
                    self.extend(BLOCKS[size] as usize, mv)
                }
                None => return None,
            };
            if count > 0 {
                let (from, to) = (cold.first_child as usize, first as usize);
                self.hot.copy_within(from..from + count as usize, to);
                self.cold.copy_within(from..from + count as usize, to);
                self.free[size - 1].push(cold.first_child);
            }
            self.cold[node as usize].first_child = first;
        }
        self.cold[node as usize].children += 1;
        let child = first + count;
        self.reset(child, mv);
        Some(child)
    }

    /// Gives a node all the children it lacks, in a block that fits; `false` if
    /// there is no room. Moves those it has.
    pub(super) fn add_children(&mut self, node: NodeId, moves: &[M]) -> bool {
        let old = self.children(node);
        let count = old.len() + moves.len();
        if self.hot.len() + count > self.capacity || count > usize::from(COUNT) || moves.is_empty()
        {
            return false;
        }
        let first = self.extend(count, moves[0]);
        self.hot.copy_within(old.start as usize..old.end as usize, first as usize);
        self.cold.copy_within(old.start as usize..old.end as usize, first as usize);
        for (child, &mv) in (first + old.len() as NodeId..).zip(moves) {
            self.reset(child, mv);
        }
        if let Some(size) = BLOCKS.iter().position(|&block| block as usize >= old.len())
            && !old.is_empty()
        {
            self.free[size].push(old.start);
        }
        let cold = &mut self.cold[node as usize];
        cold.first_child = first;
        cold.children = count as u16 | COMPLETE;
        true
    }

    fn reset(&mut self, node: NodeId, mv: M) {
        self.hot[node as usize] = Hot { value: f64::INFINITY, spread: 0.0, visits: 0 };
        self.cold[node as usize] =
            Cold { sum: 0, squares: 0.0, top: Score::MIN, first_child: 0, children: 0, mv };
    }

    /// Starts a node with statistics from elsewhere.
    pub(super) fn inherit(&mut self, node: NodeId, statistics: Statistics, formula: &Formula) {
        let cold = &mut self.cold[node as usize];
        cold.sum = statistics.sum;
        cold.squares = statistics.squares;
        cold.top = Score(statistics.top);
        self.hot[node as usize].visits = statistics.visits;
        self.refresh(node, formula);
    }

    /// Adds the score of a playout to a node's statistics.
    #[inline]
    pub(super) fn update(&mut self, node: NodeId, score: Score, formula: &Formula) {
        let cold = &mut self.cold[node as usize];
        cold.sum += score.0;
        cold.squares += score.as_f64() * score.as_f64();
        cold.top = cold.top.max(score);
        let hot = &mut self.hot[node as usize];
        hot.visits = hot.visits.saturating_add(1);
        self.refresh(node, formula);
    }

    /// Everything of the selection formula that depends on the child alone.
    #[inline]
    fn refresh(&mut self, node: NodeId, formula: &Formula) {
        let cold = &self.cold[node as usize];
        let hot = &mut self.hot[node as usize];
        let visits = f64::from(hot.visits);
        let average = cold.sum as f64 / visits;
        let squares = (cold.squares - visits * average * average + formula.deviation).max(0.0);
        let value = formula.average_weight * average + formula.top_weight * cold.top.as_f64();
        let (value, spread) = match formula.kind {
            SelectionFormula::Papers => (value + (squares / visits).sqrt(), 1.0 / visits.sqrt()),
            SelectionFormula::Program => (value, (squares / ((visits + 1.0) * visits)).sqrt()),
        };
        hot.spread = spread as f32;
        hot.value = if formula.skip_solved && cold.children & SOLVED != 0 {
            f64::NEG_INFINITY
        } else {
            value
        };
    }

    /// The child that maximises the selection formula; of equals, the first.
    #[inline]
    pub(super) fn select(&self, node: NodeId, formula: &Formula) -> NodeId {
        let children = self.children(node);
        let scale = formula.scale(self.visits(node));
        let hot = &self.hot[children.start as usize..children.end as usize];
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (index, child) in hot.iter().enumerate() {
            let value = child.value + scale * f64::from(child.spread);
            if value > most {
                (best, most) = (index, value);
            }
        }
        children.start + best as NodeId
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formula 1 of the papers, computed from scratch.
    fn value(scores: &[i64], parent: u32, config: &SpMctsConfig) -> f64 {
        let n = scores.len() as f64;
        let average = scores.iter().sum::<i64>() as f64 / n;
        let squares: f64 = scores.iter().map(|&r| (r * r) as f64).sum();
        let top = *scores.iter().max().unwrap() as f64;
        average
            + config.w * top
            + config.c * (f64::from(parent).ln() / n).sqrt()
            + ((squares - n * average * average + config.d) / n).sqrt()
    }

    #[test]
    fn selects_what_the_formula_says() {
        let config = SpMctsConfig { c: 30.0, d: 500.0, w: 0.3, ..SpMctsConfig::default() };
        let formula = Formula::new(&config);
        let plays: [&[i64]; 4] = [&[100, 120, 80], &[150], &[90, 90, 90, 200, 10], &[10, 400]];
        let mut tree: Tree<u16> = Tree::new(1 << 20, 0);
        for (mv, scores) in plays.iter().enumerate() {
            let child = tree.add_child(ROOT, mv as u16).unwrap();
            for &score in *scores {
                tree.update(child, Score(score), &formula);
                tree.update(ROOT, Score(score), &formula);
            }
        }
        let best = (0..4)
            .max_by(|&a, &b| value(plays[a], 11, &config).total_cmp(&value(plays[b], 11, &config)))
            .unwrap();
        assert_eq!(tree.mv(tree.select(ROOT, &formula)), best as u16);
        for (child, scores) in tree.children(ROOT).zip(plays) {
            let hot = tree.hot[child as usize];
            let ours = hot.value + formula.scale(11) * f64::from(hot.spread);
            assert!((ours - value(scores, 11, &config)).abs() < 1e-4);
        }
    }

    #[test]
    fn children_keep_their_statistics_when_their_block_grows() {
        let formula = Formula::new(&SpMctsConfig::default());
        let mut tree: Tree<u16> = Tree::new(1 << 20, 0);
        for mv in 0..200u16 {
            let child = tree.add_child(ROOT, mv).unwrap();
            for _ in 0..=mv % 3 {
                tree.update(child, Score(i64::from(mv)), &formula);
            }
        }
        for mv in 0..200u16 {
            let child = tree.child(ROOT, mv).unwrap();
            assert_eq!(tree.visits(child), u32::from(mv % 3) + 1);
            assert_eq!(tree.top(child), Score(i64::from(mv)));
        }
    }

    #[test]
    fn depths_count_what_has_been_visited() {
        let formula = Formula::new(&SpMctsConfig::default());
        let mut tree: Tree<u16> = Tree::new(1 << 20, 0);
        assert_eq!(tree.depths(), [1]);
        let visited = tree.add_child(ROOT, 1).unwrap();
        tree.update(visited, Score(5), &formula);
        let below = tree.add_child(visited, 3).unwrap();
        tree.update(below, Score(5), &formula);
        tree.add_child(ROOT, 2).unwrap();
        assert_eq!(tree.depths(), [1, 1, 1]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut tree: Tree<u16> = Tree::new(100 * 48, 0);
        let added = (0..1000).take_while(|&mv| tree.add_child(ROOT, mv).is_some()).count();
        assert!((10..100).contains(&added), "{added}");
        assert!(tree.hot.len() <= 100);
    }
}
