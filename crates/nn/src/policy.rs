//! A network as the policy of a puzzle, and as what foresees the rest of its games.

use std::sync::{Arc, Mutex, PoisonError};

use solitree_core::{Asked, Foresight, Policy, Prospect, Puzzle, Rng};

use crate::config::Heads;
use crate::encoder::PuzzleEncoder;
use crate::gather::Gathering;
use crate::infer::{Answers, Evaluator, FastEvaluator};
use crate::machine::{Digits, NetMachine};
use crate::math::softmax;
use crate::network::Network;
use crate::params::Params;
use crate::samples::Scale;

/// Positions from which the scales of whole numbers are learnt.
const EXAMPLES: usize = 96;

/// Positions asked about at a time on the processor: from here on nothing is gained.
const BATCH_HERE: usize = 8;
/// And on a machine apart: as many as cost a search little at equal nodes. Twice as
/// many cost it 222 ± 75 of 2,736 points: docs/learning.md.
const BATCH_APART: usize = 64;
/// And of games to be foreseen: there no search waits for an answer before it knows what
/// else to ask.
const FORESEEN_APART: usize = 1024;

/// A network asked for what it has heads for: its policy, and what the rest of a game
/// brings. Each thread that asks gets an evaluator of its own; they share the weights.
pub struct NetPolicy<E> {
    encoder: E,
    heads: Heads,
    scale: Scale,
    first: FastEvaluator,
    idle: Mutex<Vec<FastEvaluator>>,
    apart: Option<Gathering>,
}

impl<E> NetPolicy<E> {
    /// The policy of a network, in whole numbers where that is possible: then the
    /// same on every processor, if it has no other head. Their scales come from games
    /// of a puzzle played at random; any of the same size will do, and the same
    /// one gives the same policy.
    #[must_use]
    pub fn new<P: Puzzle>(encoder: E, network: &Network, params: &Params, puzzle: &P) -> Self
    where
        E: PuzzleEncoder<P>,
    {
        let examples = examples(&encoder, puzzle);
        let first = FastEvaluator::quantised(network, params, &examples);
        let (heads, scale) = (network.config().heads, Scale::default());
        NetPolicy { encoder, heads, scale, first, idle: Mutex::default(), apart: None }
    }

    /// The same with values of this scale: one point is 1 unless said otherwise.
    #[must_use]
    pub fn with_scale(self, scale: Scale) -> Self {
        NetPolicy { scale, ..self }
    }

    /// The same policy from a machine apart; from the processor where that cannot
    /// do it, and as soon as it is lost. The machine is told in either case.
    #[must_use]
    pub fn with_machine(
        mut self,
        machine: Option<Arc<dyn NetMachine>>,
        network: &Network,
        params: &Params,
    ) -> Self {
        self.apart = machine.and_then(|machine| {
            let first = machine.evaluator(network, params, Digits::Half);
            let first = first.map_err(|reason| machine.lose(&reason)).ok()?;
            Some(Gathering::new(machine, first, network.input().bytes()))
        });
        self
    }

    /// What the network says of positions.
    fn ask<'a, P: Puzzle>(
        &self,
        puzzle: &P,
        states: impl ExactSizeIterator<Item = &'a P::State>,
    ) -> Answers
    where
        E: PuzzleEncoder<P>,
        P::State: 'a,
    {
        let (cells, bytes) = (self.encoder.input().cells(), self.encoder.input().bytes());
        let (mut contents, mut marks) = (vec![0; cells], vec![0; states.len() * bytes]);
        for (state, marks) in states.zip(marks.chunks_exact_mut(bytes)) {
            self.encoder.contents(puzzle, state, &mut contents);
            self.encoder.encode(&contents, marks);
        }
        self.evaluate(&marks)
    }

    /// Whether the machine apart is there.
    fn is_apart(&self) -> bool {
        self.apart.as_ref().is_some_and(Gathering::is_there)
    }

    fn evaluate(&self, marks: &[u8]) -> Answers {
        if let Some(answers) = self.apart.as_ref().and_then(|apart| apart.evaluate(marks)) {
            return answers;
        }
        let mut answers = Answers::default();
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut evaluator = idle().pop().unwrap_or_else(|| self.first.clone());
        evaluator.evaluate(marks, &mut answers);
        idle().push(evaluator);
        answers
    }
}

/// Encoded positions of games played at random.
fn examples<P: Puzzle>(encoder: &impl PuzzleEncoder<P>, puzzle: &P) -> Vec<u8> {
    let (cells, bytes) = (encoder.input().cells(), encoder.input().bytes());
    let (mut rng, mut state) = (Rng::new(1), puzzle.start());
    let (mut contents, mut marks) = (vec![0; cells], vec![0; EXAMPLES * bytes]);
    let mut moves = Vec::new();
    for marks in marks.chunks_exact_mut(bytes) {
        puzzle.moves(&state, &mut moves);
        encoder.contents(puzzle, &state, &mut contents);
        encoder.encode(&contents, marks);
        if moves.is_empty() {
            state = puzzle.start();
        } else {
            puzzle.play(&mut state, moves[rng.below(moves.len() as u32) as usize]);
        }
    }
    marks
}

