//! A pass written down and read again.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Layer, Puzzle};

use super::{Parents, Pass, Phase, ROOT, Trail};
use crate::beam::config::Shape;
use crate::beam::frontier::{Best, Hand, Item, Layer as Part};

/// A pass as it is written down: lines instead of positions.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub(in crate::beam) struct SavedPass<M> {
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
    pub(in crate::beam) fn save(&self) -> SavedPass<P::Move> {
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

    pub(in crate::beam) fn load(
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

    use super::super::{Parent, Work};
    use super::*;
    use crate::beam::Layers;
    use crate::beam::config::Worth;

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
