//! Beam search with a trained network that says what is still to come.
//!
//! It is [`crate::beam`]; a position is worth its points so far and those that the
//! domain foresees ([`solitree_core::Kit::foresight`]); with `clear`, also so many points
//! times the chance that the board is cleared. The positions of a layer are collected,
//! each once, and asked about a batch at a time; what was said is kept for the next,
//! wider pass. A beam by values has no line before its games end, so that each position
//! that is kept is also played out (`samples`): these playouts count for nothing but
//! their lines. Where nothing is foreseen, positions are worth the domain's evaluation.
//!
//! # References
//! - That a learnt value takes the place of playouts is from D. Silver et al.,
//!   "Mastering the game of Go without human knowledge", Nature 550, 2017. The beam is
//!   our own.

mod config;
mod method;

pub use config::ValueBeamConfig;
