//! `solitree match`: agents against each other, and what that says.

use std::process::ExitCode;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use solitree_lab::Failure;
use solitree_lab::matches::{About, AgentKind, Event, Standings, write_report};
use solitree_lab::stats::Verdict;

use super::Manner;
use crate::args::MatchArgs;
use crate::output::{BUILD, message, print, shell_word};
use crate::signals::Signals;

pub fn run(args: &MatchArgs, manner: Manner) -> Result<ExitCode> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let concurrency = args.concurrency.map_or(cores, usize::from);
    let event = Event {
        agents: args.agents.clone(),
        gauntlet: args.gauntlet,
        pairs: args.games.div_ceil(2),
        plies: usize::from(args.plies),
        layout: args.board.layout(),
        pace: args.pace(),
        margin: args.margin,
        seed: args.seed,
        concurrency,
    };
    event.check()?;
    if args.sprt.is_some() && event.agents.len() != 2 {
        return Err(Failure::usage("--sprt is a test of two agents"));
    }
    let timed = args.playouts.is_none();
    if timed && concurrency > cores && !manner.quiet {
        message(&format!("note: {concurrency} timed games share {cores} cores"));
    }
    let programs = event.agents.iter().any(|agent| matches!(agent.kind, AgentKind::Program(_)));
    if programs && !timed && !manner.quiet {
        message("note: programs are told an hour for each move; --playouts is for our own agents");
    }
    if let Some(folder) = &args.report {
        // Better to learn now than after the games that there is no place for it.
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::input(format!("{}: {error}", folder.display())))?;
    }
    let signals = Signals::watch().context("cannot listen for signals")?;
    let bar = bar(event.games(), !manner.quiet && !args.no_progress && !args.jsonl);
    let names = event.agents.iter().map(|agent| agent.name.as_str());
    let mut standings = Standings::new(names);
    let mut failed = None;
    event.run(args.out.as_deref(), BUILD, signals.stop(), &mut |record| {
        standings.add(record);
        bar.set_position(standings.games());
        bar.set_message(match standings.first_pairs().mean() {
            Some(mean) => format!("first {:.1} %", 100.0 * mean),
            None => String::new(),
        });
        if args.jsonl {
            let printed =
                serde_json::to_string(record).map_err(Into::into).and_then(|line| print(&line));
            if let Err(error) = printed {
                failed = Some(error);
                return false;
            }
        }
        match &args.sprt {
            Some(sprt) => standings.sprt(sprt).0 == Verdict::Continue,
            None => true,
        }
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    if !args.jsonl && standings.games() > 0 {
        show(&standings, args)?;
    }
    if let Some(folder) = args.report.as_ref().filter(|_| standings.games() > 0) {
        let remarks: Vec<String> = args.sprt.iter().map(|sprt| standings.sprt(sprt).1).collect();
        let about = About { event: &event, command: &command(), remarks: &remarks };
        write_report(&standings, about, folder)?;
        if !manner.quiet {
            message(&format!("written: {}", folder.join("report.html").display()));
        }
    }
    Ok(signals.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

fn show(standings: &Standings, args: &MatchArgs) -> Result<()> {
    print(standings.pairings().text().trim_end())?;
    if args.agents.len() > 2 {
        match standings.ratings() {
            Ok(table) => print(&format!("\n{}", table.text().trim_end()))?,
            Err(error) => print(&format!("\nno ratings: {error}"))?,
        }
    }
    if args.points {
        print(&format!("\n{}", standings.points().text().trim_end()))?;
    }
    print(&format!("\n{}", standings.conduct().text().trim_end()))?;
    for note in standings.notes() {
        print(&note)?;
    }
    print(&format!("\n{}", standings.colours()))?;
    if let Some(sprt) = &args.sprt {
        print(&standings.sprt(sprt).1)?;
    }
    Ok(())
}

/// The command as it can be given again.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|part| shell_word(&part.to_string_lossy()));
    std::iter::once("solitree".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn bar(games: u64, wanted: bool) -> ProgressBar {
    if !wanted {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(games);
    let style = "{wide_bar} {pos}/{len} games, {eta} left, {msg}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}