impl<P: Puzzle, E: PuzzleEncoder<P>> Policy<P> for NetPolicy<E> {
    fn priors(&self, puzzle: &P, asked: &[Asked<'_, P>], out: &mut Vec<f32>) {
        let cells = self.encoder.input().cells();
        let answers = self.ask(puzzle, asked.iter().map(|&(state, _)| state));
        out.clear();
        for ((state, moves), logits) in asked.iter().zip(answers.policy.chunks_exact(cells)) {
            let begin = out.len();
            let index = |&mv: &P::Move| self.encoder.legal_index(puzzle, state, mv);
            out.extend(moves.iter().map(|mv| logits[usize::from(index(mv))]));
            softmax(&mut out[begin..]);
        }
    }

    fn preferred_batch(&self) -> usize {
        if self.is_apart() { BATCH_APART } else { BATCH_HERE }
    }

    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        self.heads.value.then_some(self as &dyn Foresight<P>)
    }
}

impl<P: Puzzle, E: PuzzleEncoder<P>> Foresight<P> for NetPolicy<E> {
    fn prospects(&self, puzzle: &P, states: &[&P::State], out: &mut Vec<Prospect>) {
        let answers = self.ask(puzzle, states.iter().copied());
        let prospect = |(index, &value): (usize, &f32)| Prospect {
            points: self.scale.points(value),
            clears: answers.clears(index).unwrap_or(0.0),
        };
        out.clear();
        out.extend(answers.value.iter().enumerate().map(prospect));
    }

    fn tells_clearing(&self) -> bool {
        self.heads.clear
    }

