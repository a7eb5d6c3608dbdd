//! The tree: all nodes in one array, the children of a node next to each other.

/// What is known for certain of a move, to the player who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Proof {
    /// Nothing.
    Open,
    /// It wins.
    Won,
    /// It loses.
    Lost,
    /// It draws.
    Drawn,
}

/// A move and what has come of it, as its player sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<M> {
    /// Where its children begin.
    pub(super) first: u32,
    pub(super) visits: u32,
    /// Two for each win and one for each draw.
    pub(super) halves: u32,
    pub(super) mv: M,
    /// How many children there are; 0 before it is expanded.
    pub(super) count: u8,
    pub(super) proof: Proof,
}

impl<M> Node<M> {
    fn new(mv: M) -> Self {
        Node { first: 0, visits: 0, halves: 0, mv, count: 0, proof: Proof::Open }
    }

    /// The part of its games that it won, draws as halves.
    #[inline(always)]
    pub(super) fn value(&self) -> f32 {
        self.halves as f32 * 0.5 / self.visits as f32
    }
}

/// A tree of moves. The root, at 0, is the position; its own move means nothing.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    pub(super) nodes: Vec<Node<M>>,
    /// Nodes that there is room for.
    room: usize,
}

impl<M: Copy> Tree<M> {
    /// A tree of a root alone, with room for so many nodes.
    pub(super) fn new(root: M, room: usize) -> Self {
        let mut nodes = Vec::with_capacity(room.clamp(1, u32::MAX as usize));
        nodes.push(Node::new(root));
        Tree { nodes, room: room.clamp(1, u32::MAX as usize) }
    }

    #[inline(always)]
    pub(super) fn children(&self, node: u32) -> std::ops::Range<u32> {
        let node = &self.nodes[node as usize];
        node.first..node.first + u32::from(node.count)
    }

    /// Whether there is room for children of a node.
    pub(super) fn has_room(&self, count: usize) -> bool {
        self.nodes.len() + count <= self.room
    }

    /// Gives a node its children.
    pub(super) fn expand(&mut self, node: u32, moves: &[M]) {
        let first = self.nodes.len() as u32;
        self.nodes.extend(moves.iter().map(|&mv| Node::new(mv)));
        let node = &mut self.nodes[node as usize];
        (node.first, node.count) = (first, moves.len() as u8);
    }

    /// Makes a node the root and forgets what is not below it.
    pub(super) fn descend(&mut self, root: u32) {
        let mut kept = Vec::with_capacity(self.room);
        kept.push(self.nodes[root as usize]);
        // Nodes are looked at in the order they are kept: children follow parents.
        let mut next = 0;
        while next < kept.len() {
            let node: Node<M> = kept[next];
            let first = kept.len() as u32;
            let children = node.first as usize..node.first as usize + usize::from(node.count);
            kept.extend_from_slice(&self.nodes[children]);
            kept[next].first = first;
            next += 1;
        }
        self.nodes = kept;
    }
}
