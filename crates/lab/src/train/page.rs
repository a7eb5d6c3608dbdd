//! A training as a page: scores, losses and how often the policy is right.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::{Baseline, Generation, Mean, Training};
use crate::Failure;
use crate::journal::write_whole;
use crate::report::{Chart, Curve, Point, escaped, page};

/// Writes `report.html` into the folder of a training: at its beginning, and anew after
/// each generation.
pub(super) fn write(
    (training, command): (&Training, &str),
    baseline: &Baseline,
    done: &[Generation],
    folder: &Path,
) -> Result<()> {
    let path = folder.join("report.html");
    write_whole(&path, &html(training, command, baseline, done))
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

fn html(training: &Training, command: &str, baseline: &Baseline, done: &[Generation]) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p>{} of {} generations, {} games each.</p>\n<pre class=\"wide\">{}</pre>\n",
        escaped(&training.title()),
        done.len(),
        training.generations,
        training.runs,
        escaped(command)
    );
    let policy = scores(
        done,
        "mean score of the policy alone, at generation 0 of moves at random",
        ("the policy alone", baseline.random(), |step| step.policy),
    );
    let search = scores(
        done,
        "mean score of the search, at generation 0 without a policy",
        ("the search", baseline.search(), |step| step.search),
    );
    let losses = chart(
        done,
        ("loss of the epoch that was kept", "cross entropy"),
        &[("learning", |step| step.loss.0), ("validation", |step| step.loss.1)],
    );
    let accuracy = chart(
        done,
        ("how often the likeliest move is the one to learn", "%"),
        &[("validation", |step| 100.0 * step.accuracy)],
    );
    for chart in [policy, search, losses, accuracy] {
        if let Some(svg) = chart.svg() {
            let title = escaped(&chart.title);
            let _ = writeln!(body, "<figure><figcaption>{title}</figcaption>{svg}</figure>");
        }
    }
    page("Training", &body)
}

/// A curve of scores with standard errors, from before the first generation on.
fn scores(
    done: &[Generation],
    title: &str,
    (name, before, of): (&str, Mean, fn(&Generation) -> Mean),
) -> Chart {
    let point = |(number, (mean, error)): (u64, Mean)| {
        let interval = Some((mean - error, mean + error));
        Point { x: number as f64, y: mean, interval }
    };
    let later = done.iter().map(|step| (step.number, of(step)));
    let points = std::iter::once((0, before)).chain(later).map(point).collect();
    Chart {
        title: title.to_owned(),
        across: "generation".to_owned(),
        upwards: "score".to_owned(),
        logarithmic: false,
        curves: vec![Curve { name: name.to_owned(), points, ours: true, colour: 0 }],
    }
}

/// A name and a value.
type Series = (&'static str, fn(&Generation) -> f64);

fn chart(done: &[Generation], (title, upwards): (&str, &str), series: &[Series]) -> Chart {
    let curve = |(colour, (name, of)): (usize, &Series)| {
        let point =
            |step: &Generation| Point { x: step.number as f64, y: of(step), interval: None };
        let points = done.iter().map(point).collect();
        Curve { name: (*name).to_owned(), points, ours: true, colour }
    };
    Chart {
        title: title.to_owned(),
        across: "generation".to_owned(),
        upwards: upwards.to_owned(),
        logarithmic: false,
        curves: series.iter().enumerate().map(curve).collect(),
    }
}
