//! The runs of a folder, read only. A request names a run and a file of it by plain
//! names; what they name must lie in the folder itself, and links are not followed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use solitree_lab::runs::{self, MOST_BYTES, Stamp};

use crate::lock;
use crate::protocol::{FileInfo, RunInfo, RunList, RunView};

/// The endings of files that are handed out, and what they are.
const KINDS: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("md", "text/plain; charset=utf-8"),
    ("toml", "text/plain; charset=utf-8"),
    ("csv", "text/plain; charset=utf-8"),
    ("jsonl", "text/plain; charset=utf-8"),
    ("json", "application/json"),
];
/// Folders that are listed, at most.
const MOST_RUNS: usize = 1000;
/// Reports that are kept.
const KEPT: usize = 8;
/// The longest name.
const LONGEST: usize = 128;

/// A folder of runs. Copies are the same.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
    /// Reports made from results that may still grow, the latest last.
    reports: Arc<Mutex<Vec<Made>>>,
    /// One report is made at a time: it may take all of a core.
    turn: Arc<Mutex<()>>,
}

/// A report as it was at some time.
#[derive(Debug)]
struct Made {
    name: String,
    stamp: Stamp,
    text: Arc<str>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such run or file.
    Unknown,
    /// It is there and cannot be shown.
    Unreadable(String),
}

impl Runs {
    /// The runs of a folder that is there.
    pub fn new(folder: &Path) -> std::io::Result<Runs> {
        let folder = fs::canonicalize(folder)?;
        fs::read_dir(&folder)?;
        Ok(Runs { folder, reports: Arc::default(), turn: Arc::default() })
    }

    /// Every run, the latest first.
    pub fn list(&self) -> RunList {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<RunInfo> =
            names.filter_map(|name| self.info(&name).ok()).take(MOST_RUNS).collect();
        found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.name.cmp(&b.name)));
        RunList { served: true, runs: found }
    }

    /// A run and its files.
    pub fn view(&self, name: &str) -> Result<RunView, Missing> {
        let run = self.info(name)?;
        let entries = fs::read_dir(self.folder_of(name)?).into_iter().flatten().flatten();
        let mut files: Vec<FileInfo> = entries
            .filter_map(|entry| {
                let data = fs::symlink_metadata(entry.path()).ok()?;
                let name = entry.file_name().into_string().ok()?;
                let shown = data.is_file() && is_plain(&name) && kind_of(&name).is_some();
                shown.then_some(FileInfo { name, bytes: data.len() })
            })
            .collect();
        files.sort();
        Ok(RunView { run, files })
    }

    /// The report of a run as it stands.
    pub fn report(&self, name: &str) -> Result<Arc<str>, Missing> {
        let folder = self.folder_of(name)?;
        let now = || runs::summary(&folder).map(|run| run.stamp).ok_or(Missing::Unknown);
        if let Some(text) = self.made(name, now()?) {
            return Ok(text);
        }
        let _turn = lock(&self.turn);
        // While others had their turn it may have been made, or results may have come.
        let stamp = now()?;
        if let Some(text) = self.made(name, stamp) {
            return Ok(text);
        }
        let made = runs::report(&folder);
        let text: Arc<str> = made.map_err(|error| Missing::Unreadable(self.told(&error)))?.into();
        let mut reports = lock(&self.reports);
        reports.retain(|made| made.name != name);
        if reports.len() >= KEPT {
            reports.remove(0);
        }
        reports.push(Made { name: name.to_owned(), stamp, text: Arc::clone(&text) });
        Ok(text)
    }

    /// The report that was made of results of this stamp.
    fn made(&self, name: &str, stamp: Stamp) -> Option<Arc<str>> {
        let reports = lock(&self.reports);
        let made = reports.iter().find(|made| made.name == name && made.stamp == stamp)?;
        Some(Arc::clone(&made.text))
    }

    /// An error as it is told: where the folder is on this machine is nobody's business.
    fn told(&self, error: &dyn std::fmt::Display) -> String {
        let place = format!("{}{}", self.folder.display(), std::path::MAIN_SEPARATOR);
        format!("{error:#}").replace(&place, "")
    }

    /// A file of a run, and what it is.
    pub fn file(&self, run: &str, file: &str) -> Result<(&'static str, Vec<u8>), Missing> {
        let folder = self.folder_of(run)?;
        runs::summary(&folder).ok_or(Missing::Unknown)?;
        let kind = kind_of(file).filter(|_| is_plain(file)).ok_or(Missing::Unknown)?;
        let path = folder.join(file);
        let data = fs::symlink_metadata(&path).map_err(|_| Missing::Unknown)?;
        if !data.is_file() {
            return Err(Missing::Unknown);
        }
        if data.len() > MOST_BYTES {
            let message = format!("larger than {} MiB", MOST_BYTES >> 20);
            return Err(Missing::Unreadable(message));
        }
        let bytes = fs::read(&path).map_err(|error| Missing::Unreadable(error.to_string()))?;
        Ok((kind, bytes))
    }

    fn info(&self, name: &str) -> Result<RunInfo, Missing> {
        let summary = runs::summary(&self.folder_of(name)?).ok_or(Missing::Unknown)?;
        Ok(RunInfo::of(name, summary))
    }

    /// The folder of a run: a real one, directly in the folder of runs.
    fn folder_of(&self, name: &str) -> Result<PathBuf, Missing> {
        let path =
            self.folder.join(Some(name).filter(|name| is_plain(name)).ok_or(Missing::Unknown)?);
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => Ok(path),
            _ => Err(Missing::Unknown),
        }
    }
}

