//! Machines apart, such as a GPU, that evaluate networks.

use std::fmt::Debug;

use crate::infer::Answers;
use crate::network::Network;
use crate::params::Params;

/// Numbers that a machine reckons with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// Half precision; sums are in single precision.
    Half,
    /// Single precision.
    Single,
}

/// A machine that evaluates networks, until it is lost.
pub trait NetMachine: Debug + Send + Sync {
    /// An evaluator of a network with these weights; the error says why there is
    /// none.
    fn evaluator(
        &self,
        network: &Network,
        params: &Params,
        digits: Digits,
    ) -> Result<Box<dyn DistantEvaluator>, String>;

    /// Is told why its evaluators are not used any more.
    fn lose(&self, reason: &str);
}

/// An evaluator on a machine apart. What it says of a position depends on that
/// position only.
pub trait DistantEvaluator: Send {
    /// As [`crate::Evaluator::evaluate`]; after an error nothing more can be
    /// expected of it.
    fn evaluate(&mut self, positions: &[u8], out: &mut Answers) -> Result<(), String>;

    /// Another one of the same network for another thread; they share the weights.
    fn another(&self) -> Result<Box<dyn DistantEvaluator>, String>;
}
