//! What is thought of the rest of games before they are played.

use crate::Puzzle;

/// What is still to come from a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// The points that the rest of the game will bring, what its end adds included.
    pub points: f32,
    /// The chance that everything is cleared in the end; 0 where
    /// [nothing is known of that](Foresight::tells_clearing).
    pub clears: f32,
}

/// A trained network, or anything else that knows what games still bring.
///
/// Searches ask in batches. What is said of a position depends on that position
/// only, never on its companions in the batch, the points that led to it or what was
/// asked before.
pub trait Foresight<P: Puzzle>: Send + Sync {
    /// Replaces the contents of `out` by what is to come from each position. No game
    /// is over.
    fn prospects(&self, puzzle: &P, states: &[&P::State], out: &mut Vec<Prospect>);

    /// Whether the chance of clearing everything is known.
    fn tells_clearing(&self) -> bool {
        false
    }

    /// The batch size from which nothing more is gained.
    fn preferred_batch(&self) -> usize {
        1
    }
}
