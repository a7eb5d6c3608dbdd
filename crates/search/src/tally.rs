//! What a search has done below each first move: a window into those that keep no tree.
//!
//! A [`Meter`](crate::Meter) has a tally only while somebody watches, and nothing that a
//! search decides depends on it. It is saved with the search, and goes on with it if
//! somebody still watches.

use solitree_core::{Counted, Score, TreeInsight, TriedMove};

/// Counts by first move and by depth.
#[derive(Clone, Debug)]
pub(crate) struct Tally<M> {
    counted: Counted,
    prefix: Vec<M>,
    moves: Vec<TriedMove<M>>,
    depths: Vec<u64>,
    /// The place of the move counted last: the next is most often the same.
    last: usize,
}

impl<M> Default for Tally<M> {
    fn default() -> Self {
        Tally {
            counted: Counted::Playouts,
            prefix: Vec::new(),
            moves: Vec::new(),
            depths: Vec::new(),
            last: 0,
        }
    }
}

/// Goes on with what was counted.
impl<M> From<TreeInsight<M>> for Tally<M> {
    fn from(counted: TreeInsight<M>) -> Self {
        let TreeInsight { counted, prefix, moves, depths } = counted;
        Tally { counted, prefix, moves, depths, last: 0 }
    }
}

impl<M: Copy + Eq> Tally<M> {
    /// A game whose first move is known, finished from a position at a depth.
    pub(crate) fn playout(&mut self, first: M, depth: usize, score: Score) {
        self.counted = Counted::Playouts;
        self.deep(depth);
        self.tried(first, score);
    }

    /// An expanded position, after a game that was played so far: the move that leads
    /// towards it, its depth and its points; none for the position of the game itself.
    /// A game only ever grows, and what was counted before a move of it is forgotten.
    pub(crate) fn expanded(&mut self, played: &[M], place: Option<(M, usize, Score)>) {
        if self.prefix.len() != played.len() {
            *self = Tally { prefix: played.to_vec(), ..Tally::default() };
        }
        self.counted = Counted::Positions;
        self.deep(place.map_or(0, |(_, depth, _)| depth));
        if let Some((first, _, points)) = place {
            self.tried(first, points);
        }
    }

    fn deep(&mut self, depth: usize) {
        if self.depths.len() <= depth {
            self.depths.resize(depth + 1, 0);
        }
        self.depths[depth] += 1;
    }

    fn tried(&mut self, mv: M, score: Score) {
        if self.moves.get(self.last).is_none_or(|tried| tried.mv != mv) {
            let known = self.moves.iter().position(|tried| tried.mv == mv);
            self.last = known.unwrap_or_else(|| {
                self.moves.push(TriedMove { mv, visits: 0, mean: 0.0, best: Score::MIN });
                self.moves.len() - 1
            });
        }
        let tried = &mut self.moves[self.last];
        tried.visits += 1;
        tried.mean += (score.0 as f64 - tried.mean) / tried.visits as f64;
        tried.best = tried.best.max(score);
    }

    /// What there is to see; nothing before anything was counted.
    pub(crate) fn insight(&self) -> Option<TreeInsight<M>> {
        let Tally { counted, prefix, moves, depths, .. } = self;
        (!depths.is_empty()).then(|| TreeInsight {
            counted: *counted,
            prefix: prefix.clone(),
            moves: moves.clone(),
            depths: depths.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_first_move_and_depth() {
        let mut tally: Tally<u16> = Tally::default();
        assert_eq!(tally.insight(), None);
        for (first, depth, score) in [(7, 1, 10), (7, 3, 30), (9, 1, 5), (7, 1, 80)] {
            tally.playout(first, depth, Score(score));
        }
        let seen = tally.insight().unwrap();
        let seven = TriedMove { mv: 7, visits: 3, mean: 40.0, best: Score(80) };
        assert_eq!(seen.moves[0], seven);
        assert_eq!(seen.moves[1], TriedMove { mv: 9, visits: 1, mean: 5.0, best: Score(5) });
        assert_eq!((seen.counted, seen.depths), (Counted::Playouts, vec![0, 3, 0, 1]));
    }

    #[test]
    fn a_move_of_the_game_begins_a_new_count() {
        let mut tally: Tally<u16> = Tally::default();
        tally.expanded(&[], None);
        tally.expanded(&[], Some((7, 1, Score(4))));
        tally.expanded(&[7], None);
        tally.expanded(&[7], Some((5, 1, Score(-2))));
        tally.expanded(&[7], Some((5, 2, Score(6))));
        let seen = tally.insight().unwrap();
        assert_eq!((seen.counted, seen.prefix), (Counted::Positions, vec![7]));
        assert_eq!(seen.moves, [TriedMove { mv: 5, visits: 2, mean: 2.0, best: Score(6) }]);
        assert_eq!(seen.depths, [1, 1, 1]);
    }
}
