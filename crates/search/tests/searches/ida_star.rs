//! IDA*: the suite of all searches on every way to set it up, and the claims
//! of its own.

use crate::suite::{Chosen, brute_force, check_search, check_without_bounds, nodes, run, samegame};
use solitree_core::{Budget, Puzzle, Score, StopReason, replay};

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("ida-star") {
        check_search(&preset.with(&[("finish", "32")]).seedless());
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("order", "bound"), ("finish", "7")][..],
        &[("control", "game"), ("order", "moves"), ("finish", "16")],
        &[("game-length", "5"), ("finish", "32")],
    ] {
        check_search(&Chosen::new("ida-star", pairs).seedless());
    }
}

#[test]
fn the_exact_search_proves_the_optimum() {
    let exact = Chosen::preset("ida-star:exact");
    for (boards, size) in [(20, "4x4x2"), (10, "4x4x3"), (6, "5x4x3")] {
        for board in 1..=boards {
            let name = format!("random:{board}:{size}");
            let best = brute_force(&samegame(&name));
            for threads in [1, 2] {
                let report = run(&exact, &name, &Budget::default(), 1, threads);
                assert_eq!(report.reason, StopReason::Solved, "{name}");
                assert_eq!(report.best.unwrap().score, best, "{name}");
            }
        }
    }
}

#[test]
fn a_search_for_every_move_plays_whole_games() {
    let authors = Chosen::preset("ida-star:authors");
    for board in 1..=5 {
        let name = format!("r250:{board}");
        let game = samegame(&name);
        for threads in [1, 2] {
            let best = run(&authors, &name, &nodes(20_000), 1, threads).best.unwrap();
            let end = replay(&game, &best.moves).unwrap();
            assert!(game.is_over(&end));
            assert_eq!(game.score(&end), best.score);
            assert!(best.score > Score(-500), "{name}: {}", best.score);
        }
    }
}

/// On the standard boards the authors' program came to 22,354 in all.
#[test]
#[ignore = "takes a while"]
fn the_standard_boards() {
    let authors = Chosen::preset("ida-star:authors");
    let total: i64 = (1..=20)
        .map(|board| run(&authors, &format!("std:{board}"), &nodes(100_000), 1, 1))
        .map(|report| report.best.unwrap().score.0)
        .sum();
    assert!((20_000..25_000).contains(&total), "{total}");
}

#[test]
fn a_puzzle_without_bounds_is_searched_to_the_end() {
    check_without_bounds(&Chosen::preset("ida-star:exact"));
}
