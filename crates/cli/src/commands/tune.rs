//! `solitree tune`: better parameters by the Cross-Entropy Method.

use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use solitree_core::params::ParamInfo;
use solitree_lab::tune::{Axis, Iteration, Tuning, agent_parameters};
use solitree_lab::{Failure, GameName, Setup, full_name};

use super::Manner;
use crate::args::{TuneArgs, TuneScale};
use crate::output::{message, print};
use crate::signals::Signals;

/// What Table 5 of Schadd et al. (2012) tunes.
const PAPER: [&str; 5] =
    ["c=0.01:10:log", "d=1:100000:log", "t=1:50", "w=0:1", "epsilon=0.00001:0.1:log"];

pub fn run(args: &TuneArgs, manner: Manner) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let tuning = tuning(args)?;
    tuning.check()?;
    let bar = bar(!manner.quiet && !args.no_progress);
    let mut trouble = None;
    let mut see = |iteration: &Iteration| {
        let mut line = row(&tuning, iteration);
        if iteration.number == 1 {
            line = format!("{}\n{line}", head(&tuning));
        }
        if let Err(error) = bar.suspend(|| print(&line)) {
            trouble.get_or_insert(error);
        }
    };
    let mut progress = |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let tuned = tuning.run(&args.out, signals.stop(), &mut see, &mut progress)?;
    bar.finish_and_clear();
    if let Some(error) = trouble {
        return Err(error.into());
    }
    let Some(tuned) = tuned else {
        message("stopped; the same command goes on from here");
        return Ok(ExitCode::from(signals.exit_code().unwrap_or(130)));
    };
    let values: Vec<String> =
        tuned.values.iter().map(|(key, value)| format!("{key}={value}")).collect();
    print(&format!("\ntuned: {}", values.join(" ")))?;
    if let Some(paired) = &tuned.validation {
        let difference = paired.difference;
        let (thing, things) = match tuning.opponent {
            Some(_) => ("pair of games", "pairs of games"),
            None => ("board", "boards"),
        };
        print(&format!(
            "against {} on {} {things} never seen: {:+.0} ± {:.0} a {thing}, {} better and {} \
             worse; p = {:.4} (paired t), {:.4} (Wilcoxon)",
            tuning.algorithm,
            difference.count,
            difference.mean,
            difference.error,
            paired.wins,
            paired.losses,
            paired.t_test,
            paired.wilcoxon
        ))?;
    }
    print(&match tuning.opponent {
        Some(_) => {
            let all: Vec<String> = tuning.set.iter().chain(&values).cloned().collect();
            format!("match {},{}", tuning.algorithm, all.join(","))
        }
        None => format!("solve --preset {}", args.out.join("preset.toml").display()),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn tuning(args: &TuneArgs) -> Result<Tuning> {
    let (algorithm, table) = match args.opponent {
        Some(_) => (args.algorithm.clone(), agent_parameters(&args.algorithm)?),
        None => {
            let algorithm = full_name(&args.algorithm);
            let table = Setup::table(GameName::SameGame, &algorithm)?;
            (algorithm, table)
        }
    };
    let (samples, elite, boards, iterations) = match args.scale {
        TuneScale::Quick => (40, 8, 10, 8),
        TuneScale::Paper => (100, 10, 30, 20),
    };
    let nodes = args.nodes.or_else(|| args.playouts.is_none().then_some(25_000));
    Ok(Tuning {
        axes: axes(&args.param, &table, &algorithm)?,
        algorithm,
        opponent: args.opponent.clone(),
        set: args.set.clone(),
        samples: args.samples.unwrap_or(samples),
        elite: args.elite.unwrap_or(elite),
        boards: args.boards.unwrap_or(boards),
        size: args.size.clone(),
        iterations: args.iterations.unwrap_or(iterations),
        smoothing: args.smoothing,
        validation: args.validation,
        nodes,
        playouts: args.playouts,
        seed: args.seed,
    })
}

fn axes(given: &[String], table: &[ParamInfo], algorithm: &str) -> Result<Vec<Axis>> {
    let mut texts: Vec<&str> = given.iter().map(String::as_str).collect();
    if texts.is_empty() && algorithm.starts_with("sp-mcts:") {
        texts.extend(PAPER);
    }
    let axis = |text: &&str| Axis::parse(text, table).map_err(Failure::usage);
    texts.iter().map(axis).collect()
}

fn bar(wanted: bool) -> ProgressBar {
    if !wanted {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn head(tuning: &Tuning) -> String {
    let keys: String = tuning.axes.iter().map(|axis| format!("  {:>24}", axis.key)).collect();
    format!("iteration     elite       all{keys}")
}

/// The mean of each parameter, and the range of one deviation around it.
fn row(tuning: &Tuning, iteration: &Iteration) -> String {
    let (elite, all) = iteration.fitness;
    let belief = &iteration.belief;
    let short = |text: String| {
        text.parse::<f64>().map_or(text, |value| {
            if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
        })
    };
    let cells: String = tuning
        .axes
        .iter()
        .enumerate()
        .map(|(index, axis)| {
            let (mean, deviation) = (belief.means[index], belief.deviations[index]);
            let at = |coordinate: f64| short(axis.text(coordinate));
            let cell = format!("{} ({}-{})", at(mean), at(mean - deviation), at(mean + deviation));
            format!("  {cell:>24}")
        })
        .collect();
    format!("{:>9}{elite:>10.0}{all:>10.0}{cells}", iteration.number)
}
