//! A tree as it is written and read: visits under way are left out.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use solitree_core::{Line, Puzzle, Score};

use super::amaf::Table;
use super::node::{Below, Node, Statistics};
use super::tree::Tree;
use super::turns::Turns;

/// Everything of a tree.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub(super) struct SavedTree<M> {
    root: SavedNode<M>,
    pub(super) prefix: Vec<M>,
    game: u64,
    turns: Turns,
    simulations: u64,
    until: f64,
    share_of_a_move: f64,
    passed: Vec<u32>,
    line: Option<Line<M>>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct SavedNode<M> {
    mv: M,
    flags: u8,
    statistics: Option<Statistics>,
    below: Option<Box<SavedBelow<M>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct SavedBelow<M> {
    first: Score,
    touched: usize,
    edges: Vec<SavedNode<M>>,
    priors: Box<[f32]>,
    slots: Box<[u32]>,
    amaf: Option<Table>,
}

impl<M: Copy> SavedNode<M> {
    fn of(node: &Node<M>) -> SavedNode<M> {
        let below = node.below.get().map(|below| {
            Box::new(SavedBelow {
                first: below.first_score(),
                touched: below.touched(),
                edges: below.edges.iter().map(SavedNode::of).collect(),
                priors: below.priors.clone(),
                slots: below.slots.clone(),
                amaf: below.amaf.as_ref().and_then(|table| Some(table.lock().ok()?.clone())),
            })
        });
        SavedNode { mv: node.mv, flags: node.flags(), statistics: node.statistics(), below }
    }

    fn restore(self, top_share: f64) -> Node<M> {
        let node = Node::new(self.mv);
        node.set_flags(self.flags);
        if let Some(statistics) = self.statistics {
            node.set_statistics(statistics, top_share);
        }
        if let Some(saved) = self.below {
            let edges = saved.edges.into_iter().map(|edge| edge.restore(top_share)).collect();
            let mut below = Below::new(edges);
            below.set_first(saved.first);
            below.set_touched(saved.touched);
            below.priors = saved.priors;
            below.slots = saved.slots;
            below.amaf = saved.amaf.map(Mutex::new);
            let _ = node.below.set(Box::new(below));
        }
        node
    }
}

impl<M: Copy> SavedTree<M> {
    pub(super) fn of<P: Puzzle<Move = M>>(tree: &Tree<P>) -> SavedTree<M> {
        SavedTree {
            root: SavedNode::of(&tree.root),
            prefix: tree.prefix.clone(),
            game: tree.game,
            turns: tree.turns.clone(),
            simulations: tree.simulations.load(Relaxed),
            until: tree.until,
            share_of_a_move: tree.share_of_a_move,
            passed: tree.passed.iter().map(|count| count.load(Relaxed)).collect(),
            line: tree.line(),
        }
    }

    /// Puts it in the place of a tree, whose limit stays.
    pub(super) fn restore<P: Puzzle<Move = M>>(
        self,
        puzzle: &P,
        top_share: f64,
        tree: &mut Tree<P>,
    ) -> Result<(), String> {
        if self.passed.len() != tree.passed.len() {
            return Err("the tree of another puzzle".to_owned());
        }
        if self.turns.kits() != tree.turns.kits() || self.turns.kit() >= self.turns.kits() {
            return Err("games by other kits".to_owned());
        }
        tree.state = solitree_core::replay(puzzle, &self.prefix).map_err(|e| e.to_string())?;
        tree.root = self.root.restore(top_share);
        tree.prefix = self.prefix;
        tree.game = self.game;
        tree.turns = self.turns;
        tree.simulations = AtomicU64::new(self.simulations);
        tree.until = self.until;
        tree.share_of_a_move = self.share_of_a_move;
        tree.passed = self.passed.into_iter().map(AtomicU32::new).collect();
        tree.set_line(self.line);
        tree.recount();
        tree.epoch += 1;
        Ok(())
    }
}
