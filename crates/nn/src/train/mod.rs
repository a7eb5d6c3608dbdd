//! Teaching a network on the CPU.

mod adam;
mod batch;
mod loss;
mod norm;
mod pass;
mod slopes;
mod trainer;

#[cfg(test)]
mod gradients;

pub use loss::Losses;
pub use trainer::{Epoch, Fit, TrainError, Trainer};

use crate::samples::Scale;

/// How a network is taught. The default is what the paper says, where it says
/// anything.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Draws the first weights, the order of samples and their twins.
    pub seed: u64,
    /// Samples a step.
    pub batch: usize,
    /// How far a step goes.
    pub learning_rate: f32,
    /// How much of itself each weight loses a step, times the learning rate.
    pub weight_decay: f32,
    /// The longest all slopes together may be.
    pub clip: Option<f32>,
    /// The most times all samples are gone through.
    pub epochs: usize,
    /// Stops after so many epochs without a better loss on the samples kept for
    /// validation.
    pub patience: usize,
    /// How often it goes on instead, from the best weights with steps a quarter as
    /// long.
    pub cuts: usize,
    /// Whether each sample is replaced by one of its twins at random each time.
    pub twins: bool,
    /// How a wrong value counts.
    pub value_loss: ValueLoss,
    /// How much the value counts beside the policy.
    pub value_weight: f32,
    /// How much clearing the board counts beside the policy.
    pub clear_weight: f32,
    /// How points are scaled for the value.
    pub scale: Scale,
    /// Threads to use; the result does not depend on it.
    pub threads: usize,
}

/// How a wrong value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueLoss {
    /// By the square of the error.
    Squared,
    /// By the square up to 1, in proportion beyond (twice Huber's function).
    Huber,
}

impl Default for TrainConfig {
    fn default() -> TrainConfig {
        TrainConfig {
            seed: 1,
            batch: 256,
            learning_rate: 5e-4,
            weight_decay: 0.0,
            clip: None,
            epochs: 100,
            patience: 3,
            cuts: 0,
            twins: true,
            value_loss: ValueLoss::Huber,
            value_weight: 1.0,
            clear_weight: 1.0,
            scale: Scale::default(),
            threads: 1,
        }
    }
}
