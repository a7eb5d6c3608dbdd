//! Parallel-MCTS: the suite of all searches on every way to set it up, and the
//! claims of its own.

use std::sync::atomic::AtomicBool;

use solitree_core::{Budget, Insight, Puzzle, StopReason, replay};
use solitree_search::{Limits, Meter, Request, Status};

use crate::suite::{Chosen, check_search, nodes, run, run_workers, samegame};

fn with(pairs: &[(&str, &str)]) -> Chosen {
    Chosen::new("parallel-mcts", pairs)
}

fn preset(name: &str) -> Chosen {
    Chosen::preset(&format!("parallel-mcts:{name}"))
}

#[test]
fn every_preset_passes_the_suite() {
    for preset in Chosen::presets("parallel-mcts") {
        check_search(&preset);
    }
}

#[test]
fn every_option_passes_the_suite() {
    for pairs in [
        &[("batch", "1"), ("virtual-loss", "0")][..],
        &[("t", "1"), ("value", "mean"), ("batch", "5")],
        &[("t", "10"), ("value", "max")],
        &[("formula", "ucb1"), ("c", "0.3"), ("value", "mix")],
        &[("prior", "guide"), ("bias", "0.5")],
        &[("prior", "evaluator"), ("temperature", "0.5")],
        &[("growth", "widening"), ("order", "guide"), ("amaf", "grave"), ("grave-ref", "5")],
        &[("growth", "unpruning"), ("formula", "ucb1-tuned"), ("amaf", "rave")],
        &[("amaf", "rave"), ("rave-rule", "k"), ("parallel", "leaf"), ("leaf-playouts", "3")],
        &[("control", "move"), ("simulations", "40")],
        &[("control", "move"), ("longest", "15"), ("variants", "true"), ("t", "4")],
        &[("control", "move"), ("longest", "15"), ("variants", "true"), ("parallel", "root")],
        &[("control", "move"), ("final-move", "visits"), ("nested", "10")],
        &[("control", "move"), ("final-move", "average"), ("parallel", "root")],
        &[("nested", "20"), ("beam", "3"), ("beam-limit", "20"), ("amaf", "rave")],
        &[("beam", "5"), ("beam-limit", "50"), ("beam-by", "top"), ("t", "3")],
        &[("beam", "4"), ("beam-limit", "40"), ("beam-by", "value"), ("parallel", "root")],
    ] {
        check_search(&with(pairs));
    }
}

#[test]
fn a_small_board_is_solved() {
    for name in ["default", "puct", "ucb1-tuned", "grave", "widening", "nested", "leaf"] {
        for threads in [1, 2] {
            let report = run(&preset(name), "random:1:4x4x2", &nodes(1_000_000), 1, threads);
            assert_eq!(report.reason, StopReason::Solved, "{name} on {threads}");
        }
    }
}

/// Threads in one tree count their own work, and each spends its share.
#[test]
fn threads_in_one_tree_add_up() {
    for name in ["default", "paper", "grave", "nested", "beam", "leaf"] {
        let budget = Budget { playouts: Some(20_000), ..Budget::default() };
        let report = run(&preset(name), "r250:3", &budget, 1, 3);
        let counters = report.counters;
        assert_eq!((report.reason, counters.playouts), (StopReason::Playouts, 20_000), "{name}");
        assert!(counters.nodes <= counters.spent, "{name}: {counters:?}");
        assert!(counters.depth_sum >= counters.deepest, "{name}: {counters:?}");
        let (game, best) = (samegame("r250:3"), report.best.unwrap());
        let end = replay(&game, &best.moves).unwrap();
        assert!(game.is_over(&end) && game.score(&end) == best.score, "{name}");
    }
}

/// No position is counted twice, and none is lost: two threads that take turns
/// in one tree fill it as one does.
#[test]
fn a_tree_shared_is_a_tree_once() {
    let chosen = with(&[("t", "1")]);
    let game = samegame("random:1:4x4x2");
    let kit = solitree_core::PlainKit;
    let solved = |threads: usize| {
        let budget = nodes(1_000_000);
        let mut workers = chosen.workers(&game, &kit, &budget, 1, threads);
        let mut meters: Vec<Meter<_>> =
            (0..threads).map(|_| Meter::new(Limits::default())).collect();
        for turn in 0.. {
            let worker = turn % threads;
            if workers[worker].step(&mut meters[worker]) != Status::Going {
                break;
            }
        }
        let score = meters.iter().filter_map(|meter| Some(meter.best()?.score)).max();
        let counters: Vec<_> = meters.iter().map(Meter::counters).collect();
        (score, counters.iter().map(|counters| counters.nodes).sum::<u64>())
    };
    let (one, two) = (solved(1), solved(2));
    assert_eq!(one, two, "every position that is not an end, once");
}

