//! A*: the suite of all searches on every way to set it up, and the claims of
//! its own.

use crate::suite::{Chosen, brute_force, check_search, check_without_bounds, nodes, run, samegame};
use solitree_core::{Budget, Puzzle, StopReason, replay};

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("a-star") {
        check_search(&preset.with(&[("finish", "16")]).seedless());
    }
}

#[test]
fn little_memory_passes_the_suite() {
    check_search(&Chosen::new("a-star", &[("positions", "1"), ("finish", "16")]).seedless());
}

#[test]
fn the_exact_search_proves_the_optimum() {
    let exact = Chosen::preset("a-star");
    for (boards, size) in [(20, "4x4x2"), (10, "4x4x3"), (6, "5x5x3")] {
        for board in 1..=boards {
            let name = format!("random:{board}:{size}");
            let best = brute_force(&samegame(&name));
            for threads in [1, 4] {
                let report = run(&exact, &name, &Budget::default(), 1, threads);
                assert_eq!(report.reason, StopReason::Solved, "{name}");
                assert_eq!(report.best.unwrap().score, best, "{name}");
            }
        }
    }
}

/// A board that needs more positions than there are places for: the run goes
/// on to its end, and claims nothing that is not so.
#[test]
fn a_full_memory_ends_the_claim_and_not_the_run() {
    let tight = Chosen::new("a-star", &[("positions", "1")]);
    for board in 1..=6 {
        let name = format!("random:{board}:6x6x3");
        let best = brute_force(&samegame(&name));
        let report = run(&tight, &name, &nodes(200_000), 1, 1);
        let found = report.best.unwrap().score;
        assert!(found <= best, "{name}");
        if report.reason == StopReason::Solved {
            assert_eq!(found, best, "{name}");
        }
    }
}

#[test]
fn a_search_for_every_move_plays_whole_games() {
    let chosen = Chosen::preset("a-star:per-move").with(&[("answer", "played")]);
    for board in 1..=3 {
        let name = format!("r250:{board}");
        let game = samegame(&name);
        let best = run(&chosen, &name, &nodes(5_000), 1, 2).best.unwrap();
        let end = replay(&game, &best.moves).unwrap();
        assert!(game.is_over(&end));
    }
}

#[test]
fn a_puzzle_without_bounds_is_searched_to_the_end() {
    check_without_bounds(&Chosen::preset("a-star"));
}
