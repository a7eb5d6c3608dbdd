//! The swarm with machines that are not there: one that plays well, one that
//! lies, one that breaks.

use std::sync::atomic::AtomicBool;

use solitree_core::{
    Budget, Choice, CodePlans, DummyPuzzle, Effort, Evaluator, Guide, Job, Kit, Line, PlainKit,
    Playout, Puzzle, Repair, Repaired, Repairs, Rng, Score, replay,
};

use super::arms::Kits;
use super::{Swarm, SwarmConfig, family};
use crate::anneal::{Anneal, AnnealConfig, Foundry, tests as anneal};
use crate::lns::Pool;
use crate::{Execution, Limits, Meter, Report, Request, Search, Status, execute, method};

type State = <DummyPuzzle as Puzzle>::State;
type Move = <DummyPuzzle as Puzzle>::Move;

/// The plain kit, twice over.
#[derive(Clone)]
struct TwoKits;

impl Playout<DummyPuzzle> for TwoKits {
    fn run(&self, puzzle: &DummyPuzzle, batch: &mut [Job<DummyPuzzle>]) {
        PlainKit.run(puzzle, batch);
    }
}

impl Guide<DummyPuzzle> for TwoKits {
    fn choices(
        &self,
        puzzle: &DummyPuzzle,
        state: &State,
        played: usize,
        out: &mut Vec<Choice<Move>>,
    ) {
        PlainKit.choices(puzzle, state, played, out);
    }
}

impl Evaluator<DummyPuzzle> for TwoKits {}

impl Kit<DummyPuzzle> for TwoKits {
    type Plans = CodePlans<DummyPuzzle>;

    fn plans(&self, puzzle: &DummyPuzzle) -> Self::Plans {
        CodePlans::new(puzzle)
    }

    fn variants(&self, _: &DummyPuzzle) -> Vec<Self> {
        vec![TwoKits, TwoKits]
    }
}

/// What is wrong with a machine.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// It claims a point more than there is.
    Lies,
    /// It stops working.
    Breaks,
}

struct Machine {
    puzzle: DummyPuzzle,
    fault: Fault,
    played: u64,
}

impl Repairs<State, Move> for Machine {
    fn places(&self) -> usize {
        3
    }

    /// The better of one random game and the line to begin with.
    fn run(
        &mut self,
        tasks: &[Repair<State, Move>],
        _: &Effort,
        seed: u64,
    ) -> Result<Vec<Repaired<Move>>, String> {
        if self.fault == Fault::Breaks {
            return Err("broken".to_owned());
        }
        let mut rng = Rng::new(seed);
        let mut repaired = Vec::new();
        for task in tasks {
            assert!(task.variant < 2);
            let mut end = task.start;
            for &mv in &task.line {
                self.puzzle.play(&mut end, mv);
            }
            assert!(self.puzzle.is_over(&end), "a line to begin with is whole");
            let mut job = [Job::new(task.start, rng.next_u64())];
            PlainKit.run(&self.puzzle, &mut job);
            self.played += 1;
            let [Job { score, moves, .. }] = job;
            let old = self.puzzle.score(&end);
            let (score, moves) =
                if old > score { (old, task.line.clone()) } else { (score, moves) };
            let lie = i64::from(self.fault == Fault::Lies);
            repaired.push(Repaired { score: Score(score.0 + lie), moves });
        }
        Ok(repaired)
    }

    fn games(&self, effort: &Effort) -> u64 {
        u64::from(effort.lower) * u64::from(effort.upper)
    }

    fn played(&self) -> u64 {
        self.played
    }

    fn refuse(&mut self) {
        assert!(self.fault == Fault::Lies, "an honest machine is refused");
    }
}

fn puzzle() -> DummyPuzzle {
    "((1(2 3)4)((5 6)(7 19))(8 9))".parse().unwrap()
}

fn swarm(fault: Fault, line: &Line<Move>) -> Swarm<DummyPuzzle, TwoKits> {
    let config = SwarmConfig { lower: 2, upper: 2, first: 0.0, ..SwarmConfig::default() };
    swarm_of(&config, fault, line)
}

fn swarm_of(config: &SwarmConfig, fault: Fault, line: &Line<Move>) -> Swarm<DummyPuzzle, TwoKits> {
    let puzzle = puzzle();
    let machine = Machine { puzzle: puzzle.clone(), fault, played: 0 };
    let kits = Kits::of(&TwoKits, &puzzle);
    Swarm::new(&puzzle, kits, (Box::new(machine), None), config, Some(line), 5)
}

/// A swarm whose machine anneals, too, well or not.
fn annealing(fault: anneal::Fault, line: &Line<Move>) -> Swarm<DummyPuzzle, TwoKits> {
    let config = SwarmConfig { lower: 2, upper: 2, first: 0.0, ..SwarmConfig::default() };
    let (mut swarm, puzzle) = (swarm_of(&config, Fault::None, line), puzzle());
    let furnace = Box::new(anneal::Machine::new(&puzzle, fault));
    let config = AnnealConfig::default();
    let budget = Budget::default();
    let request = Request { budget: &budget, seed: 3, threads: 1, line: None };
    let plans = || vec![CodePlans::new(&puzzle); 2];
    let alone = Anneal::workers(plans, &config, &request).pop().unwrap();
    let kits = swarm.kits.all.clone();
    swarm.foundry = Some(Foundry::new(&puzzle, kits, furnace, &config, alone, &request));
    swarm
}

