//! NRPA whose games a trained policy favours: Generalised NRPA with a learnt bias.
//!
//! It is [`crate::nrpa`]; what the domain lends as its policy
//! ([`solitree_core::Kit::policy`]) says of the moves of each position is
//! their bias: their weights are multiplied by it, while playing and while
//! adapting. What it said of a position is kept. A domain that lends no policy
//! gets NRPA as it is.
//!
//! # References
//! - T. Cazenave, "Generalized Nested Rollout Policy Adaptation", 2020.
//! - A. Seify, M. Buro, "Single-Agent Optimization Through Policy Iteration
//!   Using Monte-Carlo Tree Search", 2020: the policy.
//!
//! # Where we differ
//! The bias of the papers is a formula of the domain; here it is the logarithm of
//! a network's probability, times a factor.

mod config;
mod favoured;
mod method;

pub use config::PolicyNrpaConfig;
