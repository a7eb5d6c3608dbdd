//! A plan with the positions on its way, and a changed plan beside it.

use solitree_core::{Plans, Puzzle, Rng, Score};

/// A plan that has been played to its end, and what a change of it would lead to.
pub(super) struct Plan<S, M> {
    /// The decisions, every one of which was followed.
    marks: Vec<M>,
    /// The position before each of them, and the last.
    spots: Vec<S>,
    end: End,
    change: Change<S, M>,
}

/// What the end of a game brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// By the rules.
    pub(super) score: Score,
    /// On the way to better games ([`Plans::worth`]).
    pub(super) worth: Score,
}

impl End {
    fn of<P: Puzzle, L: Plans<P>>(plans: &L, spot: &L::Spot, price: Score) -> End {
        let score = plans.score(spot);
        End { score, worth: plans.worth(spot, score, price) }
    }

    /// The same end after so many points more.
    fn after(self, more: Score) -> End {
        End { score: self.score + more, worth: self.worth + more }
    }
}

/// What takes the place of a part of a plan.
struct Change<S, M> {
    /// The first mark that goes.
    from: usize,
    /// The first mark that stays after those that go; none if all others go.
    to: Option<usize>,
    marks: Vec<M>,
    /// The position before each of these marks, and the last.
    spots: Vec<S>,
    end: End,
}

impl<S: Clone, M: Copy> Plan<S, M> {
    /// The plan that comes of following marks from the start and finishing at random, where
    /// things left undone have a price.
    pub(super) fn new<P, L>(plans: &mut L, marks: &[M], price: Score, rng: &mut Rng) -> Self
    where
        P: Puzzle,
        L: Plans<P, Spot = S, Mark = M>,
    {
        let mut spot = plans.start();
        let end = End::of(plans, &spot, price);
        let change = Change { from: 0, to: None, marks: Vec::new(), spots: Vec::new(), end };
        let mut plan = Plan { marks: Vec::new(), spots: vec![spot.clone()], end, change };
        for &mark in marks {
            if plans.follow(&mut spot, mark) {
                plan.marks.push(mark);
                plan.spots.push(spot.clone());
            }
        }
        while let Some(mark) = plans.draw(&mut spot, rng) {
            plan.marks.push(mark);
            plan.spots.push(spot.clone());
        }
        plan.end = End::of(plans, &spot, price);
        plan
    }

    /// The marks.
    pub(super) fn marks(&self) -> &[M] {
        &self.marks
    }

    /// What its end brings.
    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Begins a change: the marks before one of them stay.
    #[inline]
    pub(super) fn begin(&mut self, from: usize) {
        let Change { from: begin, marks, spots, .. } = &mut self.change;
        *begin = from;
        marks.clear();
        spots.clear();
        spots.push(self.spots[from].clone());
    }

    /// Puts a random move next.
    #[inline]
    pub(super) fn insert<P, L>(&mut self, plans: &mut L, rng: &mut Rng)
    where
        P: Puzzle,
        L: Plans<P, Spot = S, Mark = M>,
    {
        let Change { marks, spots, .. } = &mut self.change;
        let mut spot = spots[spots.len() - 1].clone();
        if let Some(mark) = plans.stray(&mut spot, rng) {
            marks.push(mark);
            spots.push(spot);
        }
    }

    /// Puts a mark of the plan next, if it can be followed.
    #[inline]
    pub(super) fn follow<P, L>(&mut self, plans: &mut L, index: usize)
    where
        P: Puzzle,
        L: Plans<P, Spot = S, Mark = M>,
    {
        let Change { marks, spots, .. } = &mut self.change;
        let mut spot = spots[spots.len() - 1].clone();
        let mark = self.marks[index];
        if plans.follow_again(&mut spot, mark, &self.spots[index], &self.spots[index + 1]) {
            marks.push(mark);
            spots.push(spot);
        }
    }

    /// Ends a change by the marks from one of them on, until the rest is known to be as it
    /// was, and finishes at random if that never comes. Returns what the changed plan
    /// brings.
    pub(super) fn finish<P, L>(
        &mut self,
        plans: &mut L,
        rest: usize,
        price: Score,
        rng: &mut Rng,
    ) -> End
    where
        P: Puzzle,
        L: Plans<P, Spot = S, Mark = M>,
    {
        for next in rest..=self.marks.len() {
            let (last, known) =
                (&self.change.spots[self.change.spots.len() - 1], &self.spots[next]);
            if plans.same(last, known) {
                self.change.to = Some(next);
                self.change.end = self.end.after(plans.points(last) - plans.points(known));
                return self.change.end;
            }
            if next < self.marks.len() {
                self.follow(plans, next);
            }
        }
        let Change { marks, spots, to, end, .. } = &mut self.change;
        let mut spot = spots[spots.len() - 1].clone();
        while let Some(mark) = plans.draw(&mut spot, rng) {
            marks.push(mark);
            spots.push(spot.clone());
        }
        (*to, *end) = (None, End::of(plans, &spot, price));
        *end
    }

    /// Makes the changed plan the plan.
    pub(super) fn accept<P, L>(&mut self, plans: &L)
    where
        P: Puzzle,
        L: Plans<P, Spot = S, Mark = M>,
    {
        let Change { from, to, marks, spots, end } = &mut self.change;
        let more = end.score - self.end.score;
        self.end = *end;
        match *to {
            None => {
                self.marks.truncate(*from);
                self.marks.append(marks);
                self.spots.truncate(*from);
                self.spots.append(spots);
            }
            Some(to) => {
                let rest = *from + spots.len();
                self.marks.splice(*from..to, marks.drain(..));
                self.spots.splice(*from..=to, spots.drain(..));
                if more != Score(0) {
                    self.spots[rest..].iter_mut().for_each(|spot| plans.pay(spot, more));
                }
            }
        }
    }

    /// The first mark of the changed plan, if it has any, and where the change begins.
    pub(super) fn proposed(&self) -> Option<(M, usize)> {
        let Change { from, to, marks, .. } = &self.change;
        let kept = if *from > 0 { self.marks.first() } else { None };
        let rest = to.and_then(|to| self.marks.get(to));
        Some((*kept.or(marks.first()).or(rest)?, *from))
    }
}
