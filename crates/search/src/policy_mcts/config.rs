//! The parameters of Policy-MCTS.

use solitree_core::params::Range;
use solitree_core::{Job, Playout, Puzzle, params};

use crate::parallel_mcts::{ParallelMctsConfig, PolicyUse, Value};
use crate::spmcts::{Control, FinalMove};

params! {
    /// Everything that can be set in Policy-MCTS.
    pub struct PolicyMctsConfig {
        /// The exploration constant c_puct; 0 for what suits the length of games, little where they are long.
        c ("c"): f64 = 5.0, Range::Real(0.0, 10_000.0);
        /// Whether playouts draw their moves from the policy, or are the game's.
        informed ("informed"): bool = false, Range::Flag;
        /// Leaves gathered before the policy is asked about all of them; 0 for what suits it.
        batch ("batch"): u64 = 0, Range::Count(0, 4096);
        /// Virtual loss of each visit under way, as a share of the value: w.
        virtual_loss ("virtual-loss"): f64 = 0.01, Range::Real(0.0, 10.0);
        /// Whether a move is worth the average or the best of its playouts.
        value ("value"): Value = Value::Mean, Range::Choice(Value::WORDS);
        /// With value=mix: the weight of the best.
        top_weight ("top-weight"): f64 = 0.5, Range::Real(0.0, 1.0);
        /// How much of the priors at the root is noise.
        noise ("noise"): f64 = 0.0, Range::Real(0.0, 1.0);
        /// With noise: alpha of its Dirichlet distribution; little alpha, few moves.
        noise_alpha ("noise-alpha"): f64 = 0.25, Range::Real(0.001, 1_000.0);
        /// Whether the budget is spent at the start of the game or move by move.
        control ("control"): Control = Control::Game, Range::Choice(Control::WORDS);
        /// With control=move: simulations before each move; 0 for an equal share of the budget.
        simulations ("simulations"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// With control=move and simulations=0: the expected length of a game.
        game_length ("game-length"): f64 = 64.4, Range::Real(1.0, 1e6);
        /// With control=move: which move is played.
        final_move ("final-move"): FinalMove = FinalMove::TopScore, Range::Choice(FinalMove::WORDS);
        /// With control=move: whole games after which to stop; 0 for as many as the budget allows.
        games ("games"): u64 = 0, Range::Count(0, 1_000_000_000);
    }
}

/// The games whose length is measured for c=0.
const MEASURED: u64 = 9;

impl PolicyMctsConfig {
    /// The part that any search of the engine has, on this puzzle.
    pub(super) fn engine<P: Puzzle>(
        &self,
        puzzle: &P,
        playout: &impl Playout<P>,
    ) -> ParallelMctsConfig {
        let c = if self.c > 0.0 { self.c } else { suits(median_length(puzzle, playout)) };
        ParallelMctsConfig {
            batch: self.batch,
            virtual_loss: self.virtual_loss,
            c,
            value: self.value,
            top_weight: self.top_weight,
            control: self.control,
            simulations: self.simulations,
            game_length: self.game_length,
            final_move: self.final_move,
            ..ParallelMctsConfig::default()
        }
    }

    /// The part of the policy.
    pub(super) fn usage(&self) -> PolicyUse {
        let noise = (self.noise, self.noise_alpha);
        PolicyUse { informed: self.informed, noise, games: self.games }
    }

    /// Refuses settings that cannot go together.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.games > 0 && self.control == Control::Game {
            return Err("with control=game no game is played move by move: take control=move, or \
                        games=0"
                .to_owned());
        }
        Ok(())
    }
}

/// The c_puct for games of so many moves. 5 did best of what was tried on 10x10 boards of
/// SameGame, with some 30 moves, and 0.5 on 15x15, with some 65; the paper's constants for
/// training fall with the size too: 30, 4 and 2.
fn suits(length: usize) -> f64 {
    let ratio = 30.0 / length.max(1) as f64;
    (5.0 * ratio * ratio * ratio).clamp(0.3, 30.0)
}

/// How long games at random are, by the same few games every time.
fn median_length<P: Puzzle>(puzzle: &P, playout: &impl Playout<P>) -> usize {
    let mut jobs: Vec<_> = (0..MEASURED).map(|seed| Job::new(puzzle.start(), seed)).collect();
    playout.run(puzzle, &mut jobs);
    jobs.sort_by_key(|job| job.moves.len());
    jobs[jobs.len() / 2].moves.len()
}

#[cfg(test)]
mod tests {
    use solitree_core::{DummyPuzzle, PlainKit};

    use super::*;

    #[test]
    fn longer_games_are_explored_less() {
        assert_eq!([30, 60, 15, 1, 1000].map(suits), [5.0, 0.625, 30.0, 30.0, 0.3]);
        let puzzle: DummyPuzzle = "((1 2)(3 4)(5 6))".parse().unwrap();
        assert_eq!(median_length(&puzzle, &PlainKit), 2);
        let c = |c| PolicyMctsConfig { c, ..Default::default() }.engine(&puzzle, &PlainKit).c;
        assert_eq!([c(0.0), c(0.01)], [30.0, 0.01]);
    }
}
