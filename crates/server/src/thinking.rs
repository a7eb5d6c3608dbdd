//! ColorShapeLinks: what a client asks about a position, and an agent's answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use solitree_games::colorshapelinks::{Layout, Placement};
use solitree_lab::analysis::Position;
use solitree_lab::matches::{Agent, AgentKind, AnyThinker, Pace};
use solitree_search::thinker::{Candidate, Patience};
use solitree_search::uct::Proof;

use crate::config::Limits;
use crate::protocol::{Refusal, ThinkAsk, Thought, ThoughtMove};

const DEFAULT_AGENT: &str = "champion";
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// The most cells of a board.
const MOST_CELLS: u32 = 400;
/// The largest seed that a page can name without rounding.
const LARGEST_SEED: u64 = 1 << 53;

/// A position to think about.
#[derive(Debug)]
pub struct Think {
    agent: Agent,
    position: Position,
    playouts: Option<u64>,
    time: Duration,
    seed: u64,
    memory: u64,
}

/// What is asked, within the limits.
pub fn plan(ask: &ThinkAsk, limits: &Limits) -> Result<Think, Refusal> {
    let name = ask.agent.as_deref().unwrap_or(DEFAULT_AGENT);
    if name.trim_start().starts_with("cmd:") {
        return Err(Refusal::of("agent", "programs are not started from here"));
    }
    let agent: Agent = name.parse().map_err(|message: String| Refusal::of("agent", message))?;
    match &agent.kind {
        AgentKind::Program(_) => {
            return Err(Refusal::of("agent", "programs are not started from here"));
        }
        AgentKind::Uct(config) if config.threads > 1 => {
            return Err(Refusal::of("agent", "an agent has one thread here"));
        }
        AgentKind::Uct(_) | AgentKind::Random => {}
    }
    let layout = ask.layout.map_or_else(Layout::default, Layout::from);
    let layout = layout.check().map_err(|error| Refusal::of("layout", error.to_string()))?;
    if layout.rows * layout.cols > MOST_CELLS {
        return Err(Refusal::of("layout", format!("more than {MOST_CELLS} cells")));
    }
    let position =
        Position::after(layout, &ask.moves).map_err(|message| Refusal::of("moves", message))?;
    let longest = limits.search_time;
    let time = ask.time_ms.map(Duration::from_millis);
    if time.is_some_and(|time| time > longest) {
        return Err(Refusal::of("time_ms", format!("at most {} here", longest.as_millis())));
    }
    if ask.playouts == Some(0) || ask.time_ms == Some(0) {
        return Err(Refusal::of("playouts", "not a number above 0"));
    }
    let seed = ask.seed.unwrap_or(1);
    if seed > LARGEST_SEED {
        return Err(Refusal::of("seed", "not a whole number up to 2^53"));
    }
    let usual = if ask.playouts.is_some() { longest } else { DEFAULT_TIME.min(longest) };
    let time = time.unwrap_or(usual);
    let memory = limits.search_memory;
    Ok(Think { agent, position, playouts: ask.playouts, time, seed, memory })
}

impl Think {
    /// Thinks on this thread; an error says that there is a bug.
    pub fn run(&self, interrupt: &AtomicBool) -> Result<Thought, String> {
        let bug = |_| Err("the agent failed: this is a bug".to_owned());
        catch_unwind(AssertUnwindSafe(|| self.think(interrupt))).unwrap_or_else(bug)
    }

    fn think(&self, interrupt: &AtomicBool) -> Result<Thought, String> {
        let pace = Pace { playouts: self.playouts, memory: self.memory, ..Pace::default() };
        let layout = self.position.layout();
        let mut thinker = AnyThinker::new(&self.agent, layout, pace, self.seed)?.without_book();
        let until = Some(Instant::now() + self.time);
        let patience = Patience { playouts: self.playouts, until, stop: Some(interrupt) };
        let thought = thinker.think(self.position.history(), patience, &mut |_| {});
        let best = thought.best.ok_or("there is no move")?;
        let sights = self.position.sights()?;
        let seen = |candidate: &Candidate<Placement>| seen(candidate, &sights);
        let mut candidates: Vec<ThoughtMove> = thought.candidates.iter().map(seen).collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.visits));
        Ok(Thought {
            best: seen(&best),
            candidates,
            playouts: thought.playouts,
            deepest: thought.deepest,
        })
    }
}

/// A move with what two moves ahead say of it, where nothing is proven.
fn seen(candidate: &Candidate<Placement>, sights: &[(Placement, Proof)]) -> ThoughtMove {
    let Candidate { mv, visits, value, proof } = *candidate;
    let sight = sights.iter().find(|&&(other, _)| other == mv).map(|&(_, sight)| sight);
    let proof = match (proof, sight) {
        (Proof::Open, Some(sight)) => sight,
        _ => proof,
    };
    ThoughtMove { mv: mv.to_string(), visits, value, proof: proof.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ProofView;

    fn planned(text: &str) -> Result<Think, Refusal> {
        plan(&serde_json::from_str(text).unwrap(), &Limits::default())
    }

    #[test]
    fn an_agent_takes_a_win_and_says_that_it_is_one() {
        let ask = r#"{"moves":["0o","6s","0o","6s","0o","5s"],"playouts":2000}"#;
        let never = AtomicBool::new(false);
        let thought = planned(ask).unwrap().run(&never).unwrap();
        assert_eq!((thought.best.mv.as_str(), thought.best.proof), ("0o", ProofView::Won));
        let again = planned(ask).unwrap().run(&never).unwrap();
        assert_eq!(thought, again, "the same seed and playouts, the same thought");
    }

    #[test]
    fn mistakes_are_named_and_programs_are_not_started() {
        let said = |text: &str| {
            let refusal = planned(text).unwrap_err();
            format!("{}: {}", refusal.field, refusal.message)
        };
        for agent in ["cmd:/bin/true", " cmd:touch x", "cmd:"] {
            let text = serde_json::json!({"moves": [], "agent": agent}).to_string();
            assert_eq!(said(&text), "agent: programs are not started from here");
        }
        let greedy = r#"{"moves":[],"agent":"uct:champion,threads=64"}"#;
        assert_eq!(said(greedy), "agent: an agent has one thread here");
        assert!(said(r#"{"moves":[],"agent":"champoin"}"#).contains("did you mean 'champion'"));
        assert_eq!(said(r#"{"moves":["9o"]}"#), "moves: move 1 ('9o'): there is no such column");
        assert!(said(r#"{"moves":["x"]}"#).starts_with("moves: move 1 ('x'): 'x' is not a move"));
        let over = r#"{"moves":["0o","6s","0o","6s","0o","6s","0o"]}"#;
        assert_eq!(said(over), "moves: the game is over after them");
        assert!(said(r#"{"moves":[],"time_ms":99999999}"#).starts_with("time_ms: at most"));
        let huge =
            r#"{"moves":[],"layout":{"rows":100,"cols":100,"line":4,"rounds":9,"squares":9}}"#;
        assert_eq!(said(huge), "layout: more than 400 cells");
        assert!(said(r#"{"moves":[],"playouts":0}"#).starts_with("playouts"));
    }
}
