//! The tree: nodes are numbers, the children of a node follow each other, and what
//! is known of nodes is in arrays of its own, so that the bounds of all children
//! are computed side by side.

/// Nodes whose results can be read at once: behind the last there is room for as
/// many.
pub(super) const LANES: usize = 16;

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

/// What is looked at only on the way down.
#[derive(Clone, Copy, Debug)]
struct Info<M> {
    /// Where the children begin.
    first: u32,
    mv: M,
    /// How many children there are; 0 before it is expanded.
    count: u8,
    proof: Proof,
}

/// A tree of moves, each seen by the player who makes it. The root, 0, is the
/// position; its own move means nothing.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    visits: Vec<i32>,
    /// Two for each win and one for each draw; far below 0 if the move is lost.
    halves: Vec<i32>,
    info: Vec<Info<M>>,
    /// Nodes that there is room for.
    room: usize,
}

impl<M: Copy> Tree<M> {
    /// The bytes of a node.
    pub(super) const NODE: usize = 8 + size_of::<Info<M>>();

    /// A tree of a root alone, with room for so many nodes.
    pub(super) fn new(root: M, room: usize) -> Self {
        let room = room.clamp(1, i32::MAX as usize);
        let mut results = Vec::with_capacity(room + LANES);
        results.resize(LANES, 0);
        let mut tree =
            Tree { visits: results.clone(), halves: results, info: Vec::with_capacity(room), room };
        tree.add(root);
        tree
    }

    fn add(&mut self, mv: M) {
        let behind = self.len() + LANES;
        self.visits.resize(behind + 1, 0);
        self.halves.resize(behind + 1, 0);
        self.info.push(Info { first: 0, mv, count: 0, proof: Proof::Open });
    }

    pub(super) fn len(&self) -> usize {
        self.info.len()
    }

    #[inline(always)]
    pub(super) fn visits(&self, node: u32) -> u32 {
        self.visits[node as usize] as u32
    }

    #[inline(always)]
    pub(super) fn mv(&self, node: u32) -> M {
        self.info[node as usize].mv
    }

    #[inline(always)]
    pub(super) fn proof(&self, node: u32) -> Proof {
        self.info[node as usize].proof
    }

    /// Takes note of what is known. A lost move is not chosen any more.
    pub(super) fn prove(&mut self, node: u32, proof: Proof) {
        self.info[node as usize].proof = proof;
        if proof == Proof::Lost && node > 0 {
            self.halves[node as usize] = i32::MIN / 4;
        }
    }

    /// The part of its games that a move won, draws as halves.
    pub(super) fn value(&self, node: u32) -> f32 {
        let halves = self.halves[node as usize].max(0);
        halves as f32 * 0.5 / self.visits[node as usize].max(1) as f32
    }

    #[inline(always)]
    pub(super) fn is_leaf(&self, node: u32) -> bool {
        self.info[node as usize].count == 0
    }

    #[inline(always)]
    pub(super) fn children(&self, node: u32) -> std::ops::Range<u32> {
        let Info { first, count, .. } = self.info[node as usize];
        first..first + u32::from(count)
    }

    /// The visits of a node and of those that follow it.
    #[inline(always)]
    pub(super) fn visits_from(&self, node: u32) -> &[i32; LANES] {
        neighbours(&self.visits, node)
    }

    /// The halves of a node and of those that follow it.
    #[inline(always)]
    pub(super) fn halves_from(&self, node: u32) -> &[i32; LANES] {
        neighbours(&self.halves, node)
    }

    /// Counts a game.
    #[inline(always)]
    pub(super) fn count(&mut self, node: u32, halves: i32) {
        self.visits[node as usize] += 1;
        self.halves[node as usize] += halves;
    }

    /// Whether there is room for so many more.
    pub(super) fn has_room(&self, count: usize) -> bool {
        self.len() + count <= self.room
    }

    /// Gives a node its children.
    pub(super) fn expand(&mut self, node: u32, moves: &[M]) {
        let first = self.len() as u32;
        moves.iter().for_each(|&mv| self.add(mv));
        let info = &mut self.info[node as usize];
        (info.first, info.count) = (first, moves.len() as u8);
    }

    /// Makes a node the root and forgets what is not below it.
    pub(super) fn descend(&mut self, root: u32) {
        let mut kept = Tree::new(self.mv(root), self.room);
        kept.copy(0, self, root);
        // The nodes of this tree that the kept ones were, in their order.
        let mut old = vec![root];
        let mut next = 0;
        while next < kept.len() {
            let children = self.children(old[next]);
            kept.info[next].first = kept.len() as u32;
            for child in children {
                kept.add(self.mv(child));
                kept.copy(kept.len() - 1, self, child);
                old.push(child);
            }
            next += 1;
        }
        *self = kept;
    }

    fn copy(&mut self, to: usize, other: &Tree<M>, from: u32) {
        self.visits[to] = other.visits[from as usize];
        self.halves[to] = other.halves[from as usize];
        self.info[to] = other.info[from as usize];
    }
}

#[inline(always)]
fn neighbours(results: &[i32], node: u32) -> &[i32; LANES] {
    let from = node as usize;
    results[from..from + LANES].try_into().expect("so many were taken")
}
