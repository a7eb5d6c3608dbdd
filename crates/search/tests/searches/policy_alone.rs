//! A policy by itself: the suite of all searches, and the claims of its own.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, PlainKit, Puzzle, StopReason};
use solitree_games::leftmove::LeftMove;

use crate::suite::{Chosen, check_search, run, run_workers};

#[test]
fn it_passes_the_suite() {
    check_search(&Chosen::new("policy-alone", &[]));
    for batch in ["0", "1", "100"] {
        check_search(&Chosen::new("policy-alone", &[("batch", batch)]).taught());
    }
}

fn playouts(count: u64) -> Budget {
    Budget { playouts: Some(count), ..Budget::default() }
}

/// In Left Move the policy of the suite likes the move to the left best, which is right.
#[test]
fn the_first_game_plays_the_likeliest_moves() {
    let puzzle: LeftMove = "30".parse().unwrap();
    let (chosen, budget) = (Chosen::new("policy-alone", &[]).taught(), playouts(1));
    let workers = chosen.workers(&puzzle, &chosen.lend(PlainKit), &budget, 1, 1);
    let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
    assert_eq!((report.counters.playouts, report.reason), (1, StopReason::Playouts));
    let line = report.best.unwrap();
    let mut state = puzzle.start();
    line.moves.iter().for_each(|&mv| puzzle.play(&mut state, mv));
    assert_eq!((line.score.0, puzzle.score(&state).0), (30, 30), "all to the left");
}

/// More games, drawn by the policy, find more.
#[test]
fn games_that_are_drawn_follow() {
    let chosen = Chosen::new("policy-alone", &[]).taught();
    let score = |count| run(&chosen, "r250:4", &playouts(count), 1, 1).best.unwrap().score;
    assert!(score(1) < score(300));
}
