//! The positions that a best-first search knows, open and closed, within a
//! fixed number of places.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use solitree_core::Score;

use crate::keyed::KeyMap;

/// The parent of a position one move from the root.
const ROOT: u32 = u32::MAX;

/// The fewest places that any search gets.
const FEWEST: u64 = 4096;

/// A position, as the move that leads to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node<M> {
    mv: M,
    parent: u32,
    /// Positions in memory that have this one for parent.
    children: u32,
    key: u64,
    score: Score,
    bound: Score,
    /// What decides among equal bounds.
    tie: u64,
    open: bool,
    /// Whether it is the one that its key finds.
    listed: bool,
}

/// Its place among the open positions: the last is the best.
type Promise = (Score, u64, u32);

/// A position to be added.
#[derive(Clone, Copy)]
pub(super) struct New<M> {
    pub(super) mv: M,
    pub(super) key: u64,
    pub(super) score: Score,
    pub(super) bound: Score,
    pub(super) tie: u64,
}

/// The graph of a search; the root itself is not in it.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub(super) struct Graph<M> {
    /// Empty places are those in `free`.
    nodes: Vec<Option<Node<M>>>,
    free: Vec<u32>,
    /// Closed positions that may have no children left, the oldest first.
    spent: VecDeque<u32>,
    open: BTreeSet<Promise>,
    #[serde(skip)]
    listed: KeyMap<u64, u32>,
    /// The most that a position that was dropped could have led to.
    pub(super) lost: Score,
    limit: u64,
}

impl<M: Copy> Graph<M> {
    /// Bytes that a position takes: itself, its places in the order and under
    /// its key, and the slack of arrays that grow by doubling.
    pub(super) const NODE_BYTES: u64 = 2 * size_of::<Option<Node<M>>>() as u64 + 100;

    pub(super) fn new(limit: u64) -> Self {
        Graph {
            nodes: Vec::new(),
            free: Vec::new(),
            spent: VecDeque::new(),
            open: BTreeSet::new(),
            listed: KeyMap::default(),
            lost: Score::MIN,
            limit: limit.clamp(FEWEST, u64::from(ROOT) - 1),
        }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
        self.spent.clear();
        self.open.clear();
        self.listed.clear();
        self.lost = Score::MIN;
    }

    /// The table of keys, which is not written down; refuses what cannot be.
    pub(super) fn mend(&mut self) -> Result<(), String> {
        let len = self.nodes.len();
        let known = |at: u32| self.nodes.get(at as usize).is_some_and(Option::is_some);
        let mut nodes = self.nodes.iter().flatten();
        if !self.open.iter().all(|&(_, _, at)| known(at))
            || !self.free.iter().all(|&at| (at as usize) < len && !known(at))
            || !nodes.all(|node| node.parent == ROOT || known(node.parent))
        {
            return Err("positions that do not hang together".to_owned());
        }
        self.listed.clear();
        for (at, node) in (0u32..).zip(&self.nodes) {
            if let Some(node) = node
                && node.listed
            {
                self.listed.insert(node.key, at);
            }
        }
        Ok(())
    }

    fn node(&self, at: u32) -> Option<&Node<M>> {
        self.nodes.get(at as usize)?.as_ref()
    }

    /// The most that an open position promises.
    pub(super) fn promise(&self) -> Option<Score> {
        self.open.last().map(|promise| promise.0)
    }

    /// Takes the best of the open positions to be expanded.
    pub(super) fn take(&mut self) -> Option<u32> {
        let (_, _, at) = self.open.pop_last()?;
        if let Some(Some(node)) = self.nodes.get_mut(at as usize) {
            node.open = false;
            // Itself, so that it stays until it is expanded.
            node.children += 1;
        }
        Some(at)
    }

    /// Replaces the contents of `out` by the moves from the root to a position.
    pub(super) fn path(&self, mut at: u32, out: &mut Vec<M>) {
        out.clear();
        while let Some(node) = self.node(at) {
            // No longer than there are positions, whatever was loaded.
            if out.len() > self.nodes.len() {
                break;
            }
            out.push(node.mv);
            at = node.parent;
        }
        out.reverse();
    }

    pub(super) fn bound(&self, at: Option<u32>) -> Option<Score> {
        Some(self.node(at?)?.bound)
    }

