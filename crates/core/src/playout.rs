//! Finishing games at random, in batches.

use crate::{Puzzle, Rng, Score};

/// One game to be finished: where it starts and which random stream it uses on
/// the way in, how it went on the way out.
#[derive(Clone, Debug)]
pub struct Job<P: Puzzle> {
    /// The position the playout starts from.
    pub state: P::State,
    /// The seed of this playout alone.
    pub seed: u64,
    /// The final score of the whole game, the points before `state` included.
    pub score: Score,
    /// What the end of the game added to the points, where the playout knows:
    /// the bonus of a cleared board, the penalty for what is left.
    pub end: Score,
    /// The moves played. A name of the move's group or cell may not be the
    /// canonical one; [`Playout::canonical`] makes it so.
    pub moves: Vec<P::Move>,
}

impl<P: Puzzle> Job<P> {
    /// A job still to be run.
    pub fn new(state: P::State, seed: u64) -> Self {
        Job { state, seed, score: Score(0), end: Score(0), moves: Vec::new() }
    }
}

/// A way to finish a game at random.
///
/// Searches ask for playouts in batches, so that an implementation may run
/// several games in lockstep. A playout's course depends on its own position
/// and seed only, never on its companions in the batch.
pub trait Playout<P: Puzzle>: Send + Sync {
    /// Finishes every game of the batch.
    fn run(&self, puzzle: &P, batch: &mut [Job<P>]);

    /// The batch size from which nothing more is gained.
    fn preferred_batch(&self) -> usize {
        1
    }

    /// The move of the list [`Puzzle::moves`] gives that a move recorded by
    /// [`run`](Playout::run) stands for.
    fn canonical(&self, puzzle: &P, state: &P::State, mv: P::Move) -> P::Move {
        let _ = (puzzle, state);
        mv
    }
}

/// Every legal move equally likely: right for any puzzle, fast for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPlayout;

impl<P: Puzzle> Playout<P> for UniformPlayout {
    fn run(&self, puzzle: &P, batch: &mut [Job<P>]) {
        let mut legal = Vec::new();
        for job in batch {
            let mut rng = Rng::new(job.seed);
            let mut state = job.state.clone();
            job.moves.clear();
            loop {
                puzzle.moves(&state, &mut legal);
                if legal.is_empty() {
                    break;
                }
                let mv = legal[rng.below(legal.len() as u32) as usize];
                puzzle.play(&mut state, mv);
                job.moves.push(mv);
            }
            job.score = puzzle.score(&state);
        }
    }
}
