//! What every search must do, whatever its method.
//!
//! A new algorithm calls [`check_search`] for each way to set it up.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use solitree_core::params::{ParamError, Params};
use solitree_core::{
    Asked, Budget, DummyPuzzle, Event, Foresight, Kit, PlainKit, Policy, Prospect, Puzzle, Score,
    StopReason, Taught,
};
use solitree_games::samegame::{BoardName, Cell, KitConfig, Rules, SameGameKit, SmallSameGame};
use solitree_search::{
    ALGORITHMS, Execution, Part, Report, Request, Search, Settings, Snapshot, algorithm, execute,
};

/// A search, set up.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub settings: Settings,
    pub kit: KitConfig,
    /// Whether its answer depends on the seed.
    pub seeded: bool,
    /// How many times the usual budgets it needs.
    pub scale: u64,
    /// Whether the domain lends a policy.
    pub taught: bool,
}

impl Chosen {
    /// The parameters' own defaults, but for some.
    pub fn new(name: &str, pairs: &[(&str, &str)]) -> Chosen {
        let (settings, _) = Settings::of(name).unwrap();
        let kit = KitConfig::default();
        Chosen { settings, kit, seeded: true, scale: 1, taught: false }.with(pairs)
    }

    /// A preset, such as `sp-mcts:balanced`.
    pub fn preset(name: &str) -> Chosen {
        Chosen::new(name, algorithm(name).unwrap().1.values)
    }

    /// Every preset of an algorithm.
    pub fn presets(name: &str) -> Vec<Chosen> {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
        let presets = algorithm.presets.iter();
        presets.map(|preset| Chosen::preset(&format!("{name}:{}", preset.name))).collect()
    }

    /// The same with other values.
    pub fn with(mut self, pairs: &[(&str, &str)]) -> Chosen {
        for (key, value) in pairs {
            match self.settings.set(key, value) {
                Err(ParamError::UnknownKey { .. }) => self.kit.set(key, value).unwrap(),
                result => result.unwrap(),
            }
        }
        self
    }

    /// The same, known to go the same way whatever the seed.
    pub fn seedless(self) -> Chosen {
        Chosen { seeded: false, ..self }
    }

    /// The same, with larger budgets in the suite.
    pub fn scaled(self, scale: u64) -> Chosen {
        Chosen { scale, ..self }
    }

    /// The same, with a policy that likes points.
    pub fn taught(self) -> Chosen {
        Chosen { taught: true, ..self }
    }

    /// A kit, with a policy or without.
    pub fn lend<K>(&self, kit: K) -> Taught<K, LikesPoints> {
        Taught { kit, policy: self.taught.then(|| Arc::new(LikesPoints)) }
    }

    pub fn workers<P: Puzzle + 'static>(
        &self,
        puzzle: &P,
        kit: &impl Kit<P>,
        budget: &Budget,
        seed: u64,
        threads: usize,
    ) -> Vec<Box<dyn Search<P>>> {
        let request = Request { budget, seed, threads, line: None };
        self.settings.workers(puzzle, kit, &request).unwrap()
    }

    fn plays_out(&self) -> bool {
        let uses = self.settings.algorithm().uses;
        uses.contains(&Part::Playouts) || uses.contains(&Part::Guide)
    }

    fn on_samegame(&self, name: &str) -> (SmallSameGame, Taught<SameGameKit, LikesPoints>) {
        let game = samegame(name);
        let kit = self.lend(SameGameKit::new(&self.kit, &game));
        (game, kit)
    }
}

/// A network made up for tests: the more points a move brings at once, the
/// likelier it is.
#[derive(Debug)]
pub struct LikesPoints;

