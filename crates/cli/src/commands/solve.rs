//! `solitree solve`: the best line of a board, or of every board of a set.

use std::path::Path as FilePath;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use solitree_core::{Budget, Score};
use solitree_lab::tune::PresetFile;
use solitree_lab::wire::{SearchEvent, Solution};
use solitree_lab::{
    Failure, GameName, Instance, Listeners, Outcome, Replay, Run, Saved, Setup, Task, board_set,
    full_name, replay,
};
use solitree_search::{Report, checkpoint};

use super::Manner;
use crate::args::{BudgetArgs, SolveArgs};
use crate::device;
use crate::known::KnownLines;
use crate::live::Live;
use crate::output::{self, grouped, per_second, print, print_json, readable};
use crate::signals::Signals;
use crate::{picture, render};

const DEFAULT_TIME: Duration = Duration::from_secs(10);
const DEFAULT_SEED: u64 = 1;
/// How often to look inside a search, where that is asked for.
const INSIGHTS: Duration = Duration::from_millis(200);

/// A board solved.
struct Solved {
    instance: Instance,
    report: Report<String>,
    replay: Replay,
}

impl Solved {
    fn solution(&self, task: &Task) -> Solution {
        Solution::of(task, &self.instance, &self.report, Some(&self.replay))
    }
}

pub fn run(args: &SolveArgs, manner: Manner) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let known = args.improve.as_deref().map(KnownLines::read).transpose()?;
    let (mut task, resume) = match &args.resume {
        Some(path) => resumed(path, &args.budget)?,
        None => (new_task(args, known.as_ref())?, None),
    };
    let target = task.budget.target;
    let reached = match &args.set_of {
        None => {
            if let Some(known) = &known {
                task.line = known.of(&task.prepare()?.instance)?;
                if task.line.is_none() {
                    let message = format!("--improve: no line of {} in the file", task.board);
                    return Err(Failure::usage(message));
                }
            }
            let solved = solve(&task, args, manner, &signals, resume)?;
            show(&task, args, manner, &solved)?;
            target.is_none_or(|target| solved.replay.score >= target)
        }
        Some(set) => {
            let mut table = Table::default();
            for name in board_set(set)? {
                task.board = name.to_string();
                if let Some(known) = &known {
                    task.line = known.of(&task.prepare()?.instance)?;
                }
                let solved = solve(&task, args, manner, &signals, None)?;
                if args.output.json {
                    print_json(&solved.solution(&task))?;
                } else if !args.output.jsonl {
                    table.add(&solved)?;
                }
                table.reached &= target.is_none_or(|target| solved.replay.score >= target);
                if signals.exit_code().is_some() {
                    break;
                }
            }
            if !args.output.json && !args.output.jsonl {
                table.close()?;
            }
            table.reached
        }
    };
    match signals.exit_code() {
        Some(code) => Ok(ExitCode::from(code)),
        None if reached => Ok(ExitCode::SUCCESS),
        None => Err(Failure::Condition("the target score was not reached".to_owned()).into()),
    }
}

fn new_task(args: &SolveArgs, known: Option<&KnownLines>) -> Result<Task> {
    let mut rules = args.rules.as_deref();
    let instance = match (&args.board, &args.set_of, known.and_then(KnownLines::first)) {
        (_, Some(_), _) => None,
        (Some(board), None, _) => Some(Instance::find(board, rules)?),
        (None, None, Some((board, its_rules))) => {
            rules = rules.or(its_rules);
            Some(Instance::named(board, rules).map_err(Failure::usage)?)
        }
        (None, None, None) => Some(Instance::find("std:1", rules)?),
    };
    // Every set is of SameGame.
    let game = instance.as_ref().map_or(GameName::SameGame, Instance::game);
    let preset = args.preset.as_deref().map(PresetFile::read).transpose()?;
    let named = preset.as_ref().map(|preset| preset.algorithm.as_str());
    let default = || device::default_algorithm(args, instance.as_ref());
    let algorithm = full_name(named.or(args.algorithm.as_deref()).unwrap_or_else(default));
    let mut given = preset.map(|preset| preset.settings()).unwrap_or_default();
    given.extend(args.set.iter().cloned());
    let params = Setup::given(game, &algorithm, &given)?.values();
    let mut budget = limits(&args.budget);
    if !budget.is_bounded() {
        budget.time = Some(DEFAULT_TIME);
    }
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Task {
        board: instance.map_or_else(String::new, |instance| instance.name()),
        rules: rules.or(game.default_rules()).map(str::to_owned),
        algorithm,
        params,
        seed: args.seed.unwrap_or(DEFAULT_SEED),
        threads: args.threads.map_or_else(cores, usize::from),
        budget,
        line: None,
    })
}