    fn preferred_batch(&self) -> usize {
        if self.is_apart() { FORESEEN_APART } else { BATCH_HERE }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use solitree_games::samegame::{Generator, Rules, SmallSameGame};

    use super::*;
    use crate::machine::DistantEvaluator;
    use crate::{Encoder, Features, NetConfig, SameGameEncoder};

    /// Says the same of all moves, so many times; then it is on fire.
    #[derive(Debug, Default)]
    struct Machine {
        left: Arc<AtomicUsize>,
        told: Mutex<Vec<String>>,
    }

    struct Uniform(Arc<AtomicUsize>, usize);

    impl NetMachine for Machine {
        fn evaluator(
            &self,
            network: &Network,
            _: &Params,
            digits: Digits,
        ) -> Result<Box<dyn DistantEvaluator>, String> {
            assert_eq!(digits, Digits::Half);
            Ok(Box::new(Uniform(Arc::clone(&self.left), network.input().bytes())))
        }

        fn lose(&self, reason: &str) {
            self.told.lock().unwrap().push(reason.to_owned());
        }
    }

    impl DistantEvaluator for Uniform {
        fn evaluate(&mut self, positions: &[u8], out: &mut Answers) -> Result<(), String> {
            let left = self.0.load(Relaxed);
            self.0.store(left.checked_sub(1).ok_or("it is on fire")?, Relaxed);
            out.policy = vec![0.0; positions.len() / self.1 * 49];
            Ok(())
        }

        fn another(&self) -> Result<Box<dyn DistantEvaluator>, String> {
            Ok(Box::new(Uniform(Arc::clone(&self.0), self.1)))
        }
    }

    #[test]
    fn a_machine_that_is_lost_is_done_without() {
        let rules = Rules::parse("samegame").unwrap();
        let board = "7:7x7x5".parse::<Generator>().unwrap().board();
        let game = SmallSameGame::new(&board, &rules);
        let encoder = SameGameEncoder::new(7, 7, 5, Features::Groups).unwrap();
        let network = Network::new(NetConfig::TINY, encoder.input()).unwrap();
        let params = Params::random(&network, 3);
        let here = NetPolicy::new(encoder.clone(), &network, &params, &game);
        let machine = Arc::new(Machine::default());
        machine.left.store(2, Relaxed);
        let lent = Some(Arc::clone(&machine) as Arc<dyn NetMachine>);
        let apart = NetPolicy::new(encoder, &network, &params, &game);
        let apart = apart.with_machine(lent, &network, &params);
        let (state, mut moves) = (game.start(), Vec::new());
        game.moves(&state, &mut moves);
        let asked = [(&state, &moves[..])];
        let (mut expected, mut said) = (Vec::new(), Vec::new());
        here.priors(&game, &asked, &mut expected);
        let batch =
            |policy: &NetPolicy<SameGameEncoder>| Policy::<SmallSameGame>::preferred_batch(policy);
        for _ in 0..2 {
            assert_eq!(batch(&apart), BATCH_APART);
            apart.priors(&game, &asked, &mut said);
            assert!(said.iter().all(|prior| (prior * moves.len() as f32 - 1.0).abs() < 1e-5));
        }
        for _ in 0..2 {
            apart.priors(&game, &asked, &mut said);
            assert_eq!(said, expected, "the processor goes on");
            assert_eq!(batch(&apart), BATCH_HERE);
        }
        assert_eq!(*machine.told.lock().unwrap(), ["it is on fire"], "once");
    }

    #[test]
    fn priors_are_the_networks_and_do_not_depend_on_company() {
        let rules = Rules::parse("samegame").unwrap();
        let board = "7:7x7x5".parse::<Generator>().unwrap().board();
        let game = SmallSameGame::new(&board, &rules);
        let encoder = SameGameEncoder::new(7, 7, 5, Features::Groups).unwrap();
        let network = Network::new(NetConfig::TINY, encoder.input()).unwrap();
        let policy = NetPolicy::new(encoder, &network, &Params::random(&network, 3), &game);
        let mut rng = Rng::new(2);
        let (mut state, mut moves, mut states) = (game.start(), Vec::new(), Vec::new());
        loop {
            game.moves(&state, &mut moves);
            if moves.is_empty() {
                break;
            }
            states.push((state, moves.clone()));
            game.play(&mut state, moves[rng.below(moves.len() as u32) as usize]);
        }
        let asked: Vec<_> = states.iter().map(|(state, moves)| (state, &moves[..])).collect();
        let (mut all, mut one) = (Vec::new(), Vec::new());
        policy.priors(&game, &asked, &mut all);
        let mut at = 0;
        for (state, moves) in asked {
            policy.priors(&game, &[(state, moves)], &mut one);
            assert_eq!(one, &all[at..][..moves.len()], "bit for bit");
            assert!((one.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            at += moves.len();
        }
        assert_eq!(at, all.len());
        assert!(all.iter().any(|prior| (prior - 1.0 / 10.0).abs() > 0.01), "not all alike");
    }

    /// Values are those of the plain network, nearly, in points; they do not depend on
    /// company.
    #[test]
    fn the_rest_of_a_game_is_foreseen() {
        let rules = Rules::parse("samegame").unwrap();
        let board = "7:7x7x5".parse::<Generator>().unwrap().board();
        let game = SmallSameGame::new(&board, &rules);
        let encoder = SameGameEncoder::new(7, 7, 5, Features::Groups).unwrap();
        let config: NetConfig = "tiny(layers=4,filters=16)+policy+value+clear".parse().unwrap();
        let network = Network::new(config, encoder.input()).unwrap();
        let params = Params::random(&network, 3);
        let scale = Scale { mean: 300.0, spread: 200.0 };
        let net = NetPolicy::new(encoder.clone(), &network, &params, &game).with_scale(scale);
        let foresight = Policy::<SmallSameGame>::foresight(&net).unwrap();
        assert!(foresight.tells_clearing());
        let (mut moves, mut states) = (Vec::new(), Vec::new());
        game.moves(&game.start(), &mut moves);
        for &mv in &moves {
            let mut state = game.start();
            game.play(&mut state, mv);
            states.push(state);
        }
        let all_of_them: Vec<_> = states.iter().collect();
        let (mut all, mut one) = (Vec::new(), Vec::new());
        foresight.prospects(&game, &all_of_them, &mut all);
        assert_eq!(all.len(), states.len());
        let mut plain = crate::PlainEvaluator::new(&network, &params);
        let (mut contents, mut marks) = (vec![0; 49], vec![0; encoder.input().bytes()]);
        let mut answers = Answers::default();
        for (state, prospect) in states.iter().zip(&all) {
            foresight.prospects(&game, &[state], &mut one);
            assert_eq!(one, [*prospect], "bit for bit");
            encoder.contents(&game, state, &mut contents);
            encoder.encode(&contents, &mut marks);
            plain.evaluate(&marks, &mut answers);
            let error = (prospect.points - scale.points(answers.value[0])).abs();
            assert!(error < 0.1 * scale.spread, "{error}");
            assert!((prospect.clears - answers.clears(0).unwrap()).abs() < 0.05);
        }
        assert!(all.iter().any(|prospect| prospect.points != all[0].points), "not all alike");
        let policy = NetPolicy::new(encoder, &network, &params, &game);
        foresight.prospects(&game, &all_of_them[..1], &mut one);
        let unscaled = Policy::<SmallSameGame>::foresight(&policy).unwrap();
        unscaled.prospects(&game, &all_of_them[..1], &mut all);
        assert_eq!(scale.points(all[0].points), one[0].points);
        let only_moves = Network::new(NetConfig::TINY, net.encoder.input()).unwrap();
        let params = Params::random(&only_moves, 3);
        let silent = NetPolicy::new(net.encoder.clone(), &only_moves, &params, &game);
        assert!(Policy::<SmallSameGame>::foresight(&silent).is_none(), "no head for it");
    }
}
