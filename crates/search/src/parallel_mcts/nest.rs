//! A search in the place of a playout.

use serde::Deserialize;
use solitree_core::{Kit, Puzzle, Rng, replay};

use super::climb::{Context, Scout};
use super::saved::SavedTree;
use super::tree::Tree;
use crate::Meter;

/// A lower search under way, and where its result will go.
pub(super) struct Nest<P: Puzzle> {
    tree: Tree<P>,
    scout: Scout<P>,
    /// The game of the higher search that it belongs to.
    pub(super) game: u64,
    left: u64,
}

/// What [`Nest::save`] gives, as it is read back.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
pub(super) struct SavedNest<M> {
    tree: SavedTree<M>,
    rng: Rng,
    game: u64,
    left: u64,
}

impl<P: Puzzle> Nest<P> {
    /// A search from a position; `None` if the game is over there.
    pub(super) fn new(
        puzzle: &P,
        (state, prefix): (P::State, Vec<P::Move>),
        (game, playouts, memory): (u64, u64, u64),
        rng: Rng,
    ) -> Option<Self> {
        let tree = Tree::new(puzzle, state, prefix, memory)?;
        Some(Nest { tree, scout: Scout::new(rng), game, left: playouts })
    }

    /// A batch of playouts; whether it is done.
    pub(super) fn advance<K: Kit<P>>(
        &mut self,
        context: &Context<'_, P, K>,
        meter: &mut Meter<P::Move>,
    ) -> bool {
        let before = meter.counters().playouts;
        self.scout.iterate(context, &self.tree, meter, self.left);
        self.scout.due.clear();
        self.left -= (meter.counters().playouts - before).min(self.left);
        self.left == 0 || self.is_exact()
    }

    /// Whether it knows every line.
    pub(super) fn is_exact(&self) -> bool {
        self.tree.root.is_exact()
    }

    /// Moves from the start of the game to where it began.
    pub(super) fn prefix(&self) -> &[P::Move] {
        &self.tree.prefix
    }

    /// The best line it found.
    pub(super) fn line(&self) -> Option<solitree_core::Line<P::Move>> {
        self.tree.line()
    }

    pub(super) fn save(&self) -> impl serde::Serialize + use<P> {
        (SavedTree::of(&self.tree), self.scout.rng.clone(), self.game, self.left)
    }

    pub(super) fn restore(
        puzzle: &P,
        saved: SavedNest<P::Move>,
        (top_share, memory): (f64, u64),
    ) -> Result<Self, String> {
        let prefix = saved.tree.prefix.clone();
        let state = replay(puzzle, &prefix).map_err(|error| error.to_string())?;
        let over = "a search where the game is over";
        let nest = Nest::new(puzzle, (state, prefix), (saved.game, saved.left, memory), saved.rng);
        let mut nest = nest.ok_or(over)?;
        saved.tree.restore(puzzle, top_share, &mut nest.tree)?;
        Ok(nest)
    }
}
