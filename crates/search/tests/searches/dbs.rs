//! Depth-Budgeted Search: the suite of all searches, and the claims of its own.

use crate::suite::{Chosen, brute_force, check_search, nodes, run, samegame};
use solitree_core::{Budget, Score, StopReason};

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("dbs") {
        check_search(&preset.seedless());
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("order", "value"), ("least", "0.25"), ("ratio", "0.7")][..],
        &[("order", "gain"), ("ratio", "0.9"), ("budget", "100")],
        &[("ratio", "1"), ("tabu-rule", "none")],
    ] {
        check_search(&Chosen::new("dbs", pairs).seedless());
    }
}

#[test]
fn small_boards_are_searched_to_the_end() {
    for order in ["gain", "value", "playout"] {
        let chosen = Chosen::new("dbs", &[("order", order)]);
        for board in 1..=5 {
            let name = format!("random:{board}:4x4x3");
            let best = brute_force(&samegame(&name));
            for threads in [1, 3] {
                let report = run(&chosen, &name, &Budget::default(), 1, threads);
                assert_eq!(report.reason, StopReason::Solved, "{name}");
                assert_eq!(report.best.unwrap().score, best, "{name}");
            }
        }
    }
}

/// A budget must buy something: more than one greedy game.
#[test]
fn more_budget_is_better() {
    let chosen = Chosen::preset("dbs");
    for board in ["r250:1", "r250:2", "r250:3"] {
        let score = |budget| run(&chosen, board, &nodes(budget), 1, 1).best.unwrap().score;
        assert!(score(20_000) > score(40) + Score(300), "{board}");
    }
}

/// What the default rests on.
#[test]
fn playouts_order_better_than_gains() {
    let total = |preset: &str| -> i64 {
        let chosen = Chosen::preset(preset);
        let score = |board| run(&chosen, &format!("std:{board}"), &nodes(5_000), 1, 1);
        (1..=4).map(|board| score(board).best.unwrap().score.0).sum()
    };
    assert!(total("dbs") > total("dbs:gain") + 300);
}
