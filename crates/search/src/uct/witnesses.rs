//! The ledgers that an iteration passes on its way down.

use solitree_core::{Game, Outcome};

use super::family::Node;
use super::ledgers::{Ledger, Ledgers};
use super::tree::Tree;

/// Of the games through a node that has had twice as many as it needs, every so
/// manieth is written down: its ledger hardly changes any more.
const SELDOM: u32 = 8;

/// The ledgers that the game of an iteration is to be written in, with the positions
/// they are of, and the one that new moves go by.
pub(super) struct Witnesses<S> {
    writing: Vec<(Ledger, S)>,
    reference: Option<Ledger>,
}

impl<S: Clone> Witnesses<S> {
    pub(super) fn new() -> Self {
        Witnesses { writing: Vec::new(), reference: None }
    }

    /// Before the next iteration.
    pub(super) fn clear(&mut self) {
        self.writing.clear();
        self.reference = None;
    }

    /// Comes by a node in a position. A node has a ledger from half the visits on that
    /// it needs to be gone by, the root at once.
    #[inline(always)]
    pub(super) fn pass<M: Copy>(&mut self, tree: &mut Tree<M>, node: Node, state: &S, needed: u64) {
        let (root, needed) = (node == Node::ROOT, needed as u32);
        let Some((ledger, visits)) = tree.ledger(node, if root { 0 } else { needed / 2 }) else {
            return;
        };
        if visits >= needed || root {
            self.reference = Some(ledger);
        }
        if visits < 2 * needed || visits.is_multiple_of(SELDOM) {
            self.writing.push((ledger, state.clone()));
        }
    }

    /// The ledger of the last node that was visited often enough.
    pub(super) fn reference(&self) -> Option<Ledger> {
        self.reference
    }

    /// Writes down how the game ended, and in which position.
    #[inline(always)]
    pub(super) fn tell<G: Game<State = S>>(
        &self,
        ledgers: &mut Ledgers,
        game: &G,
        end: &S,
        outcome: Outcome,
    ) {
        for (ledger, before) in &self.writing {
            ledgers.note(*ledger, game, (before, end), outcome);
        }
    }
}
