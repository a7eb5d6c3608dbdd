//! The parameters of Policy-MCTS.

use solitree_core::params;
use solitree_core::params::Range;

use crate::parallel_mcts::{ParallelMctsConfig, PolicyUse, Value};
use crate::spmcts::{Control, FinalMove};

params! {
    /// Everything that can be set in Policy-MCTS.
    pub struct PolicyMctsConfig {
        /// The exploration constant c_puct.
        c ("c"): f64 = 5.0, Range::Real(0.0, 10_000.0);
        /// Whether playouts draw their moves from the policy, or are the game's.
        informed ("informed"): bool = false, Range::Flag;
        /// Leaves gathered before the policy is asked about all of them; 0 for what suits it.
        batch ("batch"): u64 = 0, Range::Count(0, 4096);
        /// The visit at which the policy is asked about a position, which then gets its moves.
        t ("t"): u64 = 1, Range::Count(1, 1_000_000);
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
        /// With control=move and simulations=0: simulations before a move at most, so that games follow one another; 0 for any number.
        longest ("longest"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// With control=move: whole games after which to stop; 0 for as many as the budget allows.
        games ("games"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Whether games are played by every variant of the domain's knowledge, the best ones most often.
        variants ("variants"): bool = false, Range::Flag;
    }
}

impl PolicyMctsConfig {
    /// The part that any search of the engine has.
    pub(super) fn engine(&self) -> ParallelMctsConfig {
        ParallelMctsConfig {
            batch: self.batch,
            virtual_loss: self.virtual_loss,
            c: self.c,
            value: self.value,
            top_weight: self.top_weight,
            control: self.control,
            simulations: self.simulations,
            game_length: self.game_length,
            longest: self.longest,
            variants: self.variants,
            t: self.t,
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
