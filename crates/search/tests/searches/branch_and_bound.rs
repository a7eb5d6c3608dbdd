//! Branch and bound: the suite of all searches, and that its solver is right.

use crate::suite::{Chosen, brute_force, check_search, check_without_bounds, run, samegame};
use proptest::prelude::*;
use solitree_core::{Budget, DummyPuzzle, Puzzle, Rng, Score, StopReason, replay};
use solitree_games::samegame::{BoardName, Rules, SmallSameGame};
use solitree_search::endgame::{Outcome, Solver};

#[test]
fn every_option_passes_the_suite() {
    for pairs in [&[("finish", "32")][..], &[("table", "0"), ("finish", "8")], &[("table", "64")]] {
        check_search(&Chosen::new("branch-and-bound", pairs).seedless());
    }
}

#[test]
fn small_boards_are_solved() {
    let chosen = Chosen::preset("branch-and-bound");
    for (boards, size) in [(10, "4x4x2"), (10, "5x5x3"), (4, "6x5x3"), (2, "6x6x4")] {
        for board in 1..=boards {
            let name = format!("random:{board}:{size}");
            let best = brute_force(&samegame(&name));
            for threads in [1, 2] {
                let report = run(&chosen, &name, &Budget::default(), 1, threads);
                assert_eq!(report.reason, StopReason::Solved, "{name}");
                assert_eq!(report.best.unwrap().score, best, "{name}");
            }
        }
    }
}

/// Holds a solver against the best score, for floors below, at and above it.
fn check_solver<P: Puzzle>(puzzle: &P, best: Score, entries: u64) {
    let mut solver = Solver::new(puzzle, entries);
    let start = puzzle.start();
    for floor in [Score::MIN, best - Score(1), best, best + Score(3), best - Score(5)] {
        let outcome = solver.solve(puzzle, &start, floor, u64::MAX);
        if floor >= best {
            assert_eq!(outcome, Outcome::NotAbove);
            continue;
        }
        assert_eq!(outcome, Outcome::Optimal(best));
        let end = replay(puzzle, solver.moves()).unwrap();
        assert!(puzzle.is_over(&end));
        assert_eq!(puzzle.score(&end), best);
    }
}

#[test]
fn the_solver_knows_written_trees() {
    for text in ["7", "(3(7 2)5)", "((((9)))(1 2)(3 (4 (5 6))))", "(-5 (-9 -3) -4)"] {
        let puzzle: DummyPuzzle = text.parse().unwrap();
        check_solver(&puzzle, puzzle.optimum(), 16);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn the_solver_agrees_with_trying_everything(
        seed in 0u64..1_000_000,
        width in 2usize..6,
        height in 2usize..5,
        colours in 2usize..5,
        entries in prop::sample::select(vec![0u64, 4, 64, 65_536]),
        rules in prop::sample::select(vec!["samegame", "codingame", "clickomania", "bubble-breaker"]),
    ) {
        let name = format!("random:{seed}:{width}x{height}x{colours}");
        let board = name.parse::<BoardName>().unwrap().board();
        let game = SmallSameGame::new(&board, &Rules::parse(rules).unwrap());
        check_solver(&game, brute_force(&game), entries);
    }
}

/// One solver for many positions of one game, as a search would use it.
#[test]
fn a_solver_serves_the_ends_of_games() {
    let game = samegame("r250:3");
    let mut solver = Solver::new(&game, 1 << 16);
    let (mut solved, mut gave_up) = (0, 0);
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut moves = Vec::new();
        let mut line = Vec::new();
        let mut state = game.start();
        loop {
            game.moves(&state, &mut moves);
            if moves.is_empty() {
                break;
            }
            if moves.len() <= 4 && line.len() > 30 {
                match solver.solve(&game, &state, Score::MIN, 300) {
                    Outcome::Optimal(score) => {
                        let whole: Vec<_> = line.iter().chain(solver.moves()).copied().collect();
                        let end = replay(&game, &whole).unwrap();
                        assert!(game.is_over(&end));
                        assert_eq!(game.score(&end), score);
                        solved += 1;
                    }
                    Outcome::NotAbove => panic!("everything is above that"),
                    Outcome::GaveUp(_) => {
                        assert!(solver.expanded() >= 300);
                        gave_up += 1;
                    }
                }
            }
            let mv = moves[rng.below(moves.len() as u32) as usize];
            game.play(&mut state, mv);
            line.push(mv);
        }
    }
    assert!(solved > 40, "{solved} solved, {gave_up} given up");
}

#[test]
fn giving_up_is_said() {
    let game = samegame("std:1");
    let mut solver = Solver::new(&game, 1 << 10);
    let outcome = solver.solve(&game, &game.start(), Score::MIN, 500);
    let Outcome::GaveUp(best) = outcome else { panic!("{outcome:?}") };
    if let Some(best) = best {
        let end = replay(&game, solver.moves()).unwrap();
        assert_eq!(game.score(&end), best);
    }
}

#[test]
fn a_puzzle_without_bounds_is_searched_to_the_end() {
    check_without_bounds(&Chosen::preset("branch-and-bound"));
}
