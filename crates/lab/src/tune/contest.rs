//! What a sample is worth when it is an agent: points against an opponent.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use solitree_core::params::{ParamInfo, Params};
use solitree_games::colorshapelinks::Layout;
use solitree_search::uct::UctConfig;

use crate::Failure;
use crate::matches::{Agent, AgentKind, Event, Pace};

/// Random moves at the beginning of a pair of games.
const PLIES: usize = 2;

/// The agent of a name with some parameters set.
pub(super) fn agent(name: &str, settings: &[String]) -> Result<Agent> {
    let text = std::iter::once(name).chain(settings.iter().map(String::as_str));
    text.collect::<Vec<_>>().join(",").parse().map_err(Failure::usage)
}

/// The parameters of an agent, if it has any.
pub fn agent_parameters(name: &str) -> Result<Vec<ParamInfo>> {
    match name.parse::<Agent>().map_err(Failure::usage)?.kind {
        AgentKind::Uct(_) => Ok(UctConfig::table()),
        AgentKind::Random | AgentKind::Program(_) => {
            Err(Failure::usage(format!("{name}: nothing to tune")))
        }
    }
}

/// Thousandths of the points that an agent wins in a pair of games, sides swapped.
pub(super) fn pair(agent: &Agent, opponent: &Agent, playouts: u64, seed: u64) -> Result<i64> {
    let named = |agent: &Agent, name: &str| Agent { name: name.to_owned(), ..agent.clone() };
    let event = Event {
        agents: vec![named(agent, TUNED), named(opponent, "opponent")],
        gauntlet: false,
        pairs: 1,
        plies: PLIES,
        layout: Layout::default(),
        pace: Pace { playouts: Some(playouts), ..Pace::default() },
        margin: Duration::ZERO,
        seed,
        concurrency: 1,
    };
    let mut score = 0;
    // Half a pair would be worth nothing.
    let never = AtomicBool::new(false);
    event.run(None, "", &never, &mut |game| {
        let winner = match game.result.as_str() {
            "W" => Some(&game.white),
            "R" => Some(&game.red),
            _ => None,
        };
        score += winner.map_or(250, |winner| if winner == TUNED { 500 } else { 0 });
        true
    })?;
    Ok(score)
}

/// What the agent is called that is tuned.
const TUNED: &str = "tuned";
