//! `solitree runs`: what experiments have found.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use solitree_lab::experiment::Folder;
use solitree_lab::report::{Analysis, Report};
use solitree_lab::{Failure, export_csv};

use crate::args::{ExportArgs, RunsCommand};
use crate::output::{grouped, print};

pub fn run(command: &RunsCommand) -> Result<ExitCode> {
    match command {
        RunsCommand::List { out } => list(out)?,
        RunsCommand::Show { folder } => show(folder)?,
        RunsCommand::Export { folder, form } => export(folder, form)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(out: &Path) -> Result<()> {
    let failed = |error| Failure::input(format!("{}: {error}", out.display()));
    let entries = std::fs::read_dir(out).map_err(failed)?;
    let mut folders: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("spec.toml").is_file())
        .collect();
    folders.sort();
    for path in folders {
        let folder = Folder::existing(&path);
        let line = folder.plan().and_then(|plan| {
            let found = folder.read(&plan, |_, _| {})?;
            let (done, all) = (grouped(found.count as i64), grouped(plan.len() as i64));
            Ok(format!("{done} of {all} {}; {}", plan.runs_are(), plan.spec.title))
        });
        let line = line.unwrap_or_else(|error| format!("cannot be read: {error:#}"));
        print(&format!("{:<40}  {line}", path.display()))?;
    }
    Ok(())
}

fn show(path: &Path) -> Result<()> {
    let folder = Folder::existing(path);
    let plan = folder.plan()?;
    super::experiment::show(&Report::of(&Analysis::read(&plan, &folder)?))
}

fn export(path: &Path, form: &ExportArgs) -> Result<()> {
    let folder = Folder::existing(path);
    let plan = folder.plan()?;
    let mut out = std::io::stdout().lock();
    if form.csv {
        export_csv(&plan, &folder, &mut out)?;
    } else if form.json {
        let mut trouble = None;
        folder.read(&plan, |_, record| {
            let line = serde_json::to_string(record).unwrap_or_default();
            if let Err(error) = writeln!(out, "{line}") {
                trouble.get_or_insert(error);
            }
        })?;
        if let Some(error) = trouble {
            return Err(error.into());
        }
    } else {
        let report = Report::of(&Analysis::read(&plan, &folder)?);
        out.write_all(report.markdown().as_bytes())?;
    }
    Ok(())
}
