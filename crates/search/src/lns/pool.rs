//! The best lines so far, each different from the others.

use std::cmp::Ordering;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solitree_core::{Guide, Line, Puzzle, Rng};

/// A line of the pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub struct Elite<M> {
    /// The line.
    pub line: Line<M>,
    /// Which of the domain's variants found it.
    pub variant: usize,
    /// The slots of its moves' codes, in order of size: what tells it from others. Lines that
    /// differ in nothing but the order of moves that have nothing to do with each other have
    /// the same, where the domain knows a move wherever it is played.
    marks: Vec<u32>,
}

impl<M: Copy + PartialEq> Elite<M> {
    /// A whole line that a variant, whose guide this is, has found.
    pub fn new<P, G>(puzzle: &P, guide: &G, line: Line<M>, variant: usize) -> Self
    where
        P: Puzzle<Move = M>,
        G: Guide<P>,
    {
        let trace = guide.retrace(puzzle, &puzzle.start(), 0, &line.moves);
        let chosen = trace.steps.iter().map(|step| trace.slots[step.chosen as usize]);
        let mut marks: Vec<u32> = chosen.collect();
        marks.sort_unstable();
        Elite { line, variant, marks }
    }
}

/// Good lines that are not all alike.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: DeserializeOwned"))]
pub struct Pool<M> {
    size: usize,
    /// The best first.
    elites: Vec<Elite<M>>,
}

/// Two lines are alike if so much of the shorter one's moves are in both.
const ALIKE: f64 = 0.8;

impl<M: Copy + PartialEq> Pool<M> {
    /// An empty pool with room for some lines.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Pool { size: size.max(1), elites: Vec::new() }
    }

    /// The lines, the best first.
    #[must_use]
    pub fn elites(&self) -> &[Elite<M>] {
        &self.elites
    }

    /// Whether there is no room left.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.elites.len() >= self.size
    }

    /// Adds a line: in the place of one that is like it and not better, or
    /// else of the worst.
    pub fn add(&mut self, elite: Elite<M>) {
        let score = elite.line.score;
        let alike = |other: &Elite<M>| alike(&other.marks, &elite.marks);
        if let Some(twin) = self.elites.iter().position(alike) {
            if self.elites[twin].line.score > score {
                return;
            }
            self.elites.remove(twin);
        } else if self.is_full() {
            if self.elites.last().is_some_and(|worst| worst.line.score >= score) {
                return;
            }
            self.elites.pop();
        }
        let place = self.elites.partition_point(|other| other.line.score > score);
        self.elites.insert(place, elite);
    }

    /// A line drawn at random, a better one more likely.
    pub fn draw(&self, rng: &mut Rng) -> Option<&Elite<M>> {
        let len = self.elites.len();
        // The smaller of two draws: the best of n comes up 2/n of the time.
        let rank = rng.below(len as u32).min(rng.below(len as u32));
        self.elites.get(rank as usize)
    }
}

/// Both in order of size.
fn alike(one: &[u32], other: &[u32]) -> bool {
    let shorter = one.len().min(other.len());
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    // Lines of which nothing is known are not alike.
    common as f64 >= ALIKE * shorter.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::Score;

    fn elite(score: i64, moves: impl IntoIterator<Item = u16>) -> Elite<u16> {
        let moves: Vec<u16> = moves.into_iter().collect();
        let mut marks: Vec<u32> = moves.iter().map(|&mv| u32::from(mv)).collect();
        marks.sort_unstable();
        Elite { line: Line { score: Score(score), moves }, variant: 0, marks }
    }

    fn scores(pool: &Pool<u16>) -> Vec<i64> {
        pool.elites().iter().map(|elite| elite.line.score.0).collect()
    }

    #[test]
    fn the_best_are_kept_and_twins_replace_each_other() {
        let mut pool = Pool::new(3);
        for (score, first) in [(5, 0), (9, 100), (7, 200), (6, 300), (1, 400)] {
            pool.add(elite(score, first..first + 20));
        }
        assert_eq!(scores(&pool), [9, 7, 6]);
        // Like the second one and better: takes its place, not the worst's.
        pool.add(elite(8, (200..219).chain([999])));
        assert_eq!(scores(&pool), [9, 8, 6]);
        // Like it and worse: refused, though better than the worst.
        pool.add(elite(7, (200..219).chain([998])));
        assert_eq!(scores(&pool), [9, 8, 6]);
        // Nor is another order of its moves another line.
        pool.add(elite(7, (200..220).rev()));
        assert_eq!(scores(&pool), [9, 8, 6]);
    }

    #[test]
    fn better_ones_are_drawn_more_often() {
        let mut pool = Pool::new(4);
        for first in 0..4u16 {
            pool.add(elite(i64::from(first), first * 100..first * 100 + 20));
        }
        let mut rng = Rng::new(1);
        let mut drawn = [0; 4];
        for _ in 0..16_000 {
            let score = pool.draw(&mut rng).unwrap().line.score.0;
            drawn[score as usize] += 1;
        }
        // 7, 5, 3 and 1 of 16.
        for (count, share) in drawn.into_iter().zip([1, 3, 5, 7]) {
            assert!((f64::from(count) / f64::from(share) - 1000.0).abs() < 150.0, "{drawn:?}");
        }
    }
}
