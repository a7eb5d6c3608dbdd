//! Short searches, many at a time, on a machine apart: a GPU, say.

use crate::Score;

/// A machine that runs many short searches side by side, each a nested rollout
/// policy adaptation of two levels.
pub trait Repairs<S, M>: Send {
    /// Searches that run side by side: fewer at a time would waste it.
    fn places(&self) -> usize;

    /// Runs searches; for each the best line it found, from where it started. The
    /// error is the machine's: it is of no further use.
    fn run(
        &mut self,
        tasks: &[Repair<S, M>],
        effort: &Effort,
        seed: u64,
    ) -> Result<Vec<Repaired<M>>, String>;

    /// Games that a search of some effort plays at most.
    fn games(&self, effort: &Effort) -> u64;

    /// Games played so far.
    fn played(&self) -> u64;

    /// Hears that what it found does not hold: the machine plays wrong, and is to
    /// be of no further use to anybody.
    fn refuse(&mut self);
}

/// A search to be run.
#[derive(Clone, Debug)]
pub struct Repair<S, M> {
    /// Where it starts.
    pub start: S,
    /// Moves before that.
    pub played: usize,
    /// Which of the kits it plays by.
    pub variant: usize,
    /// A line from there to begin with; it may be empty.
    pub line: Vec<M>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired<M> {
    /// The score of the whole game.
    pub score: Score,
    /// The moves from where it started.
    pub moves: Vec<M>,
}

/// How long the searches are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Iterations of the lower level: a game or, where the machine plays several at a
    /// time, the best of those.
    pub lower: u32,
    /// Searches of the lower level.
    pub upper: u32,
    /// Adaptations to the line to begin with.
    pub warm: u32,
    /// Equal games in a row that end the lower level.
    pub patience: u32,
    /// The learning rate.
    pub alpha: f32,
}