#[test]
fn families_are_annealed_in_the_last_part_of_the_budget() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    for fault in [anneal::Fault::None, anneal::Fault::Lies, anneal::Fault::Breaks] {
        let mut swarm = annealing(fault, &line);
        let limits = Limits { playouts: Some(50_000), ..Limits::default() };
        let mut meter = Meter::new(limits);
        let mut begun = None;
        while matches!(swarm.step(&mut meter), Status::Going) {
            if swarm.annealing && begun.is_none() {
                begun = Some(meter.used());
                let mut other = annealing(fault, &line);
                other.load(&swarm.save()).unwrap();
                assert_eq!(swarm.save(), other.save());
            }
        }
        let begun = begun.expect("it has annealed");
        assert!((0.5..0.6).contains(&begun), "{begun} of the budget");
        assert_eq!((meter.used(), meter.best().unwrap().score), (1.0, Score(19)));
    }
}

fn run(fault: Fault, line: &Line<Move>) -> Report<Move> {
    let interrupt = AtomicBool::new(false);
    let puzzle = puzzle();
    let execution = Execution {
        puzzle: &puzzle,
        workers: method::boxed(vec![swarm(fault, line)]),
        budget: Budget { playouts: Some(500), ..Budget::default() },
        interrupt: &interrupt,
        known: Some(line.clone()),
        resume: None,
        snapshots: None,
        insights: None,
    };
    execute(execution, &mut |_| {}, &mut |_| {})
}

#[test]
fn it_finds_the_best_with_a_machine_or_without() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    assert_eq!(puzzle().score(&replay(&puzzle(), &line.moves).unwrap()), line.score);
    for fault in [Fault::None, Fault::Lies, Fault::Breaks] {
        let report = run(fault, &line);
        let best = report.best.unwrap();
        assert_eq!(best.score, Score(19));
        assert_eq!(puzzle().score(&replay(&puzzle(), &best.moves).unwrap()), best.score);
        // Repairs on the processor end the four games they are at.
        let playouts = report.counters.playouts;
        assert!((500..504).contains(&playouts), "{playouts}: the budget is used, and no more");
    }
}

#[test]
fn the_last_round_has_the_best_of_the_others() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    let (rounds, limits) = (3, Limits { playouts: Some(300), ..Limits::default() });
    let config = SwarmConfig { lower: 1, upper: 1, first: 0.0, rounds, ..SwarmConfig::default() };
    let (mut swarm, mut meter) = (swarm_of(&config, Fault::None, &line), Meter::new(limits));
    let mut bests = Vec::new();
    while swarm.round < 2 {
        let before = swarm.families.iter().find_map(|f| f.elites().first()).cloned();
        let round = swarm.round;
        assert!(matches!(swarm.step(&mut meter), Status::Going), "the budget is not used up");
        if swarm.round > round {
            assert!(meter.used() * 3.0 >= swarm.round as f64);
            bests.extend(before.map(|elite| elite.line.score));
        }
    }
    assert_eq!(bests.first(), Some(&Score(19)), "of the first round");
    let kept = swarm.families.iter().flat_map(Pool::elites).map(|elite| elite.line.score);
    assert!(kept.max() >= bests.into_iter().max());
    assert!(swarm.elders.is_empty());
}

#[test]
fn of_each_family_the_best_are_looked_at_one_of_each_score() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    let config = SwarmConfig { pool: 1, ..SwarmConfig::default() };
    let mut swarm = swarm_of(&config, Fault::None, &line);
    let elite = swarm.families[0].elites()[0].clone();
    swarm.families.push(family(&config, elite.clone()));
    let of_first = [3, 9, 9, 5, 1, 9, 7, 5, 4].map(|score| (0, score));
    let found: Vec<(usize, i64)> = of_first.into_iter().chain([(1, 2), (1, 9), (1, 2)]).collect();
    let (tasks, repaired) = found
        .iter()
        .map(|&(family, score)| {
            let repaired = Repaired { score: Score(score), moves: vec![0, 0] };
            (swarm.repair(family, &elite), repaired)
        })
        .unzip();
    let looked_at: Vec<(usize, i64)> = swarm
        .worth_a_look(tasks, repaired)
        .into_iter()
        .map(|(task, found)| (task.family, found.score.0))
        .collect();
    assert_eq!(looked_at, [(0, 9), (0, 7), (0, 5), (0, 4), (1, 9), (1, 2)]);
}

#[test]
fn it_goes_on_where_it_was_saved() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    let meter = || Meter::new(Limits { playouts: Some(10_000), ..Limits::default() });
    let (mut one, mut work) = (swarm(Fault::None, &line), meter());
    for _ in 0..3 {
        one.step(&mut work);
    }
    let mut other = swarm(Fault::None, &line);
    other.load(&one.save()).unwrap();
    assert_eq!(one.save(), other.save());
    let (mut left, mut right) = (meter(), meter());
    one.step(&mut left);
    other.step(&mut right);
    assert_eq!(one.save(), other.save());
    assert!(other.load(b"nonsense").is_err());
}