impl<P: Puzzle> Policy<P> for LikesPoints {
    fn priors(&self, puzzle: &P, asked: &[Asked<'_, P>], out: &mut Vec<f32>) {
        out.clear();
        for (state, moves) in asked {
            let begin = out.len();
            out.extend(moves.iter().map(|&mv| {
                let mut next = P::State::clone(state);
                puzzle.play(&mut next, mv);
                1.0 + (puzzle.score(&next) - puzzle.score(state)).0.max(0) as f32
            }));
            let total: f32 = out[begin..].iter().sum();
            out[begin..].iter_mut().for_each(|prior| *prior /= total);
        }
    }

    fn preferred_batch(&self) -> usize {
        4
    }

    fn foresight(&self) -> Option<&dyn Foresight<P>> {
        Some(self)
    }
}

/// It foresees the points of the best move there is, and no cleared board.
impl<P: Puzzle> Foresight<P> for LikesPoints {
    fn prospects(&self, puzzle: &P, states: &[&P::State], out: &mut Vec<Prospect>) {
        out.clear();
        let mut moves = Vec::new();
        for &state in states {
            puzzle.moves(state, &mut moves);
            let after = |&mv: &P::Move| {
                let mut next = state.clone();
                puzzle.play(&mut next, mv);
                (puzzle.score(&next) - puzzle.score(state)).as_f64() as f32
            };
            let points = moves.iter().map(after).fold(f32::MIN, f32::max);
            out.push(Prospect { points, clears: 0.0 });
        }
    }

