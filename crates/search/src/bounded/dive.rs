//! A depth-first search as data: the positions from the root to where it is,
//! each with its moves in order and a cursor. It can stop anywhere, and is
//! written down as the cursors alone.

use solitree_core::{Child, Evaluator, Puzzle, Score};

use super::{UNBOUNDED, children};

/// The order in which the moves of a position are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// That of [`Puzzle::moves`].
    Moves,
    /// The highest bound first, then the largest gain.
    Bound,
    /// The largest gain first, then the highest value.
    Gain,
    /// The highest value first.
    Value,
    /// That of [`Puzzle::moves`] until [`Dive::rank_by`] gives another; no
    /// bounds are asked for.
    Unranked,
}

/// One position that is being searched.
#[derive(Clone, Copy, Debug)]
struct Ply {
    /// Where its moves begin.
    begin: usize,
    /// The move whose turn it is.
    next: usize,
}

/// A move in its order.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Where the position it leads to is.
    at: u32,
    bound: Score,
}

/// The stack of a depth-first search. All positions live in one array, so that
/// a search allocates nothing once it has been at its deepest.
pub(crate) struct Dive<P: Puzzle> {
    root: P::State,
    cap: Score,
    rank: Rank,
    /// Which part of the root's moves comes first: this of so many.
    turn: (u64, u64),
    legal: Vec<P::Move>,
    children: Vec<Child<P>>,
    order: Vec<Ranked>,
    plies: Vec<Ply>,
}

impl<P: Puzzle> Dive<P> {
    pub(crate) fn new(root: P::State, rank: Rank, turn: (u64, u64)) -> Self {
        Dive {
            root,
            cap: UNBOUNDED,
            rank,
            turn,
            legal: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
            plies: Vec::new(),
        }
    }

    /// Begins at another position, none of whose games exceeds `cap`.
    pub(crate) fn begin(&mut self, root: &P::State, cap: Score) {
        self.root.clone_from(root);
        self.cap = cap;
        self.clear();
    }

    /// Leaves every position.
    pub(crate) fn clear(&mut self) {
        self.plies.clear();
        self.children.clear();
        self.order.clear();
    }

    /// How many positions are open: 0 before the root is.
    pub(crate) fn depth(&self) -> usize {
        self.plies.len()
    }

    /// Opens the position whose turn it is (the root, if none is open): lists
    /// its moves and puts them in order.
    pub(crate) fn open(&mut self, puzzle: &P, evaluator: &impl Evaluator<P>) {
        let begin = self.children.len();
        let (state, cap) = match self.plies.last_mut() {
            None => (self.root.clone(), self.cap),
            Some(ply) => {
                let Some(&Ranked { at, bound }) = self.order.get(ply.next) else { return };
                ply.next += 1;
                (self.children[at as usize].state.clone(), bound)
            }
        };
        if matches!(self.rank, Rank::Gain | Rank::Value) {
            evaluator.children(puzzle, &state, &mut self.children);
        } else {
            children(puzzle, &state, &mut self.legal, &mut self.children);
        }
        let bounded = matches!(self.rank, Rank::Moves | Rank::Bound);
        for (at, child) in self.children.iter().enumerate().skip(begin) {
            let bound = if child.over {
                child.score
            } else if bounded {
                puzzle.upper_bound(&child.state).unwrap_or(UNBOUNDED).min(cap)
            } else {
                UNBOUNDED
            };
            self.order.push(Ranked { at: at as u32, bound });
        }
        let children = &self.children;
        let child = |ranked: &Ranked| &children[ranked.at as usize];
        let order = &mut self.order[begin..];
        match self.rank {
            Rank::Moves | Rank::Unranked => {}
            Rank::Bound => order.sort_unstable_by(|a, b| {
                let by_score = || child(b).score.cmp(&child(a).score);
                b.bound.cmp(&a.bound).then_with(by_score).then(a.at.cmp(&b.at))
            }),
            Rank::Gain => order.sort_unstable_by(|a, b| {
                let by_value = || child(b).value.total_cmp(&child(a).value);
                child(b).score.cmp(&child(a).score).then_with(by_value).then(a.at.cmp(&b.at))
            }),
            Rank::Value => order.sort_unstable_by(|a, b| {
                child(b).value.total_cmp(&child(a).value).then(a.at.cmp(&b.at))
            }),
        }
        if self.plies.is_empty() && self.turn.0 > 0 {
            let (turn, of) = self.turn;
            let by = (order.len() as u64 * turn / of.max(1)) as usize;
            order.rotate_left(by.min(order.len()));
        }
        self.plies.push(Ply { begin, next: begin });
    }

