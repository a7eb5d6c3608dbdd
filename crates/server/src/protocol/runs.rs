//! Runs of the laboratory.

use serde::Serialize;
use solitree_lab::runs::{RunKind, RunSummary};

/// The runs that are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunList {
    /// Whether the server was given a folder of runs.
    pub served: bool,
    /// What is in it, the latest first.
    pub runs: Vec<RunInfo>,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunInfo {
    /// The name of its folder.
    pub name: String,
    /// What it is.
    pub kind: KindView,
    /// What it shows, in a line.
    pub title: String,
    /// Bytes of its results.
    pub bytes: u64,
    /// When they last changed: milliseconds since 1970.
    pub changed: u64,
}

/// A run and its files.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunView {
    /// What is known of it.
    #[serde(flatten)]
    pub run: RunInfo,
    /// The files that can be asked for.
    pub files: Vec<FileInfo>,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileInfo {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// What a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum KindView {
    /// An experiment.
    Experiment,
    /// A tuning.
    Tuning,
    /// A training.
    Training,
    /// A match.
    Match,
}

impl RunInfo {
    /// What is known of a folder.
    pub(crate) fn of(name: &str, summary: RunSummary) -> RunInfo {
        RunInfo {
            name: name.to_owned(),
            kind: match summary.kind {
                RunKind::Experiment => KindView::Experiment,
                RunKind::Tuning => KindView::Tuning,
                RunKind::Training => KindView::Training,
                RunKind::Match => KindView::Match,
            },
            title: summary.title,
            bytes: summary.stamp.bytes,
            changed: summary.stamp.changed,
        }
    }
}
