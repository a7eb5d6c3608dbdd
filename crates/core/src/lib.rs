//! The vocabulary of Solitree: what a puzzle and a game are, and the small
//! types every search shares.
//!
//! Nothing here does I/O, reads a clock or starts a thread. A domain implements
//! [`Puzzle`] (one player, a score to maximise) or [`Game`] (two players); a
//! search asks a [`Playout`] policy for batches of finished games, reports
//! [`Event`]s and stops when its [`Budget`] is spent.

mod budget;
pub mod check;
mod check_game;
mod check_plans;
mod dummy;
mod evaluator;
mod event;
mod foresight;
mod furnace;
mod game;
mod guide;
mod insight;
mod kit;
mod layers;
pub mod params;
mod plans;
mod playout;
mod policy;
mod puzzle;
mod repairs;
mod rng;
mod score;

pub use budget::{Budget, Counters, StopReason};
pub use dummy::{DummyPuzzle, DummyPuzzleError};
pub use evaluator::{Child, Evaluator};
pub use event::Event;
pub use foresight::{Foresight, Prospect};
pub use furnace::{Annealed, Cast, Cooling, Furnace};
pub use game::{Game, Manner, Outcome, Player, Sight};
pub use guide::{Choice, Favour, Guide, Step, Trace, Weights, drawn, slot};
pub use insight::{BeamInsight, Counted, Insight, Layer, PolicyLevel, TreeInsight, TriedMove};
pub use kit::{Kit, MarkOf, PlainKit};
pub use layers::{Layers, Plan, Stage};
pub use plans::{CodePlans, CodeSpot, Plans};
pub use playout::{Job, Playout, UniformPlayout};
pub use policy::{Asked, Policy, Taught, UniformPolicy};
pub use puzzle::{IllegalMove, Line, Puzzle, replay};
pub use repairs::{Effort, Repair, Repaired, Repairs};
pub use rng::{Rng, mix};
pub use score::Score;

/// Compiles and runs the examples of the book.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-puzzle.md")]
struct Book;
