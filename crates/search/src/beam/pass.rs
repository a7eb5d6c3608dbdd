//! One pass of a beam: from the start to the end of the game, layer by layer.
//!
//! The workers share a pass. A layer is cut into portions; whoever is free
//! takes the next one and adds what it finds to the frontier, and whoever brings
//! back the last one prepares what comes next.

use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Layer, Puzzle};

use super::config::Shape;
use super::frontier::{Frontier, Hand, Item, best};

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
pub(super) struct Parent<P: Puzzle> {
    pub(super) state: P::State,
    pub(super) trail: u32,
}

/// A portion of work.
pub(super) enum Work<P: Puzzle> {
    /// Find what these positions lead to.
    Expand(Arc<Vec<Parent<P>>>, Range<usize>),
    /// Find out what these are worth.
    Value(Arc<Vec<Item<P>>>, Range<usize>),
}

/// What the workers are doing.
enum Phase<P: Puzzle> {
    Expand(Arc<Vec<Parent<P>>>),
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
            phase: Phase::Expand(Arc::new(vec![Parent { state, trail: ROOT }])),
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
            Phase::Expand(parents) => Some(Work::Expand(Arc::clone(parents), range)),
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
        match &self.phase {
            Phase::Expand(parents) => {
                let parent = parents.first()?;
                Some((parent.state.clone(), self.moves_to(parent.trail, None)))
            }
            Phase::Value { items, .. } => {
                let item = items.first()?;
                Some((item.state.clone(), self.moves_to(item.parent, Some(item.mv))))
            }
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
        let items = match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Expand(_) => {
                let Some((layer, items)) = self.frontier.next() else { return };
                self.layer = layer;
                if self.shape.values_layers() {
                    let items: Vec<Item<P>> = items.into_iter().flatten().collect();
                    let values = vec![0.0; items.len()];
                    self.phase = Phase::Value { items: Arc::new(items), values };
                    return;
                }
                items
            }
            Phase::Value { items, values } => {
                // Nobody else holds it any more; a copy would only cost time.
                let mut items = Arc::try_unwrap(items).unwrap_or_else(|items| (*items).clone());
                for (item, value) in items.iter_mut().zip(values) {
                    item.value = value;
                }
                vec![items]
            }
            Phase::Over => return,
        };
        self.phase = Phase::Expand(Arc::new(self.select(items)));
    }

    /// The best of a layer, entered in the trail.
    fn select(&mut self, items: Vec<Vec<Item<P>>>) -> Vec<Parent<P>> {
        let (mut highest, mut lowest) = (f32::NEG_INFINITY, f32::INFINITY);
        let enter = |item: Item<P>| {
            (highest, lowest) = (highest.max(item.value), lowest.min(item.value));
            let trail = self.trail.len() as u32;
            self.trail.push(Trail { parent: item.parent, mv: item.mv });
            Parent { state: item.state, trail }
        };
        let kept: Vec<Parent<P>> = best(items, self.width as usize).map(enter).collect();
        let (number, count) = (self.layer, kept.len() as u64);
        self.layers.push(Layer { number, kept: count, best: highest, worst: lowest });
        kept
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

/// A pass as it is written down: lines instead of positions.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub(super) struct SavedPass<M> {
    number: u64,
    variant: usize,
    width: u64,
    prefix: Vec<M>,
    layers: Vec<Layer>,
    trail: Vec<Trail<M>>,
    phase: SavedPhase<M>,
    waiting: Vec<(usize, SavedItem<M>)>,
    layer: usize,
    next: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
enum SavedPhase<M> {
    Expand(Vec<u32>),
    Value(Vec<SavedItem<M>>, Vec<f32>),
    Over,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
struct SavedItem<M> {
    parent: u32,
    mv: M,
    value: f32,
}

impl<P: Puzzle> Pass<P> {
    pub(super) fn save(&self) -> SavedPass<P::Move> {
        let item =
            |item: &Item<P>| SavedItem { parent: item.parent, mv: item.mv, value: item.value };
        let mut waiting = Vec::new();
        self.frontier.each(|layer, it| waiting.push((layer, item(it))));
        SavedPass {
            number: self.number,
            variant: self.variant,
            width: self.width,
            prefix: self.prefix.to_vec(),
            layers: self.layers.clone(),
            trail: self.trail.clone(),
            phase: match &self.phase {
                Phase::Expand(parents) => {
                    SavedPhase::Expand(parents.iter().map(|parent| parent.trail).collect())
                }
                Phase::Value { items, values } => {
                    SavedPhase::Value(items.iter().map(item).collect(), values.clone())
                }
                Phase::Over => SavedPhase::Over,
            },
            waiting,
            layer: self.layer,
            // What is out with other workers is done again.
            next: if self.out > 0 { 0 } else { self.next },
        }
    }

    pub(super) fn load(
        puzzle: &P,
        shape: Shape,
        saved: SavedPass<P::Move>,
    ) -> Result<Self, String> {
        let run = (saved.number, saved.variant, saved.width);
        let mut pass = Pass::new(puzzle, shape, Arc::new(saved.prefix), run);
        let known = |len: usize, parent: u32| parent == ROOT || (parent as usize) < len;
        if saved.trail.iter().enumerate().any(|(at, trail)| !known(at, trail.parent)) {
            return Err("a line of the beam leads nowhere".to_owned());
        }
        pass.trail = saved.trail;
        let item = |saved: SavedItem<P::Move>| -> Result<Item<P>, String> {
            let SavedItem { parent, mv, value } = saved;
            if !known(pass.trail.len(), parent) {
                return Err("a position of the beam has no line".to_owned());
            }
            let state = pass.state_of(puzzle, parent, Some(mv));
            let (key, score) = (puzzle.key(&state), puzzle.score(&state));
            Ok(Item { state, key, score, value, parent, mv })
        };
        let mut hand = Hand::default();
        for (layer, saved) in saved.waiting {
            hand.take(layer, item(saved)?);
        }
        pass.frontier.deal(&mut hand, shape.unique, (None, 0), 0);
        let phase = match saved.phase {
            SavedPhase::Expand(parents) => {
                if parents.iter().any(|&parent| !known(pass.trail.len(), parent)) {
                    return Err("a position of the beam has no line".to_owned());
                }
                let parent = |trail| Parent { state: pass.state_of(puzzle, trail, None), trail };
                Phase::Expand(Arc::new(parents.into_iter().map(parent).collect()))
            }
            SavedPhase::Value(items, values) => {
                let items: Vec<Item<P>> = items.into_iter().map(item).collect::<Result<_, _>>()?;
                if values.len() != items.len() {
                    return Err("not a value for each position of the beam".to_owned());
                }
                Phase::Value { items: Arc::new(items), values }
            }
            SavedPhase::Over => Phase::Over,
        };
        (pass.phase, pass.layers) = (phase, saved.layers);
        (pass.layer, pass.next) = (saved.layer, saved.next);
        Ok(pass)
    }
}
