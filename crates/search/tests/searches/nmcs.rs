//! NMCS: the suite of all searches on every way to set it up, and the claims
//! of its own.

use crate::suite::{Chosen, check_search, nodes, run, samegame};
use solitree_core::{Budget, DummyPuzzle, PlainKit};
use solitree_search::Request;

/// Small enough for the budgets of the suite.
const SMALL: &[(&str, &str)] = &[("level", "1")];

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("nmcs", pairs)
}

/// The best scores of some boards, added: small ones, on which a search of two
/// levels comes to its end.
fn total(chosen: &Chosen, playouts: u64) -> i64 {
    let best = |board: u64| {
        let budget = Budget { playouts: Some(playouts), ..Budget::default() };
        run(chosen, &format!("random:{board}:9x9x4"), &budget, board, 1).best.unwrap().score.0
    };
    (1..=10).map(best).sum()
}

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("nmcs") {
        check_search(&preset.with(SMALL));
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("memory", "false"), ("moves", "guided")][..],
        &[("level-playouts", "3"), ("moves", "guided")],
        &[("level-playouts", "7"), ("memory", "false"), ("prune", "false")],
        &[("playout", "random"), ("level-playouts", "150")],
    ] {
        check_search(&with(SMALL).with(pairs));
    }
}

#[test]
fn two_levels_pass_the_suite() {
    for pairs in [
        &[("level", "2"), ("lazy", "max"), ("lazy-ratio", "0.9")][..],
        &[("level", "2"), ("lazy", "mean"), ("lazy-ratio", "1.2"), ("moves", "guided")],
        &[("level", "2"), ("lazy", "spread"), ("lazy-playouts", "1"), ("memory", "false")],
    ] {
        check_search(&with(&[("lazy-playouts", "2")]).with(pairs).scaled(8));
    }
    check_search(&Chosen::preset("nmcs").scaled(16));
}

#[test]
fn a_number_of_runs_is_kept() {
    let report = |runs, threads| {
        let chosen = with(&[("level", "1"), ("runs", runs), ("prune", "false")]);
        run(&chosen, "r250:1", &nodes(10_000_000), 1, threads)
    };
    let (one, two) = (report("4", 1), report("4", 2));
    assert_eq!(one.counters, two.counters);
    assert_eq!(one.best.unwrap().score, two.best.unwrap().score);
    assert!(report("1", 1).counters.playouts < one.counters.playouts / 3);
}

/// What can be seen to need more than there is never begins.
#[test]
fn levels_beyond_the_budget_are_refused() {
    let refusal = |level: &str, playouts, threads| {
        let game = samegame("r250:1");
        let chosen = with(&[("level", level)]);
        let kit = solitree_games::samegame::SameGameKit::new(&chosen.kit, &game);
        let budget = Budget { playouts: Some(playouts), ..Budget::default() };
        let request = Request { budget: &budget, seed: 1, threads, line: None };
        chosen.settings.workers(&game, &kit, &request).err()
    };
    assert_eq!(refusal("1", 100, 1), None);
    assert_eq!(refusal("2", 200_000, 1), None);
    let message = refusal("3", 200_000, 1).unwrap();
    assert!(message.starts_with("level 3 needs about "), "{message}");
    assert!(message.contains("room for 200000 a thread"), "{message}");
    assert!(refusal("2", 200_000, 50).is_some());
    assert!(refusal("8", u64::MAX, 1).is_some());
}

/// Whatever the level, a tree that it can search whole is solved in one game.
#[test]
fn one_search_solves_what_its_levels_see() {
    let puzzle: DummyPuzzle = "((1 (2 (3 9)) 4) ((5 6) (7 8)) (2 (1 1)))".parse().unwrap();
    for level in ["4", "5", "6"] {
        for memory in ["true", "false"] {
            let chosen = with(&[("level", level), ("memory", memory), ("runs", "1")]);
            let budget = nodes(100_000);
            let workers = chosen.workers(&puzzle, &PlainKit, &budget, 1, 1);
            let calm = std::sync::atomic::AtomicBool::new(false);
            let report = crate::suite::run_workers(&puzzle, workers, &budget, None, &calm);
            assert_eq!(report.best.unwrap().score, puzzle.optimum(), "{level} {memory}");
        }
    }
}

/// Children that cannot beat the best game seen are not played out.
#[test]
fn bounds_save_playouts() {
    let report = |prune| {
        let chosen = with(&[("level", "2"), ("runs", "1"), ("prune", prune)]);
        run(&chosen, "random:3:8x8x3", &nodes(100_000_000), 1, 1)
    };
    let (with, without) = (report("true"), report("false"));
    assert!(with.counters.playouts < without.counters.playouts);
}

/// The paper's first point: a memorised game is worth following.
#[test]
fn memory_beats_forgetting() {
    let score = |memory| total(&with(&[("level", "2"), ("memory", memory)]), 50_000);
    let (memorised, forgetful) = (score("true"), score("false"));
    assert!(memorised > forgetful, "{memorised} {forgetful}");
}

/// The paper's second: nesting is worth more than as many playouts below.
#[test]
fn a_level_more_beats_as_many_playouts() {
    let score = |level| total(&with(&[("level", level)]), 50_000);
    let (one, two) = (score("1"), score("2"));
    assert!(two > one, "{two} {one}");
}
