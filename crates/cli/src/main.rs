//! `solitree`: arguments in, events out.

mod args;
mod claims;
mod commands;
mod device;
mod failure;
mod known;
mod live;
mod output;
mod picture;
mod render;
mod signals;
mod sketch;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    output::quiet_panics();
    match std::panic::catch_unwind(|| commands::run(arguments)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => failure::report(&error),
        Err(_) => failure::report_bug(),
    }
}
