//! Annealing on machines that are not there: one that anneals well, one that lies, one
//! that breaks.

use std::sync::atomic::AtomicBool;

use solitree_core::{
    Annealed, Budget, Cast, CodePlans, Cooling, Counters, DummyPuzzle, Furnace, Line, PlainKit,
    Puzzle, Rng, Score, replay,
};

use super::foundry::Foundry;
use super::plan::Plan;
use super::{Anneal, AnnealConfig, change};
use crate::{Execution, Limits, Meter, Report, Request, Search, Status, execute, method};

type Mark = u64;
type Move = <DummyPuzzle as Puzzle>::Move;

/// What is wrong with a machine.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    None,
    /// It claims a point more than there is.
    Lies,
    /// It stops working.
    Breaks,
}

/// Four places, each of which changes a plan once in a round.
pub(crate) struct Machine {
    plans: CodePlans<DummyPuzzle>,
    fault: Fault,
    tried: u64,
}

const PLACES: usize = 4;

impl Machine {
    pub(crate) fn new(puzzle: &DummyPuzzle, fault: Fault) -> Machine {
        Machine { plans: CodePlans::new(puzzle), fault, tried: 0 }
    }
}

impl Furnace<Mark> for Machine {
    fn places(&self) -> usize {
        PLACES
    }

    fn anneal(
        &mut self,
        casts: &[Cast<Mark>],
        cooling: &Cooling,
        seed: u64,
    ) -> Result<Vec<Annealed<Mark>>, String> {
        if self.fault == Fault::Breaks {
            return Err("broken".to_owned());
        }
        assert_eq!(casts.len(), PLACES);
        assert!((0.0..=1.0).contains(&cooling.factor), "{cooling:?}");
        let config = AnnealConfig::default();
        let mut rng = Rng::new(seed);
        let mut annealed = Vec::new();
        for cast in casts {
            assert!(cast.heat >= config.cold / config.spread / 2.0, "{cast:?}");
            assert!(cast.variant < 2);
            let mut plan = Plan::new(&mut self.plans, &cast.marks, cooling.price, &mut rng);
            let mut best = (plan.end().score, plan.marks().to_vec());
            for _ in 0..cooling.rounds {
                let end = change::propose(&mut plan, &mut self.plans, &config, &mut rng);
                let gain = (end.worth - plan.end().worth).as_f64();
                if gain >= 0.0 || rng.unit() < (gain / cast.heat).exp() {
                    plan.accept(&self.plans);
                    if end.score > best.0 {
                        best = (end.score, plan.marks().to_vec());
                    }
                }
            }
            self.tried += u64::from(cooling.rounds);
            let lie = i64::from(self.fault == Fault::Lies);
            let last = (Score(plan.end().worth.0 + lie), plan.marks().to_vec());
            annealed.push(Annealed { last, best: (Score(best.0.0 + lie), best.1) });
        }
        Ok(annealed)
    }

    fn tried(&self) -> u64 {
        self.tried
    }

    fn changes_a_round(&self, plans: usize) -> u64 {
        plans as u64
    }

    fn refuse(&mut self) {
        assert!(self.fault == Fault::Lies, "an honest machine is refused");
    }
}

fn puzzle() -> DummyPuzzle {
    "((1(2 3)4)((5 6)(7 19))(8 9))".parse().unwrap()
}

fn foundry(fault: Fault, line: Option<&Line<Move>>) -> Foundry<DummyPuzzle, PlainKit> {
    let (puzzle, config) = (puzzle(), AnnealConfig::default());
    let machine = Machine::new(&puzzle, fault);
    let request = Request { budget: &Budget::default(), seed: 5, threads: 1, line };
    let plans = || vec![CodePlans::new(&puzzle)];
    let alone = Anneal::workers(plans, &config, &request).pop().unwrap();
    Foundry::new(&puzzle, vec![PlainKit], Box::new(machine), &config, alone, &request)
}

fn run(fault: Fault, line: Option<&Line<Move>>, playouts: u64) -> Report<Move> {
    let interrupt = AtomicBool::new(false);
    let puzzle = puzzle();
    let execution = Execution {
        puzzle: &puzzle,
        workers: method::boxed(vec![foundry(fault, line)]),
        budget: Budget { playouts: Some(playouts), ..Budget::default() },
        interrupt: &interrupt,
        known: line.cloned(),
        resume: None,
        snapshots: None,
        insights: None,
    };
    execute(execution, &mut |_| {}, &mut |_| {})
}

#[test]
fn it_finds_the_best_with_a_machine_or_without() {
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    for fault in [Fault::None, Fault::Lies, Fault::Breaks] {
        for line in [None, Some(&line)] {
            for playouts in [5_001, 100_000] {
                let report = run(fault, line, playouts);
                let best = report.best.unwrap();
                assert_eq!(best.score, Score(19), "{} {line:?} {playouts}", fault as u8);
                assert_eq!(puzzle().score(&replay(&puzzle(), &best.moves).unwrap()), best.score);
                assert_eq!(report.counters.playouts, playouts, "the budget, and no more");
            }
        }
    }
}

/// The first plans cool over their part of the budget, and cycles follow.
#[test]
fn plans_cool_as_the_budget_goes_by() {
    let mut foundry = foundry(Fault::None, None);
    let limits = Limits { playouts: Some(200_000), ..Limits::default() };
    let mut meter = Meter::new(limits);
    while !foundry.has_begun() {
        assert!(matches!(foundry.step(&mut meter), Status::Going));
    }
    let first = AnnealConfig::default().first;
    assert!((meter.used() - first).abs() < 0.05, "{} of the budget", meter.used());
    let before = meter.used();
    while matches!(foundry.step(&mut meter), Status::Going) {}
    assert!(before < 0.5 && meter.used() == 1.0);
    // Without a limit they cool by the number of runs.
    let (mut foundry, mut meter) =
        (self::foundry(Fault::None, None), Meter::new(Limits::default()));
    let mut steps = 0;
    while !foundry.has_begun() {
        foundry.step(&mut meter);
        steps += 1;
    }
    assert_eq!(steps, 20);
}

#[test]
fn it_goes_on_where_it_was_saved() {
    let meter = || Meter::new(Limits { playouts: Some(100_000), ..Limits::default() });
    let line = Line { score: Score(2), moves: vec![0, 1, 0] };
    let (mut one, mut work) = (foundry(Fault::None, Some(&line)), meter());
    for _ in 0..5 {
        one.step(&mut work);
    }
    let mut other = foundry(Fault::None, None);
    other.load(&one.save()).unwrap();
    assert_eq!(one.save(), other.save());
    let (mut left, mut right) = (meter(), meter());
    left.count(Counters { playouts: 50_000, spent: 50_000, ..Counters::default() });
    right.count(Counters { playouts: 50_000, spent: 50_000, ..Counters::default() });
    one.step(&mut left);
    other.step(&mut right);
    assert_eq!(one.save(), other.save());
    assert!(other.load(b"nonsense").is_err());
}
