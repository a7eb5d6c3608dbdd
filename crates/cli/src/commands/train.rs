//! `solitree train`: a policy by policy iteration.

use std::cell::RefCell;
use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use solitree_lab::train::{
    Baseline, Crew, Device, Generation, Mean, Step, Torch, Training, Watchers,
};
use solitree_lab::{Failure, Machines};

use super::Manner;
use crate::args::TrainArgs;
use crate::device;
use crate::output::{grouped, message, print, shell_word};
use crate::signals::Signals;

const HEAD: &str = "generation         games  policy alone        search          gain   loss  \
                    validation  accuracy  epochs  samples";

pub fn run(args: &TrainArgs, manner: Manner) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let (torch, machines) = (torch(args)?, machines(args)?);
    let training = training(args)?;
    training.check()?;
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = args.threads.map_or_else(cores, usize::from);
    let bar = bar(!manner.quiet && !args.no_progress);
    let trouble = RefCell::new(None);
    let tell = |line: &str| {
        if let Err(error) = bar.suspend(|| print(line)) {
            trouble.borrow_mut().get_or_insert(error);
        }
    };
    let mut baseline = |baseline: &Baseline| tell(&format!("{HEAD}\n{}", first_row(baseline)));
    let mut generation = |generation: &Generation| tell(&row(generation));
    let mut step = |number: u64, step: Step| match step {
        Step::Games(done, all) => {
            bar.set_message(format!("generation {number}: games"));
            bar.set_length(all);
            bar.set_position(done);
        }
        Step::Epoch(epoch, loss) => {
            bar.set_message(format!("generation {number}: epoch {epoch}, loss {loss:.3}"));
        }
        Step::Measure => bar.set_message(format!("generation {number}: measuring")),
    };
    let mut teacher = |who: &str| {
        if !manner.quiet {
            bar.suspend(|| message(&format!("the network is taught by {who}")));
        }
    };
    let mut watchers = Watchers {
        teacher: &mut teacher,
        baseline: &mut baseline,
        generation: &mut generation,
        step: &mut step,
    };
    let crew =
        Crew { threads, torch: torch.as_ref(), machines: &machines, interrupt: signals.stop() };
    let done = training.run(&args.out, crew, &mut watchers)?;
    bar.finish_and_clear();
    if let Some(error) = trouble.into_inner() {
        return Err(error.into());
    }
    if done.is_none() {
        message("stopped; the same command goes on from here");
        return Ok(ExitCode::from(signals.exit_code().unwrap_or(130)));
    }
    let place = |name: &str| args.out.join(name).display().to_string();
    print(&format!("\ncurves: {}", place("report.html")))?;
    let mut solve = format!("solitree solve random:1:{}", training.size);
    if training.rules != "samegame" {
        solve += &format!(" --rules {}", shell_word(&training.rules));
    }
    let weights = shell_word(&format!("weights={}", place("policy.safetensors")));
    print(&format!("{solve} -a policy-mcts --set {weights}"))?;
    Ok(ExitCode::SUCCESS)
}

/// PyTorch, if it is to teach.
fn torch(args: &TrainArgs) -> Result<Option<Torch>> {
    if args.backend == "torch" {
        let python = args.python.clone().unwrap_or_else(|| "python3".to_owned());
        return Ok(Some(Torch { python, device: args.device.unwrap_or(Device::Auto) }));
    }
    match &args.python {
        Some(given) => Err(Failure::usage(format!("--python {given}: only with --backend torch"))),
        None => Ok(None),
    }
}

/// What games are played with. Our own trainer ends with the same weights on every machine,
/// unless a GPU is asked for; whether there is one for PyTorch, that says itself.
fn machines(args: &TrainArgs) -> Result<Machines> {
    let torch = args.backend == "torch";
    Ok(match args.device {
        Some(Device::Cpu) => Machines::default(),
        None if !torch => Machines::default(),
        Some(Device::Cuda) if !torch => device::demand()?.into(),
        _ => device::find().map(Machines::from).unwrap_or_default(),
    })
}

fn training(args: &TrainArgs) -> Result<Training> {
    let net = args.net.parse().map_err(|error| Failure::usage(format!("--net: {error}")))?;
    let first = args.first_simulations.unwrap_or(args.simulations.saturating_mul(4));
    Ok(Training {
        size: args.size.clone(),
        rules: args.rules.clone(),
        net,
        features: args.features.clone(),
        generations: args.generations,
        runs: args.runs,
        lines: args.lines,
        any_order: args.any_order,
        simulations: args.simulations,
        first_simulations: first,
        teacher: (args.teacher != "none").then(|| args.teacher.clone()),
        playouts: args.playouts,
        set: args.set.clone(),
        buffer: args.buffer,
        batch: args.batch as usize,
        learning_rate: args.learning_rate,
        epochs: args.epochs as usize,
        patience: args.patience as usize,
        cuts: usize::from(args.cuts),
        keep_weights: !args.renew,
        validation: args.validation,
        seed: args.seed,
    })
}

fn text((mean, error): Mean) -> String {
    format!("{mean:.0} ± {error:.0}")
}

/// What is reached without learning: moves at random, and the search.
fn first_row(baseline: &Baseline) -> String {
    let (random, search) = (text(baseline.random()), text(baseline.search()));
    format!("{:>10}{:>14}{random:>14}{search:>14}", 0, "-")
}

fn row(generation: &Generation) -> String {
    format!(
        "{:>10}{:>14}{:>14}{:>14}{:>14}{:>7.3}{:>12.3}{:>8.1} %{:>8}{:>9}",
        generation.number,
        text(generation.games),
        text(generation.policy),
        text(generation.search),
        text(generation.gain),
        generation.loss.0,
        generation.loss.1,
        100.0 * generation.accuracy,
        generation.epochs.0,
        grouped(generation.samples.0 as i64)
    )
}

fn bar(wanted: bool) -> ProgressBar {
    if !wanted {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta} left") {
        bar.set_style(style);
    }
    bar
}
