//! What Morpion Solitaire lends to the searches: the same games as with no
//! knowledge at all, played faster.

use solitree_core::{
    Choice, CodePlans, Evaluator, Guide, Job, Kit, Playout, Puzzle, Rng, Score, Trace, Weights,
    drawn, slot,
};

use super::stroke::Stroke;
use super::{Morpion, State};

/// Playouts and steered games that keep the list of moves from one to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct MorpionKit;

impl Playout<Morpion> for MorpionKit {
    fn run(&self, puzzle: &Morpion, batch: &mut [Job<Morpion>]) {
        for job in batch {
            let mut rng = Rng::new(job.seed);
            let mut state = job.state.clone();
            job.moves.clear();
            while !state.legal.is_empty() {
                let mv = state.legal[rng.below(state.legal.len() as u32) as usize];
                puzzle.play(&mut state, mv);
                job.moves.push(mv);
            }
            job.score = puzzle.score(&state);
        }
    }
}

/// A legal move, the place of its weight, and the weight.
#[derive(Clone, Copy)]
struct Weighted {
    stroke: Stroke,
    slot: u32,
    weight: f32,
}

impl Guide<Morpion> for MorpionKit {
    fn choices(&self, puzzle: &Morpion, state: &State, _: usize, out: &mut Vec<Choice<Stroke>>) {
        out.clear();
        let code = |mv| puzzle.move_code(state, mv);
        out.extend(state.legal.iter().map(|&mv| Choice { mv, code: code(mv), factor: 1.0 }));
    }

    /// Weights do not change in a game: each is looked up once, when its move
    /// becomes legal.
    fn steer(
        &self,
        puzzle: &Morpion,
        state: &State,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Stroke>,
    ) {
        let tables = puzzle.tables;
        let weights = weights.table();
        let option = |stroke: Stroke| {
            let slot = slot(u64::from(stroke.0));
            Weighted { stroke, slot, weight: weights[slot as usize] }
        };
        let mut sheet = state.sheet;
        let mut options: Vec<Weighted> = state.legal.iter().map(|&stroke| option(stroke)).collect();
        let mut sums = Vec::new();
        let mut played = state.played;
        while !options.is_empty() {
            let mut total = 0.0;
            sums.clear();
            sums.extend(options.iter().map(|option| {
                total += option.weight;
                total
            }));
            trace.slots.extend(options.iter().map(|option| option.slot));
            let index = drawn(&sums, rng);
            trace.chose(index);
            let stroke = options[index].stroke;
            trace.moves.push(stroke);
            options.retain(|option| tables.remains(option.stroke, stroke));
            sheet.draw(tables, stroke, |stroke| options.push(option(stroke)));
            played += 1;
        }
        trace.score = Score(i64::from(played));
    }
}

impl Evaluator<Morpion> for MorpionKit {}

impl Kit<Morpion> for MorpionKit {
    type Plans = CodePlans<Morpion>;

    fn plans(&self, puzzle: &Morpion) -> CodePlans<Morpion> {
        CodePlans::new(puzzle)
    }
}
