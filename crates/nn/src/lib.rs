//! Networks that guide searches: what they see, what they are, how they are
//! stored, asked and taught, on the CPU.
//!
//! - An [`Encoder`] turns positions into binary planes and moves into cells;
//!   [`SameGameEncoder`] does it for SameGame.
//! - A [`NetConfig`] is a network as a line of text, a [`Network`] its layers for
//!   a size of board, [`Params`] what it has learnt, and [`Weights`] that with all
//!   that is known of it, as a file.
//! - An [`Evaluator`] is asked about batches of positions: [`FastEvaluator`], and
//!   [`PlainEvaluator`], which is right at a glance.
//! - A [`NetMachine`] evaluates them elsewhere, and a [`Folded`] network is what it
//!   needs to know.
//! - A [`NetPolicy`] is a network as searches see it.
//! - A [`Trainer`] learns from [`Samples`].
//!
//! Inference and training are written by hand and not taken from a framework. Next
//! to `burn` 0.21.0 with its pure-Rust backend, on one core, the `tiny` network
//! evaluates 19 times as many boards a second (43 times in whole numbers), a training
//! step of it takes a seventeenth of the time, and one of a small residual network on
//! 7x7 boards a ninth; no dependency is added, and it is built in seconds. It is
//! also far less general. The figures are in `docs/learning.md`. GPUs are the matter of
//! `solitree-cuda`.

mod config;
mod encoder;
mod file;
mod frame;
mod gather;
mod infer;
mod machine;
mod math;
mod network;
mod pack;
mod params;
mod policy;
mod samegame;
mod samples;
mod simd;
mod train;

pub use config::{Body, ConfigError, Heads, NetConfig};
pub use encoder::{Encoder, EncoderId, Input, NotAnEncoder, PuzzleEncoder};
pub use file::{
    FileError, Precision, TrainingRecord, Weights, WeightsError, WeightsHeader, to_half,
};
pub use infer::{
    Answers, Convolution, Evaluator, FastEvaluator, Folded, Matrix, NumberHead, PlainEvaluator,
    PolicyHead,
};
pub use machine::{Digits, DistantEvaluator, NetMachine};
pub use network::{Network, TensorSpec, TooSmall};
pub use params::Params;
pub use policy::NetPolicy;
pub use samegame::{Features, NoSuchSize, OtherSize, SameGameEncoder, Symmetry};
pub use samples::{Sample, SampleError, Samples, Scale};
pub use simd::Simd;
pub use train::{Epoch, Fit, Losses, TrainConfig, TrainError, Trainer, ValueLoss};

/// Compiles and runs the examples of the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/learning.md")]
struct Book;
