//! Playouts from the children of a position, all in one batch: what the
//! searches that try every move share.

use solitree_core::{Counters, Job, Line, Playout, Puzzle, Rng};

use crate::Meter;

/// The most playouts in a batch, and between two looks at the outside: about a
/// millisecond's work.
pub(crate) const BATCH: usize = 128;

/// A batch of playouts, kept for its memory.
pub(crate) struct Sampler<P: Puzzle> {
    jobs: Vec<Job<P>>,
}

impl<P: Puzzle> Default for Sampler<P> {
    fn default() -> Self {
        Sampler { jobs: Vec::new() }
    }
}

impl<P: Puzzle> Sampler<P> {
    /// Plays out from each child `each` times, beginning with playout number
    /// `done` of them all and going as far as a batch and the meter allow. The
    /// results are in order, and counted.
    pub(crate) fn run(
        &mut self,
        puzzle: &P,
        playout: &impl Playout<P>,
        (state, children): (&P::State, &[P::Move]),
        (each, done): (usize, usize),
        rng: &mut Rng,
        meter: &mut Meter<P::Move>,
    ) -> &[Job<P>] {
        let (nodes, playouts) = meter.allowance();
        let room = usize::try_from(nodes.min(playouts)).unwrap_or(usize::MAX);
        let count = (children.len() * each).saturating_sub(done).min(BATCH).min(room);
        let mut last = None;
        for index in 0..count {
            let child = (done + index) / each;
            let position = match last.take() {
                Some((before, position)) if before == child => position,
                _ => {
                    let mut position = state.clone();
                    puzzle.play(&mut position, children[child]);
                    position
                }
            };
            let seed = rng.next_u64();
            match self.jobs.get_mut(index) {
                Some(job) => (job.state, job.seed) = (position.clone(), seed),
                None => self.jobs.push(Job::new(position.clone(), seed)),
            }
            last = Some((child, position));
        }
        let jobs = &mut self.jobs[..count];
        playout.run(puzzle, jobs);
        let count = count as u64;
        meter.count(Counters { playouts: count, spent: count, ..Counters::default() });
        jobs
    }
}

/// The whole game of a playout after the moves that led to its position.
pub(crate) fn line<P: Puzzle>(
    puzzle: &P,
    playout: &impl Playout<P>,
    before: impl Iterator<Item = P::Move>,
    job: &Job<P>,
) -> Line<P::Move> {
    let mut moves: Vec<P::Move> = before.collect();
    let mut state = job.state.clone();
    for &mv in &job.moves {
        let mv = playout.canonical(puzzle, &state, mv);
        puzzle.play(&mut state, mv);
        moves.push(mv);
    }
    Line { score: job.score, moves }
}
