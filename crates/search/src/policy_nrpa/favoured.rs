//! A guide with a policy behind it.

use std::sync::Arc;

use solitree_core::{Choice, Favour, Guide, Kit, Policy, Puzzle, Rng, Score, Trace, Weights};

use crate::opinions::Opinions;

/// The least that a move counts: the policy may be wrong.
const LEAST: f64 = 1e-3;

/// What a kit says of choosing moves, each choice favoured as its policy thinks of it.
#[derive(Clone)]
pub(super) struct Favoured<K> {
    pub(super) kit: K,
    /// The power to which probabilities are raised.
    pub(super) strength: f64,
    /// What the policy has said so far.
    pub(super) opinions: Arc<Opinions>,
}

impl<K> Favoured<K> {
    /// Multiplies the factors of the choices in a position.
    fn favour<P: Puzzle>(
        &self,
        puzzle: &P,
        policy: &dyn Policy<P>,
        state: &P::State,
        choices: &mut [Choice<P::Move>],
    ) {
        // Where there is one choice nothing is to be said.
        if choices.len() < 2 {
            return;
        }
        let mut moves = Vec::new();
        puzzle.moves(state, &mut moves);
        let found = [(state.clone(), moves)];
        let priors = self.opinions.ask(puzzle, policy, &found);
        for choice in choices {
            let place = found[0].1.iter().position(|&mv| mv == choice.mv);
            if let Some(&prior) = place.and_then(|place| priors[0].get(place)) {
                let factor = libm::pow(f64::from(prior).max(LEAST), self.strength);
                choice.factor = (f64::from(choice.factor) * factor) as f32;
            }
        }
    }

    /// The policy, if it is there and counts.
    fn policy<P: Puzzle>(&self) -> Option<&dyn Policy<P>>
    where
        K: Kit<P>,
    {
        self.kit.policy().filter(|_| self.strength > 0.0)
    }
}

impl<P: Puzzle, K: Kit<P>> Guide<P> for Favoured<K> {
    fn choices(&self, puzzle: &P, state: &P::State, played: usize, out: &mut Vec<Choice<P::Move>>) {
        self.kit.choices(puzzle, state, played, out);
        if let Some(policy) = self.policy() {
            self.favour(puzzle, policy, state, out);
        }
    }

    /// As the kit does it, which knows the codes: without what the policy thinks.
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
        match self.policy() {
            Some(_) => self.steer_favoured(puzzle, state, (weights, &mut |_, _| {}), rng, trace),
            None => self.kit.steer(puzzle, state, weights, rng, trace),
        }
    }

    fn steer_favoured(
        &self,
        puzzle: &P,
        state: &P::State,
        (weights, more): (&Weights, Favour<'_, P>),
        rng: &mut Rng,
        trace: &mut Trace<P::Move>,
    ) {
        let Some(policy) = self.policy() else {
            return self.kit.steer_favoured(puzzle, state, (weights, more), rng, trace);
        };
        let mut favour = |state: &P::State, choices: &mut [Choice<P::Move>]| {
            self.favour(puzzle, policy, state, choices);
            more(state, choices);
        };
        self.kit.steer_favoured(puzzle, state, (weights, &mut favour), rng, trace);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use solitree_core::{Asked, DummyPuzzle, PlainKit, Taught};

    use super::*;

    /// Likes the last move, thinks nothing of the first, and counts its answers.
    #[derive(Default)]
    struct Last(AtomicUsize);

    impl Policy<DummyPuzzle> for Last {
        fn priors(&self, _: &DummyPuzzle, asked: &[Asked<'_, DummyPuzzle>], out: &mut Vec<f32>) {
            self.0.fetch_add(asked.len(), Relaxed);
            out.clear();
            for (_, moves) in asked {
                let share = |place: usize| match place {
                    0 => 0.0,
                    place if place + 1 == moves.len() => 0.75,
                    _ => 0.25 / (moves.len() - 2) as f32,
                };
                out.extend((0..moves.len()).map(share));
            }
        }
    }

    #[test]
    fn choices_are_favoured_and_a_position_is_asked_about_once() {
        let puzzle: DummyPuzzle = "(1 (2) 4)".parse().unwrap();
        let policy = Arc::new(Last::default());
        let kit = Taught { kit: PlainKit, policy: Some(policy.clone()) };
        let opinions = Arc::new(Opinions::new(1 << 20));
        let guide = |strength| Favoured { kit: kit.clone(), strength, opinions: opinions.clone() };
        let factors = |strength| {
            let mut choices = Vec::new();
            guide(strength).choices(&puzzle, &puzzle.start(), 0, &mut choices);
            choices.iter().map(|choice| choice.factor).collect::<Vec<_>>()
        };
        assert_eq!(factors(1.0), [1e-3, 0.25, 0.75]);
        assert_eq!(factors(2.0), [1e-6, 0.0625, 0.5625]);
        assert_eq!(factors(0.0), [1.0, 1.0, 1.0]);
        let (mut rng, weights, mut last) = (Rng::new(1), Weights::default(), 0);
        for _ in 0..1_000 {
            let mut trace = Trace::default();
            guide(1.0).steer(&puzzle, &puzzle.start(), &weights, &mut rng, &mut trace);
            last += u32::from(trace.score == Score(4));
            assert_eq!(trace.factors[..3], [1e-3, 0.25, 0.75], "adapting knows of it");
        }
        assert!((700..800).contains(&last), "{last}");
        assert_eq!(policy.0.load(Relaxed), 1, "where there is one move it is not asked");
    }
}
