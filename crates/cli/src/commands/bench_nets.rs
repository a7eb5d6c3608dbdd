//! `solitree bench --device`: how many boards networks evaluate, and whether they say
//! what they say on the processor.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Map, Value, json};
use solitree_core::Rng;
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Generator, Rules};
use solitree_lab::{Failure, shipped_weights};
use solitree_nn::{
    Answers, Digits, DistantEvaluator, Encoder, Evaluator, FastEvaluator, Features, NetConfig,
    NetMachine, Network, Params, PlainEvaluator, SameGameEncoder, Weights,
};

use super::bench::rate;

/// Boards asked about at a time.
const BATCHES: [usize; 4] = [64, 256, 1024, 4096];
/// Boards that are compared with the obvious way of reckoning, which is slow.
const COMPARED: usize = 24;
/// How far an answer may be off, as a part of the largest.
const OFF: [(Digits, f32); 2] = [(Digits::Half, 0.02), (Digits::Single, 1e-4)];

/// Networks without weights, beside those in the box: the paper's, and others.
const RANDOM: [(&str, Features); 3] = [
    ("paper+policy", Features::Colours),
    ("residual(blocks=4,filters=32)+policy", Features::Groups),
    ("residual(blocks=6,filters=64)+policy", Features::Groups),
];
/// Of their boards, and of those whose speed is told.
const SIDE: usize = 15;

/// A network with weights, and boards to ask it about.
struct Subject {
    name: String,
    network: Network,
    params: Params,
    positions: Vec<u8>,
}

/// Someone who is asked.
enum Asked {
    Here(Box<FastEvaluator>),
    Apart(Box<dyn DistantEvaluator>),
}

impl Asked {
    fn evaluate(&mut self, positions: &[u8], answers: &mut Answers) -> Result<()> {
        match self {
            Asked::Here(evaluator) => {
                evaluator.evaluate(positions, answers);
                Ok(())
            }
            Asked::Apart(evaluator) => {
                let said = evaluator.evaluate(positions, answers);
                said.map_err(|reason| anyhow::anyhow!("a network: {reason}"))
            }
        }
    }
}

/// Compares, if it is asked for, and measures, if there is time for it.
pub(super) fn run(
    nets: Option<&dyn NetMachine>,
    (check, time): (bool, Duration),
    report: &mut Map<String, Value>,
) -> Result<()> {
    let subjects = subjects()?;
    if let (true, Some(nets)) = (check, nets) {
        let mut compared = 0;
        for subject in &subjects {
            compared += subject.check(nets)?;
        }
        report.insert("network_answers_compared".into(), json!(compared));
    }
    if time.is_zero() {
        return Ok(());
    }
    let mut rates = Map::new();
    for subject in subjects.iter().filter(|subject| subject.network.input().width == SIDE) {
        for digits in [Digits::Half, Digits::Single] {
            let (mut asked, batches) = match nets {
                Some(nets) => (Asked::Apart(subject.apart(nets, digits)?), &BATCHES[..]),
                None if digits == Digits::Half => continue,
                None => (Asked::Here(Box::new(subject.here())), &BATCHES[..1]),
            };
            let name = match digits {
                Digits::Half => "half",
                Digits::Single => "single",
            };
            for &batch in batches {
                let speed = subject.speed(&mut asked, batch, time)?;
                rates.insert(format!("{}, {name}, {batch}", subject.name), json!(speed));
            }
        }
    }
    report.insert("boards_evaluated_per_second".into(), Value::Object(rates));
    Ok(())
}

fn subjects() -> Result<Vec<Subject>> {
    let mut all = Vec::new();
    for weights in shipped_weights() {
        all.push(Subject::taught(weights)?);
    }
    for (net, features) in RANDOM {
        let encoder = SameGameEncoder::new(SIDE, SIDE, 5, features)?;
        let config: NetConfig = net.parse()?;
        let network = Network::new(config, encoder.input())?;
        let params = Params::random(&network, 1);
        all.push(Subject::new(network, params, &encoder)?);
    }
    Ok(all)
}

