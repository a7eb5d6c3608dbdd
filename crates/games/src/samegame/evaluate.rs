//! How promising a position looks, and all positions one move on: the inner
//! loop of a beam search.

use std::mem::MaybeUninit;

use solitree_core::params::Range;
use solitree_core::{Child, Evaluator, Puzzle, Score, choice, params};

use super::board::Cell;
use super::dispatch::Engine;
use super::kernel::{Links, MAX_GROUPS, each_group_from, key, of_colour, remove_and_tell};
use super::lockstep::end_points;
use super::plane::Plane;
use super::rules::Rules;
use super::{Kernels, SameGame, State};

choice! {
    /// What a position is worth to a search that does not play it out.
    pub enum Evaluation {
        /// Its points.
        Score = "score",
        /// Its points and those of all groups there are.
        Potential = "potential",
        /// Its points and those of each colour in one group, with the bonus
        /// unless a colour has a single block left: the over-estimator.
        Colours = "colours",
    }
}

params! {
    /// An evaluation as data.
    pub struct EvaluatorConfig {
        /// What a position is worth to a search that does not play it out.
        evaluation ("evaluation"): Evaluation = Evaluation::Potential, Range::Choice(Evaluation::WORDS);
    }
}

impl<const W: usize, const P: usize> Evaluator<SameGame<W, P>> for EvaluatorConfig
where
    Kernels: Engine<W, P>,
{
    fn evaluate(&self, puzzle: &SameGame<W, P>, states: &[State<W, P>], out: &mut Vec<f32>) {
        out.clear();
        out.extend(states.iter().map(|state| match self.evaluation {
            Evaluation::Score => puzzle.score(state).as_f64() as f32,
            Evaluation::Colours => {
                puzzle.upper_bound(state).unwrap_or(puzzle.score(state)).as_f64() as f32
            }
            Evaluation::Potential => {
                let mut groups = Vec::new();
                puzzle.groups(state, &mut groups);
                let points = |size: u16| i64::from(puzzle.rules().points(u32::from(size)));
                let present: i64 = groups.iter().map(|group| points(group.size)).sum();
                (puzzle.score(state).0 + present) as f32
            }
        }));
    }

    /// The blocks removed.
    fn progress(&self, puzzle: &SameGame<W, P>, state: &State<W, P>) -> Option<usize> {
        let blocks = |state: &State<W, P>| state.counts().iter().sum::<u32>() as usize;
        Some(blocks(&puzzle.start()) - blocks(state))
    }

    fn children(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        out: &mut Vec<Child<SameGame<W, P>>>,
    ) {
        Kernels::children(puzzle.path(), puzzle.rules(), self.evaluation, state, out);
    }
}

/// Every position one move on, with its value.
#[inline(always)]
pub(super) fn children<const W: usize, const P: usize, V: Plane<W>>(
    rules: &Rules,
    evaluation: Evaluation,
    state: &State<W, P>,
    out: &mut Vec<Child<SameGame<W, P>>>,
) where
    Kernels: Engine<W, P>,
{
    let mut planes = [V::empty(); P];
    for (plane, words) in planes.iter_mut().zip(state.planes) {
        *plane = V::from_words(words);
    }
    let tools = V::tools();
    let links_now = Links::of(&planes, tools);
    // Written as far as they are read.
    let mut groups = [const { MaybeUninit::<(V, u16, i32)>::uninit() }; MAX_GROUPS + 1];
    let mut len = 0;
    each_group_from(&links_now, links_now.corners, |cells, bit, first| {
        let points = rules.points(cells.count());
        // SAFETY: there are at most `MAX_GROUPS` groups, and room for one more.
        unsafe { groups.get_unchecked_mut(len).write((cells, bit as u16, points)) };
        len += usize::from(first);
    });
    out.reserve(len);
    for group in &groups[..len] {
        // SAFETY: the first `len` have just been written.
        let (cells, bit, points) = unsafe { group.assume_init() };
        let mut next = planes;
        let closed = remove_and_tell(&mut next, cells);
        let points = state.score + points;
        let links = Links::of(&next, tools);
        let over = links.corners.is_empty();
        let end = if over { end_points(rules, &next) } else { 0 };
        let mut value = points + end;
        match evaluation {
            Evaluation::Score => {}
            Evaluation::Potential => {
                let mut from = links.corners;
                if !closed {
                    // Most groups are as they were.
                    let touched = links.touched(&links_now, cells);
                    let mut kept = V::empty();
                    for group in &groups[..len] {
                        // SAFETY: as above.
                        let (cells, _, points) = unsafe { group.assume_init() };
                        let same = cells.and(touched).is_empty();
                        kept = kept.or(cells.and(V::all_if(same)));
                        value += if same { points } else { 0 };
                    }
                    from = from.without(kept);
                }
                each_group_from(&links, from, |cells, _, first| {
                    value += rules.points(if first { cells.count() } else { 0 });
                });
            }
            Evaluation::Colours if over => {}
            Evaluation::Colours => {
                let mut counts = [0; 16];
                for (colour, count) in counts.iter_mut().enumerate().take(1 << P).skip(1) {
                    *count = of_colour(&next, colour as u32).count();
                }
                value += rules.upper_bound(counts[1..].iter().copied());
            }
        }
        let mut words = [[0; W]; P];
        for k in 0..P {
            words[k] = next[k].words();
        }
        out.push(Child {
            mv: Cell::from_bit(u32::from(bit)),
            state: State { planes: words, score: points },
            key: key(&words),
            score: Score(i64::from(points + end)),
            value: value as f32,
            over,
        });
    }
}