    /// Puts the moves of the position opened last in another order: by a score
    /// of each, the highest first, which becomes its bound. They are asked for
    /// in the order of [`Puzzle::moves`].
    pub(crate) fn rank_by(&mut self, mut score: impl FnMut(&Child<P>) -> Score) {
        let Some(ply) = self.plies.last() else { return };
        let order = &mut self.order[ply.begin..];
        order.sort_unstable_by_key(|ranked| ranked.at);
        for ranked in order.iter_mut() {
            ranked.bound = score(&self.children[ranked.at as usize]);
        }
        order.sort_unstable_by(|a, b| b.bound.cmp(&a.bound).then(a.at.cmp(&b.at)));
    }

    /// The move of the innermost position whose turn it is, with its bound;
    /// none when all have had theirs.
    pub(crate) fn current(&self) -> Option<(&Child<P>, Score)> {
        let ranked = self.order.get(self.plies.last()?.next)?;
        Some((&self.children[ranked.at as usize], ranked.bound))
    }

    /// The position that the innermost one leads to by its move of this number,
    /// in the order of [`Puzzle::moves`].
    pub(crate) fn child(&self, number: usize) -> Option<&Child<P>> {
        self.children.get(self.plies.last()?.begin + number)
    }

    /// Passes over the move whose turn it is.
    pub(crate) fn skip(&mut self) {
        if let Some(ply) = self.plies.last_mut() {
            ply.next += 1;
        }
    }

    /// Leaves the innermost position.
    pub(crate) fn close(&mut self) {
        if let Some(ply) = self.plies.pop() {
            self.children.truncate(ply.begin);
            self.order.truncate(ply.begin);
        }
    }

    /// How many moves the innermost position has, and how many had their turn.
    pub(crate) fn progress(&self) -> (usize, usize) {
        self.plies.last().map_or((0, 0), |ply| (self.order.len() - ply.begin, ply.next - ply.begin))
    }

    fn taken(&self, ply: &Ply) -> Option<&Child<P>> {
        let ranked = self.order.get(ply.next.checked_sub(1)?)?;
        self.children.get(ranked.at as usize)
    }

    /// The innermost position that is open; the root if none is.
    pub(crate) fn state(&self) -> &P::State {
        let above = self.plies.len().checked_sub(2).and_then(|ply| self.taken(&self.plies[ply]));
        above.map_or(&self.root, |child| &child.state)
    }

    /// Replaces the contents of `out` by the moves that lead there.
    pub(crate) fn path(&self, out: &mut Vec<P::Move>) {
        out.clear();
        let above = self.plies.len().saturating_sub(1);
        out.extend(self.plies[..above].iter().filter_map(|ply| self.taken(ply)).map(|c| c.mv));
    }

    /// The root's move that is being searched or is to be next.
    pub(crate) fn root_move(&self) -> Option<P::Move> {
        let ply = self.plies.first()?;
        let next = if self.plies.len() == 1 { ply.next } else { ply.next.checked_sub(1)? };
        let ranked = self.order.get(next)?;
        Some(self.children.get(ranked.at as usize)?.mv)
    }

    /// The position whose turn it is: the root's move before it, its depth and its
    /// points; none for the root.
    pub(crate) fn ahead(&self) -> Option<(P::Move, usize, Score)> {
        let (child, _) = self.current()?;
        Some((self.root_move()?, self.depth(), child.score))
    }

    /// Moves of each open position that had their turn: with the root, all
    /// there is to write down.
    pub(crate) fn cursors(&self) -> Vec<u32> {
        self.plies.iter().map(|ply| (ply.next - ply.begin) as u32).collect()
    }

    /// Goes back to where cursors were written down, from the same root;
    /// `opened` is called for every position as it is opened.
    pub(crate) fn restore(
        &mut self,
        puzzle: &P,
        evaluator: &impl Evaluator<P>,
        cursors: &[u32],
        mut opened: impl FnMut(&mut Self),
    ) -> Result<(), String> {
        self.clear();
        for (depth, &cursor) in cursors.iter().enumerate() {
            self.open(puzzle, evaluator);
            opened(self);
            let (moves, _) = self.progress();
            let inner = depth + 1 < cursors.len();
            if cursor as usize > moves || inner && cursor == 0 {
                return Err(format!("move {cursor} of {moves} at depth {depth}"));
            }
            if let Some(ply) = self.plies.last_mut() {
                ply.next = ply.begin + cursor as usize - usize::from(inner);
            }
        }
        Ok(())
    }
}
