//! What can be measured of a run.

use serde::{Deserialize, Serialize};

use solitree_core::Player;
use solitree_games::colorshapelinks::Layout;

use super::positions;
use super::record::Record;
use crate::Instance;

/// A figure of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The score.
    #[default]
    Score,
    /// 1 if the board was cleared, or else 0.
    Cleared,
    /// Moves of the best line.
    Length,
    /// Moves there were to choose from, on average over the best line.
    Branching,
    /// The mean depth of the nodes.
    Depth,
    /// The depth of the deepest node.
    Deepest,
    /// The decimal logarithm of the number of games: the choices to the power of
    /// the moves.
    TreeExponent,
    /// The decimal logarithm of the number of positions: in SameGame by the rule of
    /// Schadd et al., every column any pile of colours; in ColorShapeLinks all that
    /// the supplies of pieces allow.
    StateExponent,
    /// The same, in ColorShapeLinks, if every cell could hold anything.
    CellExponent,
    /// Playouts.
    Playouts,
    /// Nodes added to trees.
    Nodes,
    /// The points of a game in percent: 100 for a win, 50 for a draw.
    Points,
    /// 100 if White won, or else 0.
    WhiteWins,
    /// 100 if Red won, or else 0.
    RedWins,
    /// 100 if nobody won, or else 0.
    Drawn,
}

impl Measure {
    /// The figure of a run, in a game of two as this side sees it.
    #[must_use]
    pub fn of(self, record: &Record, side: Player) -> f64 {
        let part = |score: i64| if record.score == score { 100.0 } else { 0.0 };
        match self {
            Measure::Score => record.score as f64,
            Measure::Cleared => f64::from(u8::from(record.cleared == Some(true))),
            Measure::Length => record.moves.len() as f64,
            Measure::Branching => record.branching,
            Measure::Depth => record.average_depth,
            Measure::Deepest => record.deepest as f64,
            Measure::TreeExponent => record.moves.len() as f64 * record.branching.max(1.0).log10(),
            Measure::StateExponent if record.opponent.is_some() => {
                positions::state_exponent(Layout::default())
            }
            Measure::StateExponent => state_exponent(&record.instance).unwrap_or(f64::NAN),
            Measure::CellExponent => positions::cell_exponent(Layout::default()),
            Measure::Playouts => record.playouts as f64,
            Measure::Nodes => record.nodes as f64,
            Measure::Points if side == Player::First => 50.0 + 50.0 * record.score as f64,
            Measure::Points => 50.0 - 50.0 * record.score as f64,
            Measure::WhiteWins => part(1),
            Measure::RedWins => part(-1),
            Measure::Drawn => part(0),
        }
    }

    /// What tables call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Measure::Score => "score",
            Measure::Cleared => "boards cleared",
            Measure::Length => "moves of a game",
            Measure::Branching => "choices a move",
            Measure::Depth => "average depth",
            Measure::Deepest => "deepest node",
            Measure::TreeExponent => "games, as a power of ten",
            Measure::StateExponent => "positions, as a power of ten",
            Measure::CellExponent => "positions if cells were free, as a power of ten",
            Measure::Playouts => "playouts",
            Measure::Nodes => "nodes",
            Measure::Points => "points in % of the games",
            Measure::WhiteWins => "White's wins in % of the games",
            Measure::RedWins => "Red's wins in % of the games",
            Measure::Drawn => "draws in % of the games",
        }
    }

    /// Whether it is a part of the games, in percent.
    #[must_use]
    pub fn is_part(self) -> bool {
        matches!(self, Measure::Points | Measure::WhiteWins | Measure::RedWins | Measure::Drawn)
    }

    /// Whether a game of two has it.
    #[must_use]
    pub fn suits_matches(self) -> bool {
        use Measure::{Branching, CellExponent, Length, Playouts, StateExponent, TreeExponent};
        let others = [Branching, CellExponent, Length, Playouts, StateExponent, TreeExponent];
        self.is_part() || others.contains(&self)
    }

    /// Whether it depends on the instance alone.
    #[must_use]
    pub fn is_of_the_instance(self) -> bool {
        matches!(self, Measure::StateExponent | Measure::CellExponent)
    }

    /// Digits after the point that are worth printing.
    #[must_use]
    pub fn digits(self) -> usize {
        match self {
            Measure::Score | Measure::Playouts | Measure::Nodes => 0,
            Measure::Cleared => 2,
            _ => 1,
        }
    }
}

fn state_exponent(instance: &str) -> Option<f64> {
    let Instance::SameGame { board, .. } = Instance::named(instance, None).ok()? else {
        return None;
    };
    let colours = board.colours() as f64;
    let piles: f64 = (0..=board.height()).map(|height| colours.powi(height as i32)).sum();
    Some(board.width() as f64 * piles.log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schadd et al. (2012), section 2.2.
    #[test]
    fn the_standard_board_has_10_to_the_159_positions() {
        assert_eq!(state_exponent("std:1").unwrap().round(), 159.0);
        assert_eq!(state_exponent("leftmove:3"), None);
    }
}
