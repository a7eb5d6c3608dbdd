//! Policy-MCTS: Monte-Carlo Tree Search that a trained policy guides.
//!
//! It is [`crate::parallel_mcts`] with the priors of PUCT from the policy that
//! the domain lends ([`solitree_core::Kit::policy`]): a new position is asked
//! about, its most likely move is tried first, and the playout that follows is
//! the domain's or draws its moves from the policy too. Leaves are gathered and
//! asked about in one batch. A domain that lends no policy gets the same search
//! with all moves alike.
//!
//! # References
//! - A. Seify, M. Buro, "Single-Agent Optimization Through Policy Iteration
//!   Using Monte-Carlo Tree Search", 2020.
//!
//! # Where we differ
//! What the policy said is kept by position, which the paper names as an
//! improvement to come. Of several visits of a batch to a leaf, the first
//! gives it its moves and the others choose among them; the paper's threads
//! wait. The policy may be asked about a position at a later visit than its
//! first, which on a processor is what makes it pay. What else differs is said in [`crate::parallel_mcts`].

mod config;
mod method;

pub use config::PolicyMctsConfig;
