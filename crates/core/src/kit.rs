//! Everything a domain lends to the searches, in one value.

use crate::{
    Choice, CodePlans, Evaluator, Foresight, Furnace, Guide, Job, Layers, Plan, Plans, Playout,
    Policy, Puzzle, Repairs, UniformPlayout,
};

/// What a domain knows beyond its rules: how to finish games at random, how to
/// steer them by weights, and how promising a position looks. A search asks for
/// the part it needs; a portfolio asks for all.
pub trait Kit<P: Puzzle>: Playout<P> + Guide<P> + Evaluator<P> + Clone + 'static {
    /// How lists of decisions are followed.
    type Plans: Plans<P>;

    /// The same for a puzzle. Each searcher has its own.
    fn plans(&self, puzzle: &P) -> Self::Plans;

    /// This kit and others like it that are worth trying on a puzzle whose
    /// best one is not known, the most promising first; one at least.
    fn variants(&self, puzzle: &P) -> Vec<Self> {
        let _ = puzzle;
        vec![self.clone()]
    }

    /// Other kits like this one that are worth trying where it has shown itself
    /// the best of the variants and there is time.
    fn refinements(&self, puzzle: &P) -> Vec<Self> {
        let _ = puzzle;
        Vec::new()
    }

    /// Kits like this one with other playouts, for searches with playouts in plenty.
    fn playout_variants(&self, puzzle: &P) -> Vec<Self> {
        let _ = puzzle;
        Vec::new()
    }

    /// What has been learnt about moves, if anything has.
    fn policy(&self) -> Option<&dyn Policy<P>> {
        None
    }

    /// What has been learnt about the rest of games, if anything has.
    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        None
    }

    /// The widest beam that a machine apart ([`Layers`]) has room for; none if
    /// there is no such machine, or it cannot do this puzzle by this kit.
    fn widest_layers(&self, puzzle: &P) -> Option<u64> {
        let _ = puzzle;
        None
    }

    /// A pass of a beam on that machine; none if it cannot be had now.
    fn layers(&self, puzzle: &P, plan: &Plan<'_, P::State>) -> Option<Box<dyn Layers<P::Move>>> {
        let _ = (puzzle, plan);
        None
    }

    /// A machine apart for many short searches by any of these kits; none if
    /// there is no such machine, or it cannot do this puzzle.
    fn repairs(kits: &[Self], puzzle: &P) -> Option<Box<dyn Repairs<P::State, P::Move>>> {
        let _ = (kits, puzzle);
        None
    }

    /// A machine apart that anneals plans, which any of these kits finish; none if there
    /// is no such machine, or it cannot do this puzzle.
    fn furnace(kits: &[Self], puzzle: &P) -> Option<Box<dyn Furnace<MarkOf<P, Self>>>> {
        let _ = (kits, puzzle);
        None
    }
}

/// What names a decision in the plans of a kit.
pub type MarkOf<P, K> = <<K as Kit<P>>::Plans as Plans<P>>::Mark;

/// No knowledge at all: every legal move alike, a position worth its score.
/// Right for any puzzle.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainKit;

impl<P: Puzzle> Playout<P> for PlainKit {
    fn run(&self, puzzle: &P, batch: &mut [Job<P>]) {
        UniformPlayout.run(puzzle, batch);
    }
}

impl<P: Puzzle> Guide<P> for PlainKit {
    fn choices(&self, puzzle: &P, state: &P::State, _: usize, out: &mut Vec<Choice<P::Move>>) {
        let mut legal = Vec::new();
        puzzle.moves(state, &mut legal);
        out.clear();
        let code = |mv| puzzle.move_code(state, mv);
        out.extend(legal.into_iter().map(|mv| Choice { mv, code: code(mv), factor: 1.0 }));
    }
}

impl<P: Puzzle> Evaluator<P> for PlainKit {}

impl<P: Puzzle> Kit<P> for PlainKit {
    type Plans = CodePlans<P>;

    fn plans(&self, puzzle: &P) -> CodePlans<P> {
        CodePlans::new(puzzle)
    }
}
