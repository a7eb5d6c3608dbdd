//! What a policy said of positions: asked for in batches, kept for the next time.

use std::sync::{Arc, Mutex};

use solitree_core::{Job, Policy, Puzzle, Rng, drawn};

use crate::keyed::KeyMap;
use crate::lock;

/// Bytes an entry takes beside its numbers, the room that a hash table keeps
/// free included.
const ENTRY_BYTES: usize = 64;

/// A position and its legal moves.
pub(crate) type Found<P> = (<P as Puzzle>::State, Vec<<P as Puzzle>::Move>);

/// The priors of positions by their keys, for all threads of a search. When it
/// is full it begins anew: that costs time and changes no answer.
pub(crate) struct Opinions {
    kept: Mutex<Kept>,
    limit: usize,
}

#[derive(Default)]
struct Kept {
    priors: KeyMap<u64, Arc<[f32]>>,
    bytes: usize,
}

impl Opinions {
    /// A cache of at most so many bytes.
    pub(crate) fn new(limit: u64) -> Opinions {
        Opinions { kept: Mutex::default(), limit: usize::try_from(limit).unwrap_or(usize::MAX) }
    }

    /// The priors of each position, in the order of its moves. What is not
    /// known yet is asked in one batch.
    pub(crate) fn ask<P: Puzzle>(
        &self,
        puzzle: &P,
        policy: &dyn Policy<P>,
        found: &[Found<P>],
    ) -> Vec<Arc<[f32]>> {
        let keys: Vec<u64> = found.iter().map(|(state, _)| puzzle.key(state)).collect();
        let mut known: Vec<Option<Arc<[f32]>>> = {
            let kept = lock(&self.kept);
            keys.iter().map(|key| kept.priors.get(key).cloned()).collect()
        };
        // Of equal positions the first is asked about.
        let mut missing: Vec<usize> = Vec::new();
        let mut first: KeyMap<u64, usize> = KeyMap::default();
        for (index, _) in known.iter().enumerate().filter(|(_, prior)| prior.is_none()) {
            first.entry(keys[index]).or_insert_with(|| {
                missing.push(index);
                index
            });
        }
        if !missing.is_empty() {
            let asked: Vec<_> =
                missing.iter().map(|&index| (&found[index].0, found[index].1.as_slice())).collect();
            let mut priors = Vec::new();
            policy.priors(puzzle, &asked, &mut priors);
            let mut rest = priors.as_slice();
            for &index in &missing {
                let (own, others) = rest.split_at(found[index].1.len());
                known[index] = Some(own.into());
                rest = others;
            }
            self.keep(
                missing.iter().filter_map(|&index| Some((keys[index], known[index].clone()?))),
            );
        }
        let same = |key: u64| known[*first.get(&key)?].clone();
        let all = keys.iter().zip(&known).map(|(&key, prior)| prior.clone().or_else(|| same(key)));
        all.map(|prior| prior.expect("every position was asked about")).collect()
    }

    fn keep(&self, new: impl Iterator<Item = (u64, Arc<[f32]>)>) {
        let mut kept = lock(&self.kept);
        for (key, priors) in new {
            let bytes = ENTRY_BYTES + 4 * priors.len();
            if kept.bytes + bytes > self.limit {
                *kept = Kept::default();
            }
            if kept.priors.insert(key, priors).is_none() {
                kept.bytes += bytes;
            }
        }
    }

    /// Finishes games by drawing every move from the policy, all games side by
    /// side.
    pub(crate) fn play_out<P: Puzzle>(
        &self,
        puzzle: &P,
        policy: &dyn Policy<P>,
        jobs: &mut [Job<P>],
    ) {
        let mut games: Vec<(usize, Rng)> = Vec::with_capacity(jobs.len());
        let mut found: Vec<Found<P>> = Vec::with_capacity(jobs.len());
        for (index, job) in jobs.iter_mut().enumerate() {
            job.moves.clear();
            games.push((index, Rng::new(job.seed)));
            found.push((job.state.clone(), Vec::new()));
        }
        let mut sums = Vec::new();
        while !games.is_empty() {
            let mut game = 0;
            while game < games.len() {
                let (state, moves) = &mut found[game];
                puzzle.moves(state, moves);
                if moves.is_empty() {
                    jobs[games[game].0].score = puzzle.score(state);
                    games.remove(game);
                    found.remove(game);
                } else {
                    game += 1;
                }
            }
            let priors = self.ask(puzzle, policy, &found);
            for (((index, rng), (state, moves)), priors) in
                games.iter_mut().zip(&mut found).zip(&priors)
            {
                let mut total = 0.0;
                sums.clear();
                sums.extend(priors.iter().map(|prior| {
                    total += prior;
                    total
                }));
                let mv = moves[drawn(&sums, rng)];
                puzzle.play(state, mv);
                jobs[*index].moves.push(mv);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use solitree_core::{Asked, DummyPuzzle, Score};

    use super::*;

    /// Likes later moves, and counts the positions it is asked about.
    #[derive(Default)]
    struct Later(AtomicUsize);

    impl Policy<DummyPuzzle> for Later {
        fn priors(&self, _: &DummyPuzzle, asked: &[Asked<'_, DummyPuzzle>], out: &mut Vec<f32>) {
            self.0.fetch_add(asked.len(), Relaxed);
            out.clear();
            for (_, moves) in asked {
                let total: usize = (1..=moves.len()).sum();
                out.extend((1..=moves.len()).map(|weight| weight as f32 / total as f32));
            }
        }
    }

    fn start() -> (DummyPuzzle, Found<DummyPuzzle>) {
        let puzzle: DummyPuzzle = "(1 (2 3) 4)".parse().unwrap();
        let state = puzzle.start();
        (puzzle, (state, vec![0, 1, 2]))
    }

    #[test]
    fn a_position_is_asked_about_once() {
        let ((puzzle, found), policy) = (start(), Later::default());
        let opinions = Opinions::new(1 << 20);
        for _ in 0..2 {
            let priors = opinions.ask(&puzzle, &policy, &[found.clone(), found.clone()]);
            assert!(priors.iter().all(|priors| priors[..] == [1.0 / 6.0, 2.0 / 6.0, 0.5]));
        }
        assert_eq!(policy.0.load(Relaxed), 1);
        let forgetful = Opinions::new(0);
        (0..2).for_each(|_| drop(forgetful.ask(&puzzle, &policy, std::slice::from_ref(&found))));
        assert_eq!(policy.0.load(Relaxed), 2, "the last is always kept");
    }

    #[test]
    fn games_follow_the_policy() {
        let ((puzzle, found), policy) = (start(), Later::default());
        let opinions = Opinions::new(1 << 20);
        let mut jobs: Vec<Job<DummyPuzzle>> =
            (0..6000).map(|seed| Job::new(found.0, seed)).collect();
        opinions.play_out(&puzzle, &policy, &mut jobs);
        let share = |score| {
            jobs.iter().filter(|job| job.score == Score(score)).count() as f64 / jobs.len() as f64
        };
        for (score, expected) in [(1, 1.0 / 6.0), (2, 1.0 / 9.0), (3, 2.0 / 9.0), (4, 0.5)] {
            assert!((share(score) - expected).abs() < 0.02, "{score}: {}", share(score));
        }
        let mut alone = [jobs[17].clone()];
        opinions.play_out(&puzzle, &policy, &mut alone);
        assert_eq!(alone[0].moves, jobs[17].moves, "whoever plays beside it");
    }
}
