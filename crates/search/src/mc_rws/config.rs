//! The parameters of MC-RWS.

use solitree_core::params::Range;
use solitree_core::{Puzzle, choice, params};

use crate::method::Request;

choice! {
    /// Which move is played.
    pub enum MoveBy {
        /// The one whose playouts were best on average.
        Average = "average",
        /// The one with the best playout.
        Maximum = "maximum",
    }
}

params! {
    /// Everything that can be set in MC-RWS.
    pub struct McRwsConfig {
        /// Playouts of every legal move before one is played.
        playouts ("move-playouts"): u64 = 100, Range::Count(1, 100_000_000);
        /// Whether the move with the best average is played or the one with the best playout.
        by ("move-by"): MoveBy = MoveBy::Average, Range::Choice(MoveBy::WORDS);
        /// Games to play; 0 for as many as the budget allows.
        runs ("runs"): u64 = 0, Range::Count(0, 1_000_000_000);
    }
}

impl McRwsConfig {
    /// Whether the first move can be played within the budget.
    pub(super) fn check<P: Puzzle>(
        &self,
        puzzle: &P,
        request: &Request<'_, P::Move>,
    ) -> Result<(), String> {
        let mut legal = Vec::new();
        puzzle.moves(&puzzle.start(), &mut legal);
        let needed = self.playouts.saturating_mul(legal.len() as u64);
        let limits = [request.budget.nodes, request.budget.playouts];
        let threads = request.threads.max(1) as u64;
        match limits.into_iter().flatten().map(|all| all / threads).min() {
            Some(given) if needed > given => Err(format!(
                "{} playouts of each of {} moves are {needed} for the first move, and the budget has room for {given} a thread: set fewer move-playouts or a larger budget",
                self.playouts,
                legal.len()
            )),
            _ => Ok(()),
        }
    }
}