#[test]
fn several_threads_resume_from_what_they_saved() {
    for name in ["default", "root", "nested", "beam"] {
        let chosen = preset(name);
        let game = samegame("r250:2");
        let kit = solitree_core::PlainKit;
        let budget = nodes(4_000);
        let calm = AtomicBool::new(false);
        let first = chosen.workers(&game, &kit, &nodes(2_000), 1, 2);
        let part = run_workers(&game, first, &nodes(2_000), None, &calm);
        let snapshot = part.snapshot.unwrap();
        let mut workers = chosen.workers(&game, &kit, &budget, 1, 2);
        for (worker, part) in workers.iter_mut().zip(&snapshot.workers) {
            worker.load(&part.search).unwrap();
        }
        let report = run_workers(&game, workers, &budget, Some(snapshot), &calm);
        assert!(report.counters.spent >= 4_000, "{name}");
        assert!(report.best.unwrap().score >= part.best.unwrap().score, "{name}");
        let mut other = chosen.workers(&game, &kit, &budget, 1, 1);
        assert!(other[0].load(&[1, 2, 3]).is_err());
    }
}

#[test]
fn settings_that_cannot_go_together_are_refused() {
    for (pairs, word) in [
        (&[("prior", "guide"), ("formula", "ucb1")][..], "puct"),
        (&[("beam", "10"), ("control", "move")], "control=game"),
        (&[("nested", "10"), ("parallel", "leaf")], "nested"),
        (&[("beam", "10"), ("beam-limit", "5")], "beam-limit"),
    ] {
        let (game, budget) = (samegame("r250:1"), nodes(100));
        let request = Request { budget: &budget, seed: 1, threads: 1, line: None };
        let refused = with(pairs).settings.workers(&game, &solitree_core::PlainKit, &request);
        let message = refused.err().expect("refused");
        assert!(message.contains(word), "{message}");
    }
}

/// Full memory stops the growth of the tree, not the search.
#[test]
fn memory_is_bounded() {
    for pairs in [&[("t", "1")][..], &[("t", "1"), ("amaf", "rave")]] {
        let budget = Budget { memory: Some(4 << 20), playouts: Some(30_000), ..Budget::default() };
        let report = run(&with(pairs), "std:1", &budget, 1, 2);
        assert_eq!((report.reason, report.counters.playouts), (StopReason::Playouts, 30_000));
        // Sixty-four bytes a move, and there are several.
        assert!(report.counters.nodes * 200 <= 4 << 20, "{} nodes", report.counters.nodes);
        assert!(report.counters.nodes > 300, "{} nodes", report.counters.nodes);
    }
}

/// A beam goes deeper than a tree that keeps everything.
#[test]
fn a_beam_goes_deeper() {
    let deepest = |beam| {
        let pairs = [("beam", beam), ("beam-limit", "500"), ("c", "10")];
        run(&with(&pairs), "r250:1", &nodes(30_000), 1, 1).counters.deepest
    };
    assert!(deepest("10") > deepest("0") + 10);
}

/// Simulations of a move that are enough make games short, so that another follows.
#[test]
fn games_follow_one_another() {
    let played = |pairs: &[(&str, &str)]| {
        let chosen = with(&[("control", "move")]).with(pairs);
        let (game, budget) = (samegame("r250:1"), nodes(100_000));
        let workers = chosen.workers(&game, &solitree_core::PlainKit, &budget, 1, 1);
        let mut worker = workers.into_iter().next().unwrap();
        let mut meter = Meter::new(Limits { nodes: Some(100_000), ..Limits::default() });
        let mut most = 0;
        loop {
            worker.step(&mut meter);
            let Some(Insight::Tree(tree)) = worker.look() else { panic!("no tree") };
            if tree.prefix.len() < most || meter.counters().spent > 10_000 {
                return (most, meter.counters().spent);
            }
            most = tree.prefix.len();
        }
    };
    let (moves, spent) = played(&[("longest", "100")]);
    assert!((20..=112).contains(&moves) && spent <= 100 * 112, "{moves} moves by {spent}");
    let (moves, spent) = played(&[]);
    assert!(moves <= 10 && spent > 10_000, "{moves} moves by {spent}");
}

/// Which colour is kept is left to the games: on this board not the most frequent one.
#[test]
fn variants_are_tried_and_the_best_is_found() {
    let score = |variants| {
        let pairs = [("control", "move"), ("longest", "100"), ("variants", variants)];
        let chosen = with(&pairs);
        let total = |seed| run(&chosen, "std:7", &nodes(60_000), seed, 1).best.unwrap().score.0;
        (1..=3).map(total).sum::<i64>()
    };
    let (one, all) = (score("false"), score("true"));
    assert!(all > one, "{all} with all variants, {one} with one");
}

/// A move played leaves what is below it and forgets the rest.
#[test]
fn moves_played_are_committed_to() {
    let size = |control| {
        let chosen = with(&[("control", control), ("simulations", "100")]);
        let report = run(&chosen, "r250:1", &nodes(5_000), 1, 1);
        report.snapshot.unwrap().workers[0].search.len()
    };
    let (moves, game) = (size("move"), size("game"));
    assert!(10 * moves < game, "{moves} and {game} bytes");
}
