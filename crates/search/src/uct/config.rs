//! The parameters of UCT for two players, and its named settings.

use solitree_core::params::{Params, Range};
use solitree_core::{Manner, choice, params};

use crate::method::{Algorithm, Preset};

choice! {
    /// How a playout chooses its moves.
    pub enum PlayoutManner {
        /// All alike.
        Random = "random",
        /// A move that wins at once, if there is one.
        Decisive = "decisive",
        /// The same, and no move that lets the opponent win at once.
        Careful = "careful",
    }
}

impl PlayoutManner {
    pub(super) fn manner(self) -> Manner {
        match self {
            PlayoutManner::Random => Manner::Random,
            PlayoutManner::Decisive => Manner::Decisive,
            PlayoutManner::Careful => Manner::Careful,
        }
    }
}

params! {
    /// Everything that can be set in UCT.
    pub struct UctConfig {
        /// Exploration constant C.
        c ("c"): f64 = 0.24, Range::Real(0.0, 100.0);
        /// How a playout chooses its moves.
        playout ("playout"): PlayoutManner = PlayoutManner::Random, Range::Choice(PlayoutManner::WORDS);
        /// Sufficiency threshold: where a move wins a larger part of its games, nothing else is explored; 1 for never.
        alpha ("alpha"): f64 = 1.0, Range::Real(0.0, 1.0);
        /// Move reduction: a player's first moves that are of his own shape only.
        reduce ("reduce"): u64 = 0, Range::Count(0, 1_000);
        /// Whether positions that are won or lost for certain are known as such.
        solver ("solver"): bool = false, Range::Flag;
        /// Whether a new position is looked at two moves ahead: wins are taken, and moves that lose left out.
        tactics ("tactics"): bool = false, Range::Flag;
        /// Moves left in the game, at most, for a new position to be solved exactly; 0 for never.
        endgame ("endgame"): u64 = 0, Range::Count(0, 100);
        /// Games that a new move begins with, won as the game's own impression says; 0 for none.
        prior ("prior"): u64 = 0, Range::Count(0, 60);
        /// GRAVE: visits from which on new moves below a position go by all games through it that they were played in; 0 for never.
        grave ("grave"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Games that a new move begins with by them, beside those of the impression.
        grave_games ("grave-games"): u64 = 24, Range::Count(0, 60);
        /// What a move that was never tried looks like; 10 for better than any other.
        first_play ("first-play"): f64 = 10.0, Range::Real(0.0, 10.0);
        /// Whether a position that several lines lead to is one in the tree.
        transpositions ("transpositions"): bool = false, Range::Flag;
        /// Whether what was found for one move is kept for the next.
        reuse ("reuse"): bool = true, Range::Flag;
        /// Whether the first moves are looked up, in a game that has a book.
        book ("book"): bool = false, Range::Flag;
        /// Trees that grow side by side, in a thread each, and vote.
        threads ("threads"): u64 = 1, Range::Count(1, 256);
    }
}

impl UctConfig {
    /// Games that a new move begins with.
    #[inline(always)]
    pub(super) fn imagined(&self) -> u64 {
        self.prior + if self.grave > 0 { self.grave_games } else { 0 }
    }
}

/// UCT for games of two players, as the command line and documents name it.
pub const UCT: Algorithm = Algorithm {
    name: "uct",
    about: "UCT for games of two players, with the thesis's variants and proven wins and losses",
    paper: "Kocsis and Szepesvári (2006), ECML; Oppenhuis (2022), Leiden; Winands et al. (2008), CG",
    presets: &[
        Preset { name: "default", about: "as listed below: the thesis's baseline", values: &[] },
        Preset {
            name: "decisive",
            about: "playouts win where they can: section 5.2",
            values: &[("playout", "decisive")],
        },
        Preset {
            name: "sufficiency",
            about: "with a sufficiency threshold: section 5.3",
            values: &[("alpha", "0.75")],
        },
        Preset {
            name: "reduction",
            about: "one's own shape only in the first moves: section 5.4",
            values: &[("reduce", "4")],
        },
        Preset {
            name: "combined",
            about: "threshold and reduction: section 7.5",
            values: &[("alpha", "0.75"), ("reduce", "5")],
        },
        Preset {
            name: "champion",
            about: "the strongest setting we know",
            values: &[
                ("c", "0.35"),
                ("solver", "true"),
                ("tactics", "true"),
                ("endgame", "10"),
                ("prior", "6"),
                ("grave", "1000"),
                ("book", "true"),
            ],
        },
    ],
    parameters: UctConfig::table,
    uses: &[],
};
