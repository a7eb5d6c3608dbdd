//! NRPA with a policy: the suite of all searches, and the claims of its own.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, PlainKit};
use solitree_games::leftmove::LeftMove;

use crate::suite::{Chosen, check_search, run, run_workers};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("policy-nrpa", pairs)
}

fn playouts(count: u64) -> Budget {
    Budget { playouts: Some(count), ..Budget::default() }
}

const SMALL: &[(&str, &str)] = &[("level", "2"), ("iterations", "20")];

#[test]
fn it_passes_the_suite() {
    check_search(&with(SMALL).taught());
}

/// Without a policy, or with one that does not count, it is NRPA.
#[test]
fn without_an_opinion_it_is_nrpa() {
    let plain = Chosen::new("nrpa", SMALL).with(&[("level-playouts", "4")]);
    let found = |chosen: &Chosen| run(chosen, "r250:3", &playouts(2_000), 1, 1).best;
    assert_eq!(found(&with(SMALL)), found(&plain));
    assert_eq!(found(&with(SMALL).with(&[("favour", "0")]).taught()), found(&plain));
    assert_ne!(found(&with(SMALL).taught()), found(&plain));
}

/// In Left Move points at once are all there is to know: with a policy that knows
/// them the same number of playouts reaches more.
#[test]
fn a_policy_that_knows_something_helps() {
    let puzzle: LeftMove = "60".parse().unwrap();
    let reached = |chosen: &Chosen| {
        let budget = playouts(80);
        let score = |seed| {
            let workers = chosen.workers(&puzzle, &chosen.lend(PlainKit), &budget, seed, 1);
            let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
            report.best.unwrap().score.0
        };
        (1..=20).map(score).sum::<i64>()
    };
    let blind = with(SMALL);
    let (without, taught) = (reached(&blind), reached(&blind.clone().taught()));
    assert!(taught > without, "{taught} with, {without} without");
}
