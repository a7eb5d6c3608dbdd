//! Folders of experiments, tunings, trainings and matches, as somebody reads them who
//! does not run them. Nothing is written, nobody who writes is held up, and nothing is
//! read but plain files: a folder in which a link or a pipe stands for one of its files
//! is not taken for a run.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::Failure;
use crate::experiment::{Folder, Plan, Spec};
use crate::matches::games_page;
use crate::report::{Analysis, Report};
use crate::train::Training;
use crate::tune::Tuning;

/// The largest file that is read whole.
pub const MOST_BYTES: u64 = 32 << 20;
/// The most runs of an experiment whose report is made: those of larger ones must have
/// been written.
const MOST_CELLS: u64 = 10_000_000;

/// What a folder is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// `reproduce` or `exp`.
    Experiment,
    /// `tune`.
    Tuning,
    /// `train`.
    Training,
    /// `match --out`.
    Match,
}

impl RunKind {
    /// The file that a folder is known by. A training has games too, and is looked for
    /// before a match.
    const MARKS: [(&str, RunKind); 4] = [
        ("spec.toml", RunKind::Experiment),
        ("tuning.toml", RunKind::Tuning),
        ("training.toml", RunKind::Training),
        ("games.jsonl", RunKind::Match),
    ];

    /// How the names of its files of results begin.
    fn results(self) -> &'static [&'static str] {
        match self {
            RunKind::Experiment => &["results"],
            RunKind::Tuning => &["trials"],
            RunKind::Training => &["games", "generations"],
            RunKind::Match => &["games"],
        }
    }
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
    let files = Files::of(folder)?;
    let title = title(folder, files.kind).unwrap_or_else(|| "cannot be read".to_owned());
    let changed = files.results.changed.max(files.written.unwrap_or(0)).max(files.begun);
    Some(RunSummary { kind: files.kind, title, stamp: Stamp { changed, ..files.results } })
}

/// The report as it stands: the one that was written last, or, where results have come
/// since, one of the results. An HTML page that needs nothing else.
pub fn report(folder: &Path) -> Result<String> {
    let Some(files) = Files::of(folder) else {
        return Err(Failure::input("not the folder of a run"));
    };
    if files.written >= Some(files.results.changed) {
        return text(folder, REPORT);
    }
    match files.kind {
        RunKind::Match => games_page(&folder.join("games.jsonl")),
        RunKind::Experiment => {
            let spec = text(folder, "spec.toml")?;
            let (spec, scale) = Folder::spec_of(&spec)
                .map_err(|error| Failure::input(format!("spec.toml: {error}")))?;
            let plan = Plan::of_at_most(&spec, scale, MOST_CELLS)?;
            Ok(Report::of(&Analysis::read(&plan, &Folder::existing(folder))?).html())
        }
        // They write theirs anew as they go on, from what they alone know.
        RunKind::Tuning | RunKind::Training if files.written.is_some() => text(folder, REPORT),
        RunKind::Tuning | RunKind::Training => Err(Failure::input("there is no report yet")),
    }
}

/// The files of a folder that anything is read from.
struct Files {
    kind: RunKind,
    /// When the one that it is known by was written.
    begun: u64,
    /// Those of the results.
    results: Stamp,
    /// When the report was written.
    written: Option<u64>,
}

impl Files {
    /// None if it is no folder of ours, or if one of them is not a plain file.
    fn of(folder: &Path) -> Option<Files> {
        let (mut there, mut written) = (Vec::new(), None);
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name != REPORT && !name.ends_with(".toml") && !name.ends_with(".jsonl") {
                continue;
            }
            // Of the entry itself, not of what it may lead to.
            if !entry.file_type().ok()?.is_file() {
                return None;
            }
            // What has just been removed is not there.
            let Ok(data) = entry.metadata() else { continue };
            if name == REPORT {
                written = Some(stamp(&data).changed);
            }
            there.push((name, stamp(&data)));
        }
        let (kind, begun) = RunKind::MARKS.into_iter().find_map(|(mark, kind)| {
            let (_, file) = there.iter().find(|(name, _)| name == mark)?;
            Some((kind, file.changed))
        })?;
        let is_result = |name: &str| {
            name.ends_with(".jsonl") && kind.results().iter().any(|begin| name.starts_with(begin))
        };
        let mut results = Stamp::default();
        for (_, file) in there.iter().filter(|(name, _)| is_result(name)) {
            results.bytes += file.bytes;
            results.changed = results.changed.max(file.changed);
        }
        Some(Files { kind, begun, results, written })
    }
}

