//! Slopes against differences: each parameter moved a little either way in the
//! plain network, in double precision.

use solitree_core::Rng;

use super::loss::{Lesson, Shares, judge};
use super::pass::Pass;
use super::slopes::{Packed, Slopes};
use super::{TrainConfig, ValueLoss};
use crate::infer::{Norms, forward};
use crate::{Encoder, Features, Network, Params, SameGameEncoder, Sample, Samples, Scale, Simd};

const COUNT: usize = 5;

fn samples(encoder: &SameGameEncoder, rng: &mut Rng) -> Samples {
    let input = encoder.input();
    let mut samples = Samples::new(encoder, "samegame");
    let mut legal = Vec::new();
    while samples.len() < COUNT {
        let contents: Vec<u8> = (0..input.cells()).map(|_| 1 + rng.below(3) as u8).collect();
        encoder.legal(&contents, &mut legal);
        let (moves, weights) = match (samples.len(), &legal[..]) {
            (0, _) => (vec![], vec![]),
            (1, [first, .., last]) => (vec![*first, *last], vec![0.3, 0.7]),
            (_, [.., last]) => (vec![*last], vec![1.0]),
            _ => continue,
        };
        let (value, cleared) = match samples.len() {
            1 => (None, Some(true)),
            2 => (Some(900.0), None),
            n => (Some(10.0 * n as f32), Some(n % 2 == 0)),
        };
        let sample =
            Sample { contents: &contents, moves: &moves, weights: &weights, value, cleared };
        samples.push(encoder, sample).unwrap();
    }
    samples
}

fn check(text: &str, (width, height): (usize, usize), value_loss: ValueLoss, places: usize) {
    let encoder = SameGameEncoder::new(width, height, 3, Features::Groups).unwrap();
    let network = Network::new(text.parse().unwrap(), encoder.input()).unwrap();
    let mut rng = Rng::new(5);
    let samples = samples(&encoder, &mut rng);
    let mut params = Params::random(&network, 2);
    for (data, spec) in params.tensors.iter_mut().zip(network.tensors()) {
        if spec.shape.len() == 1 && spec.role.learns() {
            data.iter_mut().for_each(|x| *x += 0.4 * (rng.unit() as f32 - 0.5));
        }
    }
    let scale = Scale { mean: 20.0, spread: 30.0 };
    let config = TrainConfig {
        value_weight: 0.5,
        clear_weight: 2.0,
        value_loss,
        scale,
        ..TrainConfig::default()
    };
    let which: Vec<u32> = (0..COUNT as u32).collect();
    let lesson = Lesson::new(&encoder, &samples, &which, None);
    let shares = Shares::new(&config, &samples, &which);

    let loss = |tensors: &[Vec<f64>]| {
        let nodes = forward(&network, tensors, &lesson.positions, Norms::Batch);
        let answer = |node: usize, position: usize, number: usize| {
            nodes[node][position * (nodes[node].len() / COUNT) + number]
        };
        plain_loss(&samples, &encoder, &network, &config, answer)
    };

    for simd in if places == 1 { vec![Simd::best()] } else { Simd::available() } {
        let packed = Packed::new(&network, &params);
        let mut pass = Pass::new(&network, 8, simd);
        let mut slopes = Slopes::new(&network);
        // Once on more positions: nothing may be left from them.
        let more = [&lesson.positions[..], &lesson.positions[..encoder.input().bytes() * 3]];
        pass.forwards(&packed, &more.concat());
        pass.begin_backwards();
        pass.slopes.iter_mut().flatten().for_each(|slope| *slope = 1.0);
        pass.forwards(&packed, &lesson.positions);
        pass.begin_backwards();
        let mut answers = std::mem::take(&mut pass.slopes);
        judge(
            &lesson,
            network.outputs,
            &config,
            shares,
            |node, position, number| pass.said[node][pass.place(node, position, number)],
            |node, position, number, slope| {
                answers[node][pass.place(node, position, number)] = slope;
            },
        );
        pass.slopes = answers;
        pass.backwards(&packed, &mut slopes);
        let slopes = slopes.unpacked(&network);

        let mut tensors: Vec<Vec<f64>> =
            params.tensors.iter().map(|t| t.iter().map(|&x| f64::from(x)).collect()).collect();
        for (index, spec) in network.tensors().iter().enumerate() {
            if !spec.role.learns() {
                continue;
            }
            for _ in 0..places {
                let place = rng.below(spec.len() as u32) as usize;
                let kept = tensors[index][place];
                let mut at = |x: f64| {
                    tensors[index][place] = x;
                    loss(&tensors)
                };
                let difference = (at(kept + 1e-5) - at(kept - 1e-5)) / 2e-5;
                tensors[index][place] = kept;
                let slope = f64::from(slopes[index][place]);
                assert!(
                    (slope - difference).abs() < 1e-3 * difference.abs().max(0.02),
                    "{text}, {simd}, {} [{place}]: {slope} and {difference}",
                    spec.name
                );
            }
        }
    }
}

/// The loss written down once more, from the samples themselves.
fn plain_loss(
    samples: &Samples,
    encoder: &SameGameEncoder,
    network: &Network,
    config: &TrainConfig,
    answer: impl Fn(usize, usize, usize) -> f64,
) -> f64 {
    let mut sums = [(0.0, 0.0); 3];
    let mut legal = Vec::new();
    for (position, sample) in samples.iter().enumerate() {
        if let (Some(node), false) = (network.outputs.policy, sample.moves.is_empty()) {
            encoder.legal(sample.contents, &mut legal);
            let logit = |&cell: &u16| answer(node, position, usize::from(cell));
            let all: f64 = legal.iter().map(|cell| libm::exp(logit(cell))).sum();
            for (mv, &weight) in sample.moves.iter().zip(sample.weights) {
                sums[0].0 -= f64::from(weight) * (logit(mv) - libm::log(all));
            }
            sums[0].1 += 1.0;
        }
        if let (Some(node), Some(value)) = (network.outputs.value, sample.value) {
            let error = answer(node, position, 0) - f64::from(config.scale.value(value));
            let linear = config.value_loss == ValueLoss::Huber && error.abs() > 1.0;
            sums[1].0 += if linear { 2.0 * error.abs() - 1.0 } else { error * error };
            sums[1].1 += 1.0;
        }
        if let (Some(node), Some(cleared)) = (network.outputs.clear, sample.cleared) {
            let chance = 1.0 / (1.0 + libm::exp(-answer(node, position, 0)));
            sums[2].0 -= libm::log(if cleared { chance } else { 1.0 - chance });
            sums[2].1 += 1.0;
        }
    }
    let weights = [1.0, f64::from(config.value_weight), f64::from(config.clear_weight)];
    sums.iter()
        .zip(weights)
        .filter(|((_, count), _)| *count > 0.0)
        .map(|((sum, count), weight)| weight * sum / count)
        .sum()
}

#[test]
fn of_a_tiny_network() {
    check("tiny(layers=3,filters=16)+policy+value+clear", (5, 4), ValueLoss::Huber, 6);
    check("tiny(layers=2,filters=5)+policy", (3, 3), ValueLoss::Squared, 6);
}

#[test]
fn of_a_residual_network() {
    check("residual(blocks=2,filters=20)+policy+value+clear", (4, 5), ValueLoss::Squared, 4);
}

#[test]
fn of_the_papers_network() {
    check("paper+policy+value", (3, 3), ValueLoss::Huber, 1);
}
