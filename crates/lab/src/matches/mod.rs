//! Matches between agents, and what their results are evidence of.
//!
//! Two games from one opening with sides swapped are a pair, and the pair is what
//! is counted: one side of a game may have an advantage, and many agents
//! play the same game again and again. The referee owns rules and clock.

mod agent;
pub mod book;
pub mod check;
mod desk;
mod event;
mod meeting;
mod opening;
mod own;
mod page;
mod player;
mod points;
pub mod process;
mod program;
mod referee;
mod session;
mod standings;
mod tables;

pub use agent::{Agent, AgentKind, agents};
pub use desk::Desk;
pub use event::Event;
pub(crate) use meeting::signature;
pub use meeting::{Meeting, Met};
pub use opening::opening;
pub use own::AnyThinker;
pub use page::{About, write_report};
pub use player::Pace;
pub use referee::{End, GameRecord};
pub use session::{Response, Session};
pub use standings::Standings;
