//! Wall-clock speed of networks on one core.
//!
//! `cargo bench -p solitree-nn`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use solitree_games::samegame::Generator;
use solitree_nn::{
    Answers, Encoder, Evaluator, FastEvaluator, Features, NetConfig, Network, Params,
    PlainEvaluator, SameGameEncoder, Simd,
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
        for simd in Simd::available() {
            let mut evaluator = FastEvaluator::with_simd(&network, &params, simd);
            group.bench_function(format!("{name}/{simd}/{BATCH}"), |bencher| {
                bencher.iter(|| {
                    evaluator.evaluate(&positions, &mut answers);
                    black_box(&answers);
                });
            });
        }
        if name == "tiny" {
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(2));
    targets = evaluation
}
criterion_main!(benches);
