//! `solitree serve`: the page in the browser.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use solitree_lab::Failure;
use solitree_server::{Config, ConfigError, Server};

use super::Manner;
use crate::args::ServeArgs;
use crate::output::{message, print};
use crate::signals::Signals;

/// How soon a signal is heard.
const TICK: Duration = Duration::from_millis(50);

pub fn run(args: &ServeArgs, manner: Manner) -> Result<ExitCode> {
    let signals = Signals::watch().context("cannot listen for signals")?;
    let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), args.port.unwrap_or(0));
    let config = Config {
        listen: args.listen.unwrap_or(here),
        token: args.token.clone(),
        names: args.name.clone(),
        ..Config::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let stop = async {
        while !signals.stop().load(Ordering::Relaxed) {
            tokio::time::sleep(TICK).await;
        }
    };
    runtime
        .block_on(async {
            let server = Server::bind(config).await.map_err(|error| match error {
                ConfigError::Listen(..) => Failure::input(error),
                _ => Failure::usage(error),
            })?;
            let link = server.link();
            print(&link)?;
            if !manner.quiet {
                message("Open the address above in a browser; Ctrl-C ends the server.");
            }
            if args.open {
                open(&link);
            }
            server.run(stop).await;
            Ok(())
        })
        .map(|()| signals.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
}

/// Opens an address the way the system does; without a browser it stays printed.
fn open(link: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let started = Command::new(program)
        .args(first)
        .arg(link)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if let Err(error) = started {
        message(&format!("warning: cannot open a browser ({program}: {error})"));
    }
}
