//! The two beam searches: the suite of all searches, and the claims of their
//! own.

use crate::suite::{Chosen, check_search, nodes, run};
use solitree_core::{Budget, StopReason};

#[test]
fn beam_passes_the_suite() {
    for preset in Chosen::presets("beam") {
        check_search(&preset.seedless());
    }
    // Wide enough to be better than the one playout of a run that is cut short.
    check_search(&Chosen::new("beam", &[("unique", "false"), ("width", "200")]).seedless());
}

#[test]
fn monte_carlo_beam_passes_the_suite() {
    for preset in Chosen::presets("mc-beam") {
        check_search(&preset);
    }
    for pairs in [&[("width", "3"), ("samples", "2")][..], &[("bonus", "1"), ("unique", "false")]] {
        check_search(&Chosen::new("mc-beam", pairs));
    }
}

/// The seeds belong to the positions: threads that share a pass change nothing.
#[test]
fn threads_do_not_change_a_pass() {
    for chosen in [
        Chosen::new("beam", &[("width", "50")]),
        Chosen::new("beam", &[("width", "50"), ("layers", "progress")]),
    ] {
        let one = run(&chosen, "r250:1", &Budget::default(), 1, 1);
        let three = run(&chosen, "r250:1", &Budget::default(), 1, 3);
        assert_eq!(one.best.unwrap().score, three.best.unwrap().score);
        assert_eq!(one.reason, StopReason::Finished);
    }
}

#[test]
fn a_wider_beam_is_a_better_beam() {
    let score = |width: &str| -> i64 {
        let chosen = Chosen::new("beam", &[("width", width)]);
        (1..=4)
            .map(|b| {
                run(&chosen, &format!("r250:{b}"), &nodes(u64::MAX), 1, 1).best.unwrap().score.0
            })
            .sum()
    };
    assert!(score("300") > score("3"));
}

#[test]
fn a_beam_that_memory_cannot_hold_is_refused_at_once() {
    use solitree_core::Budget;
    use solitree_games::samegame::SameGameKit;
    use solitree_search::Request;
    let chosen = Chosen::new("beam", &[("width", "1000000")]);
    let game = crate::suite::samegame("std:1");
    let kit = SameGameKit::new(&chosen.kit, &game);
    let budget = Budget { memory: Some(1 << 20), ..Budget::default() };
    let request = Request { budget: &budget, seed: 1, threads: 1, line: None };
    let error = chosen.settings.workers(&game, &kit, &request).err().unwrap();
    assert!(error.starts_with("a beam of 1000000 positions takes about"), "{error}");
}