fn limits(args: &BudgetArgs) -> Budget {
    Budget {
        time: args.time_limit,
        nodes: args.nodes,
        playouts: args.playouts,
        target: args.target.map(Score),
        memory: args.memory_limit,
    }
}

/// The task of a checkpoint, with any budgets given anew.
fn resumed(path: &FilePath, args: &BudgetArgs) -> Result<(Task, Option<Vec<u8>>)> {
    let (mut task, snapshot): (Task, Vec<u8>) = checkpoint::read(path, output::BUILD)
        .map_err(|error| Failure::input(format!("checkpoint {}: {error}", path.display())))?;
    let given = limits(args);
    let old = &task.budget;
    let work = if given.is_bounded() { &given } else { old };
    task.budget = Budget {
        time: work.time,
        nodes: work.nodes,
        playouts: work.playouts,
        target: given.target.or(old.target),
        memory: given.memory.or(old.memory),
    };
    Ok((task, Some(snapshot)))
}

fn solve(
    task: &Task,
    args: &SolveArgs,
    manner: Manner,
    signals: &Signals,
    resume: Option<Vec<u8>>,
) -> Result<Solved> {
    let prepared = task.prepare()?;
    if let Some(remark) = prepared.remark.as_ref().filter(|_| !manner.quiet) {
        output::message(remark);
    }
    let file = args.checkpoint.as_ref().or(args.resume.as_ref());
    let snapshots = file.map(|_| args.checkpoint_every);
    if let (Some(path), None) = (file, &resume) {
        // Better to learn now than after the search that it cannot be saved.
        probe(path)?;
    }
    if args.output.jsonl {
        print_json(&SearchEvent::started(task))?;
    }
    let wanted = !manner.quiet && !args.output.no_progress;
    let mut live = Live::new(&task.budget, wanted);
    let mut trouble = None;
    let listeners = Listeners {
        observer: &mut |event| {
            live.see(&event);
            if args.output.jsonl
                && let Err(error) = print_json(&SearchEvent::of(task, &event))
            {
                trouble.get_or_insert(error);
                signals.stop().store(true, std::sync::atomic::Ordering::Relaxed);
            }
        },
        keep: &mut |snapshot| {
            if let Some(Err(error)) = file.map(|path| save(path, task, snapshot)) {
                output::message(&format!("warning: {error:#}"));
            }
        },
    };
    let insights = args.output.insights.then_some(INSIGHTS);
    let machines = device::machines(args.device, &task.algorithm)?;
    let run = Run { resume, snapshots, insights, machines, ..Run::new(signals.stop()) };
    let Outcome { report, saved } = task.run(&prepared, run, listeners)?;
    if let Some(error) = trouble {
        return Err(error.into());
    }
    let saved = match (file, saved) {
        (Some(path), Some(snapshot)) => save(path, task, snapshot),
        (Some(_), None) => Err(anyhow::anyhow!("the last state of the search is missing")),
        (None, _) => Ok(()),
    };
    let line = report.best.as_ref().ok_or_else(|| {
        Failure::Condition("the budget ended before the first playout".to_owned())
    })?;
    let replay = replay(&prepared.instance, &line.moves)
        .unwrap_or_else(|error| panic!("the plain rules refuse the line: {error}"));
    assert_eq!(replay.score, line.score, "the plain rules give another score");
    let solved = Solved { instance: prepared.instance, report, replay };
    if let Err(error) = saved {
        // The result comes first, then the bad news.
        show(task, args, manner, &solved)?;
        return Err(error);
    }
    Ok(solved)
}

