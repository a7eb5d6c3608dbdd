//! Wall-clock speed of networks on one core.
//!
//! `cargo bench -p solitree-nn`. A training step includes an evaluation of the same
//! 256 samples.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use solitree_games::samegame::Generator;
use solitree_nn::{
    Answers, Encoder, Evaluator, FastEvaluator, Features, NetConfig, Network, Params,
    PlainEvaluator, SameGameEncoder, Sample, Samples, Simd, TrainConfig, Trainer,
};

const BATCH: usize = 64;

fn positions(encoder: &SameGameEncoder) -> Vec<u8> {
    let bytes = encoder.input().bytes();
    let mut all = vec![0; BATCH * bytes];
    for (seed, marks) in all.chunks_exact_mut(bytes).enumerate() {
        let board = Generator::standard(seed as u64).board();
        encoder.encode(&encoder.board(&board).expect("a board of 15x15x5"), marks);
    }
    all
}

fn evaluation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evaluate");
    for (name, config, features) in [
        ("tiny", NetConfig::TINY, Features::Colours),
        ("tiny+groups", NetConfig::TINY, Features::Groups),
        ("small", NetConfig::SMALL, Features::Colours),
        ("paper", NetConfig::PAPER, Features::Colours),
    ] {
        let encoder = SameGameEncoder::new(15, 15, 5, features).expect("a size");
        let network = Network::new(config, encoder.input()).expect("large enough");
        let params = Params::random(&network, 1);
        let positions = positions(&encoder);
        let mut answers = Answers::default();
        group.throughput(Throughput::Elements(BATCH as u64));
        let tried = if name == "tiny" { Simd::available() } else { vec![Simd::best()] };
        for simd in tried {
            let mut evaluator = FastEvaluator::with_simd(&network, &params, simd);
            group.bench_function(format!("{name}/{simd}/{BATCH}"), |bencher| {
                bencher.iter(|| {
                    evaluator.evaluate(&positions, &mut answers);
                    black_box(&answers);
                });
            });
        }
        if name == "tiny" {
            for simd in Simd::available() {
                let mut evaluator =
                    FastEvaluator::quantised_with_simd(&network, &params, &positions, simd);
                group.bench_function(format!("{name}/whole/{simd}/{BATCH}"), |bencher| {
                    bencher.iter(|| {
                        evaluator.evaluate(&positions, &mut answers);
                        black_box(&answers);
                    });
                });
            }
            let mut plain = PlainEvaluator::new(&network, &params);
            group.throughput(Throughput::Elements(1));
            group.bench_function("tiny/obvious/1", |bencher| {
                bencher.iter(|| {
                    plain.evaluate(&positions[..encoder.input().bytes()], &mut answers);
                    black_box(&answers);
                });
            });
        }
    }
    group.finish();
}

fn training(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    for (name, config, side) in [("tiny", NetConfig::TINY, 15), ("small", NetConfig::SMALL, 7)] {
        let encoder = SameGameEncoder::new(side, side, 5, Features::Colours).expect("a size");
        let (mut samples, mut legal) = (Samples::new(&encoder, "samegame"), Vec::new());
        for seed in 0..256 {
            let generator: Generator =
                format!("{seed}:{side}x{side}x5").parse().expect("a random board");
            let contents = encoder.board(&generator.board()).expect("of this size");
            encoder.legal(&contents, &mut legal);
            let moves = &legal[..1];
            let sample =
                Sample { contents: &contents, moves, weights: &[1.0], value: None, cleared: None };
            samples.push(&encoder, sample).expect("a legal move");
        }
        let settings = TrainConfig { epochs: 1, ..TrainConfig::default() };
        let mut trainer = Trainer::new(&encoder, config, settings).expect("large enough");
        group.throughput(Throughput::Elements(256));
        group.bench_function(format!("{name}/{side}x{side}/256"), |bencher| {
            bencher.iter(|| {
                let watch = |_: &_| ControlFlow::Continue(());
                black_box(trainer.fit(&samples, &samples, watch).expect("finite"));
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(2));
    targets = evaluation, training
}
criterion_main!(benches);
