//! Moves that a policy thinks little of are not looked at.

use solitree_core::{Policy, Puzzle};

use crate::opinions::{Found, Opinions};

/// Which moves of a position a policy leaves over.
pub(crate) struct Thinning {
    /// What the policy has said so far, for all threads and passes.
    opinions: Opinions,
    /// The likeliest moves that together have this probability are kept.
    cover: f64,
}

impl Thinning {
    /// Keeps moves up to a probability, and at most so many bytes of what the
    /// policy said.
    pub(crate) fn new(cover: f64, memory: u64) -> Thinning {
        Thinning { opinions: Opinions::new(memory), cover }
    }

    /// The moves of each position that are left, asked for in one batch; none at all
    /// where a game is over.
    pub(super) fn likely<P: Puzzle>(
        &self,
        puzzle: &P,
        policy: &dyn Policy<P>,
        states: impl Iterator<Item = P::State>,
    ) -> Vec<Vec<P::Move>> {
        let mut likely: Vec<Vec<P::Move>> = Vec::new();
        let (mut asked, mut places): (Vec<Found<P>>, Vec<usize>) = Default::default();
        for state in states {
            let mut moves = Vec::new();
            puzzle.moves(&state, &mut moves);
            // Where there is one move nothing is to be said.
            if moves.len() > 1 {
                places.push(likely.len());
                asked.push((state, moves.clone()));
            }
            likely.push(moves);
        }
        let priors = self.opinions.ask(puzzle, policy, &asked);
        for (place, priors) in places.into_iter().zip(&priors) {
            likely[place] = self.left(&likely[place], priors);
        }
        likely
    }

    /// The likeliest moves of a position, one at least; of equally likely ones the
    /// first.
    fn left<M: Copy>(&self, moves: &[M], priors: &[f32]) -> Vec<M> {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by(|&a, &b| priors[b].total_cmp(&priors[a]).then(a.cmp(&b)));
        let mut sum = 0.0;
        let mut left = Vec::new();
        for index in order {
            left.push(moves[index]);
            sum += f64::from(priors[index]);
            if sum >= self.cover {
                break;
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use solitree_core::{Asked, DummyPuzzle};

    use super::*;

    /// Likes later moves: 1, 2, 3 parts of 6.
    struct Later;

    impl Policy<DummyPuzzle> for Later {
        fn priors(&self, _: &DummyPuzzle, asked: &[Asked<'_, DummyPuzzle>], out: &mut Vec<f32>) {
            out.clear();
            for (_, moves) in asked {
                let total: usize = (1..=moves.len()).sum();
                out.extend((1..=moves.len()).map(|weight| weight as f32 / total as f32));
            }
        }
    }

    #[test]
    fn the_likeliest_are_left() {
        let puzzle: DummyPuzzle = "(1 (2) 4)".parse().unwrap();
        let (start, mut inner, mut over) = (puzzle.start(), puzzle.start(), puzzle.start());
        puzzle.play(&mut inner, 1);
        puzzle.play(&mut over, 0);
        for (cover, expected) in [
            (0.0, vec![2]),
            (0.5, vec![2]),
            (0.51, vec![2, 1]),
            (0.8, vec![2, 1]),
            (1.0, vec![2, 1, 0]),
        ] {
            let states = [start, inner, over, start];
            let likely = Thinning::new(cover, 1 << 20).likely(&puzzle, &Later, states.into_iter());
            assert_eq!(likely, [expected.clone(), vec![0], vec![], expected], "{cover}");
        }
    }
}
