//! Positions of ColorShapeLinks and what agents think of them.

use serde::{Deserialize, Serialize};
use solitree_games::colorshapelinks::Layout;
use solitree_search::uct::Proof;

/// A position of ColorShapeLinks to think about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ThinkAsk {
    /// The moves so far, such as `3o`.
    pub moves: Vec<String>,
    /// Who thinks; `champion` unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub agent: Option<String>,
    /// Board, line and supplies; those of the competition unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub layout: Option<LayoutView>,
    /// Playouts, which make the answer repeatable.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub playouts: Option<u64>,
    /// Milliseconds; a second unless playouts are given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub time_ms: Option<u64>,
    /// The seed; 1 unless given.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub seed: Option<u64>,
}

/// The size of a game of ColorShapeLinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LayoutView {
    /// Rows of the board.
    pub rows: u32,
    /// Columns of the board.
    pub cols: u32,
    /// How many in a line win.
    pub line: u32,
    /// Round pieces of each player.
    pub rounds: u32,
    /// Square pieces of each player.
    pub squares: u32,
}

impl From<LayoutView> for Layout {
    fn from(view: LayoutView) -> Layout {
        let LayoutView { rows, cols, line, rounds, squares } = view;
        Layout { rows, cols, line, rounds, squares }
    }
}

impl From<Layout> for LayoutView {
    fn from(layout: Layout) -> LayoutView {
        let Layout { rows, cols, line, rounds, squares } = layout;
        LayoutView { rows, cols, line, rounds, squares }
    }
}

/// What an agent thinks of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Thought {
    /// The move it would play.
    pub best: ThoughtMove,
    /// Every move it thought about, the most visited first.
    pub candidates: Vec<ThoughtMove>,
    /// Playouts.
    pub playouts: u64,
    /// The longest line it looked at.
    pub deepest: usize,
}

/// A move that was thought about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ThoughtMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// How often it was tried.
    pub visits: u32,
    /// The part of its games that it won, draws as halves.
    pub value: f32,
    /// What is certain.
    pub proof: ProofView,
}

/// What is certain of a move, to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ProofView {
    /// Nothing.
    Open,
    /// It wins.
    Won,
    /// It loses.
    Lost,
    /// It draws.
    Drawn,
}

impl From<Proof> for ProofView {
    fn from(proof: Proof) -> ProofView {
        match proof {
            Proof::Open => ProofView::Open,
            Proof::Won => ProofView::Won,
            Proof::Lost => ProofView::Lost,
            Proof::Drawn => ProofView::Drawn,
        }
    }
}
