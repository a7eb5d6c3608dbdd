//! One file a subcommand.

mod bench;
mod bench_device;
mod bench_games;
mod bench_nets;
mod book;
mod engine;
mod engine_check;
mod engine_jsonl;
mod experiment;
mod hunt;
mod list;
mod matches;
mod runs;
mod serve;
mod show;
mod solve;
mod train;
mod tune;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Arguments, Command};
use crate::render::Style;

/// What every subcommand may want to know.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How to draw boards.
    pub style: Style,
    /// Results only.
    pub quiet: bool,
}

/// Does what the arguments ask for.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let manner = Manner { style: Style::choose(arguments.color), quiet: arguments.quiet };
    match arguments.command {
        Command::Solve(args) => solve::run(&args, manner),
        Command::Verify(args) => verify::run(&args),
        Command::Show(args) => show::run(&args, manner),
        Command::Boards(args) => list::boards(args.json),
        Command::Algorithms(args) => list::algorithms(args.players, args.json),
        Command::Bench(args) => bench::run(&args),
        Command::Reproduce(args) => experiment::reproduce(&args, manner),
        Command::Experiment(args) => experiment::run(&args, manner),
        Command::Tune(args) => tune::run(&args, manner),
        Command::Train(args) => train::run(&args, manner),
        Command::Hunt { command } => hunt::run(&command, manner),
        Command::Runs { command } => runs::run(&command),
        Command::Engine(args) => engine::run(&args, manner.quiet),
        Command::EngineCheck(args) => engine_check::run(&args),
        Command::Match(args) => matches::run(&args, manner),
        Command::Book(args) => book::run(&args, manner.quiet),
        Command::Serve(args) => serve::run(&args, manner),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "solitree", &mut script);
            crate::output::print(String::from_utf8_lossy(&script).trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            crate::output::print(&manual()?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The manual page: the program, then each subcommand with its options.
fn manual() -> Result<String> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands() {
        if subcommand.get_name() == "help" {
            continue;
        }
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, ".SH SOLITREE {}\n{about}", subcommand.get_name().to_uppercase())?;
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(String::from_utf8_lossy(&page).trim_end().to_owned())
}