fn probe(path: &FilePath) -> Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(FilePath::new("."));
    if path.is_dir() || !folder.is_dir() {
        return Err(Failure::input(format!(
            "checkpoint {}: not a place for a file",
            path.display()
        )));
    }
    Ok(())
}

fn save(path: &FilePath, task: &Task, snapshot: Saved) -> Result<()> {
    snapshot
        .and_then(|snapshot| checkpoint::write(path, output::BUILD, &(task, snapshot)))
        .map_err(|error| Failure::input(format!("checkpoint {}: {error}", path.display())))
}

fn show(task: &Task, args: &SolveArgs, manner: Manner, solved: &Solved) -> Result<()> {
    let Solved { instance, report, replay } = solved;
    if args.output.json {
        print_json(&solved.solution(task))?;
        return Ok(());
    }
    if args.output.jsonl {
        return Ok(());
    }
    let line = format!("{} {} {}", task.board, replay.score, replay.moves.join(" "));
    if manner.quiet {
        print(line.trim_end())?;
        return Ok(());
    }
    let threads =
        if task.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", task.threads) };
    print(&format!("board      {}", instance.about()))?;
    print(&format!("search     {}, seed {}, {threads}", task.algorithm, task.seed))?;
    print(&format!(
        "stopped    {} after {}: {} playouts ({} a second), {} nodes",
        report.reason,
        readable(report.elapsed),
        grouped(report.counters.playouts as i64),
        grouped(per_second(report.counters.playouts, report.elapsed)),
        grouped(report.counters.nodes as i64)
    ))?;
    let cleared = match replay.cleared {
        Some(true) => ", board cleared",
        Some(false) => ", not cleared",
        None => "",
    };
    let known = instance.best_known().map_or_else(String::new, |(score, source)| {
        let share = 100.0 * replay.score.as_f64() / score as f64;
        format!("; best known {} ({source}), {share:.1} % of it", grouped(score))
    });
    print(&format!(
        "score      {}{cleared} in {} moves{known}",
        grouped(replay.score.0),
        replay.moves.len()
    ))?;
    if manner.style == render::Style::Coloured
        && let Some(picture) = picture::of(instance, &replay.moves, manner.style)
    {
        print(&format!("\n{picture}\n"))?;
    }
    print(line.trim_end())?;
    Ok(())
}

/// The table of a set, a row as soon as it is known.
struct Table {
    scores: Vec<i64>,
    known: Option<i64>,
    reached: bool,
}

impl Default for Table {
    fn default() -> Self {
        Table { scores: Vec::new(), known: Some(0), reached: true }
    }
}

impl Table {
    fn row(board: &str, score: i64, known: Option<i64>, rest: &str) -> String {
        let (best, ratio) = known.map_or_else(
            || ("-".to_owned(), "-".to_owned()),
            |known| (grouped(known), format!("{:.1} %", 100.0 * score as f64 / known as f64)),
        );
        format!("{board:<10}{:>10}{best:>12}{ratio:>10}  {rest}", grouped(score))
            .trim_end()
            .to_owned()
    }

    fn add(&mut self, solved: &Solved) -> Result<()> {
        if self.scores.is_empty() {
            print("board          score  best known     ratio  moves  cleared")?;
        }
        let (score, known) =
            (solved.replay.score.0, solved.instance.best_known().map(|(score, _)| score));
        let cleared = if solved.replay.cleared == Some(true) { "yes" } else { "no" };
        let rest = format!("{:>5}  {cleared}", solved.replay.moves.len());
        print(&Self::row(&solved.instance.name(), score, known, &rest))?;
        self.scores.push(score);
        self.known = self.known.zip(known).map(|(total, known)| total + known);
        Ok(())
    }

    fn close(&self) -> Result<()> {
        let total: i64 = self.scores.iter().sum();
        print(&Self::row("total", total, self.known.filter(|&known| known > 0), ""))?;
        let count = self.scores.len() as f64;
        let mean = total as f64 / count;
        let squares: f64 = self.scores.iter().map(|&score| (score as f64 - mean).powi(2)).sum();
        if count > 1.0 {
            let error = (squares / (count - 1.0) / count).sqrt();
            print(&format!(
                "mean      {mean:>10.1}  ± {error:.1} (standard error over {count} boards)"
            ))?;
        }
        Ok(())
    }
}
