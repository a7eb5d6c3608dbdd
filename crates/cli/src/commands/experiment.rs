//! `solitree experiment` and `solitree reproduce`: many runs and what they say.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use solitree_lab::experiment::{self, Environment, Folder, Plan, Progress, Shard, Spec};
use solitree_lab::report::{self, Analysis, Findings, Report, Verdict};
use solitree_lab::{Failure, reproduce as papers};

use super::Manner;
use crate::args::{ExperimentArgs, ReproduceArgs, RunArgs};
use crate::output::{BUILD, grouped, message, print, readable};
use crate::signals::Signals;

/// `solitree experiment`.
pub fn run(args: &ExperimentArgs, manner: Manner) -> Result<ExitCode> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let spec = Spec::parse(&text).map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let signals = Signals::watch().context("cannot listen for signals")?;
    let plan = Plan::new(&spec, &args.run.scale)?;
    if args.run.dry_run {
        return dry_run(&[plan], args.run.shard);
    }
    let (_, report) = conduct(&plan, &args.run, manner, &signals)?;
    show(&report)?;
    Ok(signals.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// `solitree reproduce`.
pub fn reproduce(args: &ReproduceArgs, manner: Manner) -> Result<ExitCode> {
    if args.list {
        return list();
    }
    let specs = if args.names.is_empty() {
        papers::all()
    } else {
        let mut specs: Vec<Spec> = Vec::new();
        for name in &args.names {
            for spec in papers::find(name)? {
                if !specs.contains(&spec) {
                    specs.push(spec);
                }
            }
        }
        specs
    };
    let plans: Vec<Plan> =
        specs.iter().map(|spec| Plan::new(spec, &args.run.scale)).collect::<Result<_>>()?;
    if args.run.dry_run {
        return dry_run(&plans, args.run.shard);
    }
    let signals = Signals::watch().context("cannot listen for signals")?;
    let mut lost = Vec::new();
    let mut rows = Vec::new();
    for plan in &plans {
        let (analysis, report) = conduct(plan, &args.run, manner, &signals)?;
        show(&report)?;
        let findings = Findings::of(&analysis, &report);
        rows.push(row(plan, &findings));
        let before = papers::baseline(&plan.spec.name, &plan.scale);
        if let Some(before) = before.filter(|_| analysis.is_whole()) {
            let claims = papers::lost(&before, &findings);
            lost.extend(claims.into_iter().map(|claim| format!("{}: {claim}", plan.spec.name)));
        }
        if let Some(code) = signals.exit_code() {
            return Ok(ExitCode::from(code));
        }
    }
    let head = ["experiment", "claims", "hold", "open", "fail", "missing"].map(str::to_owned);
    let table = report::Table { title: "verdicts".to_owned(), head: head.to_vec(), rows };
    print(table.text().trim_end())?;
    if lost.is_empty() {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::Condition(format!("held before and not now: {}", lost.join("; "))).into())
    }
}

/// Runs what is left, and writes the report.
fn conduct(
    plan: &Plan,
    args: &RunArgs,
    manner: Manner,
    signals: &Signals,
) -> Result<(Analysis, Report)> {
    let folder = Folder::open(&folder_of(plan, args), plan, &Environment::here(BUILD))?;
    let bar = bar(plan, !manner.quiet && !args.no_progress);
    let mut see = |progress: Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(match progress.teaching {
            Some(generation) => format!("teaching generation {generation}"),
            None => left(progress),
        });
    };
    let remarks = experiment::run(plan, &folder, args.shard, BUILD, signals.stop(), &mut see)?;
    bar.finish_and_clear();
    if remarks.cut {
        message("note: the last line of the results was cut short; its run is done again");
    }
    if remarks.stale > 0 {
        message(&format!(
            "note: {} results are of searches that have changed since; their runs are done again",
            grouped(remarks.stale as i64)
        ));
    }
    let analysis = Analysis::read(plan, &folder)?;
    let report = Report::of(&analysis);
    report::write(&analysis, &report, &folder)?;
    if !manner.quiet {
        message(&format!("{} written", folder.path().join("report.html").display()));
    }
    Ok((analysis, report))
}

fn folder_of(plan: &Plan, args: &RunArgs) -> PathBuf {
    args.out.join(format!("{}-{}", plan.spec.name, plan.scale))
}

fn bar(plan: &Plan, wanted: bool) -> ProgressBar {
    if !wanted {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(plan.len());
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(plan.spec.name.clone());
    bar
}

/// How long the rest will take, if it goes on as it went.
fn left(progress: Progress) -> String {
    if progress.fresh == 0 {
        return String::new();
    }
    format!("{} left", readable(progress.elapsed.mul_f64(progress.left)))
}

pub fn show(report: &Report) -> Result<()> {
    print(&format!("{}: {}", report.name, report.title))?;
    if let Some(source) = &report.source {
        print(&format!("after {source}"))?;
    }
    if let Some(note) = &report.note {
        print(note)?;
    }
    print(&format!("{}\n", report.facts))?;
    for table in report.tables.iter().chain(&report.verdicts()) {
        print(&table.title)?;
        print(&table.text())?;
    }
    Ok(())
}

fn row(plan: &Plan, findings: &Findings) -> Vec<String> {
    let of = |verdict: Verdict| {
        let same = findings.judgements.iter().filter(|judgement| judgement.verdict == verdict);
        same.count().to_string()
    };
    let all = findings.judgements.len().to_string();
    let counts = [Verdict::Holds, Verdict::Open, Verdict::Fails, Verdict::Missing].map(of);
    let name = match papers::aliases(&plan.spec.name).collect::<Vec<_>>().as_slice() {
        [] => plan.spec.name.clone(),
        others => format!("{}, {}", plan.spec.name, others.join(", ")),
    };
    [name, all].into_iter().chain(counts).collect()
}

fn list() -> Result<ExitCode> {
    for spec in papers::all() {
        print(&format!("{:<24}{}", spec.name, spec.title))?;
        if let Some(source) = &spec.source {
            print(&format!("{:<24}  {source}", ""))?;
        }
        let aliases: Vec<&str> = papers::aliases(&spec.name).collect();
        if !aliases.is_empty() {
            print(&format!("{:<24}  also {}", "", aliases.join(", ")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn dry_run(plans: &[Plan], shard: Shard) -> Result<ExitCode> {
    for plan in plans {
        let runs = (0..plan.len()).filter(|&number| shard.has(number)).count();
        let (name, scale, of) = (&plan.spec.name, &plan.scale, plan.runs_are());
        print(&format!("{name}-{scale}: {} {of}", grouped(runs as i64)))?;
        for cell in plan.cells() {
            let setting = &plan.spec.settings[cell.setting];
            let part = setting.part.map_or_else(String::new, |part| format!(", part {part}"));
            print(&format!(
                "  {:<28} {:<24} {:>9} x {}{part}",
                setting.name,
                setting.algorithm,
                grouped(plan.runs_of(cell) as i64),
                plan.limit(cell.budget)
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
