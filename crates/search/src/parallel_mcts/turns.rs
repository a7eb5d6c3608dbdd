//! By which of the domain's kits the next game is played.
//!
//! Every kit has a game. After that the one whose games came to most is likeliest,
//! then the next best, and so on.

use serde::{Deserialize, Serialize};
use solitree_core::{Rng, Score};

/// How likely the best kit is, beside the next best, and so on.
const FAVOUR: f64 = 0.6;

/// Whose turn it is, and what the games of each kit have come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    /// The best score of each kit that has had a game.
    best: Vec<Option<Score>>,
    turn: usize,
    rng: Rng,
}

impl Turns {
    /// No game has been played yet by so many kits, of which there is one at least.
    pub(super) fn new(kits: usize, rng: Rng) -> Turns {
        Turns { best: vec![None; kits.max(1)], turn: 0, rng }
    }

    /// How many kits there are.
    pub(super) fn kits(&self) -> usize {
        self.best.len()
    }

    /// The kit of the game that is being played.
    pub(super) fn kit(&self) -> usize {
        self.turn
    }

    /// Takes note of what the game has come to, and gives the next to another kit or the same.
    pub(super) fn next(&mut self, score: Score) {
        let best = &mut self.best[self.turn];
        *best = (*best).max(Some(score));
        self.turn = match self.best.iter().position(Option::is_none) {
            Some(untried) => untried,
            None => self.favoured(),
        };
    }

    fn favoured(&mut self) -> usize {
        let mut order: Vec<usize> = (0..self.best.len()).collect();
        order.sort_by_key(|&kit| std::cmp::Reverse(self.best[kit]));
        let last = order.len() - 1;
        let place = (0..last).find(|_| self.rng.unit() < FAVOUR).unwrap_or(last);
        order[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_has_a_game_and_the_best_most() {
        let mut turns = Turns::new(4, Rng::new(1));
        let mut games = [0; 4];
        for _ in 0..1_000 {
            let kit = turns.kit();
            games[kit] += 1;
            if games.iter().sum::<u64>() <= 4 {
                assert_eq!(games[kit], 1, "{games:?}");
            }
            // The third is the best, then the first.
            turns.next(Score([50, 10, 90, 20][kit]));
        }
        let [second, worst, best, third] = games;
        assert!(best > second && second > third && third > worst && worst > 1, "{games:?}");
    }
}
