//! Positions analysed on request: JSON objects in, JSON objects out, whoever carries
//! them.
//!
//! A [`Desk`] takes requests, a line each, and hands every answer to one function,
//! from whatever thread it comes. It searches up to so many positions at once, keeps
//! the others in order, and stops any of them when asked to. Nothing that comes in
//! is the end of it: what cannot be understood gets an answer that says why.
//!
//! `docs/engine.md` has the protocol.

mod desk;
mod fields;
mod game;
mod position;
mod puzzle;
mod request;

pub use desk::{Desk, Next};
pub use position::Position;

/// The version of the protocol: it goes up when an old request would be understood
/// otherwise, or an old answer would look otherwise.
pub const PROTOCOL: u32 = 1;

#[cfg(test)]
mod tests;
