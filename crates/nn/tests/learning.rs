//! The whole of it: a network learns to play the largest group.

mod common;

use std::ops::ControlFlow;

use common::position;
use solitree_core::Rng;
use solitree_games::samegame::Rules;
use solitree_games::samegame::plain::PlainGame;
use solitree_nn::{
    Answers, Encoder, Evaluator, FastEvaluator, Features, Fit, NetConfig, Params, Precision,
    SameGameEncoder, Sample, Samples, Scale, TrainConfig, TrainError, Trainer, TrainingRecord,
    Weights,
};

/// Positions with a single largest group, to be played.
fn lessons(encoder: &SameGameEncoder, count: usize, seed: u64) -> Samples {
    let (mut samples, mut rng) = (Samples::new(encoder, "samegame"), Rng::new(seed));
    let rules = Rules::default();
    while samples.len() < count {
        let board = position(encoder, &mut rng);
        let mut groups = PlainGame::new(&board, &rules).groups();
        groups.sort_by_key(|group| std::cmp::Reverse(group.cells.len()));
        let [largest, next, ..] = &groups[..] else { continue };
        if largest.cells.len() == next.cells.len() {
            continue;
        }
        let height = encoder.input().height;
        let first = largest.cells[0];
        let sample = Sample {
            contents: &encoder.board(&board).unwrap(),
            moves: &[(first.column() * height + first.row()) as u16],
            weights: &[1.0],
            value: Some(10.0 * largest.cells.len() as f32),
            cleared: Some(largest.cells.len() > 5),
        };
        samples.push(encoder, sample).unwrap();
    }
    samples
}

