//! The Monte-Carlo beam with a trained policy that says which moves to look at.
//!
//! It is [`crate::beam`] by playouts; of the moves of each position only the likeliest
//! by what the domain lends as its policy ([`solitree_core::Kit::policy`]) are played
//! out, as many as together have some probability. A beam has nearly all its work in
//! the playouts of its layers, so that fewer moves are a wider beam. A domain that
//! lends no policy gets the plain beam.
//!
//! # References
//! - That a policy narrows a search is from D. Silver et al., "Mastering the game of Go
//!   with deep neural networks and tree search", Nature 529, 2016. The beam is our own.

mod config;
mod method;

pub use config::PolicyBeamConfig;
