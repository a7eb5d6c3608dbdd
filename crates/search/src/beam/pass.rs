//! One pass of a beam: from the start to the end of the game, layer by layer.
//!
//! The workers share a pass. A layer is cut into portions; whoever is free
//! takes the next one and adds what it finds to the frontier, and whoever brings
//! back the last one prepares what comes next.

mod saved;

use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Layer, Puzzle};

pub(super) use saved::SavedPass;

use super::config::Shape;
use super::frontier::{Best, Frontier, Item, Layer as Part};

/// A line, as the line before its last move and that move.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct Trail<M> {
    parent: u32,
    mv: M,
}

/// The place in the trail of the position that a pass begins in.
const ROOT: u32 = u32::MAX;

/// A position to be expanded, with its place in the trail.
pub(super) struct Parent<'a, P: Puzzle> {
    pub(super) state: &'a P::State,
    pub(super) trail: u32,
}

impl<P: Puzzle> Clone for Parent<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Puzzle> Copy for Parent<'_, P> {}

/// The positions to be expanded.
pub(super) enum Parents<P: Puzzle> {
    /// The one that a pass begins in.
    Root(P::State),
    /// The best of a layer, and the place in the trail of the first of them; the
    /// others follow it.
    Best(Best<P>, u32),
}

impl<P: Puzzle> Parents<P> {
    fn len(&self) -> usize {
        match self {
            Parents::Root(_) => 1,
            Parents::Best(best, _) => best.len(),
        }
    }

    /// Some of them.
    pub(super) fn range(&self, range: Range<usize>) -> impl Iterator<Item = Parent<'_, P>> {
        range.map(|at| match self {
            Parents::Root(state) => Parent { state, trail: ROOT },
            Parents::Best(best, first) => {
                Parent { state: &best.get(at).state, trail: first + at as u32 }
            }
        })
    }

    /// The lines of those, up to `end`, that are not in a trail of this length yet.
    fn beyond(&self, trail: usize, end: usize) -> impl Iterator<Item = Trail<P::Move>> {
        let (best, first) = match self {
            Parents::Root(_) => (None, 0),
            Parents::Best(best, first) => (Some(best), *first as usize),
        };
        let line = |item: &Item<P>| Trail { parent: item.parent, mv: item.mv };
        best.into_iter()
            .flat_map(move |best| (trail - first..end).map(move |at| line(best.get(at))))
    }
}

/// A portion of work.
pub(super) enum Work<P: Puzzle> {
    /// Find what these positions lead to.
    Expand(Arc<Parents<P>>, Range<usize>),
    /// Find out what these are worth.
    Value(Arc<Vec<Item<P>>>, Range<usize>),
}

/// What the workers are doing.
enum Phase<P: Puzzle> {
    Expand(Arc<Parents<P>>),
    Value { items: Arc<Vec<Item<P>>>, values: Vec<f32> },
    Over,
}

/// A pass in progress.
pub(super) struct Pass<P: Puzzle> {
    /// Its number, from 0.
    pub(super) number: u64,
    /// Which of the domain's variants it uses.
    pub(super) variant: usize,
    /// Positions kept of a layer.
    pub(super) width: u64,
    /// The moves before the position it begins in.
    pub(super) prefix: Arc<Vec<P::Move>>,
    /// The layers that have been selected.
    pub(super) layers: Vec<Layer>,
    shape: Shape,
    /// The lines to all positions that were handed out to be expanded.
    trail: Vec<Trail<P::Move>>,
    frontier: Arc<Frontier<P>>,
    phase: Phase<P>,
    /// The layer that is being worked on.
    layer: usize,
    /// Where the next portion begins.
    next: usize,
    /// Portions taken and not brought back.
    out: usize,
}

impl<P: Puzzle> Pass<P> {
    pub(super) fn new(
        puzzle: &P,
        shape: Shape,
        prefix: Arc<Vec<P::Move>>,
        (number, variant, width): (u64, usize, u64),
    ) -> Self {
        let mut state = puzzle.start();
        for &mv in prefix.iter() {
            puzzle.play(&mut state, mv);
        }
        Pass {
            number,
            variant,
            width,
            prefix,
            layers: Vec::new(),
            shape,
            trail: Vec::new(),
            frontier: Arc::default(),
            phase: Phase::Expand(Arc::new(Parents::Root(state))),
            layer: 0,
            next: 0,
            out: 0,
        }
    }

    /// The next portion of at most `most` positions, if there is one to take.
    pub(super) fn take(&mut self, most: usize) -> Option<Work<P>> {
        let len = match &self.phase {
            Phase::Expand(parents) => parents.len(),
            Phase::Value { items, .. } => items.len(),
            Phase::Over => 0,
        };
        if self.next >= len {
            return None;
        }
        let range = self.next..(self.next + most.max(1)).min(len);
        self.next = range.end;
        self.out += 1;
        match &self.phase {
            Phase::Expand(parents) => {
                // Bit by bit, as they are handed out, so that nobody waits for it.
                self.trail.extend(parents.beyond(self.trail.len(), range.end));
                Some(Work::Expand(Arc::clone(parents), range))
            }
            Phase::Value { items, .. } => Some(Work::Value(Arc::clone(items), range)),
            Phase::Over => None,
        }
    }

