//! Wall-clock speed of the SameGame engine on one core, by path and policy.
//!
//! `cargo bench -p solitree-games`. The figures in the README come from
//! `solitree bench`, which measures the same things in the program itself.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use solitree_core::{Job, Playout, Puzzle};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{
    BoardName, Path, PlayoutConfig, PlayoutKind, Rules, SameGamePlayout, SmallSameGame,
};

fn playouts(criterion: &mut Criterion) {
    let rules = Rules::parse("samegame").expect("a preset");
    let board = BoardName::Standard(1).board();
    let mut group = criterion.benchmark_group("playout");
    for path in Path::available() {
        let game = SmallSameGame::new(&board, &rules).with_path(path);
        for &kind in PlayoutKind::ALL {
            let config = PlayoutConfig { kind, epsilon: 0.0, ..PlayoutConfig::default() };
            let policy = SameGamePlayout::new(&config, 225);
            for batch in [1, 6] {
                let mut jobs = vec![Job::new(game.start(), 0); batch];
                let mut seed = 0;
                group.throughput(Throughput::Elements(batch as u64));
                group.bench_function(format!("{kind}/{path}/{batch}"), |bencher| {
                    bencher.iter(|| {
                        for job in &mut jobs {
                            seed += 1;
                            job.seed = seed;
                        }
                        policy.run(&game, &mut jobs);
                        black_box(&jobs);
                    });
                });
            }
        }
    }
    let config = PlayoutConfig { epsilon: 0.0, ..PlayoutConfig::default() };
    let mut seed = 0;
    group.throughput(Throughput::Elements(1));
    group.bench_function("tabu-color-random/plain/1", |bencher| {
        bencher.iter(|| {
            seed += 1;
            black_box(PlainGame::new(&board, &rules).playout(&config, seed))
        });
    });
    group.finish();
}

fn positions(criterion: &mut Criterion) {
    let rules = Rules::parse("samegame").expect("a preset");
    let board = BoardName::Standard(1).board();
    let mut group = criterion.benchmark_group("position");
    for path in Path::available() {
        let game = SmallSameGame::new(&board, &rules).with_path(path);
        let mut job = [Job::new(game.start(), 1)];
        SameGamePlayout::new(&PlayoutConfig::default(), 225).run(&game, &mut job);
        let mut states = vec![game.start()];
        for &mv in &job[0].moves {
            let mut state = states[states.len() - 1];
            game.play(&mut state, mv);
            states.push(state);
        }
        let mut groups = Vec::new();
        group.throughput(Throughput::Elements(states.len() as u64));
        group.bench_function(format!("groups/{path}"), |bencher| {
            bencher.iter(|| {
                for state in &states {
                    game.groups(state, &mut groups);
                    black_box(&groups);
                }
            });
        });
        group.bench_function(format!("play/{path}"), |bencher| {
            bencher.iter(|| {
                let mut state = game.start();
                for &mv in &job[0].moves {
                    game.play(&mut state, mv);
                }
                black_box(state)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, playouts, positions);
criterion_main!(benches);
