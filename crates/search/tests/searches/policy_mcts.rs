//! Policy-MCTS: the suite of all searches, and the claims of its own.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, PlainKit, StopReason};
use solitree_games::leftmove::LeftMove;
use solitree_search::Request;

use crate::suite::{Chosen, check_search, nodes, run, run_workers, samegame};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("policy-mcts", pairs)
}

/// All but `training`, which ends after a game: that is for the tests below.
#[test]
fn every_preset_passes_the_suite() {
    for name in ["default", "paper", "late", "informed"] {
        let preset = Chosen::preset(&format!("policy-mcts:{name}"));
        check_search(&preset.clone().taught());
        check_search(&preset);
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("batch", "1"), ("virtual-loss", "0")][..],
        &[("batch", "7"), ("value", "mix"), ("informed", "true")],
        &[("noise", "0.25"), ("control", "move"), ("simulations", "30")],
        &[("noise", "0.5"), ("noise-alpha", "2"), ("value", "max"), ("informed", "true")],
        &[("control", "move"), ("final-move", "visits")],
        &[("control", "move"), ("longest", "12"), ("variants", "true"), ("t", "3")],
    ] {
        check_search(&with(pairs).taught());
    }
}

#[test]
fn a_small_board_is_solved() {
    for pairs in [&[("informed", "true")][..], &[("control", "move"), ("noise", "0.25")]] {
        for threads in [1, 2] {
            let chosen = with(pairs).taught();
            let report = run(&chosen, "random:1:4x4x2", &nodes(1_000_000), 1, threads);
            assert_eq!(report.reason, StopReason::Solved, "{pairs:?} on {threads}");
        }
    }
}

/// A game has as many simulations as its moves allow, and then it is over.
#[test]
fn a_game_is_played_move_by_move() {
    let chosen = Chosen::preset("policy-mcts:training").taught();
    for (simulations, batch) in [(10, 1), (25, 8)] {
        let (count, batch) = (simulations.to_string(), batch.to_string());
        let chosen = chosen.clone().with(&[("simulations", &count), ("batch", &batch)]);
        let report = run(&chosen, "r250:4", &Budget::default(), 1, 1);
        assert_eq!(report.reason, StopReason::Finished);
        let moves = report.best.unwrap().moves.len() as u64;
        let most = simulations * moves;
        assert!(report.counters.spent <= most, "{:?}", report.counters);
        // Near the end everything is known before all simulations are spent.
        assert!(report.counters.spent > most / 2, "{:?}", report.counters);
    }
}

/// The claim of the paper: with a policy that knows something, the same number of
/// playouts reaches more. In Left Move points at once are all there is to know.
#[test]
fn a_policy_that_knows_something_helps() {
    let puzzle: LeftMove = "60".parse().unwrap();
    let reached = |chosen: &Chosen| {
        let budget = Budget { playouts: Some(200), ..Budget::default() };
        let workers = chosen.workers(&puzzle, &chosen.lend(PlainKit), &budget, 1, 1);
        let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
        report.best.unwrap().score.0
    };
    for informed in ["false", "true"] {
        let blind = with(&[("informed", informed)]);
        let (without, taught) = (reached(&blind), reached(&blind.clone().taught()));
        assert!(taught > without, "informed={informed}: {taught} with, {without} without");
    }
}

#[test]
fn batches_change_the_way_and_not_the_amount_of_work() {
    let budget = Budget { playouts: Some(500), ..Budget::default() };
    for batch in ["1", "4", "64"] {
        let report = run(&with(&[("batch", batch)]).taught(), "r250:5", &budget, 1, 1);
        assert_eq!((report.reason, report.counters.playouts), (StopReason::Playouts, 500));
    }
}

/// A policy that is asked late is asked about few positions, and they are played out all the same.
#[test]
fn a_policy_may_be_asked_late() {
    let budget = Budget { playouts: Some(3_000), ..Budget::default() };
    let counted = |t| run(&with(&[("t", t)]).taught(), "r250:5", &budget, 1, 1).counters;
    let (at_once, late) = (counted("1"), counted("10"));
    assert_eq!((at_once.playouts, late.playouts), (3_000, 3_000));
    assert!(late.nodes > 0 && 5 * late.nodes < at_once.nodes, "{at_once:?} and {late:?}");
}

#[test]
fn settings_that_cannot_go_together_are_refused() {
    let (game, budget) = (samegame("r250:1"), nodes(100));
    let request = Request { budget: &budget, seed: 1, threads: 1, line: None };
    let refused = with(&[("games", "3")]).settings.workers(&game, &PlainKit, &request);
    let message = refused.err().expect("refused");
    assert!(message.contains("control=move"), "{message}");
}
