//! The tree. The children of a node are a family: what is known of them is in one
//! block of memory, number beside number of the same kind. The bounds of a whole
//! family are computed side by side, and a step down waits for memory once.

use std::collections::{HashMap, VecDeque};

use super::family::{Block, Family, NARROW, Node};
use super::ledgers::{Ledger, Ledgers};
use super::tables::Tables;
use crate::memory::{ask_for_huge_pages, prefetch};

/// Nodes whose numbers can be read at once: behind the last there is room for as
/// many.
pub(super) const LANES: usize = 16;

/// Bytes that the processor fetches at once.
const LINE: usize = 64;

/// Bytes behind the last family.
const BEHIND: usize = 4 * LANES;

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

impl Proof {
    const ALL: [Proof; 4] = [Proof::Open, Proof::Won, Proof::Lost, Proof::Drawn];
}

/// A tree of moves, each seen by the player who makes it. The root is the
/// position; its own move means nothing.
pub(super) struct Tree<M> {
    pub(super) bytes: Vec<u8>,
    moves: Vec<M>,
    tables: Tables,
    /// Bytes of families that there is room for.
    room: usize,
    pub(super) ledgers: Ledgers,
    /// Memory for the next tree.
    spare: (Vec<u8>, Vec<M>, Ledgers),
}

impl<M: Copy> Tree<M> {
    /// A tree of a root alone, with so many bytes for itself and the next one, and
    /// with ledgers if the number of codes is not 0.
    pub(super) fn new(root: M, memory: u64, codes: usize) -> Self {
        let for_ledgers = if codes > 0 { memory / 4 } else { 0 };
        // A family has seven bytes a child, and a move for each.
        let share = (memory - for_ledgers) as usize / 2 / (7 + size_of::<M>());
        let (most, room) = (share, (7 * share).clamp(1 << 12, 1 << 34));
        let memory = || {
            let mut bytes = Vec::with_capacity(room + BEHIND);
            ask_for_huge_pages(&mut bytes);
            let mut moves = Vec::with_capacity(most);
            ask_for_huge_pages(&mut moves);
            (bytes, moves, Ledgers::new(codes, for_ledgers / 2))
        };
        let ((bytes, moves, ledgers), spare) = (memory(), memory());
        let mut tree = Tree { bytes, moves, tables: Tables::new(), room, ledgers, spare };
        tree.plant(root);
        tree
    }

    /// Forgets everything but a root.
    fn plant(&mut self, root: M) {
        self.bytes.clear();
        self.bytes.resize(BEHIND, 0);
        self.moves.clear();
        self.moves.push(root);
        self.ledgers.clear();
        self.add((1, true), 0);
    }

    /// A new family, its numbers 0.
    fn add(&mut self, (count, wide): (usize, bool), first_move: usize) -> Family {
        let begin = self.bytes.len() - BEHIND;
        self.bytes.resize(self.bytes.len() + Block::size(count, wide), 0);
        let family = Family((begin / 4) as u32);
        Block::write(&mut self.bytes, family, (count, wide), first_move);
        family
    }

