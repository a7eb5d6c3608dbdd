//! Asking a network about positions.

mod fast;
mod folded;
mod layout;
mod plain;
mod plan;

pub use fast::FastEvaluator;
pub use folded::{Convolution, Folded, Matrix, NumberHead, PolicyHead};
pub(crate) use layout::{flatten, set_marks, unflatten};
pub(crate) use plain::EPSILON;
pub use plain::PlainEvaluator;
#[cfg(test)]
pub(crate) use plain::{Norms, forward};

use crate::encoder::Input;
use crate::math::{sigmoid, softmax};

/// A network, or something like one, that is asked about batches of positions.
///
/// It may keep working memory, hence `&mut self`; clones share the weights, so
/// that each thread has its own at little cost.
pub trait Evaluator: Send {
    /// What a position looks like.
    fn input(&self) -> Input;

    /// Replaces the contents of `out` by the answers for a batch of encoded
    /// positions, [`Input::bytes`] each, one after another. They must be whole
    /// and from an encoder with this input.
    fn evaluate(&mut self, positions: &[u8], out: &mut Answers);
}

/// What a network says of a batch of positions. What it has no head for is
/// empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// A logit for every cell of every position.
    pub policy: Vec<f32>,
    /// What the rest of the game will bring, on the scale the network was
    /// trained with.
    pub value: Vec<f32>,
    /// The logit of clearing the board.
    pub clear: Vec<f32>,
}

impl Answers {
    /// Replaces the contents of `out` by the probability of each legal move of
    /// the position numbered `index`, in the order of `legal`.
    pub fn priors(&self, index: usize, cells: usize, legal: &[u16], out: &mut Vec<f32>) {
        let logits = &self.policy[index * cells..][..cells];
        out.clear();
        out.extend(legal.iter().map(|&cell| logits[usize::from(cell)]));
        softmax(out);
    }

    /// The probability that the board of the position numbered `index` is
    /// cleared, if the network says.
    #[must_use]
    pub fn clears(&self, index: usize) -> Option<f32> {
        self.clear.get(index).copied().map(sigmoid)
    }
}
