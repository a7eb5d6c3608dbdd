//! What can be measured of a run.

use serde::{Deserialize, Serialize};

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
    /// The decimal logarithm of the number of positions, by the rule of Schadd et
    /// al.: every column any pile of colours.
    StateExponent,
    /// Playouts.
    Playouts,
}

impl Measure {
    /// The figure of a run.
    #[must_use]
    pub fn of(self, record: &Record) -> f64 {
        match self {
            Measure::Score => record.score as f64,
            Measure::Cleared => f64::from(u8::from(record.cleared == Some(true))),
            Measure::Length => record.moves.len() as f64,
            Measure::Branching => record.branching,
            Measure::Depth => record.average_depth,
            Measure::Deepest => record.deepest as f64,
            Measure::TreeExponent => record.moves.len() as f64 * record.branching.max(1.0).log10(),
            Measure::StateExponent => state_exponent(&record.instance).unwrap_or(f64::NAN),
            Measure::Playouts => record.playouts as f64,
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
            Measure::Playouts => "playouts",
        }
    }

    /// Digits after the point that are worth printing.
    #[must_use]
    pub fn digits(self) -> usize {
        match self {
            Measure::Score | Measure::Playouts => 0,
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