    /// Bytes in use.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.moves.len() * size_of::<M>() + self.ledgers.size()
    }

    #[inline(always)]
    pub(super) fn block(&self, family: Family) -> Block {
        Block::read(&self.bytes, family)
    }

    #[inline(always)]
    fn word(&self, at: usize, lane: u32) -> u32 {
        let at = at + 4 * lane as usize;
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("as long"))
    }

    #[inline(always)]
    fn set_word(&mut self, at: usize, lane: u32, word: u32) {
        let at = at + 4 * lane as usize;
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// A number that is a byte in a narrow family.
    #[inline(always)]
    fn number(&self, block: Block, at: usize, lane: u32) -> u32 {
        if block.wide { self.word(at, lane) } else { u32::from(self.bytes[at + lane as usize]) }
    }

    #[inline(always)]
    pub(super) fn visits(&self, node: Node) -> u32 {
        let block = self.block(node.family);
        self.number(block, block.visits(), node.lane)
    }

    fn halves(&self, node: Node) -> u32 {
        let block = self.block(node.family);
        self.number(block, block.halves(), node.lane)
    }

    /// The root of the logarithm of the visits.
    #[inline(always)]
    pub(super) fn root(&self, node: Node) -> f32 {
        let block = self.block(node.family);
        if block.wide {
            f32::from_bits(self.word(block.roots(), node.lane))
        } else {
            self.tables.roots(u32::from(self.bytes[block.visits() + node.lane as usize])).1
        }
    }

    #[inline(always)]
    pub(super) fn mv(&self, node: Node) -> M {
        self.mv_in(self.block(node.family), node.lane)
    }

    /// The move of a lane of a block.
    #[inline(always)]
    pub(super) fn mv_in(&self, block: Block, lane: u32) -> M {
        self.moves[block.first_move + lane as usize]
    }

    #[inline(always)]
    pub(super) fn proof(&self, node: Node) -> Proof {
        self.proof_in(self.block(node.family), node.lane)
    }

    /// What is known of a lane of a block.
    #[inline(always)]
    pub(super) fn proof_in(&self, block: Block, lane: u32) -> Proof {
        let at = block.proofs() + lane as usize;
        Proof::ALL[self.bytes[at] as usize % Proof::ALL.len()]
    }

    /// The ledger of a node and its visits. It gets one once it was visited so often,
    /// and more often than a narrow family can tell, if there is room.
    #[inline(always)]
    pub(super) fn ledger(&mut self, node: Node, enough: u32) -> Option<(Ledger, u32)> {
        let block = self.block(node.family);
        if !block.wide {
            return None;
        }
        let visits = self.word(block.visits(), node.lane);
        match self.word(block.ledgers(), node.lane) {
            0 if visits < enough => None,
            0 => {
                let new = self.ledgers.open()?;
                self.set_word(block.ledgers(), node.lane, new.0);
                Some((new, visits))
            }
            number => Some((Ledger(number), visits)),
        }
    }

    /// Takes note of what is known.
    pub(super) fn prove(&mut self, node: Node, proof: Proof) {
        let at = self.block(node.family).proofs() + node.lane as usize;
        self.bytes[at] = proof as u8;
    }

    /// The part of its games that a move won, draws as halves.
    pub(super) fn value(&self, node: Node) -> f32 {
        self.halves(node) as f32 * 0.5 / self.visits(node).max(1) as f32
    }

    /// The children, if it was expanded.
    #[inline(always)]
    pub(super) fn family(&self, node: Node) -> Option<Family> {
        self.family_in(self.block(node.family), node.lane)
    }

    /// The children of a lane of a block.
    #[inline(always)]
    pub(super) fn family_in(&self, block: Block, lane: u32) -> Option<Family> {
        let family = self.word(block.children(), lane);
        (family > 0).then(|| {
            // The numbers lie behind the header, which says where.
            prefetch(&self.bytes, 4 * family as usize + LINE);
            prefetch(&self.bytes, 4 * family as usize + 2 * LINE);
            Block::followed(&self.bytes, Family(family))
        })
    }

    /// Has the moves of a family fetched, one of which will be played.
    #[inline(always)]
    pub(super) fn expect_move(&self, block: Block) {
        prefetch(&self.moves, block.first_move);
    }

    /// How many children there are, 0 before it is expanded.
    pub(super) fn degree(&self, node: Node) -> u32 {
        self.family(node).map_or(0, |family| self.block(family).count as u32)
    }

    /// The children.
    pub(super) fn children(&self, node: Node) -> impl DoubleEndedIterator<Item = Node> + use<M> {
        let family = self.family(node);
        (0..self.degree(node)).map(move |lane| family.unwrap_or(Family::ROOT).member(lane))
    }

    /// Counts a game for every node on a path from the root, of which the first
    /// gets so many halves, the next those of the other side, and so on. Families
    /// may move.
    #[inline(always)]
    pub(super) fn count(&mut self, path: &mut [Node], halves: [u32; 2]) {
        for at in 0..path.len() {
            let Node { family, lane } = path[at];
            let mut block = self.block(family);
            if !block.wide {
                let (visits, sum) =
                    (block.visits() + lane as usize, block.halves() + lane as usize);
                // After the first visit of a node it is its sister's turn.
                let favourite = lane + u32::from(self.bytes[visits] == 0);
                block.set_favourite(&mut self.bytes, favourite);
                if u32::from(self.bytes[visits]) < NARROW {
                    self.bytes[visits] += 1;
                    self.bytes[sum] += halves[at % 2] as u8;
                    continue;
                }
                // Without room the numbers stay as they are.
                let Some(family) = self.widen(family, path[at - 1]) else { continue };
                path[at].family = family;
                block = self.block(family);
            }
            block.set_favourite(&mut self.bytes, lane);
            let visits = self.word(block.visits(), lane) + 1;
            let sum = self.word(block.halves(), lane) + halves[at % 2];
            let (inverse, root) = self.tables.roots(visits);
            self.set_word(block.visits(), lane, visits);
            self.set_word(block.halves(), lane, sum);
            self.set_word(block.inverses(), lane, inverse.to_bits());
            self.set_word(block.roots(), lane, root.to_bits());
        }
    }

    /// Writes some games of a new node down that were never played.
    pub(super) fn imagine(&mut self, node: Node, games: u32, halves: u32) {
        let block = self.block(node.family);
        self.bytes[block.visits() + node.lane as usize] = games.min(NARROW) as u8;
        self.bytes[block.halves() + node.lane as usize] = halves.min(2 * NARROW) as u8;
    }

    /// Moves a narrow family to where there is room for larger numbers.
    #[cold]
    fn widen(&mut self, family: Family, parent: Node) -> Option<Family> {
        let old = self.block(family);
        if !self.fits(Block::size(old.count, true)) {
            return None;
        }
        let wide = self.add((old.count, true), old.first_move);
        let new = self.block(wide);
        for lane in 0..old.count as u32 {
            let visits = self.number(old, old.visits(), lane);
            let halves = self.number(old, old.halves(), lane);
            let (inverse, root) = self.tables.roots(visits);
            self.set_word(new.visits(), lane, visits);
            self.set_word(new.halves(), lane, halves);
            self.set_word(new.inverses(), lane, inverse.to_bits());
            self.set_word(new.roots(), lane, root.to_bits());
            self.set_word(new.children(), lane, self.word(old.children(), lane));
            let proof = self.bytes[old.proofs() + lane as usize];
            self.bytes[new.proofs() + lane as usize] = proof;
        }
        self.adopt(parent, wide);
        Block::forward(&mut self.bytes, family, wide);
        Some(wide)
    }

    fn fits(&self, size: usize) -> bool {
        self.bytes.len() + size <= self.room
    }

    /// Gives a node its children, of which there are less than 65,536, if there is
    /// room.
    pub(super) fn expand(&mut self, node: Node, moves: &[M]) {
        // What is left is for families that grow.
        let size = Block::size(moves.len(), false);
        if self.bytes.len() + size > self.room - self.room / 4 && node != Node::ROOT {
            return;
        }
        let first_move = self.moves.len();
        self.moves.extend_from_slice(moves);
        let family = self.add((moves.len(), false), first_move);
        self.adopt(node, family);
    }

    /// Gives a node the children of another one, with the same moves from the same
    /// position.
    pub(super) fn adopt(&mut self, node: Node, family: Family) {
        self.set_word(self.block(node.family).children(), node.lane, family.0);
    }

    /// Makes a node the root and forgets what is not below it.
    pub(super) fn descend(&mut self, root: Node) {
        let mv = self.mv(root);
        let spare = std::mem::take(&mut self.spare);
        let bytes = std::mem::replace(&mut self.bytes, spare.0);
        let moves = std::mem::replace(&mut self.moves, spare.1);
        let ledgers = std::mem::replace(&mut self.ledgers, spare.2);
        let (tables, spare) = (Tables::none(), <_>::default());
        let old = Tree { bytes, moves, tables, room: 0, ledgers, spare };
        self.plant(mv);
        let block = self.block(Family::ROOT);
        let visits = old.visits(root);
        let (inverse, log) = self.tables.roots(visits);
        self.set_word(block.visits(), 0, visits);
        self.set_word(block.halves(), 0, old.halves(root));
        self.set_word(block.inverses(), 0, inverse.to_bits());
        self.set_word(block.roots(), 0, log.to_bits());
        self.take_ledger(&old, Node::ROOT, root);
        let mut moved: HashMap<u32, Family> = HashMap::new();
        let mut open = VecDeque::from([(Node::ROOT, root)]);
        while let Some((new, before)) = open.pop_front() {
            let Some(family) = old.family(before) else { continue };
            let after = match moved.get(&family.0) {
                Some(&after) => after,
                None => {
                    let after = self.transplant(&old, family);
                    moved.insert(family.0, after);
                    let count = old.block(family).count as u32;
                    open.extend((0..count).map(|lane| (after.member(lane), family.member(lane))));
                    after
                }
            };
            self.adopt(new, after);
        }
        self.spare = (old.bytes, old.moves, old.ledgers);
    }

    /// Takes a family over from another tree, without its children.
    fn transplant(&mut self, other: &Tree<M>, family: Family) -> Family {
        let old = other.block(family);
        let first_move = self.moves.len();
        self.moves.extend_from_slice(&other.moves[old.first_move..old.first_move + old.count]);
        let new = self.add((old.count, old.wide), first_move);
        let block = self.block(new);
        let length = old.children() - old.proofs();
        let (to, from) = (block.proofs(), old.proofs());
        self.bytes[to..to + length].copy_from_slice(&other.bytes[from..from + length]);
        for lane in 0..old.count as u32 {
            self.take_ledger(other, new.member(lane), family.member(lane));
        }
        new
    }

    /// Takes the ledger of a node over from another tree, if it has one.
    fn take_ledger(&mut self, other: &Tree<M>, new: Node, old: Node) {
        let (block, old_block) = (self.block(new.family), other.block(old.family));
        if !block.wide || !old_block.wide {
            return;
        }
        let number = other.word(old_block.ledgers(), old.lane);
        if number > 0
            && let Some(ledger) = self.ledgers.copy(&other.ledgers, Ledger(number))
        {
            self.set_word(block.ledgers(), new.lane, ledger.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::Rng;

    /// What a tree holds below a node, written down plainly.
    fn written<M: Copy + std::fmt::Debug>(tree: &Tree<M>, node: Node) -> String {
        let children: Vec<String> = tree.children(node).map(|child| written(tree, child)).collect();
        let (visits, halves) = (tree.visits(node), tree.halves(node));
        format!("{:?} {visits} {halves} {:?} {children:?}", tree.mv(node), tree.proof(node))
    }

    /// A tree of some thousand games along random lines, most of them early ones.
    fn grown(seed: u64, memory: u64) -> Tree<u8> {
        let (mut tree, mut rng) = (Tree::new(0, memory, 0), Rng::new(seed));
        for _ in 0..5_000 {
            let mut path = vec![Node::ROOT];
            while let Some(family) = tree.family(path[path.len() - 1]) {
                let degree = tree.degree(path[path.len() - 1]);
                let lane = rng.below(degree).min(rng.below(degree)).min(rng.below(degree));
                path.push(family.member(lane));
            }
            let moves: Vec<u8> = (0..1 + rng.below(20) as u8).collect();
            tree.expand(path[path.len() - 1], &moves);
            if rng.below(4) == 0 {
                tree.prove(path[path.len() - 1], Proof::Drawn);
            }
            let first = rng.below(3);
            let before: Vec<(u32, u32)> =
                path.iter().map(|&node| (tree.visits(node), tree.halves(node))).collect();
            tree.count(&mut path, [first, 2 - first]);
            for (at, (&node, &(visits, halves))) in path.iter().zip(&before).enumerate() {
                if memory > 1 << 20 {
                    assert_eq!(tree.visits(node), visits + 1);
                    let more = if at % 2 == 0 { first } else { 2 - first };
                    assert_eq!(tree.halves(node), halves + more);
                }
            }
        }
        tree
    }

    #[test]
    fn what_is_below_the_new_root_is_kept() {
        for seed in 0..5 {
            let mut tree = grown(seed, 1 << 24);
            assert!(tree.children(Node::ROOT).any(|child| tree.visits(child) > 2 * NARROW));
            while let Some(child) = tree.children(Node::ROOT).next() {
                let before = written(&tree, child);
                let size = tree.size();
                tree.prove(child, Proof::Open);
                tree.descend(child);
                let after = written(&tree, Node::ROOT);
                // What was known of the move itself is of no use any more.
                let below = |text: &str| text[text.find('[').unwrap()..].to_owned();
                assert_eq!(below(&before), below(&after));
                assert!(tree.size() < size);
            }
        }
    }

    #[test]
    fn ledgers_go_with_their_nodes() {
        let mut tree: Tree<u8> = Tree::new(0, 1 << 24, 5);
        tree.expand(Node::ROOT, &[0, 1, 2]);
        assert_eq!(tree.ledger(Node::ROOT, 1), None, "it was not visited yet");
        let mut path = [Node::ROOT, tree.children(Node::ROOT).nth(1).unwrap()];
        assert_eq!(tree.ledger(path[1], 0), None, "its family is narrow");
        for _ in 0..=NARROW {
            tree.count(&mut path, [1, 1]);
        }
        let (of_root, _) = tree.ledger(Node::ROOT, 1).unwrap();
        let (of_child, visits) = tree.ledger(path[1], NARROW).unwrap();
        assert_ne!(of_root, of_child);
        assert_eq!(visits, NARROW + 1);
        let size = tree.size();
        tree.descend(path[1]);
        // The child's is the only one now.
        assert_eq!(tree.ledger(Node::ROOT, u32::MAX), Some((Ledger(1), NARROW + 1)));
        assert_eq!(tree.ledgers.size(), 5 * 8);
        assert!(tree.size() < size);
    }

    #[test]
    fn the_favourite_is_the_next_sister_at_first_and_then_the_last_one() {
        let mut tree: Tree<u8> = Tree::new(0, 1 << 20, 0);
        tree.expand(Node::ROOT, &[0, 1, 2, 3]);
        for visits in 1..2 * NARROW {
            let mut path = [Node::ROOT, tree.children(Node::ROOT).nth(2).unwrap()];
            tree.count(&mut path, [1, 1]);
            let block = tree.block(path[1].family);
            assert_eq!(block.favourite, if visits == 1 { 3 } else { 2 });
            assert_eq!((block.count, block.wide), (4, visits > NARROW));
        }
    }

    #[test]
    fn a_full_tree_keeps_to_its_memory() {
        let tree = grown(1, 1 << 14);
        assert!(tree.bytes.len() <= tree.room);
        assert!(tree.visits(Node::ROOT) > 0);
    }
}
