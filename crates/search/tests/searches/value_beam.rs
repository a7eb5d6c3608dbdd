//! The beam with a network's values: the suite of all searches, and the claims of its
//! own.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use solitree_core::{
    Asked, Budget, DummyPuzzle, Foresight, PlainKit, Policy, Prospect, Puzzle, Score, Taught,
};
use solitree_games::samegame::SameGameKit;
use solitree_search::Request;

use crate::suite::{Chosen, check_search, nodes, run, run_workers, samegame};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("value-beam", pairs)
}

#[test]
fn it_passes_the_suite() {
    check_search(&with(&[]).taught());
    check_search(&with(&[("layers", "progress"), ("samples", "4")]).taught());
    // Nothing is foreseen.
    check_search(&with(&[]));
}

/// Foresees what it is told of positions, by the moves there, and remembers how many it
/// was asked about at a time.
struct Oracle {
    /// Points and the chance to clear, by the number of moves of a position.
    said: Vec<(f32, f32)>,
    clearing: bool,
    asked: Mutex<Vec<usize>>,
}

impl Oracle {
    fn new(said: &[(f32, f32)]) -> Arc<Oracle> {
        Arc::new(Oracle { said: said.to_vec(), clearing: true, asked: Mutex::default() })
    }
}

impl Policy<DummyPuzzle> for Oracle {
    fn priors(&self, _: &DummyPuzzle, _: &[Asked<'_, DummyPuzzle>], _: &mut Vec<f32>) {
        unreachable!("only values are asked for");
    }

    fn foresight(&self) -> Option<&dyn Foresight<DummyPuzzle>> {
        Some(self)
    }
}

impl Foresight<DummyPuzzle> for Oracle {
    fn prospects(
        &self,
        puzzle: &DummyPuzzle,
        states: &[&<DummyPuzzle as Puzzle>::State],
        out: &mut Vec<Prospect>,
    ) {
        self.asked.lock().unwrap().push(states.len());
        out.clear();
        let mut moves = Vec::new();
        for state in states {
            puzzle.moves(state, &mut moves);
            assert!(!moves.is_empty(), "no game is over");
            let (points, clears) = self.said[moves.len()];
            out.push(Prospect { points, clears });
        }
    }

    fn tells_clearing(&self) -> bool {
        self.clearing
    }

    fn preferred_batch(&self) -> usize {
        16
    }
}

/// A tree in which playouts cannot help: one move of many is right at its end.
fn forest() -> DummyPuzzle {
    let many = "1 ".repeat(2_000);
    format!("((({many} 70)) (({many} 80) 0) (({many} 90) 0 0))").parse().unwrap()
}

/// The best score of a beam of one position a layer.
fn best(oracle: &Arc<Oracle>, pairs: &[(&str, &str)]) -> Score {
    let puzzle = forest();
    let kit = Taught { kit: PlainKit, policy: Some(Arc::clone(oracle)) };
    let chosen = with(&[("width", "1")]).with(pairs);
    let budget = Budget::default();
    let workers = chosen.workers(&puzzle, &kit, &budget, 1, 1);
    let calm = AtomicBool::new(false);
    run_workers(&puzzle, workers, &budget, None, &calm).best.unwrap().score
}

/// The position that promises most is kept, and what clearing is worth can turn that.
#[test]
fn positions_rank_by_what_is_foreseen() {
    let mut said = vec![(0.0, 0.0); 2_002];
    for (favourite, score) in [(1, 70), (2, 80), (3, 90)] {
        said[1..=3].fill((10.0, 0.5));
        said[favourite].0 = 11.0;
        assert_eq!(best(&Oracle::new(&said), &[]), Score(score));
    }
    said[1..=3].copy_from_slice(&[(10.0, 0.9), (11.0, 0.0), (14.0, 0.8)]);
    for (clear, score) in [("0", 90), ("30", 90), ("50", 70)] {
        assert_eq!(best(&Oracle::new(&said), &[("clear", clear)]), Score(score), "{clear}");
    }
}

/// Foresees the same everywhere.
struct Nothing;

impl<P: Puzzle> Policy<P> for Nothing {
    fn priors(&self, _: &P, _: &[Asked<'_, P>], _: &mut Vec<f32>) {
        unreachable!("only values are asked for");
    }

    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        Some(self)
    }
}

impl<P: Puzzle> Foresight<P> for Nothing {
    fn prospects(&self, _: &P, states: &[&P::State], out: &mut Vec<Prospect>) {
        out.clear();
        out.resize(states.len(), Prospect { points: 100.0, clears: 0.0 });
    }
}

/// Where the same is foreseen everywhere, it is the beam by points.
#[test]
fn points_so_far_count() {
    let chosen = with(&[("width", "40"), ("evaluation", "score")]);
    let by_points = run(&chosen, "r250:3", &Budget::default(), 1, 1);
    let game = samegame("r250:3");
    let kit = Taught { kit: SameGameKit::new(&chosen.kit, &game), policy: Some(Arc::new(Nothing)) };
    let budget = Budget::default();
    let workers = chosen.workers(&game, &kit, &budget, 1, 1);
    let report = run_workers(&game, workers, &budget, None, &AtomicBool::new(false));
    assert_eq!((report.best, report.counters), (by_points.best, by_points.counters));
}

/// A layer is asked about a batch at a time, and nobody twice in all passes.
#[test]
fn positions_are_asked_about_in_batches_and_once() {
    let children = "(1 2)".repeat(40);
    let puzzle: DummyPuzzle = format!("({})", format!("({children})").repeat(3)).parse().unwrap();
    let oracle = Oracle::new(&[(1.0, 0.0); 50]);
    let kit = Taught { kit: PlainKit, policy: Some(Arc::clone(&oracle)) };
    let budget = nodes(10_000);
    let workers = with(&[]).workers(&puzzle, &kit, &budget, 1, 1);
    let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
    assert_eq!(report.best.unwrap().score, Score(2));
    let asked = oracle.asked.lock().unwrap();
    assert_eq!(asked.iter().sum::<usize>(), 3 + 3 * 40, "{asked:?}");
    assert_eq!(asked[..9], [3, 16, 16, 16, 16, 16, 16, 16, 8]);
}

/// A weight for what the network does not say is refused, not ignored.
#[test]
fn no_weight_for_what_is_not_said() {
    let mute = Oracle { said: vec![(0.0, 0.0); 9], clearing: false, asked: Mutex::default() };
    let kit = Taught { kit: PlainKit, policy: Some(Arc::new(mute)) };
    let puzzle: DummyPuzzle = "((1 2) 3)".parse().unwrap();
    let workers = |clear| {
        let request = Request { budget: &nodes(100), seed: 1, threads: 1, line: None };
        with(&[("clear", clear)]).settings.workers(&puzzle, &kit, &request).err()
    };
    assert_eq!(workers("0"), None);
    assert!(workers("1").unwrap().contains("no clear head"));
}

/// Whoever asks, and with whom, the same positions are kept.
#[test]
fn threads_change_nothing() {
    let chosen = with(&[("width", "30")]).taught();
    let found = |threads| run(&chosen, "r250:5", &Budget::default(), 7, threads).best.unwrap();
    assert_eq!(found(1).score, found(3).score);
}
