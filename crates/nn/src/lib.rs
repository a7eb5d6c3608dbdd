//! Networks that guide searches.

mod config;
mod encoder;
mod file;
mod frame;
mod infer;
mod math;
mod network;
mod pack;
mod params;
mod samegame;
mod samples;
mod simd;
mod train;

pub use config::{Body, ConfigError, Heads, NetConfig};
pub use encoder::{Encoder, EncoderId, Input, NotAnEncoder, PuzzleEncoder};
pub use file::{FileError, Precision, TrainingRecord, Weights, WeightsError, WeightsHeader};
pub use infer::{Answers, Evaluator, FastEvaluator, PlainEvaluator};
pub use network::{Network, TensorSpec, TooSmall};
pub use params::Params;
pub use samegame::{Features, NoSuchSize, OtherSize, SameGameEncoder, Symmetry};
pub use samples::{Sample, SampleError, Samples, Scale};
pub use simd::Simd;
pub use train::{Epoch, Fit, Losses, TrainConfig, TrainError, Trainer, ValueLoss};