    /// Where workers put what they find.
    pub(super) fn frontier(&self) -> Arc<Frontier<P>> {
        Arc::clone(&self.frontier)
    }

    /// Some position that the pass has come to, with its moves.
    pub(super) fn any(&self) -> Option<(P::State, Vec<P::Move>)> {
        let line = |item: &Item<P>| (item.state.clone(), self.moves_to(item.parent, Some(item.mv)));
        match &self.phase {
            Phase::Expand(parents) => match &**parents {
                Parents::Root(state) => Some((state.clone(), self.moves_to(ROOT, None))),
                Parents::Best(best, _) => (best.len() > 0).then(|| line(best.get(0))),
            },
            Phase::Value { items, .. } => items.first().map(line),
            Phase::Over => None,
        }
    }

    /// Whether positions are being expanded, not valued.
    pub(super) fn is_expanding(&self) -> bool {
        matches!(self.phase, Phase::Expand(_))
    }

    /// Whether every line has come to its end.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// The position it begins in.
    pub(super) fn root(&self, puzzle: &P) -> P::State {
        self.state_of(puzzle, ROOT, None)
    }

    /// Ends the pass: a machine apart has come to the end of it.
    pub(super) fn close(&mut self) {
        self.phase = Phase::Over;
    }

    /// Takes back an expanded portion.
    pub(super) fn expanded(&mut self) {
        self.out -= 1;
        self.turn_over();
    }

    /// Takes back a portion with its values.
    pub(super) fn valued(&mut self, range: Range<usize>, found: &[f32]) {
        if let Phase::Value { values, .. } = &mut self.phase {
            values[range].copy_from_slice(found);
        }
        self.out -= 1;
        self.turn_over();
    }

    /// Goes on to the next phase when this one is done.
    fn turn_over(&mut self) {
        let done = match &self.phase {
            Phase::Expand(parents) => self.next >= parents.len(),
            Phase::Value { items, .. } => self.next >= items.len(),
            Phase::Over => false,
        };
        if !done || self.out > 0 {
            return;
        }
        self.next = 0;
        let best = match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Expand(parents) => {
                let values_layers = self.shape.values_layers();
                if !values_layers && let Some(Parents::Best(done, _)) = Arc::into_inner(parents) {
                    self.frontier.reuse(done);
                }
                let Some((layer, shards)) = self.frontier.next() else { return };
                self.layer = layer;
                if values_layers {
                    let items: Vec<Item<P>> =
                        shards.into_iter().flat_map(Part::into_items).collect();
                    let values = vec![0.0; items.len()];
                    self.phase = Phase::Value { items: Arc::new(items), values };
                    return;
                }
                Best::of(shards, self.width as usize)
            }
            Phase::Value { items, values } => {
                // Nobody else holds it any more; a copy would only cost time.
                let mut items = Arc::try_unwrap(items).unwrap_or_else(|items| (*items).clone());
                for (item, value) in items.iter_mut().zip(values) {
                    item.value = value;
                }
                Best::alone(items, self.width as usize)
            }
            Phase::Over => return,
        };
        let ((highest, lowest), count) = (best.extremes(), best.len() as u64);
        let number = self.layer;
        self.layers.push(Layer { number, kept: count, best: highest, worst: lowest });
        let first = self.trail.len() as u32;
        self.phase = Phase::Expand(Arc::new(Parents::Best(best, first)));
    }

    /// The layer that is being worked on.
    pub(super) fn layer(&self) -> usize {
        self.layer
    }

    /// The moves from the start of the puzzle to a position.
    pub(super) fn moves_to(&self, parent: u32, last: Option<P::Move>) -> Vec<P::Move> {
        let mut moves = self.moves_since(parent, last);
        moves.splice(..0, self.prefix.iter().copied());
        moves
    }

    /// The moves from where the pass begins to a position.
    fn moves_since(&self, parent: u32, last: Option<P::Move>) -> Vec<P::Move> {
        let mut moves: Vec<P::Move> = last.into_iter().collect();
        let mut at = parent;
        while at != ROOT {
            let Trail { parent, mv } = self.trail[at as usize];
            moves.push(mv);
            at = parent;
        }
        moves.reverse();
        moves
    }

    fn state_of(&self, puzzle: &P, parent: u32, last: Option<P::Move>) -> P::State {
        let mut state = puzzle.start();
        for mv in self.moves_to(parent, last) {
            puzzle.play(&mut state, mv);
        }
        state
    }
}