    fn preferred_batch(&self) -> usize {
        4
    }
}

/// A board with the default rules.
pub fn samegame(name: &str) -> SmallSameGame {
    let board = name.parse::<BoardName>().unwrap().board();
    SmallSameGame::new(&board, &Rules::parse("samegame").unwrap())
}

pub fn nodes(nodes: u64) -> Budget {
    Budget { nodes: Some(nodes), ..Budget::default() }
}

/// Runs a search on SameGame and returns its report.
pub fn run(
    chosen: &Chosen,
    name: &str,
    budget: &Budget,
    seed: u64,
    threads: usize,
) -> Report<Cell> {
    let (game, kit) = chosen.on_samegame(name);
    let workers = chosen.workers(&game, &kit, budget, seed, threads);
    run_workers(&game, workers, budget, None, &AtomicBool::new(false))
}

pub fn run_workers<P: Puzzle>(
    puzzle: &P,
    workers: Vec<Box<dyn Search<P>>>,
    budget: &Budget,
    resume: Option<Snapshot<P::Move>>,
    interrupt: &AtomicBool,
) -> Report<P::Move> {
    let never = Some(Duration::from_secs(3600));
    let execution = Execution {
        puzzle,
        workers,
        budget: budget.clone(),
        interrupt,
        known: None,
        resume,
        snapshots: never,
        insights: never,
    };
    execute(execution, &mut |_| {}, &mut |_| {})
}

/// The highest score of a puzzle, found by trying everything once.
pub fn brute_force<P: Puzzle>(puzzle: &P) -> Score {
    fn still<P: Puzzle>(puzzle: &P, state: &P::State, known: &mut HashMap<u64, Score>) -> Score {
        if let Some(&score) = known.get(&puzzle.key(state)) {
            return score;
        }
        let mut legal = Vec::new();
        puzzle.moves(state, &mut legal);
        let after = |&mv: &P::Move| {
            let mut next = state.clone();
            puzzle.play(&mut next, mv);
            puzzle.score(&next) - puzzle.score(state) + still(puzzle, &next, known)
        };
        let score = legal.iter().map(after).max().unwrap_or(Score(0));
        known.insert(puzzle.key(state), score);
        score
    }
    let start = puzzle.start();
    puzzle.score(&start) + still(puzzle, &start, &mut HashMap::new())
}

/// A puzzle that keeps its upper bounds to itself.
#[derive(Clone)]
pub struct Boundless<P>(pub P);

impl<P: Puzzle> Puzzle for Boundless<P> {
    type State = P::State;
    type Move = P::Move;
    fn start(&self) -> P::State {
        self.0.start()
    }
    fn moves(&self, state: &P::State, out: &mut Vec<P::Move>) {
        self.0.moves(state, out);
    }
    fn play(&self, state: &mut P::State, mv: P::Move) {
        self.0.play(state, mv);
    }
    fn score(&self, state: &P::State) -> Score {
        self.0.score(state)
    }
    fn key(&self, state: &P::State) -> u64 {
        self.0.key(state)
    }
    fn move_code(&self, state: &P::State, mv: P::Move) -> u64 {
        self.0.move_code(state, mv)
    }
    fn move_name(&self, state: &P::State, mv: P::Move) -> String {
        self.0.move_name(state, mv)
    }
    fn max_moves(&self) -> usize {
        self.0.max_moves()
    }
}

/// That an exact search ends with the optimum where there is no upper bound.
pub fn check_without_bounds(chosen: &Chosen) {
    for board in 1..=5 {
        let game = Boundless(samegame(&format!("random:{board}:4x3x3")));
        let budget = Budget::default();
        let workers = chosen.workers(&game, &PlainKit, &budget, 1, 1);
        let report = run_workers(&game, workers, &budget, None, &AtomicBool::new(false));
        assert_eq!(report.reason, StopReason::Solved);
        assert_eq!(report.best.unwrap().score, brute_force(&game));
    }
}

/// Everything below.
pub fn check_search(chosen: &Chosen) {
    finds_the_optimum_of_small_trees(chosen);
    handles_games_that_are_over(chosen);
    respects_node_and_playout_budgets(chosen);
    respects_the_time_limit(chosen);
    stops_at_the_target(chosen);
    is_deterministic(chosen);
    is_not_changed_by_a_look(chosen);
    resumes_bit_for_bit(chosen);
    stops_at_once_when_interrupted(chosen);
    reports_improvements_in_order(chosen);
}

fn finds_the_optimum_of_small_trees(chosen: &Chosen) {
    for text in
        ["(3(7 2)5)", "(1 2 3 4 5 6 7 8 9)", "((((9)))(1 2)(3 (4 (5 6))))", "(-5 (-9 -3) -4)"]
    {
        let puzzle: DummyPuzzle = text.parse().unwrap();
        let budget = nodes(2_000);
        let workers = chosen.workers(&puzzle, &chosen.lend(PlainKit), &budget, 1, 1);
        let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
        assert_eq!(report.best.unwrap().score, puzzle.optimum(), "{text}");
    }
}

fn handles_games_that_are_over(chosen: &Chosen) {
    let puzzle: DummyPuzzle = "7".parse().unwrap();
    let budget = nodes(20_000);
    let workers = chosen.workers(&puzzle, &PlainKit, &budget, 1, 2);
    let report = run_workers(&puzzle, workers, &budget, None, &AtomicBool::new(false));
    let best = report.best.unwrap();
    assert_eq!((best.score, best.moves.len()), (Score(7), 0));
}

fn respects_node_and_playout_budgets(chosen: &Chosen) {
    for threads in [1, 3] {
        let limit = 1_001 * chosen.scale;
        let report = run(chosen, "r250:1", &nodes(limit), 1, threads);
        let slack = 200 * threads as u64;
        assert!(report.counters.nodes <= limit + slack, "{:?}", report.counters);
        assert!(
            threads > 1 || report.counters.spent >= limit || report.reason != StopReason::Nodes
        );
        let limit = 777 * chosen.scale;
        let budget = Budget { playouts: Some(limit), ..Budget::default() };
        if !chosen.plays_out() {
            let (game, kit) = chosen.on_samegame("r250:1");
            let request = Request { budget: &budget, seed: 1, threads, line: None };
            assert!(chosen.settings.workers(&game, &kit, &request).is_err(), "no end in sight");
            continue;
        }
        let report = run(chosen, "r250:1", &budget, 1, threads);
        assert!(report.counters.playouts <= limit + 16 * threads as u64, "{:?}", report.counters);
    }
}

fn respects_the_time_limit(chosen: &Chosen) {
    let budget = Budget { time: Some(Duration::from_millis(300)), ..Budget::default() };
    let started = Instant::now();
    let report = run(chosen, "r250:1", &budget, 1, 1);
    let took = started.elapsed();
    assert!(report.reason == StopReason::TimeLimit || report.reason == StopReason::Finished);
    assert!(took < Duration::from_millis(1_500), "{took:?}");
}

fn stops_at_the_target(chosen: &Chosen) {
    let short = run(chosen, "r250:1", &nodes(2_000 * chosen.scale), 1, 1);
    let target = short.best.unwrap().score;
    let budget = Budget { target: Some(target), ..nodes(1_000_000 * chosen.scale) };
    let report = run(chosen, "r250:1", &budget, 1, 1);
    // Some only know their score when they are done.
    assert!(matches!(report.reason, StopReason::Target | StopReason::Finished));
    assert!(
        report.counters.spent < 1_000_000 * chosen.scale || report.reason == StopReason::Finished
    );
    assert!(report.best.unwrap().score >= target);
}

fn is_deterministic(chosen: &Chosen) {
    let once = run(chosen, "r250:2", &nodes(3_000 * chosen.scale), 5, 1);
    let again = run(chosen, "r250:2", &nodes(3_000 * chosen.scale), 5, 1);
    assert_eq!((&once.best, once.counters), (&again.best, again.counters));
    let other = run(chosen, "r250:2", &nodes(3_000 * chosen.scale), 6, 1);
    assert_eq!(once.best != other.best, chosen.seeded, "another seed goes another way");
}

fn is_not_changed_by_a_look(chosen: &Chosen) {
    let (game, kit) = chosen.on_samegame("r250:2");
    let whole = nodes(2_000 * chosen.scale);
    let limits =
        solitree_search::Limits { nodes: Some(2_000 * chosen.scale), ..Default::default() };
    let mut ends = [false, true].map(|looks| {
        let mut workers = chosen.workers(&game, &kit, &whole, 5, 1);
        let mut meter = solitree_search::Meter::new(limits);
        if looks {
            meter.watch();
        }
        while workers[0].step(&mut meter) == solitree_search::Status::Going {
            if looks {
                workers[0].look().or_else(|| meter.insight());
            }
        }
        (meter.best().cloned(), meter.counters(), workers[0].save())
    });
    let [unseen, seen] = &mut ends;
    assert!(unseen == seen, "to look inside changes the search");
}

fn resumes_bit_for_bit(chosen: &Chosen) {
    let (game, kit) = chosen.on_samegame("r250:2");
    let calm = AtomicBool::new(false);
    let whole = nodes(6_000 * chosen.scale);
    let straight =
        run_workers(&game, chosen.workers(&game, &kit, &whole, 5, 1), &whole, None, &calm);
    // Interrupted after some 2,000 nodes, by an observer, then resumed.
    let stop = AtomicBool::new(false);
    let mut workers = chosen.workers(&game, &kit, &whole, 5, 1);
    let part = {
        let limits =
            solitree_search::Limits { nodes: Some(6_000 * chosen.scale), ..Default::default() };
        let mut meter = solitree_search::Meter::new(limits);
        meter.watch();
        while meter.counters().spent < 2_000 * chosen.scale {
            if workers[0].step(&mut meter) != solitree_search::Status::Going {
                break;
            }
        }
        solitree_search::WorkerSnapshot {
            counters: meter.counters(),
            best: meter.best().cloned(),
            search: workers[0].save(),
            counted: meter.counted(),
        }
    };
    let snapshot =
        Snapshot { elapsed: Duration::ZERO, best: part.best.clone(), workers: vec![part] };
    let mut workers = chosen.workers(&game, &kit, &whole, 5, 1);
    workers[0].load(&snapshot.workers[0].search).unwrap();
    let resumed = run_workers(&game, workers, &whole, Some(snapshot), &stop);
    assert_eq!((&straight.best, straight.counters), (&resumed.best, resumed.counters));
    let [straight, resumed] = [straight, resumed].map(|report| report.snapshot.unwrap());
    assert_eq!(straight.workers[0].search, resumed.workers[0].search);
    assert_eq!(straight.workers[0].counted, resumed.workers[0].counted, "to those who watch");
    let mut workers = chosen.workers(&game, &kit, &whole, 5, 1);
    assert!(workers[0].load(&[1, 2, 3]).is_err(), "nonsense is refused");
}

fn stops_at_once_when_interrupted(chosen: &Chosen) {
    let (game, kit) = chosen.on_samegame("std:1");
    let budget = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
    let workers = chosen.workers(&game, &kit, &budget, 1, 2);
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
            known: None,
            resume: None,
            snapshots: None,
            insights: None,
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

fn reports_improvements_in_order(chosen: &Chosen) {
    let (game, kit) = chosen.on_samegame("std:2");
    let budget = nodes(5_000 * chosen.scale);
    let workers = chosen.workers(&game, &kit, &budget, 1, 2);
    let stop = AtomicBool::new(false);
    let mut scores = Vec::new();
    let mut stopped = 0;
    let execution = Execution {
        puzzle: &game,
        workers,
        budget,
        interrupt: &stop,
        known: None,
        resume: None,
        snapshots: None,
        insights: None,
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
