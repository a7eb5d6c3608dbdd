//! `solitree bench`: a signature that moves when any search changes, and how
//! fast the parts are on one core.
//!
//! The signature is a hash over the lines and counters of fixed searches, one
//! thread each and budgets in nodes, and over those of `bench_games`: the same on
//! every machine and for every set of instructions, which is checked here each time.
//! Speeds are measured on the standard boards in turn, the way the searches ask for them.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Map, Value, json};
use solitree_core::{Budget, Counters, Job, Playout, Puzzle, mix};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{
    BoardName, Path, PlayoutConfig, PlayoutKind, Rules, SameGamePlayout, SmallSameGame,
};
use solitree_lab::{Failure, GameName, Listeners, Run, Setup, Task};
use solitree_search::Report;

use super::bench_device;
use super::bench_games::absorb_games;
use crate::args::BenchArgs;
use crate::output::{VERSION, grouped, print};

/// Board, rules, algorithm, settings, nodes.
type Fixed = (&'static str, &'static str, &'static str, &'static [&'static str], u64);

const FIXED: &[Fixed] = &[
    ("std:1", "samegame", "sp-mcts:default", &["search-nodes=2000"], 20_000),
    ("std:7", "samegame", "sp-mcts:exploitation", &[], 20_000),
    (
        "r250:3",
        "samegame-clamped",
        "sp-mcts:balanced",
        &["expansion=all", "formula=papers"],
        20_000,
    ),
    (
        "std:20",
        "codingame",
        "sp-mcts:exploration",
        &["expansion=rest", "log=log10", "formula=papers"],
        10_000,
    ),
    ("r250:250", "samegame", "sp-mcts:cem-per-game", &["top=mix", "solved=stop"], 10_000),
    ("std:12", "samegame", "sp-mcts:cem-per-move", &["keep-best-line=true"], 20_000),
    ("std:13", "samegame", "sp-mcts:sp-mcts-2", &["final-move=visits", "tabu=move"], 10_000),
    ("std:10", "samegame", "sp-mcts:sp-mcts-1", &["search-nodes=1000", "table=4096"], 10_000),
    ("random:1:9x12x4", "bubble-breaker", "sp-mcts", &["playout=mc-rws"], 10_000),
    (
        "random:2:32x16x9",
        "clickomania",
        "sp-mcts",
        &["playout=tabu-random", "group-choice=cells"],
        5_000,
    ),
    (
        "random:3:5x4x2",
        "samegame",
        "sp-mcts:balanced",
        &["playout=random", "leaf-playouts=3"],
        100_000,
    ),
    ("std:8", "samegame", "portfolio", &[], 12_000),
    ("std:3", "samegame", "nrpa", &["level=2"], 6_000),
    ("std:4", "samegame", "nrpa:beam", &["level=2", "iterations=30"], 4_000),
    ("std:5", "samegame", "nrpa:gnrpa", &["level=2", "iterations=50"], 4_000),
    ("random:4:20x16x8", "codingame", "nrpa:selective", &["level=2", "iterations=20"], 500),
    ("std:6", "samegame", "beam:blocks", &[], 40_000),
    ("std:9", "samegame", "beam:colours", &["width=20"], 20_000),
    ("std:11", "samegame", "mc-beam", &[], 40_000),
    ("std:14", "samegame", "nmcs", &["level=1"], 40_000),
    ("std:15", "samegame", "mc-rws", &["move-playouts=10"], 10_000),
    ("std:16", "samegame", "parallel-mcts:paper", &[], 10_000),
    ("std:17", "samegame", "parallel-mcts:grave", &[], 10_000),
    ("std:13", "samegame", "parallel-mcts", &["longest=30"], 20_000),
    ("std:18", "samegame", "hgsts", &[], 40_000),
    ("std:19", "samegame", "lns", &["first-iterations=30"], 8_000),
    ("std:1", "samegame", "anneal", &[], 60_000),
    ("random:7:20x16x8", "codingame", "anneal", &["runs=3"], 10_000),
    ("std:2", "samegame-clamped", "ida-star", &[], 20_000),
    ("random:5:5x5x3", "samegame", "a-star", &[], 20_000),
    ("random:6:6x6x4", "samegame", "branch-and-bound", &[], 20_000),
    ("std:20", "samegame", "dbs", &[], 2_000),
    ("morpion:5D", "", "nrpa", &["level=2", "iterations=50"], 5_000),
    ("leftmove:60", "", "nmcs", &["level=1"], 10_000),
];

pub fn run(args: &BenchArgs) -> Result<ExitCode> {
    let path = match &args.simd {
        None => Path::best(),
        Some(name) => {
            let available = Path::available();
            let names: Vec<String> = available.iter().map(Path::to_string).collect();
            let found = available.into_iter().find(|path| path.to_string() == *name);
            found.ok_or_else(|| {
                Failure::usage(format!("--simd {name}: this processor has {}", names.join(", ")))
            })?
        }
    };
    if let Some(device) = args.device {
        return bench_device::run(args, device, path);
    }
    let signature = signature(path)?;
    for other in Path::available().into_iter().filter(|&other| other != path) {
        anyhow::ensure!(
            self::signature(other)? == signature,
            "the searches differ between {path} and {other}"
        );
    }
    let mut report = Map::new();
    report.insert("signature".into(), json!(signature));
    report.insert("version".into(), json!(VERSION));
    report.insert("path".into(), json!(path.to_string()));
    if !args.time.is_zero() {
        speeds(&mut report, path, args.time)?;
    }
    if args.json {
        print(&Value::Object(report).to_string())?;
    } else {
        for (key, value) in &report {
            print_row(key, value)?;
        }
    }
    match &args.expect {
        Some(expected) if *expected != signature => Err(Failure::Condition(format!(
            "the signature is {signature}, not {expected}: some search gives other answers than before"
        ))
        .into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

pub(super) fn print_row(key: &str, value: &Value) -> Result<()> {
    let key = key.replace('_', " ");
    match value {
        Value::Object(fields) => {
            print(&key)?;
            for (name, value) in fields {
                print_row(&format!("  {name}"), value)?;
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            let text =
                if number < 1000.0 { format!("{number:.1}") } else { grouped(number as i64) };
            print(&format!("{key:<34}{text:>14}"))?;
        }
        Value::String(text) => print(&format!("{key:<34}{text:>14}"))?,
        other => print(&format!("{key:<34}{other:>14}"))?,
    }
    Ok(())
}

/// The hash over all fixed searches.
fn signature(path: Path) -> Result<String> {
    let mut hash = 0;
    let mut absorb = |word: u64| hash = mix(hash ^ word).rotate_left(23);
    for &(board, rules, algorithm, settings, nodes) in FIXED {
        let budget = Budget { nodes: Some(nodes), ..Budget::default() };
        let report = run_fixed(&fixed(board, rules, algorithm, settings, budget)?, path)?;
        let Counters { playouts, nodes, spent, .. } = report.counters;
        for count in [playouts, nodes, spent] {
            absorb(count);
        }
        if let Some(line) = report.best {
            absorb(line.score.0 as u64);
            for name in &line.moves {
                name.bytes().for_each(|byte| absorb(u64::from(byte)));
            }
        }
    }
    absorb_games(&mut absorb)?;
    Ok(format!("{hash:016x}"))
}

/// A task on one thread.
fn fixed(
    board: &str,
    rules: &str,
    algorithm: &str,
    settings: &[&str],
    budget: Budget,
) -> Result<Task> {
    let settings: Vec<String> = settings.iter().map(|&text| text.to_owned()).collect();
    let game = GameName::of(board);
    Ok(Task {
        board: board.to_owned(),
        rules: (game == GameName::SameGame).then(|| rules.to_owned()),
        algorithm: algorithm.to_owned(),
        params: Setup::given(game, algorithm, &settings)?.values(),
        seed: 1,
        threads: 1,
        budget,
        line: None,
    })
}

fn run_fixed(task: &Task, path: Path) -> Result<Report<String>> {
    let interrupt = AtomicBool::new(false);
    let run = Run { path, ..Run::new(&interrupt) };
    let listeners = Listeners { observer: &mut |_| {}, keep: &mut |_| {} };
    Ok(task.run(&task.prepare()?, run, listeners)?.report)
}

/// Calls `work` until the time is over; returns its sum per second.
pub(super) fn rate(time: Duration, mut work: impl FnMut() -> u64) -> f64 {
    work();
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < time {
        done += work();
    }
    (done as f64 / started.elapsed().as_secs_f64()).round()
}

fn speeds(report: &mut Map<String, Value>, path: Path, time: Duration) -> Result<()> {
    let rules = Rules::parse("samegame").map_err(Failure::usage)?;
    let boards: Vec<_> = (1..=20).map(|number| BoardName::Standard(number).board()).collect();
    let games: Vec<SmallSameGame> =
        boards.iter().map(|board| SmallSameGame::new(board, &rules).with_path(path)).collect();
    for (key, lockstep) in
        [("playouts_per_second", true), ("playouts_per_second_one_at_a_time", false)]
    {
        let mut rates = Map::new();
        for &kind in PlayoutKind::ALL {
            let config = PlayoutConfig { kind, epsilon: 0.0, ..PlayoutConfig::default() };
            let policy = SameGamePlayout::new(&config, 225);
            let batch =
                if lockstep { Playout::<SmallSameGame>::preferred_batch(&policy) } else { 1 };
            rates.insert(kind.to_string(), json!(playout_rate(&games, &policy, batch, time)));
        }
        report.insert(key.into(), Value::Object(rates));
    }
    let config = PlayoutConfig { epsilon: 0.0, ..PlayoutConfig::default() };
    let mut seed = 0;
    let plain = rate(time, || {
        for board in &boards {
            seed += 1;
            PlainGame::new(board, &rules).playout(&config, seed);
        }
        boards.len() as u64
    });
    report.insert("plain_playouts_per_second".into(), json!(plain));
    report.insert("positions_enumerated_per_second".into(), json!(enumeration_rate(&games, time)));
    let mut searches = Map::new();
    for (key, algorithm, settings) in SEARCHES {
        let budget = Budget { time: Some(time), ..Budget::default() };
        let report = run_fixed(&fixed("std:1", "samegame", algorithm, settings, budget)?, path)?;
        let work = report.counters;
        let done = if key.ends_with("children") { work.nodes } else { work.playouts };
        searches.insert((*key).into(), json!((done as f64 / report.elapsed.as_secs_f64()).round()));
    }
    report.insert("searches_per_second".into(), Value::Object(searches));
    Ok(())
}

/// What is counted in searches of the first board, their names and settings.
const SEARCHES: &[(&str, &str, &[&str])] = &[
    ("nrpa playouts", "nrpa:rosin", &[]),
    ("nrpa playouts, moves known by blocks", "nrpa:rosin", &["code=blocks"]),
    ("beam children", "beam", &["width=2000"]),
    ("anneal changes", "anneal", &[]),
    ("mc-beam playouts", "mc-beam:single", &["width=300"]),
];

fn playout_rate(
    games: &[SmallSameGame],
    policy: &SameGamePlayout,
    batch: usize,
    time: Duration,
) -> f64 {
    let mut seed = 0;
    let mut jobs: Vec<Vec<Job<SmallSameGame>>> =
        games.iter().map(|game| vec![Job::new(game.start(), 0); batch]).collect();
    rate(time, || {
        for (game, jobs) in games.iter().zip(&mut jobs) {
            for job in jobs.iter_mut() {
                seed += 1;
                job.seed = seed;
            }
            policy.run(game, jobs);
        }
        (games.len() * batch) as u64
    })
}

/// Every group with mask, size and colour, on the positions that playouts meet.
fn enumeration_rate(games: &[SmallSameGame], time: Duration) -> f64 {
    let config = PlayoutConfig { epsilon: 0.0, ..PlayoutConfig::default() };
    let policy = SameGamePlayout::new(&config, 225);
    let mut positions = Vec::new();
    for game in games {
        for seed in 0..5 {
            let mut job = [Job::new(game.start(), seed)];
            policy.run(game, &mut job);
            let mut state = game.start();
            for &mv in &job[0].moves {
                positions.push(state);
                game.play(&mut state, mv);
            }
        }
    }
    let mut groups = Vec::new();
    rate(time, || {
        for state in &positions {
            games[0].groups(state, &mut groups);
            std::hint::black_box(&groups);
        }
        positions.len() as u64
    })
}