/// Whether a name cannot lead anywhere but to a thing of that name.
fn is_plain(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || "-_.+=,@".contains(c);
    (1..=LONGEST).contains(&name.len()) && !name.starts_with('.') && name.chars().all(letter)
}

/// What a file is by its name, if it is handed out.
fn kind_of(file: &str) -> Option<&'static str> {
    let (_, ending) = file.rsplit_once('.')?;
    KINDS.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a tuning, whose report says `text`.
    fn one_run(text: &str) -> (tempfile::TempDir, PathBuf, Runs) {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("tune");
        fs::create_dir(&run).unwrap();
        fs::write(run.join("tuning.toml"), "").unwrap();
        fs::write(run.join("report.html"), text).unwrap();
        let runs = Runs::new(folder.path()).unwrap();
        (folder, run, runs)
    }

    #[test]
    fn a_report_is_kept_under_the_stamp_it_was_made_of() {
        let (_folder, run, runs) = one_run("first");
        let turn = lock(&runs.turn);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| runs.report("tune").unwrap());
            std::thread::sleep(std::time::Duration::from_millis(100));
            // It knows the old stamp by now, and waits for its turn.
            fs::write(run.join("report.html"), "second").unwrap();
            fs::write(run.join("trials.jsonl"), "{}\n").unwrap();
            drop(turn);
            assert_eq!(&*waits.join().unwrap(), "second");
        });
        let stamp = runs::summary(&run).unwrap().stamp;
        assert_eq!(runs.made("tune", stamp).as_deref(), Some("second"));
    }

    #[test]
    fn as_many_runs_are_listed_whatever_lies_beside_them() {
        let (folder, _, runs) = one_run("");
        for number in 0..MOST_RUNS + 50 {
            fs::write(folder.path().join(format!("file-{number}")), "").unwrap();
        }
        assert_eq!(runs.list().runs.len(), 1);
    }

    #[test]
    fn errors_do_not_tell_where_the_folder_is() {
        let (folder, run, runs) = one_run("");
        fs::rename(run.join("tuning.toml"), run.join("games.jsonl")).unwrap();
        fs::remove_file(run.join("report.html")).unwrap();
        fs::write(run.join("games.jsonl"), "nonsense\n").unwrap();
        let Err(Missing::Unreadable(told)) = runs.report("tune") else { panic!("it is nonsense") };
        assert!(told.starts_with("tune/games.jsonl, line 1: "), "{told}");
        let place = folder.path().file_name().unwrap().to_string_lossy().into_owned();
        assert!(!told.contains(&place), "{told}");
    }

    #[test]
    fn names_are_plain() {
        for good in ["a", "schadd2012-table1-quick", "c-uct10", "plot.svg", "a..b", "x=1,y"] {
            assert!(is_plain(good), "{good}");
        }
        let long = "a".repeat(200);
        for bad in
            ["", ".", "..", ".git", "a/b", "../a", "a\\b", "a\0", "C:", "a%2fb", "ä", " a", &long]
        {
            assert!(!is_plain(bad), "{bad:?}");
        }
        assert_eq!(kind_of("results.sqlite"), None);
        assert_eq!(kind_of("report"), None);
    }
}
