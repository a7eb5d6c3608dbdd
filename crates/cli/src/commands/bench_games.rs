//! The part of the bench signature that is of games for two players: what fixed
//! searches think of every move, with budgets in playouts, and where a tree goes on
//! after two moves.

use anyhow::Result;
use solitree_games::colorshapelinks::{Layout, Placement};
use solitree_lab::Failure;
use solitree_lab::matches::{Agent, AnyThinker, Pace};
use solitree_search::thinker::{Patience, Thought};

const BASE: Layout = Layout::BASE;
const SMALL: Layout = Layout { rows: 4, cols: 5, line: 3, rounds: 5, squares: 4 };
/// More cells than a word has bits.
const LARGE: Layout = Layout { rows: 8, cols: 13, line: 5, rounds: 26, squares: 27 };

/// Board, agent, moves so far, playouts.
type Fixed = (Layout, &'static str, &'static str, u64);

const FIXED: &[Fixed] = &[
    (BASE, "uct", "", 20_000),
    (BASE, "uct:combined,c=1", "3o 3s", 5_000),
    (BASE, "uct:decisive,transpositions=true", "3s", 5_000),
    (SMALL, "uct,solver=true,playout=careful,first-play=0.9", "", 5_000),
    (LARGE, "uct:champion", "6o 6s", 1_000),
    (BASE, "champion", "", 20_000),
    (BASE, "champion,grave=200,prior=0,endgame=12", "3o 3s 2o 2s 4o 1s 4s", 5_000),
    (BASE, "champion,threads=2", "3o 2s", 6_000),
];

/// Absorbs everything that the fixed searches found.
pub fn absorb_games(absorb: &mut impl FnMut(u64)) -> Result<()> {
    for &(layout, agent, moves, playouts) in FIXED {
        let agent: Agent = agent.parse().map_err(Failure::usage)?;
        let moves: Result<Vec<Placement>, String> =
            moves.split_whitespace().map(str::parse).collect();
        let mut history = moves.map_err(Failure::usage)?;
        let thinker =
            AnyThinker::new(&agent, layout, Pace::default(), 1).map_err(Failure::usage)?;
        let mut thinker = thinker.without_book();
        for _ in 0..2 {
            let patience = Patience { playouts: Some(playouts), until: None, stop: None };
            let thought = thinker.think(&history, patience, &mut |_| {});
            absorb_thought(&thought, absorb);
            let best = thought.best.map(|best| best.mv);
            let line = thought.lines.iter().find(|line| line.first().copied() == best);
            history.extend(line.into_iter().flatten().take(2));
        }
    }
    Ok(())
}

fn absorb_thought(thought: &Thought<Placement>, absorb: &mut impl FnMut(u64)) {
    absorb(thought.playouts);
    absorb(thought.deepest as u64);
    for candidate in &thought.candidates {
        candidate.mv.to_string().bytes().for_each(|byte| absorb(u64::from(byte)));
        absorb(u64::from(candidate.visits));
        absorb(u64::from(candidate.value.to_bits()));
        absorb(candidate.proof as u64);
    }
    for mv in thought.lines.iter().flatten() {
        mv.to_string().bytes().for_each(|byte| absorb(u64::from(byte)));
    }
}
