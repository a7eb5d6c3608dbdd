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
use super::frontier::{Best, Frontier, Hand, Item, Layer as Part};

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
        let mut trail = self.trail.clone();
        if let Phase::Expand(parents) = &self.phase {
            trail.extend(parents.beyond(trail.len(), parents.len()));
        }
        SavedPass {
            number: self.number,
            variant: self.variant,
            width: self.width,
            prefix: self.prefix.to_vec(),
            layers: self.layers.clone(),
            trail,
            phase: match &self.phase {
                Phase::Expand(parents) => {
                    let parents = parents.range(0..parents.len());
                    SavedPhase::Expand(parents.map(|parent| parent.trail).collect())
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
            SavedPhase::Expand(parents) if parents == [ROOT] => {
                Phase::Expand(Arc::new(Parents::Root(pass.root(puzzle))))
            }
            SavedPhase::Expand(parents) => {
                // They are the last that were entered.
                let first = pass.trail.len().saturating_sub(parents.len());
                if !parents.iter().copied().eq(first as u32..pass.trail.len() as u32) {
                    return Err("a position of the beam has no line".to_owned());
                }
                let last = |&Trail { parent, mv }: &_| item(SavedItem { parent, mv, value: 0.0 });
                let items = pass.trail[first..].iter().map(last).collect::<Result<_, _>>()?;
                let best = Best::of(vec![Part::of(items)], parents.len());
                Phase::Expand(Arc::new(Parents::Best(best, first as u32)))
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

#[cfg(test)]
mod tests {
    use solitree_core::DummyPuzzle;

    use super::super::Layers;
    use super::super::config::Worth;
    use super::*;

    const SHAPE: Shape = Shape {
        width: 7,
        layers: Layers::Moves,
        unique: true,
        worth: Worth::Evaluation,
        finishes: 0,
        all_moves: true,
    };

    /// Every position has three moves, five times.
    fn puzzle() -> DummyPuzzle {
        let tree = (0..5).fold("1".to_owned(), |below, _| format!("({below} {below} {below})"));
        tree.parse().unwrap()
    }

    /// What a pass hands out, in portions of two: layers and lines. After each
    /// portion `between` may do something with it.
    fn lines(puzzle: &DummyPuzzle, between: impl Fn(&mut Pass<DummyPuzzle>)) -> Vec<Vec<u16>> {
        let mut pass = Pass::new(puzzle, SHAPE, Arc::default(), (0, 0, 7));
        let mut lines = Vec::new();
        while let Some(Work::Expand(parents, range)) = pass.take(2) {
            let mut hand = Hand::default();
            for Parent { state, trail } in parents.range(range) {
                let line = pass.moves_to(trail, None);
                assert_eq!(solitree_core::replay(puzzle, &line).unwrap(), *state);
                lines.push(line);
                let mut moves = Vec::new();
                puzzle.moves(state, &mut moves);
                for mv in moves {
                    let mut state = *state;
                    puzzle.play(&mut state, mv);
                    let (key, score) = (puzzle.key(&state), puzzle.score(&state));
                    // Nothing is known of any: the keys decide.
                    let item = Item { state, key, score, value: 0.0, parent: trail, mv };
                    hand.take(pass.layer() + 1, item);
                }
            }
            drop(parents);
            let run = (Some(pass.width), pass.layer() + 1);
            pass.frontier().deal(&mut hand, true, run, 0);
            pass.expanded();
            between(&mut pass);
        }
        assert!(pass.is_over());
        assert!(pass.layers.iter().all(|layer| layer.kept <= 7));
        lines
    }

    /// The trail is written while a layer is handed out: what is handed out has its
    /// line, and what is not yet has one in what is saved.
    #[test]
    fn a_pass_read_again_after_every_portion_goes_the_same_way() {
        let puzzle = puzzle();
        let plain = lines(&puzzle, |_| {});
        assert_eq!(plain.len(), 1 + 3 + 4 * 7);
        let read = |pass: &mut Pass<DummyPuzzle>| {
            assert!(pass.is_over() || pass.any().is_some());
            *pass = Pass::load(&puzzle, pass.shape, pass.save()).unwrap();
        };
        assert_eq!(lines(&puzzle, read), plain);
    }

    /// What was out when a pass was saved is handed out again, with the same lines.
    #[test]
    fn what_was_out_is_handed_out_again() {
        let puzzle = puzzle();
        let plain = lines(&puzzle, |_| {});
        let again = |pass: &mut Pass<DummyPuzzle>| {
            let begins = pass.next == 0;
            if begins && pass.take(3).is_some() {
                *pass = Pass::load(&puzzle, pass.shape, pass.save()).unwrap();
                assert_eq!(pass.next, 0);
            }
        };
        assert_eq!(lines(&puzzle, again), plain);
    }

    #[test]
    fn positions_to_expand_are_the_last_of_the_trail() {
        let puzzle = puzzle();
        for (parents, fine) in
            [(vec![ROOT], true), (vec![0, 1], true), (vec![0], false), (vec![1, 2], false)]
        {
            let mut saved = Pass::new(&puzzle, SHAPE, Arc::default(), (0, 0, 7)).save();
            saved.trail = vec![Trail { parent: ROOT, mv: 0 }, Trail { parent: ROOT, mv: 2 }];
            saved.phase = SavedPhase::Expand(parents.clone());
            assert_eq!(Pass::load(&puzzle, SHAPE, saved).is_ok(), fine, "{parents:?}");
        }
    }
}