fn learn(
    encoder: &SameGameEncoder,
    net: &str,
    config: &TrainConfig,
    count: usize,
) -> (Fit, Params) {
    let training = lessons(encoder, count, 1);
    let validation = lessons(encoder, count / 9, 2);
    let config = TrainConfig { scale: training.scale(), ..config.clone() };
    let mut trainer = Trainer::new(encoder, net.parse().unwrap(), config).unwrap();
    let fit = trainer.fit(&training, &validation, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(trainer.measure(&validation), fit.epochs[fit.best - 1].validation);
    (fit, trainer.params().clone())
}

#[test]
fn a_tiny_network_learns_to_play_the_largest_group() {
    let encoder = SameGameEncoder::new(7, 7, 5, Features::Colours).unwrap();
    let config =
        TrainConfig { learning_rate: 4e-3, epochs: 10, patience: 10, ..TrainConfig::default() };
    let net = "tiny(layers=4,filters=16)+policy+value+clear";
    let (fit, params) = learn(&encoder, net, &config, 5_000);
    let last = fit.epochs[fit.best - 1].validation;
    // There are about ten groups to choose from.
    assert!(last.accuracy > 0.6, "{fit:#?}");
    assert!(last.value < 0.5 && last.clear < 0.45, "{fit:#?}");

    // Through a file in half precision, and asked like a search would.
    let trainer = Trainer::new(&encoder, net.parse().unwrap(), config).unwrap();
    let record = TrainingRecord::default();
    let scale = Scale { mean: 50.0, spread: 10.0 };
    let weights = Weights::new(&encoder, "samegame", trainer.network(), &params, scale, record);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("largest.safetensors");
    weights.write(&path, Precision::Half).unwrap();
    let weights = Weights::read(&path).unwrap();
    let larger = SameGameEncoder::new(9, 8, 5, Features::Colours).unwrap();
    let network = weights.network(&larger, "samegame").unwrap();
    let mut evaluator = FastEvaluator::new(&network, &weights.params);
    let some = common::positions(&larger, 30, 5);
    let mut quantised = FastEvaluator::quantised(&network, &weights.params, &some);
    let (mut right, mut same, all) = (0, 0, 300);
    for sample in lessons(&larger, all, 3).iter() {
        let best = best_move(&larger, &mut evaluator, sample.contents);
        right += usize::from(best == sample.moves[0]);
        same += usize::from(best == best_move(&larger, &mut quantised, sample.contents));
    }
    assert!(5 * right > 2 * all, "{right} of {all} on larger boards");
    assert!(10 * same > 9 * all, "{same} of {all} the same in whole numbers");
}

/// The move that a network likes best, asked as a search would.
fn best_move(encoder: &SameGameEncoder, evaluator: &mut FastEvaluator, contents: &[u8]) -> u16 {
    let (mut answers, mut legal, mut priors) = (Answers::default(), Vec::new(), Vec::new());
    let mut marks = vec![0; encoder.input().bytes()];
    encoder.encode(contents, &mut marks);
    evaluator.evaluate(&marks, &mut answers);
    encoder.legal(contents, &mut legal);
    answers.priors(0, encoder.input().cells(), &legal, &mut priors);
    assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    let best = (0..legal.len()).max_by(|&a, &b| priors[a].total_cmp(&priors[b]));
    legal[best.expect("there are moves")]
}

#[test]
fn threads_do_not_change_what_is_learnt() {
    let encoder = SameGameEncoder::new(4, 4, 3, Features::Groups).unwrap();
    let net = "residual(blocks=1,filters=8)+policy+value+clear";
    let learnt = |threads: usize, seed: u64| {
        let config = TrainConfig { threads, seed, batch: 100, epochs: 2, ..TrainConfig::default() };
        learn(&encoder, net, &config, 450)
    };
    let one = learnt(1, 1);
    assert_eq!(one, learnt(2, 1));
    assert_eq!(one, learnt(7, 1));
    assert_ne!(one, learnt(1, 2));
}

#[test]
fn learning_stops_when_nothing_is_gained() {
    let encoder = SameGameEncoder::new(4, 4, 3, Features::Colours).unwrap();
    let (samples, few) = (lessons(&encoder, 64, 1), lessons(&encoder, 10, 2));
    // Weights that cannot move: the first epoch is the best.
    let config = TrainConfig { learning_rate: 0.0, patience: 3, ..TrainConfig::default() };
    let net = NetConfig::PAPER;
    let mut trainer = Trainer::new(&encoder, net, config.clone()).unwrap();
    let fit = trainer.fit(&samples, &few, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((fit.best, fit.epochs.len()), (1, 4));
    let mut trainer = Trainer::new(&encoder, net, config).unwrap();
    let fit = trainer.fit(&samples, &few, |_| ControlFlow::Break(())).unwrap();
    assert_eq!(fit.epochs.len(), 1);
}

#[test]
fn what_is_not_finite_is_named() {
    let encoder = SameGameEncoder::new(4, 4, 3, Features::Colours).unwrap();
    let (samples, few) = (lessons(&encoder, 100, 1), lessons(&encoder, 10, 2));
    let config = TrainConfig { learning_rate: 1e30, batch: 32, ..TrainConfig::default() };
    let mut trainer = Trainer::new(&encoder, NetConfig::PAPER, config).unwrap();
    let before = trainer.params().clone();
    let error = trainer.fit(&samples, &few, |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error, TrainError::NotFinite { epoch: 1, batch: 2 });
    assert!(error.to_string().starts_with("epoch 1, batch 2: the loss is not a finite number"));
    assert_eq!(trainer.params(), &before, "the last good weights are kept");
}

#[test]
fn samples_must_belong_to_the_network() {
    let encoder = SameGameEncoder::new(4, 4, 3, Features::Colours).unwrap();
    let other = SameGameEncoder::new(4, 4, 3, Features::Groups).unwrap();
    let mut trainer = Trainer::new(&encoder, NetConfig::TINY, TrainConfig::default()).unwrap();
    let mut told = |training: &Samples, validation: &Samples| {
        let watch = |_: &_| ControlFlow::Continue(());
        trainer.fit(training, validation, watch).unwrap_err().to_string()
    };
    let (good, empty) = (lessons(&encoder, 3, 1), Samples::new(&encoder, "samegame"));
    assert_eq!(
        told(&good, &lessons(&other, 3, 1)),
        "samples of samegame/colours3+groups/v1 on 4x4, and the network is taught \
         samegame/colours3/v1 on 4x4"
    );
    assert_eq!(told(&empty, &good), "no samples to learn from");
    assert_eq!(told(&good, &empty), "no samples to validate with");
}
