//! What every search must do, whatever its method.
//!
//! A new algorithm implements [`Maker`] and calls [`check_search`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use solitree_core::{
    Budget, DummyPuzzle, Event, Playout, Puzzle, Score, StopReason, UniformPlayout,
};
use solitree_games::samegame::{
    BoardName, Cell, PlayoutConfig, Rules, SameGamePlayout, SmallSameGame,
};
use solitree_search::{Execution, Report, Search, Snapshot, execute};

/// A way to make the workers of a search.
pub trait Maker {
    fn workers<P: Puzzle + 'static, R: Playout<P> + Clone + 'static>(
        &self,
        puzzle: &P,
        playout: &R,
        budget: &Budget,
        seed: u64,
        threads: usize,
    ) -> Vec<Box<dyn Search<P>>>;
}

/// A board and the playouts for it.
pub fn samegame(name: &str) -> (SmallSameGame, SameGamePlayout) {
    let board = name.parse::<BoardName>().unwrap().board();
    let game = SmallSameGame::new(&board, &Rules::parse("samegame").unwrap());
    (game, SameGamePlayout::new(&PlayoutConfig::default(), board.width() * board.height()))
}

pub fn nodes(nodes: u64) -> Budget {
    Budget { nodes: Some(nodes), ..Budget::default() }
}

/// Runs a search on SameGame and returns its report.
pub fn run(
    maker: &impl Maker,
    name: &str,
    budget: &Budget,
    seed: u64,
    threads: usize,
) -> Report<Cell> {
    let (game, playout) = samegame(name);
    let workers = maker.workers(&game, &playout, budget, seed, threads);
    run_workers(&game, workers, budget, None, &AtomicBool::new(false))
}

pub fn run_workers<P: Puzzle>(
    puzzle: &P,
    workers: Vec<Box<dyn Search<P>>>,
    budget: &Budget,
    resume: Option<Snapshot<P::Move>>,
    interrupt: &AtomicBool,
) -> Report<P::Move> {
    let snapshots = Some(Duration::from_secs(3600));
    let execution =
        Execution { puzzle, workers, budget: budget.clone(), interrupt, resume, snapshots };
    execute(execution, &mut |_| {}, &mut |_| {})
}

/// Everything below.
pub fn check_search(maker: &impl Maker) {
    finds_the_optimum_of_small_trees(maker);
    handles_games_that_are_over(maker);
    respects_node_and_playout_budgets(maker);
    respects_the_time_limit(maker);
    stops_at_the_target(maker);
    is_deterministic(maker);
    resumes_bit_for_bit(maker);
    stops_at_once_when_interrupted(maker);
    reports_improvements_in_order(maker);
}

fn finds_the_optimum_of_small_trees(maker: &impl Maker) {
    for text in
        ["(3(7 2)5)", "(1 2 3 4 5 6 7 8 9)", "((((9)))(1 2)(3 (4 (5 6))))", "(-5 (-9 -3) -4)"]
    {
        let puzzle: DummyPuzzle = text.parse().unwrap();
        let budget = nodes(2_000);
        let workers = maker.workers(&puzzle, &UniformPlayout, &budget, 1, 1);
        let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
        assert_eq!(report.best.unwrap().score, puzzle.optimum(), "{text}");
    }
}

fn handles_games_that_are_over(maker: &impl Maker) {
    let puzzle: DummyPuzzle = "7".parse().unwrap();
    let budget = nodes(100);
    let workers = maker.workers(&puzzle, &UniformPlayout, &budget, 1, 2);
    let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
    let best = report.best.unwrap();
    assert_eq!((best.score, best.moves.len()), (Score(7), 0));
}

fn respects_node_and_playout_budgets(maker: &impl Maker) {
    for threads in [1, 3] {
        let report = run(maker, "r250:1", &nodes(1_001), 1, threads);
        let slack = 200 * threads as u64;
        assert!(report.counters.nodes <= 1_001 + slack, "{:?}", report.counters);
        assert!(
            threads > 1 || report.counters.spent >= 1_001 || report.reason != StopReason::Nodes
        );
        let budget = Budget { playouts: Some(777), ..Budget::default() };
        let report = run(maker, "r250:1", &budget, 1, threads);
        assert!(report.counters.playouts <= 777 + 16 * threads as u64, "{:?}", report.counters);
    }
}

