//! What is thought of moves before they are tried: their priors, and the order
//! in which they become available.
//!
//! This is the place for a network: whatever fills the priors of a new
//! position from its state is as good as another, and nothing else of the
//! search knows where they come from.

use solitree_core::{Evaluator, Guide, Kit, Puzzle, Rng};

use super::config::{Growth, Order, ParallelMctsConfig, PriorSource};

/// The factor of a move that the guide would not choose, beside its least.
const UNGUIDED: f32 = 0.1;

/// The moves of a position as they enter the tree.
#[derive(Clone, Debug)]
pub(super) struct Moves<M> {
    /// In the order in which they become available.
    pub(super) moves: Vec<M>,
    /// The prior of each; empty if all are alike.
    pub(super) priors: Vec<f32>,
}

impl<M> Default for Moves<M> {
    fn default() -> Self {
        Moves { moves: Vec::new(), priors: Vec::new() }
    }
}

/// Finds the moves of a position, their order and their priors. They are empty
/// if and only if the game is over.
pub(super) fn moves_of<P: Puzzle, K: Kit<P>>(
    (puzzle, kit): (&P, &K),
    config: &ParallelMctsConfig,
    (state, played): (&P::State, usize),
    rng: &mut Rng,
    out: &mut Moves<P::Move>,
) {
    puzzle.moves(state, &mut out.moves);
    out.priors.clear();
    // At random, so that no move is favoured by its place.
    rng.shuffle(&mut out.moves);
    if out.moves.is_empty() {
        return;
    }
    if config.growth != Growth::All {
        let worth = match config.order {
            Order::Evaluator => values(puzzle, kit, state, &out.moves),
            Order::Guide => factors(puzzle, kit, state, played, &out.moves),
        };
        let mut order: Vec<usize> = (0..out.moves.len()).collect();
        order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]));
        out.moves = order.into_iter().map(|index| out.moves[index]).collect();
    }
    match config.prior {
        PriorSource::Uniform => return,
        PriorSource::Guide => out.priors = factors(puzzle, kit, state, played, &out.moves),
        PriorSource::Evaluator => {
            out.priors = values(puzzle, kit, state, &out.moves);
            softmax(&mut out.priors, config.temperature);
        }
    }
    let total: f32 = out.priors.iter().sum();
    out.priors.iter_mut().for_each(|prior| *prior /= total);
}

/// The evaluator's value of each move.
fn values<P: Puzzle>(
    puzzle: &P,
    evaluator: &impl Evaluator<P>,
    state: &P::State,
    moves: &[P::Move],
) -> Vec<f32> {
    let mut children = Vec::with_capacity(moves.len());
    evaluator.children(puzzle, state, &mut children);
    let value = |&mv: &P::Move| {
        children.iter().find(|child| child.mv == mv).map_or(0.0, |child| child.value)
    };
    moves.iter().map(value).collect()
}

/// The guide's factor of each move.
fn factors<P: Puzzle>(
    puzzle: &P,
    guide: &impl Guide<P>,
    state: &P::State,
    played: usize,
    moves: &[P::Move],
) -> Vec<f32> {
    let mut choices = Vec::with_capacity(moves.len());
    guide.choices(puzzle, state, played, &mut choices);
    let least = choices.iter().map(|choice| choice.factor).fold(f32::INFINITY, f32::min);
    let rest = if least.is_finite() { UNGUIDED * least } else { 1.0 };
    let factor = |&mv: &P::Move| {
        choices.iter().find(|choice| choice.mv == mv).map_or(rest, |choice| choice.factor)
    };
    moves.iter().map(factor).collect()
}

/// e to the power of each value, scaled to [0, 1], over the temperature.
fn softmax(values: &mut [f32], temperature: f64) {
    let low = values.iter().copied().fold(f32::INFINITY, f32::min);
    let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let width = f64::from(if high > low { high - low } else { 1.0 });
    for value in values {
        let scaled = f64::from(*value - high) / width;
        *value = libm::exp(scaled / temperature) as f32;
    }
}

#[cfg(test)]
mod tests {
    use solitree_core::{DummyPuzzle, PlainKit};

    use super::*;

    fn priors(prior: PriorSource) -> Moves<u16> {
        let puzzle: DummyPuzzle = "(3 1 2)".parse().unwrap();
        let config =
            ParallelMctsConfig { prior, growth: Growth::Widening, ..ParallelMctsConfig::default() };
        let mut out = Moves::default();
        let state = puzzle.start();
        moves_of((&puzzle, &PlainKit), &config, (&state, 0), &mut Rng::new(1), &mut out);
        out
    }

    #[test]
    fn better_moves_come_first_and_have_higher_priors() {
        let found = priors(PriorSource::Evaluator);
        assert_eq!(found.moves, [0, 2, 1]);
        assert!(found.priors.is_sorted_by(|a, b| a > b), "{:?}", found.priors);
        assert!((found.priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn without_knowledge_all_are_alike() {
        assert!(priors(PriorSource::Uniform).priors.is_empty());
        assert_eq!(priors(PriorSource::Guide).priors, [1.0 / 3.0; 3]);
    }
}
