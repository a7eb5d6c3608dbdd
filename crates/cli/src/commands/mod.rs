//! One file a subcommand.

mod bench;
mod list;
mod show;
mod solve;
mod verify;

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
        Command::Algorithms(args) => list::algorithms(args.json),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "solitree", &mut script);
            crate::output::print(String::from_utf8_lossy(&script).trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            crate::output::print(String::from_utf8_lossy(&page).trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