fn respects_the_time_limit(maker: &impl Maker) {
    let budget = Budget { time: Some(Duration::from_millis(300)), ..Budget::default() };
    let started = Instant::now();
    let report = run(maker, "r250:1", &budget, 1, 1);
    let took = started.elapsed();
    assert!(report.reason == StopReason::TimeLimit || report.reason == StopReason::Finished);
    assert!(took < Duration::from_millis(1_500), "{took:?}");
}

fn stops_at_the_target(maker: &impl Maker) {
    let budget = Budget { target: Some(Score(300)), ..nodes(1_000_000) };
    let report = run(maker, "r250:1", &budget, 1, 1);
    // Some only know their score when they are done.
    assert!(matches!(report.reason, StopReason::Target | StopReason::Finished));
    assert!(report.counters.spent < 1_000_000 || report.reason == StopReason::Finished);
    assert!(report.best.unwrap().score >= Score(300));
}

fn is_deterministic(maker: &impl Maker) {
    let once = run(maker, "r250:2", &nodes(3_000), 5, 1);
    let again = run(maker, "r250:2", &nodes(3_000), 5, 1);
    assert_eq!((&once.best, once.counters), (&again.best, again.counters));
    let other = run(maker, "r250:2", &nodes(3_000), 6, 1);
    assert_ne!(once.best, other.best, "another seed goes another way");
}

fn resumes_bit_for_bit(maker: &impl Maker) {
    let (game, playout) = samegame("r250:2");
    let calm = AtomicBool::new(false);
    let whole = nodes(6_000);
    let straight =
        run_workers(&game, maker.workers(&game, &playout, &whole, 5, 1), &whole, None, &calm);
    // Interrupted after some 2,000 nodes, by an observer, then resumed.
    let stop = AtomicBool::new(false);
    let mut workers = maker.workers(&game, &playout, &whole, 5, 1);
    let part = {
        let limits = solitree_search::Limits { nodes: Some(6_000), ..Default::default() };
        let mut meter = solitree_search::Meter::new(limits);
        while meter.counters().spent < 2_000 {
            if workers[0].step(&mut meter) != solitree_search::Status::Going {
                break;
            }
        }
        solitree_search::WorkerSnapshot {
            counters: meter.counters(),
            best: meter.best().cloned(),
            search: workers[0].save(),
        }
    };
    let snapshot =
        Snapshot { elapsed: Duration::ZERO, best: part.best.clone(), workers: vec![part] };
    let mut workers = maker.workers(&game, &playout, &whole, 5, 1);
    workers[0].load(&snapshot.workers[0].search).unwrap();
    let resumed = run_workers(&game, workers, &whole, Some(snapshot), &stop);
    assert_eq!((&straight.best, straight.counters), (&resumed.best, resumed.counters));
    assert_eq!(
        straight.snapshot.unwrap().workers[0].search,
        resumed.snapshot.unwrap().workers[0].search
    );
    let mut workers = maker.workers(&game, &playout, &whole, 5, 1);
    assert!(workers[0].load(&[1, 2, 3]).is_err(), "nonsense is refused");
}

fn stops_at_once_when_interrupted(maker: &impl Maker) {
    let (game, playout) = samegame("std:1");
    let budget = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
    let workers = maker.workers(&game, &playout, &budget, 1, 2);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let execution = Execution {
            puzzle: &game,
            workers,
            budget: budget.clone(),
            interrupt: &stop,
            resume: None,
            snapshots: None,
        };
        let report = execute(execution, &mut |_| {}, &mut |_| {});
        let delay = watch.join().unwrap().elapsed();
        assert!(
            delay < Duration::from_millis(50)
                || cfg!(debug_assertions) && delay < Duration::from_millis(250)
        );
        assert!(report.best.is_some(), "the best so far is not lost");
        assert!(matches!(report.reason, StopReason::Interrupted | StopReason::Finished));
    });
}

fn reports_improvements_in_order(maker: &impl Maker) {
    let (game, playout) = samegame("std:2");
    let budget = nodes(5_000);
    let workers = maker.workers(&game, &playout, &budget, 1, 2);
    let stop = AtomicBool::new(false);
    let mut scores = Vec::new();
    let mut stopped = 0;
    let execution = Execution {
        puzzle: &game,
        workers,
        budget,
        interrupt: &stop,
        resume: None,
        snapshots: None,
    };
    let report = execute(
        execution,
        &mut |event| match event {
            Event::NewBest { line, .. } => scores.push(line.score),
            Event::Stopped { .. } => stopped += 1,
            _ => {}
        },
        &mut |_| {},
    );
    assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
    assert_eq!(scores.last().copied(), report.best.map(|line| line.score));
    assert_eq!(stopped, 1);
}
