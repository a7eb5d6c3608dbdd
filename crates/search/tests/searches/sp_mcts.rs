//! SP-MCTS: the suite of all searches on every way to set it up, and the
//! claims of its own.

use solitree_core::{Budget, StopReason};

use crate::suite::{Chosen, check_search, nodes, run};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("sp-mcts", pairs)
}

fn preset(name: &str) -> Chosen {
    Chosen::preset(&format!("sp-mcts:{name}"))
}

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("sp-mcts") {
        check_search(&preset);
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("expansion", "all")][..],
        &[("expansion", "rest"), ("formula", "program")],
        &[("top", "mix"), ("log", "log10")],
        &[("solved", "ignore")],
        &[("solved", "stop")],
        &[("restarts", "7"), ("abreast", "3")],
        &[("restarts", "0"), ("search-nodes", "150"), ("table", "10000")],
        &[("leaf-playouts", "5"), ("expansion", "all")],
        &[("control", "move"), ("final-move", "visits")],
        &[("control", "move"), ("answer", "played")],
        &[("control", "move"), ("final-move", "average"), ("restarts", "3")],
        &[("control", "move"), ("keep-best-line", "true"), ("restarts", "0")],
    ] {
        check_search(&with(pairs));
    }
}

#[test]
fn a_small_board_is_solved() {
    for solved in ["stop", "skip"] {
        let report = run(&with(&[("solved", solved)]), "random:1:4x4x2", &nodes(1_000_000), 1, 1);
        assert_eq!(report.reason, StopReason::Solved, "{solved}");
    }
}

/// A restart's course depends on its seed alone, not on its companions.
#[test]
fn restarts_abreast_give_the_same_answer_as_one_by_one() {
    let best = |abreast| {
        let pairs = [("restarts", "12"), ("search-nodes", "500"), ("abreast", abreast)];
        run(&with(&pairs), "r250:4", &nodes(6_000), 3, 1)
    };
    let (one, many) = (best("1"), best("6"));
    assert_eq!(one.best.unwrap().score, many.best.unwrap().score);
    assert_eq!(one.counters.playouts, many.counters.playouts);
}

#[test]
fn restarts_on_two_threads_are_those_of_one() {
    let best = |threads| {
        let pairs = [("restarts", "8"), ("search-nodes", "500")];
        run(&with(&pairs), "r250:4", &nodes(1_000_000), 3, threads)
    };
    let (one, two) = (best(1), best(2));
    assert_eq!(one.best.unwrap().score, two.best.unwrap().score);
    assert_eq!(one.counters, two.counters);
    assert_eq!(one.reason, StopReason::Finished);
}

#[test]
fn restarts_share_a_node_budget() {
    let report = run(&with(&[("restarts", "10")]), "r250:4", &nodes(5_000), 3, 1);
    assert_eq!(report.counters.spent, 5_000);
}

/// Full memory stops the growth of the tree, not the search.
#[test]
fn memory_is_bounded() {
    let budget = Budget { memory: Some(1 << 20), playouts: Some(60_000), ..Budget::default() };
    let report = run(&preset("exploration"), "std:1", &budget, 1, 1);
    assert_eq!(report.reason, StopReason::Playouts);
    assert!(report.counters.nodes * 48 <= 1 << 20, "{} nodes", report.counters.nodes);
    assert!(report.counters.nodes > 10_000);
}

/// Two claims of the papers: a deep tree is what exploitation builds, and the
/// top score is the way to choose a move.
#[test]
fn the_papers_claims_hold_in_the_small() {
    let deepest = |name| run(&preset(name), "r250:1", &nodes(20_000), 1, 1).counters.deepest;
    assert!(deepest("exploitation") > 2 * deepest("exploration"));
    let total = |rule: &str| -> i64 {
        let settings = with(&[("formula", "program"), ("control", "move"), ("final-move", rule)]);
        // Without the lines seen on the way: the game as it was played is what counts.
        (1..=6)
            .map(|board| {
                run(&settings, &format!("r250:{board}"), &nodes(100_000), 1, 1)
                    .best
                    .unwrap()
                    .score
                    .0
            })
            .sum()
    };
    assert!(total("top-score") > total("average"));
}
