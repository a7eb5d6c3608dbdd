//! The fast evaluator against the plain one, for networks of every kind on
//! boards of every shape, on every set of instructions this machine has.

mod common;

use common::{positions, shaken};
use proptest::prelude::*;
use solitree_nn::{
    Answers, Encoder, Evaluator, FastEvaluator, Features, NetConfig, Network, PlainEvaluator,
    SameGameEncoder, Simd,
};

fn close(kind: &str, fast: &[f32], plain: &[f32]) {
    assert_eq!(fast.len(), plain.len(), "{kind}");
    let scale = plain.iter().fold(1.0_f32, |scale, x| scale.max(x.abs()));
    for (place, (a, b)) in fast.iter().zip(plain).enumerate() {
        assert!((a - b).abs() <= 2e-5 * scale, "{kind} {place}: {a} and {b}");
    }
}

fn compare(config: NetConfig, encoder: &SameGameEncoder, batch: usize, seed: u64) {
    let network = Network::new(config, encoder.input()).unwrap();
    let params = shaken(&network, seed);
    let positions = positions(encoder, batch, seed);
    let (mut plain, mut fast) = (Answers::default(), Answers::default());
    PlainEvaluator::new(&network, &params).evaluate(&positions, &mut plain);
    for simd in Simd::available() {
        let mut evaluator = FastEvaluator::with_simd(&network, &params, simd);
        // Twice: nothing may be left from the first time.
        for _ in 0..2 {
            evaluator.evaluate(&positions, &mut fast);
            close("policy", &fast.policy, &plain.policy);
            close("value", &fast.value, &plain.value);
            close("clear", &fast.clear, &plain.clear);
        }
        evaluator.evaluate(&positions[..encoder.input().bytes()], &mut fast);
        close("policy of one", &fast.policy, &plain.policy[..fast.policy.len()]);
    }
}

/// Whole numbers are nearly right, and the same on all instructions.
fn compare_quantised(config: NetConfig, encoder: &SameGameEncoder, seed: u64) {
    let network = Network::new(config, encoder.input()).unwrap();
    let params = shaken(&network, seed);
    let positions = positions(encoder, 11, seed);
    let (mut plain, mut fast) = (Answers::default(), Answers::default());
    PlainEvaluator::new(&network, &params).evaluate(&positions, &mut plain);
    let mut first: Option<Answers> = None;
    for simd in Simd::available() {
        let mut evaluator = FastEvaluator::quantised_with_simd(&network, &params, &positions, simd);
        evaluator.evaluate(&positions, &mut fast);
        let first = first.get_or_insert_with(|| fast.clone());
        assert_eq!(first.policy, fast.policy, "{simd}");
    }
    let square = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|x| x * x).sum::<f32>();
    let error = square(&mut fast.policy.iter().zip(&plain.policy).map(|(a, b)| a - b));
    let all = square(&mut plain.policy.iter().copied());
    assert!(error <= 0.05_f32.powi(2) * all, "{config}: {error} of {all}");
}

fn configs() -> impl Strategy<Value = NetConfig> {
    let body = prop_oneof![
        (1usize..4, 1usize..40).prop_map(|(l, f)| format!("tiny(layers={l},filters={f})")),
        (1usize..3, 1usize..40).prop_map(|(b, f)| format!("residual(blocks={b},filters={f})")),
    ];
    let heads =
        prop_oneof![Just("+policy"), Just("+value"), Just("+clear"), Just("+policy+value+clear"),];
    (body, heads).prop_map(|(body, heads)| format!("{body}{heads}").parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn networks_of_every_kind(
        config in configs(),
        (width, height, colours) in (1usize..13, 1usize..13, 1usize..9),
        groups in any::<bool>(),
        batch in 1usize..12,
        seed in any::<u64>(),
    ) {
        let features = if groups { Features::Groups } else { Features::Colours };
        let encoder = SameGameEncoder::new(width, height, colours, features).unwrap();
        compare(config, &encoder, batch, seed);
    }
}

#[test]
fn whole_numbers_are_nearly_right() {
    for (place, filters) in [1, 16, 20, 32, 48].into_iter().enumerate() {
        let encoder = SameGameEncoder::new(5 + place, 9, 5, Features::Groups).unwrap();
        for body in ["tiny(layers=4", "residual(blocks=2"] {
            let text = format!("{body},filters={filters})+policy");
            compare_quantised(text.parse().unwrap(), &encoder, 7 + place as u64);
        }
    }
}

#[test]
fn the_papers_network() {
    for (width, height) in [(3, 3), (7, 7), (4, 6)] {
        let encoder = SameGameEncoder::new(width, height, 5, Features::Colours).unwrap();
        compare("paper+policy+value".parse().unwrap(), &encoder, 3, 1);
    }
}

#[test]
fn networks_of_many_filters() {
    let encoder = SameGameEncoder::new(6, 5, 5, Features::Groups).unwrap();
    for filters in [32, 48, 64, 100] {
        let text = format!("residual(blocks=1,filters={filters})+policy");
        compare(text.parse().unwrap(), &encoder, 2, filters);
    }
}
