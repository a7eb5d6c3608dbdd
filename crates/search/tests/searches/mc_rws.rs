//! MC-RWS: the suite of all searches on every way to set it up, and the claims
//! of its own.

use crate::suite::{Chosen, check_search, nodes, run};
use solitree_core::{Budget, StopReason};

/// Small enough for the budgets of the suite.
const SMALL: &[(&str, &str)] = &[("move-playouts", "4")];

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("mc-rws") {
        check_search(&preset.with(SMALL));
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("move-playouts", "1")][..],
        &[("move-playouts", "5"), ("move-by", "maximum"), ("group-choice", "cells")],
    ] {
        check_search(&Chosen::new("mc-rws", pairs));
    }
}

#[test]
fn a_number_of_games_is_kept() {
    let report = |threads| {
        let chosen = Chosen::preset("mc-rws").with(SMALL).with(&[("runs", "3")]);
        run(&chosen, "r250:1", &nodes(10_000_000), 1, threads)
    };
    let (one, two) = (report(1), report(2));
    assert_eq!((one.reason, one.counters), (StopReason::Finished, two.counters));
    assert_eq!(one.best.unwrap().score, two.best.unwrap().score);
}

/// The authors' point: with the roulette the loop is worth more than with
/// playouts in which all groups are alike.
#[test]
fn the_roulette_beats_chance() {
    let total = |chosen: Chosen| -> i64 {
        let budget = Budget { playouts: Some(30_000), ..Budget::default() };
        let best = |board| run(&chosen, &format!("r250:{board}"), &budget, 1, 1).best.unwrap();
        (1..=4).map(|board| best(board).score.0).sum()
    };
    let pairs = [("move-playouts", "20")];
    let roulette = total(Chosen::preset("mc-rws").with(&pairs));
    let chance = total(Chosen::new("mc-rws", &[("playout", "random")]).with(&pairs));
    assert!(roulette > chance + 1_000, "{roulette} {chance}");
}
