//! One search of IDA*, one expanded position at a time.

use serde::{Deserialize, Serialize};
use solitree_core::{Evaluator, Puzzle, Score};

use crate::bounded::{Dive, Engine, Host, Progress, Rank, UNBOUNDED};

/// A search from one position.
pub(super) struct IdaStar<P: Puzzle> {
    dive: Dive<P>,
    now: Iteration<P::Move>,
    /// The root's first move, should nothing be known of any.
    first: Option<P::Move>,
}

/// The depth-first search in progress, and what the one before it found.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
struct Iteration<M> {
    /// Below this, positions are left.
    threshold: Score,
    /// The highest bound or score below it.
    below: Score,
    /// The most points at the end of any line, and its move from the root.
    most: Option<(Score, M)>,
    /// The same of the last iteration that was completed.
    decided: Option<M>,
}

impl<M> Iteration<M> {
    fn from(threshold: Score) -> Self {
        Iteration { threshold, below: Score::MIN, most: None, decided: None }
    }
}

impl<P: Puzzle> IdaStar<P> {
    pub(super) fn new(puzzle: &P, rank: Rank, turn: (u64, u64)) -> Self {
        let root = puzzle.start();
        let now = Iteration::from(puzzle.upper_bound(&root).unwrap_or(UNBOUNDED));
        IdaStar { dive: Dive::new(root, rank, turn), now, first: None }
    }

    /// Notes where a line was left, finished or not.
    fn left(&mut self, points: Score, bound: Score) {
        self.now.below = self.now.below.max(bound);
        if self.now.most.is_none_or(|(most, _)| points > most)
            && let Some(mv) = self.dive.root_move()
        {
            self.now.most = Some((points, mv));
        }
        self.dive.skip();
    }

    /// Goes on to the next position to expand.
    fn settle(&mut self, host: &mut Host<P::Move>) -> Progress {
        while self.dive.depth() > 0 {
            let Some((child, bound)) = self.dive.current() else {
                self.dive.close();
                continue;
            };
            let (mv, points, over) = (child.mv, child.score, child.over);
            if over && points > host.floor {
                let mut moves = Vec::new();
                self.dive.path(&mut moves);
                moves.push(mv);
                host.found(points, moves);
            }
            if host.floor >= self.now.threshold {
                return Progress::Proven;
            }
            if !over && bound >= self.now.threshold {
                return Progress::Going;
            }
            self.left(points, bound);
        }
        // Every position that was left is at most this good.
        if host.floor >= self.now.below {
            return Progress::Proven;
        }
        let decided = self.now.most.map(|(_, mv)| mv);
        self.now = Iteration { decided, ..Iteration::from(self.now.below) };
        Progress::Going
    }
}

impl<P: Puzzle, K: Evaluator<P>> Engine<P, K> for IdaStar<P> {
    fn begin(&mut self, puzzle: &P, root: &P::State) {
        let bound = puzzle.upper_bound(root).unwrap_or(UNBOUNDED);
        self.dive.begin(root, bound);
        self.now = Iteration::from(bound);
        self.first = None;
    }

    fn expand(&mut self, puzzle: &P, kit: &K, host: &mut Host<P::Move>) -> Progress {
        host.expands(|| self.dive.ahead());
        self.dive.open(puzzle, kit);
        if self.dive.depth() == 1 {
            self.first = self.dive.root_move();
        }
        self.settle(host)
    }

    fn position(&self, _: &P, path: &mut Vec<P::Move>) -> P::State {
        self.dive.path(path);
        self.dive.state().clone()
    }

    fn depth(&self) -> usize {
        self.dive.depth().saturating_sub(1)
    }

    fn choice(&self) -> Option<P::Move> {
        self.now.decided.or(self.now.most.map(|(_, mv)| mv)).or(self.first)
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.now, self.first, self.dive.cursors())).unwrap_or_default()
    }

    fn load(&mut self, puzzle: &P, kit: &K, root: &P::State, bytes: &[u8]) -> Result<(), String> {
        let (now, first, cursors): (Iteration<P::Move>, Option<P::Move>, Vec<u32>) =
            postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        let bound = puzzle.upper_bound(root).unwrap_or(UNBOUNDED);
        self.dive.begin(root, bound);
        self.dive.restore(puzzle, kit, &cursors, |_| {})?;
        self.now = now;
        self.first = first;
        Ok(())
    }
}
