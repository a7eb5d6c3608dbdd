//! How fast games of Morpion Solitaire are, at random and steered.

use criterion::{Criterion, criterion_group, criterion_main};
use solitree_core::{Guide, Job, Playout, Puzzle, Rng, Trace, Weights};
use solitree_games::morpion::{Morpion, MorpionKit, Variant};

fn games(criterion: &mut Criterion) {
    for &variant in Variant::ALL {
        let puzzle = Morpion::new(variant);
        let start = puzzle.start();
        let mut job = [Job::new(start.clone(), 0)];
        criterion.bench_function(&format!("morpion:{variant} random game"), |bench| {
            bench.iter(|| {
                job[0].seed += 1;
                MorpionKit.run(&puzzle, &mut job);
            });
        });
        let (weights, mut rng) = (Weights::default(), Rng::new(1));
        let mut trace = Trace::default();
        criterion.bench_function(&format!("morpion:{variant} steered game"), |bench| {
            bench.iter(|| {
                trace.clear();
                MorpionKit.steer(&puzzle, &start, &weights, &mut rng, &mut trace);
            });
        });
    }
}

criterion_group!(benches, games);
criterion_main!(benches);
