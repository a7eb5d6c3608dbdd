//! The verdicts of an experiment as data, and all of its report as files.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Analysis, Judgement, Report};
use crate::Failure;
use crate::experiment::Folder;
use crate::journal::write_whole;
use crate::store::export_sqlite;

/// The verdicts of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// The experiment.
    pub name: String,
    /// The scale it was run at.
    pub scale: String,
    /// What the results say to each claim.
    pub judgements: Vec<Judgement>,
}

impl Findings {
    /// The verdicts of a report.
    #[must_use]
    pub fn of(analysis: &Analysis, report: &Report) -> Findings {
        Findings {
            name: report.name.clone(),
            scale: analysis.plan.scale.clone(),
            judgements: report.judgements.clone(),
        }
    }

    /// As text; the same verdicts give the same bytes.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Writes a report into the folder of its results: `report.md`, `report.html`,
/// `plot.svg`,
/// `heat.svg`, `verdicts.json` and `results.sqlite`.
pub fn write(analysis: &Analysis, report: &Report, folder: &Folder) -> Result<()> {
    let save = |name: &str, text: &str| {
        let path = folder.path().join(name);
        write_whole(&path, text).map_err(|error| failed(&path, &error))
    };
    save("report.md", &report.markdown())?;
    save("report.html", &report.html())?;
    for (name, picture) in [("plot.svg", &report.plot), ("heat.svg", &report.heat)] {
        if let Some(picture) = picture {
            save(name, picture)?;
        }
    }
    save("verdicts.json", &Findings::of(analysis, report).text())?;
    export_sqlite(&analysis.plan, folder, &folder.path().join("results.sqlite"))
}

fn failed(path: &Path, error: &std::io::Error) -> anyhow::Error {
    Failure::input(format!("{}: {error}", path.display()))
}