impl Subject {
    fn taught(weights: Weights) -> Result<Subject> {
        let input = weights.header.input;
        let encoder = SameGameEncoder::of(&weights.header.encoder, (input.width, input.height, 5))?;
        let network = weights.network(&encoder, &weights.header.rules)?;
        Subject::new(network, weights.params, &encoder)
    }

    /// Boards from games played at random.
    fn new(network: Network, params: Params, encoder: &SameGameEncoder) -> Result<Subject> {
        let input = network.input();
        let bytes = input.bytes();
        let most = BATCHES[BATCHES.len() - 1];
        let name = network.config().to_string();
        let (mut rng, rules, mut positions) = (Rng::new(1), Rules::default(), Vec::new());
        let mut marks = vec![0; bytes];
        let size = format!("{}x{}x{}", input.width, input.height, encoder.colours());
        for seed in 0.. {
            let generator: Generator = format!("{seed}:{size}").parse().map_err(Failure::usage)?;
            let board = generator.board();
            let mut game = PlainGame::new(&board, &rules);
            loop {
                encoder.encode(&encoder.board(&game.board())?, &mut marks);
                positions.extend_from_slice(&marks);
                if positions.len() == most * bytes {
                    return Ok(Subject { name, network, params, positions });
                }
                let groups = game.groups();
                if groups.is_empty() {
                    break;
                }
                game.play(groups[rng.below(groups.len() as u32) as usize].cells[0]);
            }
        }
        unreachable!("there are always more boards")
    }

    fn here(&self) -> FastEvaluator {
        FastEvaluator::new(&self.network, &self.params)
    }

    fn apart(&self, nets: &dyn NetMachine, digits: Digits) -> Result<Box<dyn DistantEvaluator>> {
        let evaluator = nets.evaluator(&self.network, &self.params, digits);
        evaluator.map_err(|reason| anyhow::anyhow!("{}: {reason}", self.name))
    }

    fn speed(&self, asked: &mut Asked, batch: usize, time: Duration) -> Result<f64> {
        let bytes = self.network.input().bytes();
        let (mut answers, mut trouble) = (Answers::default(), None);
        let speed = rate(time, || {
            if let Err(error) = asked.evaluate(&self.positions[..batch * bytes], &mut answers) {
                trouble.get_or_insert(error);
            }
            batch as u64
        });
        trouble.map_or(Ok(speed), Err)
    }

    /// Compares boards far apart with what the processor says of them alone; returns
    /// how many numbers.
    fn check(&self, nets: &dyn NetMachine) -> Result<u64> {
        let bytes = self.network.input().bytes();
        let cells = self.network.input().cells();
        let each = BATCHES[BATCHES.len() - 1] / COMPARED;
        let chosen: Vec<usize> = (0..COMPARED).map(|number| number * each).collect();
        let some: Vec<u8> =
            chosen.iter().flat_map(|&at| &self.positions[at * bytes..][..bytes]).copied().collect();
        let (mut plain, mut said) = (Answers::default(), Answers::default());
        PlainEvaluator::new(&self.network, &self.params).evaluate(&some, &mut plain);
        let largest = plain.policy.iter().fold(1.0_f32, |most, number| most.max(number.abs()));
        for (digits, off) in OFF {
            let mut apart = self.apart(nets, digits)?;
            let lost = |reason| anyhow::anyhow!("{}: {reason}", self.name);
            apart.evaluate(&self.positions, &mut said).map_err(lost)?;
            for (number, &at) in chosen.iter().enumerate() {
                let theirs = &said.policy[at * cells..][..cells];
                let ours = &plain.policy[number * cells..][..cells];
                if let Some(cell) =
                    (0..cells).find(|&cell| (theirs[cell] - ours[cell]).abs() > off * largest)
                {
                    return Err(Failure::Condition(format!(
                        "{}, {digits:?}, board {at}, cell {cell}: the device says {}, the \
                         processor {}",
                        self.name, theirs[cell], ours[cell]
                    ))
                    .into());
                }
            }
        }
        Ok((OFF.len() * COMPARED * cells) as u64)
    }
}
