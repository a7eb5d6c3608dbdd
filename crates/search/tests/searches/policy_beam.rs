//! The Monte-Carlo beam with a policy: the suite of all searches, and the claims of
//! its own.

use solitree_core::Budget;

use crate::suite::{Chosen, check_search, nodes, run};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("policy-beam", pairs)
}

fn playouts(count: u64) -> Budget {
    Budget { playouts: Some(count), ..Budget::default() }
}

#[test]
fn it_passes_the_suite() {
    check_search(&with(&[("cover", "0.95")]).taught());
    check_search(&with(&[("cover", "0.95"), ("layers", "progress")]).taught());
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

/// The point of it: with fewer moves a beam of the same width costs less.
#[test]
fn fewer_moves_are_fewer_playouts() {
    let one_pass = [("width", "30"), ("variants", "false"), ("samples", "2")];
    let depth = |cover: &str| {
        let chosen = with(&one_pass).with(&[("cover", cover)]).taught();
        run(&chosen, "r250:7", &nodes(3_000), 1, 1).counters.deepest
    };
    let (all, half) = (depth("1"), depth("0.5"));
    assert!(half > all + 2, "for as many nodes it comes further: {half} and {all} moves");
}
