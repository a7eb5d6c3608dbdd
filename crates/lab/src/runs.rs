//! Folders of experiments, tunings and matches, as somebody reads them who does not
//! run them. Nothing is written, and nobody who writes is held up.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::Failure;
use crate::experiment::Folder;
use crate::matches::games_page;
use crate::report::{Analysis, Report};
use crate::tune::Tuning;

/// What a folder is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// `reproduce` or `exp`.
    Experiment,
    /// `tune`.
    Tuning,
    /// `match --out`.
    Match,
}

/// What is known of a folder without reading its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// What it is of.
    pub kind: RunKind,
    /// What it shows, in a line.
    pub title: String,
    /// Changes whenever the results or the report do.
    pub stamp: Stamp,
}

/// The size of the results, and when they or the report last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub changed: u64,
}

const REPORT: &str = "report.html";

/// What a folder is, if it is one of ours.
#[must_use]
pub fn summary(folder: &Path) -> Option<RunSummary> {
    let kind = kind(folder)?;
    let title = match kind {
        RunKind::Experiment => Folder::existing(folder).plan().ok().map(|plan| plan.spec.title),
        RunKind::Tuning => tuning(folder).map(|tuning| format!("Tuning {}", tuning.algorithm)),
        RunKind::Match => Some("Match".to_owned()),
    };
    let title = title.unwrap_or_else(|| "cannot be read".to_owned());
    let mut stamp = stamp(folder, kind);
    stamp.changed = stamp.changed.max(written(folder).unwrap_or(0));
    Some(RunSummary { kind, title, stamp })
}

/// What a folder is of, by its files.
fn kind(folder: &Path) -> Option<RunKind> {
    let files = [
        ("spec.toml", RunKind::Experiment),
        ("tuning.toml", RunKind::Tuning),
        ("games.jsonl", RunKind::Match),
    ];
    let there = files.into_iter().find(|(name, _)| folder.join(name).is_file());
    there.map(|(_, kind)| kind)
}

/// When the report was written.
fn written(folder: &Path) -> Option<u64> {
    fs::metadata(folder.join(REPORT)).ok().map(|data| of_file(&data).changed)
}

/// The report as it stands: the one that was written last, or, where results have come
/// since, one of the results. An HTML page that needs nothing else.
pub fn report(folder: &Path) -> Result<String> {
    let Some(kind) = kind(folder) else {
        return Err(Failure::input("not the folder of a run"));
    };
    let path = folder.join(REPORT);
    let current = written(folder) >= Some(stamp(folder, kind).changed);
    // A tuning writes its report after each iteration, from what it alone knows.
    if current || kind == RunKind::Tuning {
        return fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::input("there is no report yet"),
            _ => Failure::input(format!("{REPORT}: {error}")),
        });
    }
    match kind {
        RunKind::Match => games_page(&folder.join("games.jsonl")),
        _ => {
            let folder = Folder::existing(folder);
            let analysis = Analysis::read(&folder.plan()?, &folder)?;
            Ok(Report::of(&analysis).html())
        }
    }
}

fn tuning(folder: &Path) -> Option<Tuning> {
    toml::from_str(&fs::read_to_string(folder.join("tuning.toml")).ok()?).ok()
}

/// The stamp of the files of results.
fn stamp(folder: &Path, kind: RunKind) -> Stamp {
    let prefix = match kind {
        RunKind::Experiment => "results",
        RunKind::Tuning => "trials",
        RunKind::Match => "games",
    };
    let mut stamp = Stamp::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(prefix)
            && name.ends_with(".jsonl")
            && let Ok(data) = entry.metadata()
        {
            let file = of_file(&data);
            stamp.bytes += file.bytes;
            stamp.changed = stamp.changed.max(file.changed);
        }
    }
    stamp
}

fn of_file(data: &fs::Metadata) -> Stamp {
    let changed = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp { bytes: data.len(), changed: since.as_millis() as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::{Event, Pace};
    use solitree_games::colorshapelinks::Layout;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn a_match_has_a_report_while_it_is_played() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(summary(folder.path()), None);
        assert!(report(folder.path()).is_err());
        let event = Event {
            agents: vec!["random".parse().unwrap(), "uct,budget=1".parse().unwrap()],
            pace: Pace { playouts: Some(20), ..Pace::default() },
            gauntlet: false,
            pairs: 1,
            plies: 2,
            layout: Layout::default(),
            margin: Duration::from_secs(1),
            seed: 1,
            concurrency: 1,
        };
        let never = AtomicBool::new(false);
        event.run(Some(folder.path()), "test", &never, &mut |_| true).unwrap();
        let seen = summary(folder.path()).unwrap();
        assert_eq!((seen.kind, seen.title.as_str()), (RunKind::Match, "Match"));
        assert!(seen.stamp.bytes > 0 && seen.stamp.changed > 0);
        let page = report(folder.path()).unwrap();
        assert!(page.contains("random") && page.contains("<table"), "{page}");
        // One that was written since is taken as it is.
        fs::write(folder.path().join(REPORT), "written").unwrap();
        assert_eq!(report(folder.path()).unwrap(), "written");
    }

    #[test]
    fn a_tuning_has_the_report_it_wrote_last() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tuning.toml"), "nonsense").unwrap();
        let seen = summary(folder.path()).unwrap();
        assert_eq!((seen.kind, seen.title.as_str()), (RunKind::Tuning, "cannot be read"));
        assert_eq!(report(folder.path()).unwrap_err().to_string(), "there is no report yet");
        fs::write(folder.path().join(REPORT), "<p>half").unwrap();
        fs::write(folder.path().join("trials.jsonl"), "{}\n").unwrap();
        assert_eq!(report(folder.path()).unwrap(), "<p>half");
    }
}
