//! What is foreseen of positions: asked for in batches, kept for the next pass.

use std::sync::Mutex;

use solitree_core::{Foresight, Prospect, Puzzle};

use crate::keyed::KeyMap;
use crate::lock;

/// Bytes an entry takes, the room that a hash table keeps free included.
const ENTRY_BYTES: u64 = 48;

/// What is to come from positions by their keys, for all workers of a search. When it is
/// full it begins anew: that costs time and changes no answer.
pub(crate) struct Foreseen {
    kept: Mutex<KeyMap<u64, Prospect>>,
    /// The most that are kept.
    limit: usize,
}

impl Foreseen {
    /// Keeps at most so many bytes of what was said.
    pub(crate) fn new(memory: u64) -> Foreseen {
        let limit = usize::try_from(memory / ENTRY_BYTES).unwrap_or(usize::MAX);
        Foreseen { kept: Mutex::default(), limit }
    }

    /// What is to come from each position. What is not known yet is asked in one batch.
    pub(super) fn ask<'a, P: Puzzle>(
        &self,
        puzzle: &P,
        foresight: &dyn Foresight<P>,
        positions: impl Iterator<Item = (u64, &'a P::State)>,
    ) -> Vec<Prospect>
    where
        P::State: 'a,
    {
        let (keys, states): (Vec<u64>, Vec<&P::State>) = positions.unzip();
        let known: Vec<Option<Prospect>> = {
            let kept = lock(&self.kept);
            keys.iter().map(|key| kept.get(key).copied()).collect()
        };
        let missing = |&index: &usize| known[index].is_none();
        let missing: Vec<usize> = (0..keys.len()).filter(missing).collect();
        let mut said = Vec::new();
        if !missing.is_empty() {
            let asked: Vec<&P::State> = missing.iter().map(|&index| states[index]).collect();
            foresight.prospects(puzzle, &asked, &mut said);
            assert_eq!(said.len(), asked.len(), "every position was foreseen");
            let mut kept = lock(&self.kept);
            if kept.len() + said.len() > self.limit {
                kept.clear();
            }
            kept.extend(missing.iter().map(|&index| keys[index]).zip(said.iter().copied()));
        }
        let mut said = said.into_iter();
        known.into_iter().filter_map(|known| known.or_else(|| said.next())).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use solitree_core::DummyPuzzle;

    use super::*;

    /// Foresees the number of moves, and counts the positions it is asked about.
    #[derive(Default)]
    struct Moves(AtomicUsize);

    impl Foresight<DummyPuzzle> for Moves {
        fn prospects(
            &self,
            puzzle: &DummyPuzzle,
            states: &[&<DummyPuzzle as Puzzle>::State],
            out: &mut Vec<Prospect>,
        ) {
            self.0.fetch_add(states.len(), Relaxed);
            out.clear();
            let mut moves = Vec::new();
            for state in states {
                puzzle.moves(state, &mut moves);
                out.push(Prospect { points: moves.len() as f32, clears: 0.0 });
            }
        }
    }

    #[test]
    fn a_position_is_asked_about_once() {
        let puzzle: DummyPuzzle = "((1 2) 3 (4 5 (6)))".parse().unwrap();
        let after = |moves: &[u16]| {
            let mut state = puzzle.start();
            moves.iter().for_each(|&mv| puzzle.play(&mut state, mv));
            state
        };
        let states = [after(&[]), after(&[0]), after(&[2]), after(&[2, 2])];
        let positions =
            |which: &[usize]| -> Vec<_> { which.iter().map(|&at| &states[at]).collect() };
        let (foreseen, foresight) = (Foreseen::new(1 << 20), Moves::default());
        let ask = |foreseen: &Foreseen, which: &[usize]| -> Vec<f32> {
            let asked = positions(which).into_iter().map(|state| (puzzle.key(state), state));
            let said = foreseen.ask(&puzzle, &foresight, asked);
            said.iter().map(|prospect| prospect.points).collect()
        };
        assert_eq!(ask(&foreseen, &[1, 3]), [2.0, 1.0]);
        assert_eq!(ask(&foreseen, &[0, 1, 2, 3]), [3.0, 2.0, 3.0, 1.0], "in their order");
        assert_eq!(foresight.0.load(Relaxed), 4);
        assert_eq!(ask(&foreseen, &[3, 2, 1, 0]), [1.0, 3.0, 2.0, 3.0]);
        assert_eq!(foresight.0.load(Relaxed), 4);
        let forgetful = Foreseen::new(0);
        (0..2).for_each(|_| assert_eq!(ask(&forgetful, &[0, 1]), [3.0, 2.0]));
        assert_eq!(foresight.0.load(Relaxed), 6, "the last are always kept");
        assert_eq!(ask(&forgetful, &[2]), [3.0]);
        assert_eq!(ask(&forgetful, &[0]), [3.0], "asked again");
        assert_eq!(foresight.0.load(Relaxed), 8);
    }
}
