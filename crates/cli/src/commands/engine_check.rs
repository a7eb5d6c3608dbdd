//! `solitree engine-check`: what is wrong with an engine.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use serde_json::json;
use solitree_lab::Failure;
use solitree_lab::matches::Pace;
use solitree_lab::matches::check::{Finding, Terms, check, longest_name};

use crate::args::EngineCheckArgs;
use crate::output::{VERSION, print};
use crate::signals::Signals;

pub fn run(args: &EngineCheckArgs) -> Result<ExitCode> {
    let command = args.words().map_err(Failure::usage)?;
    if args.start_time.max(args.margin) > Pace::LONGEST {
        return Err(Failure::usage("more than a day to wait"));
    }
    let signals = Signals::watch().context("cannot listen for signals")?;
    let terms = Terms { start: args.start_time, margin: args.margin, interrupt: signals.stop() };
    let width = longest_name() + 2;
    let (mut findings, mut failed) = (Vec::new(), None);
    let holds = check(&command, terms, &mut |finding| {
        if args.json {
            findings.push(finding.clone());
            return;
        }
        let Finding { check, verdict, says, .. } = finding;
        // A row as soon as it is known.
        if let Err(error) = print(&format!("{check:<width$}{:<9}{says}", verdict.name())) {
            failed.get_or_insert(error);
            signals.stop().store(true, Ordering::Relaxed);
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    if args.json {
        let told = json!({
            "command": command, "holds": holds, "checks": findings, "version": VERSION,
        });
        print(&told.to_string())?;
    }
    match signals.exit_code() {
        Some(code) => Ok(ExitCode::from(code)),
        None if holds => Ok(ExitCode::SUCCESS),
        None => {
            Err(Failure::Condition("the engine does not do all that it must".to_owned()).into())
        }
    }
}