/// What a run shows, in a line; none if that cannot be read.
fn title(folder: &Path, kind: RunKind) -> Option<String> {
    match kind {
        RunKind::Experiment => {
            Spec::parse(&text(folder, "spec.toml").ok()?).ok().map(|spec| spec.title)
        }
        RunKind::Tuning => {
            let tuning: Tuning = toml::from_str(&text(folder, "tuning.toml").ok()?).ok()?;
            Some(format!("Tuning {}", tuning.algorithm))
        }
        RunKind::Training => {
            let training: Training = toml::from_str(&text(folder, "training.toml").ok()?).ok()?;
            Some(training.title())
        }
        RunKind::Match => Some("Match".to_owned()),
    }
}

/// The text of a file of a folder, unless it is larger than any of ours.
fn text(folder: &Path, name: &str) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Failure::input(format!("{name}: {error}"));
    let read = || {
        let mut bytes = Vec::new();
        File::open(folder.join(name))?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error: std::io::Error| match error.kind() {
        // It was there a moment ago.
        ErrorKind::NotFound => failed(&"is not there"),
        _ => failed(&error),
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(failed(&format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| failed(&"not a text"))
}

fn stamp(data: &fs::Metadata) -> Stamp {
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

    const SPEC: &str = r#"# scale: quick
name = "small"
title = "Small"
[scales.quick]
instances = ["random:1-50000:8x8x4"]
repetitions = 100
budgets = [{ name = "few", nodes = "4", at = 4 }]
[[settings]]
name = "tree"
algorithm = "sp-mcts"
"#;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_training_is_no_match_and_has_the_report_it_wrote_last() {
        let text = toml::to_string(&crate::train::tests::tiny()).unwrap();
        let folder = folder(&[("training.toml", &text), ("games.jsonl", "{}\n")]);
        let seen = summary(folder.path()).unwrap();
        assert_eq!(seen.kind, RunKind::Training);
        assert_eq!(seen.title, "Training tiny(layers=2,filters=8)+policy on 5x5x3");
        assert!(seen.stamp.changed > 0, "it has begun at some time");
        assert_eq!(report(folder.path()).unwrap_err().to_string(), "there is no report yet");
        fs::write(folder.path().join(REPORT), "curves").unwrap();
        fs::write(folder.path().join("generations.jsonl"), "{}\n{}\n").unwrap();
        assert_eq!(report(folder.path()).unwrap(), "curves");
        assert_eq!(summary(folder.path()).unwrap().stamp.bytes, seen.stamp.bytes + 6);
    }

    #[test]
    #[cfg(unix)]
    fn links_and_pipes_are_no_files_of_a_run() {
        let outside = folder(&[("secret", "")]);
        for name in [REPORT, "tuning.toml", "other.toml", "trials.jsonl"] {
            let link = folder(&[("spec.toml", SPEC)]);
            assert!(summary(link.path()).is_some());
            let to = outside.path().join("secret");
            std::os::unix::fs::symlink(to, link.path().join(name)).unwrap();
            assert_eq!(summary(link.path()), None, "{name}");
            assert!(report(link.path()).is_err());
            let pipe = folder(&[("spec.toml", SPEC)]);
            let made =
                std::process::Command::new("mkfifo").arg(pipe.path().join(name)).status().unwrap();
            assert!(made.success());
            assert_eq!(summary(pipe.path()), None, "{name}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let refused = |folder: &tempfile::TempDir| report(folder.path()).unwrap_err().to_string();
        // 5 million runs are listed in a moment; 15 million are too many.
        let many =
            folder(&[("spec.toml", &SPEC.replace("repetitions = 100", "repetitions = 300"))]);
        let expected = "experiment small: scale quick: more than 10000000 runs";
        assert_eq!(refused(&many), expected);
        let (spec, scale) = Folder::spec_of(SPEC).unwrap();
        assert!(Plan::of_at_most(&spec, scale, 5_000_000).is_ok());
        let listed = Plan::of_at_most(&spec, scale, 10).unwrap_err().to_string();
        assert_eq!(listed, "experiment small: scale quick: more than 10 instances");
        for (name, mark) in
            [("spec.toml", "spec.toml"), ("tuning.toml", "tuning.toml"), (REPORT, "tuning.toml")]
        {
            let large = folder(&[(mark, SPEC)]);
            let file = File::create(large.path().join(name)).unwrap();
            file.set_len(MOST_BYTES + 1).unwrap();
            let seen = summary(large.path()).unwrap();
            assert_eq!(seen.title, "cannot be read", "{name}");
            if name != "tuning.toml" {
                assert_eq!(refused(&large), format!("{name}: larger than 32 MiB"));
            }
        }
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
