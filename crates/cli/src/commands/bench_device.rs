//! `solitree bench --device`: how fast a machine apart plays, and whether it
//! plays the same games as the processor.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Map, Value, json};
use solitree_core::{Budget, Effort, Job, Kit, Playout, Puzzle, Repair, mix};
use solitree_games::samegame::{
    Accelerator, BoardName, KitConfig, Path, Rules, SameGameKit, SmallSameGame,
};
use solitree_lab::{Failure, GameName, Listeners, Machines, Run, Setup, Task};

use super::bench::{print_row, rate};
use super::bench_nets;
use crate::args::{BenchArgs, Device};
use crate::device;
use crate::output::print;

/// Games that are asked for at a time, and of how many the best score is told.
const MANY: usize = 1 << 14;
const SAMPLES: u64 = 1 << 8;
/// Games of each board and kept colour that are compared.
const COMPARED: usize = 20_000;

/// A board with playouts that keep one colour, and the device.
struct Bench {
    board: String,
    game: SmallSameGame,
    kit: SameGameKit,
    kept: u64,
}

pub fn run(args: &BenchArgs, device: Device, path: Path) -> Result<ExitCode> {
    let found = match device {
        Device::Cpu => None,
        Device::Auto => device::find().ok(),
        Device::Cuda => Some(device::demand()?),
    };
    let (name, accelerator, nets) = match found {
        Some(gpu) => (gpu.name, Some(gpu.accelerator), Some(gpu.nets)),
        None => (format!("one core, {path}"), None, None),
    };
    let mut report = Map::new();
    report.insert("device".into(), json!(name));
    let benches = benches(accelerator.as_ref(), path)?;
    if args.check {
        check(&benches, &mut report)?;
    }
    if !args.time.is_zero() {
        let (mut at, mut trouble) = (0, None);
        let speed = rate(args.time, || {
            at += 1;
            // The standard boards.
            let bench = &benches[at % 20];
            if accelerator.is_none() {
                return bench.here(at as u64, 600).len() as u64;
            }
            match bench.apart(at as u64, MANY, SAMPLES) {
                Ok(_) => MANY as u64 * SAMPLES,
                Err(error) => {
                    trouble.get_or_insert(error);
                    0
                }
            }
        });
        if let Some(error) = trouble {
            return Err(error);
        }
        report.insert("playouts_per_second_from_full_boards".into(), json!(speed));
        beams(args, accelerator.as_ref(), path, &mut report)?;
        searches(args, &benches[0], &mut report)?;
    }
    bench_nets::run(nets.as_deref(), (args.check, args.time), &mut report)?;
    if args.json {
        print(&Value::Object(report).to_string())?;
    } else {
        for (key, value) in &report {
            print_row(key, value)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The standard boards with every colour kept, and a few of other shapes.
fn benches(accelerator: Option<&Arc<dyn Accelerator>>, path: Path) -> Result<Vec<Bench>> {
    let rules = Rules::parse("samegame").map_err(Failure::usage)?;
    let standard = (1..=20).map(|number| (format!("std:{number}"), 1 + number % 5));
    let others = [("random:1:7x7x3", 2), ("random:2:16x15x7", 7), ("random:3:10x12x6", 4)];
    let others = others.map(|(name, kept)| (name.to_owned(), kept));
    let bench = |(board, kept): (String, u64)| {
        let name: BoardName = board.parse().map_err(Failure::usage)?;
        let game = SmallSameGame::new(&name.board(), &rules).with_path(path);
        let mut config = KitConfig::default();
        (config.playout.epsilon, config.playout.keep) = (0.0, kept);
        let kit = SameGameKit::new(&config, &game).with_accelerator(accelerator.cloned());
        Ok(Bench { board, game, kit, kept })
    };
    standard.chain(others).map(bench).collect()
}

impl Bench {
    /// The scores of games on the device.
    fn apart(&self, seeds: u64, many: usize, samples: u64) -> Result<Vec<i32>> {
        let scores = self.kit.play_apart(&self.game, seeds, (many, samples));
        let scores = scores.ok_or_else(|| Failure::usage("the device cannot play these boards"))?;
        scores.map_err(|reason| anyhow::anyhow!("{}: {reason}", self.board))
    }

    /// The scores of the same games on the processor.
    fn here(&self, seeds: u64, many: usize) -> Vec<i32> {
        let job = |i| Job::new(self.game.start(), mix(seeds ^ i));
        let mut jobs: Vec<Job<SmallSameGame>> = (0..many as u64).map(job).collect();
        self.kit.run(&self.game, &mut jobs);
        jobs.iter().map(|job| job.score.0 as i32).collect()
    }
}

fn check(benches: &[Bench], report: &mut Map<String, Value>) -> Result<()> {
    let mut compared = 0;
    for (number, bench) in benches.iter().enumerate() {
        let seeds = mix(number as u64);
        let (apart, here) = (bench.apart(seeds, COMPARED, 1)?, bench.here(seeds, COMPARED));
        if let Some(game) = (0..COMPARED).find(|&game| apart[game] != here[game]) {
            let Bench { board, kept, .. } = bench;
            return Err(Failure::Condition(format!(
                "{board}, colour {kept} kept, seed {}: the device scores {}, the processor {}",
                mix(seeds ^ game as u64),
                apart[game],
                here[game]
            ))
            .into());
        }
        compared += COMPARED as u64;
    }
    report.insert("games_compared_one_by_one".into(), json!(compared));
    Ok(())
}

/// Short searches from a whole board, as many as run side by side, on a device that
/// knows them.
fn searches(args: &BenchArgs, bench: &Bench, report: &mut Map<String, Value>) -> Result<()> {
    let Some(mut machine) = SameGameKit::repairs(std::slice::from_ref(&bench.kit), &bench.game)
    else {
        return Ok(());
    };
    let whole = Repair { start: bench.game.start(), played: 0, variant: 0, line: Vec::new() };
    let tasks = vec![whole; machine.places()];
    let effort = Effort { lower: 25, upper: 25, warm: 0, patience: 25, alpha: 1.0 };
    let started = Instant::now();
    while started.elapsed() < args.time {
        let trouble = |reason| anyhow::anyhow!("{}: {reason}", bench.board);
        machine.run(&tasks, &effort, machine.played()).map_err(trouble)?;
    }
    let rate = (machine.played() as f64 / started.elapsed().as_secs_f64()).round();
    report.insert("games_per_second_in_short_searches".into(), json!(rate));
    Ok(())
}

/// Beams of several widths on the first board.
fn beams(
    args: &BenchArgs,
    accelerator: Option<&Arc<dyn Accelerator>>,
    path: Path,
    report: &mut Map<String, Value>,
) -> Result<()> {
    let wide = "playouts_per_second_in_beams";
    let widths: &[u64] =
        if accelerator.is_some() { &[1_000, 10_000, 100_000, 1_000_000] } else { &[300] };
    let mut rates = Map::new();
    for width in widths {
        let settings = [format!("width={width}"), "keep-colour=1".to_owned()];
        let algorithm = "mc-beam:default";
        let task = Task {
            board: "std:1".to_owned(),
            rules: Some("samegame".to_owned()),
            algorithm: algorithm.to_owned(),
            params: Setup::given(GameName::SameGame, algorithm, &settings)?.values(),
            seed: 1,
            threads: 1,
            budget: Budget { time: Some(args.time), ..Budget::default() },
            line: None,
        };
        let interrupt = AtomicBool::new(false);
        let machines = Machines { accelerator: accelerator.cloned(), nets: None };
        let run = Run { path, machines, ..Run::new(&interrupt) };
        let listeners = Listeners { observer: &mut |_| {}, keep: &mut |_| {} };
        let started = Instant::now();
        let playouts = task.run(&task.prepare()?, run, listeners)?.report.counters.playouts;
        let rate = (playouts as f64 / started.elapsed().as_secs_f64()).round();
        rates.insert(format!("{width} wide"), json!(rate));
    }
    report.insert(wide.into(), Value::Object(rates));
    Ok(())
}