    /// Adds an open position below another (or the root), unless it is known
    /// with as many points or memory has no room for what it promises.
    pub(super) fn add(&mut self, parent: Option<u32>, new: New<M>) {
        let New { mv, key, score, bound, tie } = new;
        if let Some(&twin) = self.listed.get(&key) {
            let (better, open) = match self.node(twin) {
                Some(node) => (score > node.score, node.open),
                None => (true, false),
            };
            if !better {
                return;
            }
            self.listed.remove(&key);
            if let Some(Some(node)) = self.nodes.get_mut(twin as usize) {
                node.listed = false;
            }
            // What it leads to, this leads to with more points.
            if open {
                self.drop_open(twin);
            }
        }
        let full = self.free.is_empty() && self.nodes.len() as u64 >= self.limit;
        if full && !self.reclaim() {
            let Some(&(worst, worst_tie, at)) = self.open.first() else {
                self.lost = self.lost.max(bound);
                return;
            };
            if (bound, tie) <= (worst, worst_tie) {
                self.lost = self.lost.max(bound);
                return;
            }
            self.lost = self.lost.max(worst);
            self.drop_open(at);
        }
        let parent = parent.unwrap_or(ROOT);
        let (children, open, listed) = (0, true, true);
        let node = Some(Node { mv, parent, children, key, score, bound, tie, open, listed });
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        if let Some(Some(parent)) = self.nodes.get_mut(parent as usize) {
            parent.children += 1;
        }
        self.listed.insert(key, at);
        self.open.insert((bound, tie, at));
    }

    /// Forgets an open position.
    fn drop_open(&mut self, at: u32) {
        if let Some(node) = self.node(at) {
            let promise = (node.bound, node.tie, at);
            self.open.remove(&promise);
        }
        self.remove(at);
    }

    /// Says that the position taken last has all its children. One without is
    /// needed for no line any more; it stays known by its key while there is
    /// room.
    pub(super) fn expanded(&mut self, at: u32) {
        if let Some(Some(node)) = self.nodes.get_mut(at as usize) {
            node.children = node.children.saturating_sub(1);
            if node.children == 0 {
                self.spent.push_back(at);
            }
        }
    }

    /// Frees the place of a closed position that no line needs, if there is one.
    fn reclaim(&mut self) -> bool {
        while let Some(at) = self.spent.pop_front() {
            // The place may have been freed since, and taken again.
            if self.node(at).is_some_and(|node| !node.open && node.children == 0) {
                self.remove(at);
                return true;
            }
        }
        false
    }

    fn remove(&mut self, at: u32) {
        let Some(node) = self.nodes.get_mut(at as usize).and_then(Option::take) else { return };
        if node.listed {
            self.listed.remove(&node.key);
        }
        self.free.push(at);
        if let Some(Some(parent)) = self.nodes.get_mut(node.parent as usize) {
            parent.children = parent.children.saturating_sub(1);
            if parent.children == 0 && !parent.open {
                self.spent.push_back(node.parent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(key: u64, score: i64, bound: i64) -> New<u16> {
        New { mv: key as u16, key, score: Score(score), bound: Score(bound), tie: 0 }
    }

    #[test]
    fn the_highest_promise_comes_first_and_twins_are_dropped() {
        let mut graph = Graph::new(0);
        graph.add(None, new(1, 0, 10));
        graph.add(None, new(2, 0, 12));
        graph.add(None, new(2, 0, 12));
        graph.add(None, new(1, 1, 11));
        assert_eq!(graph.open.len(), 2);
        let at = graph.take().unwrap();
        graph.add(Some(at), new(3, 5, 11));
        graph.expanded(at);
        let (mut path, at) = (Vec::new(), graph.take().unwrap());
        graph.path(at, &mut path);
        assert_eq!(path, [2, 3]);
        assert_eq!((graph.promise(), graph.lost), (Some(Score(11)), Score::MIN));
    }

    #[test]
    fn a_full_graph_drops_what_promises_least() {
        let mut graph = Graph::new(FEWEST);
        for key in 0..FEWEST + 10 {
            graph.add(None, new(key, 0, key as i64));
        }
        assert_eq!((graph.open.len() as u64, graph.lost), (FEWEST, Score(9)));
        // A closed position without children goes first, and costs nothing.
        let at = graph.take().unwrap();
        graph.expanded(at);
        graph.add(None, new(99_999, 0, 5_000));
        assert_eq!((graph.promise(), graph.lost), (Some(Score(5_000)), Score(9)));
        graph.mend().unwrap();
    }
}
