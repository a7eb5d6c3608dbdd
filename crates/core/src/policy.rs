//! What is thought of the moves of positions before they are tried.

use std::sync::Arc;

use crate::guide::{Choice, Favour, Guide, Trace, Weights};
use crate::{
    Child, Evaluator, Foresight, Furnace, Job, Kit, Layers, MarkOf, Plan, Playout, Puzzle, Repairs,
    Rng, Score,
};

/// A position and its legal moves, in the order of [`Puzzle::moves`].
pub type Asked<'a, P> = (&'a <P as Puzzle>::State, &'a [<P as Puzzle>::Move]);

/// A trained network, or anything else that knows how likely each move is to be
/// the best.
///
/// Searches ask in batches. What is said of a position depends on that position
/// only, never on its companions in the batch or on what was asked before.
pub trait Policy<P: Puzzle>: Send + Sync {
    /// Replaces the contents of `out` by the probability of every move of every
    /// position, one position after another; those of a position are positive
    /// or 0 and sum to 1. Every position has a move.
    fn priors(&self, puzzle: &P, asked: &[Asked<'_, P>], out: &mut Vec<f32>);

    /// The batch size from which nothing more is gained.
    fn preferred_batch(&self) -> usize {
        1
    }

    /// What was learnt with it about the rest of games, if that was.
    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        None
    }
}

/// All moves alike: the policy of one who has learnt nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPolicy;

impl<P: Puzzle> Policy<P> for UniformPolicy {
    fn priors(&self, _: &P, asked: &[Asked<'_, P>], out: &mut Vec<f32>) {
        out.clear();
        for (_, moves) in asked {
            out.extend(std::iter::repeat_n(1.0 / moves.len() as f32, moves.len()));
        }
    }
}

/// A kit that lends a policy too, if there is one; all else is as before.
#[derive(Debug)]
pub struct Taught<K, Q> {
    /// What there is without it.
    pub kit: K,
    /// The policy.
    pub policy: Option<Arc<Q>>,
}

impl<K: Clone, Q> Clone for Taught<K, Q> {
    fn clone(&self) -> Self {
        Taught { kit: self.kit.clone(), policy: self.policy.clone() }
    }
}

impl<P: Puzzle, K: Kit<P>, Q: Policy<P> + 'static> Kit<P> for Taught<K, Q> {
    type Plans = K::Plans;

    fn plans(&self, puzzle: &P) -> K::Plans {
        self.kit.plans(puzzle)
    }

    fn variants(&self, puzzle: &P) -> Vec<Self> {
        let with = |kit| Taught { kit, policy: self.policy.clone() };
        self.kit.variants(puzzle).into_iter().map(with).collect()
    }

    fn refinements(&self, puzzle: &P) -> Vec<Self> {
        let with = |kit| Taught { kit, policy: self.policy.clone() };
        self.kit.refinements(puzzle).into_iter().map(with).collect()
    }

    fn playout_variants(&self, puzzle: &P) -> Vec<Self> {
        let with = |kit| Taught { kit, policy: self.policy.clone() };
        self.kit.playout_variants(puzzle).into_iter().map(with).collect()
    }

    fn policy(&self) -> Option<&dyn Policy<P>> {
        Some(self.policy.as_deref()? as &dyn Policy<P>)
    }

    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        self.policy.as_deref()?.foresight()
    }

    fn widest_layers(&self, puzzle: &P) -> Option<u64> {
        self.kit.widest_layers(puzzle)
    }

    fn layers(&self, puzzle: &P, plan: &Plan<'_, P::State>) -> Option<Box<dyn Layers<P::Move>>> {
        self.kit.layers(puzzle, plan)
    }

    fn repairs(kits: &[Self], puzzle: &P) -> Option<Box<dyn Repairs<P::State, P::Move>>> {
        let plain: Vec<K> = kits.iter().map(|taught| taught.kit.clone()).collect();
        K::repairs(&plain, puzzle)
    }

    fn furnace(kits: &[Self], puzzle: &P) -> Option<Box<dyn Furnace<MarkOf<P, Self>>>> {
        let plain: Vec<K> = kits.iter().map(|taught| taught.kit.clone()).collect();
        K::furnace(&plain, puzzle)
    }
}

impl<P: Puzzle, K: Kit<P>, Q: Send + Sync> Playout<P> for Taught<K, Q> {
    fn run(&self, puzzle: &P, batch: &mut [Job<P>]) {
        self.kit.run(puzzle, batch);
    }

    fn preferred_batch(&self) -> usize {
        self.kit.preferred_batch()
    }

    fn canonical(&self, puzzle: &P, state: &P::State, mv: P::Move) -> P::Move {
        self.kit.canonical(puzzle, state, mv)
    }
}

impl<P: Puzzle, K: Kit<P>, Q: Send + Sync> Guide<P> for Taught<K, Q> {
    fn choices(&self, puzzle: &P, state: &P::State, played: usize, out: &mut Vec<Choice<P::Move>>) {
        self.kit.choices(puzzle, state, played, out);
    }

    fn retrace(
        &self,
        puzzle: &P,
        start: &P::State,
        before: usize,
        moves: &[P::Move],
    ) -> Trace<P::Move> {
        self.kit.retrace(puzzle, start, before, moves)
    }

    fn greedy(
        &self,
        puzzle: &P,
        state: &P::State,
        played: usize,
        moves: &mut Vec<P::Move>,
    ) -> Score {
        self.kit.greedy(puzzle, state, played, moves)
    }

    fn steer(
        &self,
        puzzle: &P,
        state: &P::State,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<P::Move>,
    ) {
        self.kit.steer(puzzle, state, weights, rng, trace);
    }

    fn steer_favoured(
        &self,
        puzzle: &P,
        state: &P::State,
        opinions: (&Weights, Favour<'_, P>),
        rng: &mut Rng,
        trace: &mut Trace<P::Move>,
    ) {
        self.kit.steer_favoured(puzzle, state, opinions, rng, trace);
    }
}

impl<P: Puzzle, K: Kit<P>, Q: Send + Sync> Evaluator<P> for Taught<K, Q> {
    fn evaluate(&self, puzzle: &P, states: &[P::State], out: &mut Vec<f32>) {
        self.kit.evaluate(puzzle, states, out);
    }

    fn progress(&self, puzzle: &P, state: &P::State) -> Option<usize> {
        self.kit.progress(puzzle, state)
    }

    fn children(&self, puzzle: &P, state: &P::State, out: &mut Vec<Child<P>>) {
        self.kit.children(puzzle, state, out);
    }
}
