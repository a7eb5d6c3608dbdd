//! NRPA: the suite of all searches on every way to set it up, and the claims
//! of its own.

use crate::suite::{Chosen, check_search, nodes, run};

/// Small enough for the budgets of the suite.
const SMALL: &[(&str, &str)] = &[("level", "2"), ("iterations", "20")];

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("nrpa") {
        check_search(&preset.with(SMALL));
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("beam", "3"), ("beam-above", "2"), ("level", "3"), ("iterations", "4")][..],
        &[("level", "1"), ("iterations", "100")],
        &[("code", "first")],
        &[("code", "size"), ("bias", "0.5")],
        &[("alpha", "0.3"), ("lazy", "true")],
        &[("level-playouts", "3"), ("repetitions", "2")],
    ] {
        check_search(&Chosen::new("nrpa", SMALL).with(pairs));
    }
}

#[test]
fn a_number_of_runs_is_kept() {
    for threads in [1, 2] {
        let chosen = Chosen::new("nrpa", SMALL).with(&[("runs", "3")]);
        let report = run(&chosen, "r250:1", &nodes(1_000_000), 1, threads);
        assert_eq!(report.counters.playouts, 3 * 20 * 20, "{threads}");
    }
}

/// What the whole method is about: it beats playouts that do not learn.
#[test]
fn learning_beats_chance() {
    let total = |chosen: &Chosen| -> i64 {
        let score = |board: u64| run(chosen, &format!("r250:{board}"), &nodes(4_000), 1, 1);
        (1..=6).map(|board| score(board).best.unwrap().score.0).sum()
    };
    let learning = total(&Chosen::new("nrpa", SMALL));
    let chance = total(&Chosen::new("nrpa", SMALL).with(&[("alpha", "0")]));
    assert!(learning > chance + 600, "{learning} {chance}");
}
