//! The one suite that every domain must pass.
//!
//! [`check_puzzle`] plays random games and holds every promise of [`Puzzle`]
//! against them; [`check_playout`] does the same for a playout policy. Both
//! panic with the broken promise, so a domain's test is one call.

use std::collections::HashSet;

use crate::{Job, Playout, Puzzle, Rng, Score, UniformPlayout, replay};

/// Plays one random game per seed and checks every promise of [`Puzzle`].
pub fn check_puzzle<P: Puzzle>(puzzle: &P, seeds: impl IntoIterator<Item = u64>) {
    for seed in seeds {
        check_game(puzzle, seed);
    }
    check_playout(puzzle, &UniformPlayout, 0..4);
}

fn check_game<P: Puzzle>(puzzle: &P, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut state = puzzle.start();
    let mut line = Vec::new();
    let mut bounds = Vec::new();
    let mut legal = Vec::new();
    let mut again = Vec::new();
    loop {
        puzzle.moves(&state, &mut legal);
        puzzle.moves(&state, &mut again);
        assert_eq!(legal, again, "moves come in a fixed order");
        let distinct: HashSet<_> = legal.iter().collect();
        assert_eq!(distinct.len(), legal.len(), "no move is listed twice");
        assert_eq!(legal.is_empty(), puzzle.is_over(&state), "no moves if and only if over");
        assert_eq!(puzzle.key(&state), puzzle.key(&state.clone()), "a copy has the same key");
        for &mv in &legal {
            let name = puzzle.move_name(&state, mv);
            assert_eq!(puzzle.parse_move(&state, &name), Some(mv), "{name} names its move");
        }
        bounds.push(puzzle.upper_bound(&state));
        if legal.is_empty() {
            break;
        }
        assert!(line.len() < puzzle.max_moves(), "a game is at most max_moves long");
        let mv = legal[rng.below(legal.len() as u32) as usize];
        let before = puzzle.key(&state);
        puzzle.play(&mut state, mv);
        assert_ne!(puzzle.key(&state), before, "a move changes the key");
        line.push(mv);
    }
    let score = puzzle.score(&state);
    for (moves, bound) in bounds.into_iter().enumerate() {
        if let Some(bound) = bound {
            assert!(bound >= score, "after {moves} moves the bound {bound} is below {score}");
        }
    }
    let end = replay(puzzle, &line).expect("the moves played are legal");
    assert_eq!(puzzle.score(&end), score, "a replay earns the same");
    assert_eq!(puzzle.key(&end), puzzle.key(&state), "a replay ends in the same position");
}

/// Checks that a policy's playouts are legal, score what they say, and do not
/// depend on the batch they run in.
pub fn check_playout<P: Puzzle>(
    puzzle: &P,
    playout: &impl Playout<P>,
    seeds: impl IntoIterator<Item = u64>,
) {
    let mut batch: Vec<Job<P>> =
        seeds.into_iter().map(|seed| Job::new(puzzle.start(), seed)).collect();
    playout.run(puzzle, &mut batch);
    for job in &batch {
        let mut alone = [Job::new(puzzle.start(), job.seed)];
        playout.run(puzzle, &mut alone);
        assert_eq!(alone[0].score, job.score, "seed {}: same alone as in a batch", job.seed);
        assert_eq!(alone[0].moves, job.moves, "seed {}: same alone as in a batch", job.seed);
        let (end, score) = finish(puzzle, playout, job);
        assert!(puzzle.is_over(&end), "seed {}: a playout ends the game", job.seed);
        assert_eq!(score, job.score, "seed {}: the moves earn the score", job.seed);
    }
}

fn finish<P: Puzzle>(puzzle: &P, playout: &impl Playout<P>, job: &Job<P>) -> (P::State, Score) {
    let mut state = job.state.clone();
    let mut legal = Vec::new();
    for &mv in &job.moves {
        let mv = playout.canonical(puzzle, &state, mv);
        puzzle.moves(&state, &mut legal);
        assert!(legal.contains(&mv), "seed {}: {mv:?} is legal", job.seed);
        puzzle.play(&mut state, mv);
    }
    let score = puzzle.score(&state);
    (state, score)
}
