//! Plans annealed by thousands at a time, on a machine apart: a GPU, say.

use crate::Score;

/// A machine that anneals many plans ([`Plans`](crate::Plans)) side by side, whose marks
/// are `M`.
pub trait Furnace<M>: Send {
    /// Plans that are annealed side by side: fewer at a time would waste it.
    fn places(&self) -> usize;

    /// Anneals plans from the start of the puzzle on; what became of each. The error is
    /// the machine's: it is of no further use.
    fn anneal(
        &mut self,
        plans: &[Cast<M>],
        cooling: &Cooling,
        seed: u64,
    ) -> Result<Vec<Annealed<M>>, String>;

    /// Changes that were tried so far.
    fn tried(&self) -> u64;

    /// Changes that one round of so many plans tries at most.
    fn changes_a_round(&self, plans: usize) -> u64;

    /// Hears that what it found does not hold: the machine plays wrong, and is to
    /// be of no further use to anybody.
    fn refuse(&mut self);
}

/// A plan to be annealed.
#[derive(Clone, Debug, PartialEq)]
pub struct Cast<M> {
    /// What to begin with; it may be empty.
    pub marks: Vec<M>,
    /// Which of the kits it is finished by.
    pub variant: usize,
    /// The temperature at first.
    pub heat: f64,
}

/// How plans cool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooling {
    /// Rounds, in each of which a plan is changed at most once.
    pub rounds: u32,
    /// What every temperature has been multiplied by in the end.
    pub factor: f64,
    /// What things left undone cost on the way ([`Plans::worth`](crate::Plans::worth)).
    pub price: Score,
}

/// What became of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annealed<M> {
    /// The marks in the end, and what they are worth on the way to better ones.
    pub last: (Score, Vec<M>),
    /// The best on the way, and its score.
    pub best: (Score, Vec<M>),
}
