//! The Monte-Carlo beam with a policy: the suite of all searches, and the claims of
//! its own.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, PlainKit};
use solitree_games::leftmove::LeftMove;

use crate::suite::{Chosen, check_search, run, run_workers};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("policy-beam", pairs)
}

fn playouts(count: u64) -> Budget {
    Budget { playouts: Some(count), ..Budget::default() }
}

#[test]
fn it_passes_the_suite() {
    check_search(&with(&[("cover", "0.7")]).taught());
    check_search(&with(&[("layers", "progress"), ("width", "20")]).taught());
}

/// Without a policy, or where all moves are to be looked at, it is the plain beam.
#[test]
fn without_an_opinion_it_is_the_plain_beam() {
    let plain = Chosen::new("mc-beam", &[]);
    let found = |chosen: &Chosen| run(chosen, "r250:3", &playouts(20_000), 1, 1).best;
    assert_eq!(found(&with(&[])), found(&plain));
    assert_eq!(found(&with(&[("cover", "1")]).taught()), found(&plain));
    assert_ne!(found(&with(&[("cover", "0.3")]).taught()), found(&plain));
}

/// Several threads look at the same moves as one.
#[test]
fn threads_change_nothing() {
    let chosen = with(&[("cover", "0.5"), ("width", "30"), ("variants", "false")]).taught();
    let found = |threads| {
        let report = run(&chosen, "r250:5", &playouts(30_000), 7, threads);
        report.best.map(|line| line.score)
    };
    assert_eq!(found(1), found(3));
}

/// In Left Move points at once are all there is to know: with a policy that knows
/// them the same number of playouts reaches more.
#[test]
fn a_policy_that_knows_something_helps() {
    let puzzle: LeftMove = "60".parse().unwrap();
    let reached = |chosen: &Chosen| {
        let budget = playouts(40);
        let score = |seed| {
            let workers = chosen.workers(&puzzle, &chosen.lend(PlainKit), &budget, seed, 1);
            let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
            report.best.unwrap().score.0
        };
        (1..=20).map(score).sum::<i64>()
    };
    let blind = with(&[("cover", "0.5"), ("samples", "1")]);
    let (without, taught) = (reached(&blind), reached(&blind.clone().taught()));
    assert!(taught > without, "{taught} with, {without} without");
}
