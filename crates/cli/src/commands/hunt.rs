//! `solitree hunt`: records, for as long as one likes.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use solitree_core::Budget;
use solitree_lab::hunt::{Bag, Found, Hunt, HuntMethod, Prey};
use solitree_lab::{
    Failure, GameName, Instance, Listeners, Run, Setup, Task, board_set, full_name,
};

use super::Manner;
use crate::args::{Device, HuntArgs, HuntCommand};
use crate::claims;
use crate::device;
use crate::output::{self, grouped, print, readable};
use crate::signals::Signals;

pub fn run(command: &HuntCommand, manner: Manner) -> Result<ExitCode> {
    match command {
        HuntCommand::Run(args) => hunt(args, manner),
        HuntCommand::Status { folder } => {
            status(&Bag::read(folder)?)?;
            Ok(ExitCode::SUCCESS)
        }
        HuntCommand::Export { folder } => {
            export(&Bag::read(folder)?)?;
            Ok(ExitCode::SUCCESS)
        }
        HuntCommand::Merge { folder, files } => merge(folder, files),
    }
}

fn hunt(args: &HuntArgs, manner: Manner) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let boards = boards(args)?;
    let methods = methods(args)?;
    if methods.iter().all(|method| method.from_best) {
        return Err(Failure::usage("a hunt needs a method that begins without a line"));
    }
    if args.slice.is_zero() {
        return Err(Failure::usage("--slice 0s: an attempt needs time"));
    }
    let mut hunt = Hunt::open(&args.folder, output::BUILD)?;
    let (started, first) = (Instant::now(), hunt.bag.attempts);
    let stopped = |hunt: &Hunt| {
        signals.exit_code().is_some()
            || args.time_limit.is_some_and(|limit| started.elapsed() >= limit)
            || args.attempts.is_some_and(|most| hunt.bag.attempts - first >= most)
    };
    while !stopped(&hunt) {
        let known = |prey: &Prey| hunt.bag.best(prey).is_some();
        let Some((prey, method)) = hunt.bag.arms.next(&boards, &methods, known) else { break };
        let seed = args.seed.wrapping_add(hunt.bag.attempts);
        attempt(&mut hunt, args, (prey, method), seed, (&signals, manner))?;
    }
    if !manner.quiet {
        status(&hunt.bag)?;
    }
    Ok(signals.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn boards(args: &HuntArgs) -> Result<Vec<Prey>> {
    let named = |name: &String| -> Result<Prey> {
        let instance = Instance::named(name, args.rules.as_deref()).map_err(Failure::usage)?;
        let rules = args.rules.clone();
        let rules = rules.or_else(|| instance.game().default_rules().map(str::to_owned));
        Ok((instance.name(), rules))
    };
    if args.boards.is_empty() {
        let set = board_set(args.set_of.as_deref().unwrap_or("std"))?;
        let names: Vec<String> = set.into_iter().map(|name| name.to_string()).collect();
        return names.iter().map(named).collect();
    }
    args.boards.iter().map(named).collect()
}

/// Those asked for, or those that suit the machine.
fn methods(args: &HuntArgs) -> Result<Vec<HuntMethod>> {
    if !args.methods.is_empty() {
        return Ok(args.methods.clone());
    }
    let gpu = device::machines(args.device, "swarm")?.accelerator.is_some();
    let words =
        if gpu { ["swarm", "anneal", "+anneal"] } else { ["portfolio", "+portfolio", "+anneal"] };
    words.iter().map(|word| word.parse().map_err(Failure::usage)).collect()
}

fn attempt(
    hunt: &mut Hunt,
    args: &HuntArgs,
    (prey, method): (&Prey, &HuntMethod),
    seed: u64,
    (signals, manner): (&Signals, Manner),
) -> Result<()> {
    let (board, rules) = prey;
    let algorithm = full_name(&method.algorithm);
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let best = hunt.bag.best(prey).filter(|_| method.from_best);
    let task = Task {
        board: board.clone(),
        rules: rules.clone(),
        params: Setup::given(GameName::of(board), &algorithm, &method.settings)?.values(),
        algorithm,
        seed,
        threads: args.threads.map_or_else(cores, usize::from),
        budget: Budget { time: Some(args.slice), ..Budget::default() },
        line: best.and_then(|best| best.moves.clone()),
    };
    let device = match args.device {
        // Not every method of a hunt can use the GPU it was given.
        Device::Cuda if !device::uses(&task.algorithm) => Device::Cpu,
        device => device,
    };
    let machines = device::machines(device, &task.algorithm)?;
    let run = Run { machines, ..Run::new(signals.stop()) };
    let listeners = Listeners { observer: &mut |_| {}, keep: &mut |_| {} };
    let report = task.run(&task.prepare_named()?, run, listeners)?.report;
    let by = method.to_string();
    let Some(line) = report.best else {
        // Stopped before it had begun; else it would be tried for ever.
        if signals.exit_code().is_some() {
            return Ok(());
        }
        let slice = readable(args.slice);
        return Err(Failure::usage(format!(
            "--slice {slice}: {by} finds no line of {board} in it"
        )));
    };
    let found = Found {
        board,
        rules: rules.as_deref(),
        by: &by,
        seed,
        seconds: report.elapsed.as_secs_f64(),
        score: line.score.0,
        moves: &line.moves,
    };
    let gain = hunt.add(&found)?.unwrap_or_else(|error| panic!("{board}: {error}"));
    if let Some(gain) = gain
        && !manner.quiet
    {
        let score = grouped(line.score.0);
        let more = if gain > 0 { format!("+{gain}") } else { "first".to_owned() };
        let took = readable(report.elapsed);
        print(&format!("{board:<10} {score:>8} {more:>7}  {by}, seed {seed}, {took}"))?;
    }
    Ok(())
}

fn status(bag: &Bag) -> Result<()> {
    let head = ["board", "score", "best known", "attempts", "since"];
    let [board, score, known, attempts, since] = head;
    print(&format!("{board:<10} {score:>8} {known:>11} {attempts:>9} {since:>6}  found by"))?;
    let mut total = 0;
    let mut standings: Vec<_> = bag.standings.iter().collect();
    // Boards of a set in the order of their numbers.
    standings.sort_by_key(|((board, rules), _)| {
        let (set, number) = board.rsplit_once(':').unwrap_or((board, ""));
        (set.to_owned(), number.parse::<u64>().unwrap_or(0), rules.clone())
    });
    for ((board, rules), standing) in standings {
        let instance = Instance::named(board, rules.as_deref()).map_err(Failure::input)?;
        let known = instance.best_known().map_or_else(String::new, |(known, _)| grouped(known));
        let (score, attempts) = (grouped(standing.best.score), grouped(standing.attempts as i64));
        let (by, since) = (&standing.best.by, standing.since);
        print(&format!("{board:<10} {score:>8} {known:>11} {attempts:>9} {since:>6}  {by}"))?;
        total += standing.best.score;
    }
    let (total, attempts) = (grouped(total), grouped(bag.attempts as i64));
    print(&format!("{:<10} {total:>8} {:>11} {attempts:>9}", "total", ""))?;
    Ok(())
}

fn export(bag: &Bag) -> Result<()> {
    for ((board, rules), standing) in &bag.standings {
        let best = &standing.best;
        let (by, seed, seconds, build) = (&best.by, best.seed, best.seconds, &best.build);
        print(&format!("# {by}, seed {seed}, {seconds:.1} s, solitree {build}"))?;
        let moves = best.moves.as_deref().unwrap_or_default();
        if rules.as_deref() == GameName::of(board).default_rules() {
            print(&format!("{board} {} {}", best.score, moves.join(" ")))?;
        } else {
            // The short form has no place for rules.
            let score = best.score;
            let line = json!({ "board": board, "rules": rules, "score": score, "moves": moves });
            print(&line.to_string())?;
        }
    }
    Ok(())
}

/// Takes what holds, tells of what does not.
fn merge(folder: &Path, files: &[std::path::PathBuf]) -> Result<ExitCode> {
    let mut hunt = Hunt::open(folder, output::BUILD)?;
    let (mut taken, mut refused, mut all) = (0, 0, 0);
    for file in files {
        for claim in claims::read(file)? {
            let (place, claim) = match claim {
                Ok(claim) => claim,
                Err(error) => {
                    (refused, all) = (refused + 1, all + 1);
                    output::message(&format!("refused: {error:#}"));
                    continue;
                }
            };
            all += 1;
            let default = GameName::of(&claim.board).default_rules();
            let by = format!("taken from {place}");
            let found = Found {
                board: &claim.board,
                rules: claim.rules.as_deref().or(default),
                by: &by,
                seed: 0,
                seconds: 0.0,
                score: claim.score,
                moves: &claim.moves,
            };
            match hunt.add(&found)? {
                Ok(better) => taken += u64::from(better.is_some()),
                Err(error) => {
                    refused += 1;
                    output::message(&format!("refused: {place}: {error}"));
                }
            }
        }
    }
    print(&format!("{all} lines, {taken} of them better than before, {refused} refused"))?;
    if refused > 0 {
        let text = format!("{refused} of {all} lines do not hold; the others were taken");
        return Err(Failure::Condition(text).into());
    }
    Ok(ExitCode::SUCCESS)
}
