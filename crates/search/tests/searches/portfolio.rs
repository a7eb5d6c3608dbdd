//! The portfolios and large-neighbourhood search: the suite of all searches,
//! and the claims of their own.

use crate::suite::{Chosen, check_search, nodes, run, samegame};
use solitree_core::{Budget, Line, Puzzle, Score, StopReason};
use solitree_games::samegame::{Cell, SameGameKit};
use solitree_search::Request;

#[test]
fn portfolios_pass_the_suite() {
    for name in ["portfolio", "hgsts"] {
        for preset in Chosen::presets(name) {
            check_search(&preset);
        }
    }
    check_search(&Chosen::new("portfolio", &[("slices", "50"), ("repairs", "0.5")]));
    check_search(&Chosen::new("portfolio", &[("repair", "anneal")]));
    check_search(&Chosen::new("portfolio", &[("repair", "anneal"), ("scouts", "0.7")]));
    check_search(&Chosen::new("portfolio", &[("repair", "lns"), ("proof", "0")]));
}

#[test]
fn large_neighbourhood_search_passes_the_suite() {
    for pairs in [
        &[("first-level", "1"), ("first-iterations", "50"), ("iterations", "5")][..],
        &[("first-level", "1"), ("level", "1"), ("pool", "1"), ("warm", "0")],
    ] {
        check_search(&Chosen::new("lns", pairs));
    }
}

/// Every colour that can be kept is tried: with the one that suits a board
/// worst as the only one, a search stays behind.
#[test]
fn the_portfolio_finds_the_colour_to_keep() {
    let total = |chosen: &Chosen| -> i64 {
        let score = |board: u64| run(chosen, &format!("std:{board}"), &nodes(40_000), 1, 1);
        [16, 17, 18].into_iter().map(|board| score(board).best.unwrap().score.0).sum()
    };
    let free = total(&Chosen::preset("portfolio"));
    // The colour with 65 blocks is 2, 3 and 4 there; 1 has 40.
    let bound = total(&Chosen::preset("portfolio").with(&[("keep-colour", "1")]));
    assert!(free > bound + 500, "{free} {bound}");
}

/// Where it anneals, what follows the scouts is `anneal` itself, with what is left of the
/// budget.
#[test]
fn without_scouts_the_portfolio_is_annealing() {
    let best = |name, pairs| {
        let chosen = Chosen::new(name, pairs);
        run(&chosen, "r250:7", &nodes(60_000), 1, 1).best.unwrap()
    };
    let (annealed, alone) =
        (best("portfolio", &[("repair", "anneal"), ("scouts", "0")]), best("anneal", &[]));
    assert_eq!((annealed.score, annealed.moves), (alone.score, alone.moves));
}

/// Nothing to go by but a score to be reached, which the first slices are too short for.
#[test]
fn without_a_limit_annealing_follows_the_scouts() {
    let budget = Budget { target: Some(Score(3_500)), ..Budget::default() };
    let report = run(&Chosen::preset("portfolio"), "r250:1", &budget, 1, 1);
    assert_eq!(report.reason, StopReason::Target);
    assert!(report.counters.playouts > 100_000, "{}", report.counters.playouts);
}

/// The best score of a search with or without a line to begin with; the line
/// itself does not count.
fn found(name: &str, line: Option<&Line<Cell>>, playouts: u64) -> Score {
    let chosen = Chosen::preset(name);
    let game = samegame("r250:9");
    let kit = SameGameKit::new(&chosen.kit, &game);
    let budget = Budget { playouts: Some(playouts), ..Budget::default() };
    let request = Request { budget: &budget, seed: 1, threads: 1, line };
    let workers = chosen.settings.workers(&game, &kit, &request).unwrap();
    let calm = std::sync::atomic::AtomicBool::new(false);
    crate::suite::run_workers(&game, workers, &budget, None, &calm).best.unwrap().score
}

/// A line to begin with is a better beginning than none.
#[test]
fn repairs_begin_at_the_line_they_are_given() {
    let line =
        run(&Chosen::preset("nrpa").with(&[("iterations", "20")]), "r250:9", &nodes(32_000), 1, 1);
    let line = line.best.unwrap();
    let end = solitree_core::replay(&samegame("r250:9"), &line.moves).unwrap();
    assert_eq!(samegame("r250:9").score(&end), line.score);
    for name in ["lns", "anneal"] {
        let (warm, cold) = (found(name, Some(&line), 3_000), found(name, None, 3_000));
        assert!(warm > cold && warm >= line.score - Score(50), "{cold} {warm} {}", line.score);
    }
}
