//! Annealing: the suite of all searches on every way to set it up, and the claims of
//! its own.

use crate::suite::{Chosen, check_search, nodes, run};
use solitree_core::{Budget, Score, StopReason};

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("anneal") {
        check_search(&preset);
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("first", "0"), ("runs", "7"), ("near", "1")][..],
        &[("first", "1"), ("hot", "200"), ("cold", "0.1")],
        &[("move", "0"), ("drop", "0"), ("keep-colour", "2")],
        &[("insert", "10"), ("drop", "40"), ("runs", "2")],
    ] {
        check_search(&Chosen::new("anneal", pairs));
    }
}

/// Nothing to go by but a score to be reached: runs follow one another.
#[test]
fn without_a_limit_it_goes_on_until_the_target() {
    let budget = Budget { target: Some(Score(2_000)), ..Budget::default() };
    let report = run(&Chosen::preset("anneal"), "r250:1", &budget, 1, 1);
    assert_eq!(report.reason, StopReason::Target);
}

/// What the whole method is about: to take worse plans now and then, and fewer and fewer.
#[test]
fn cooling_beats_the_cold_and_the_hot() {
    let total = |pairs| -> i64 {
        let chosen = Chosen::new("anneal", pairs);
        let score = |board: u64| run(&chosen, &format!("r250:{board}"), &nodes(150_000), 1, 1);
        (1..=4).map(|board| score(board).best.unwrap().score.0).sum()
    };
    let cooling = total(&[]);
    let cold = total(&[("hot", "0.001"), ("cold", "0.001")]);
    let hot = total(&[("cold", "60")]);
    assert!(cooling > cold + 400 && cooling > hot + 400, "{cooling} {cold} {hot}");
}
