//! A tuning as a page: the score, and how each parameter settles.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::{Iteration, Tuning};
use crate::Failure;
use crate::journal::write_whole;
use crate::report::{Chart, Curve, Point, escaped, page};

/// Writes `report.html` into the folder of a tuning, anew after each iteration.
pub(super) fn write(tuning: &Tuning, iterations: &[Iteration], folder: &Path) -> Result<()> {
    let path = folder.join("report.html");
    write_whole(&path, &html(tuning, iterations))
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

fn html(tuning: &Tuning, iterations: &[Iteration]) -> String {
    let mut body = format!(
        "<h1>Tuning {}</h1>\n<p>{} samples, {} of them elite, {} {}; {} of {} iterations.</p>\n",
        escaped(&tuning.algorithm),
        tuning.samples,
        tuning.elite,
        tuning.boards,
        match &tuning.opponent {
            Some(opponent) => format!("pairs of games against {}", escaped(opponent)),
            None => format!("boards of {}", escaped(&tuning.size)),
        },
        iterations.len(),
        tuning.iterations
    );
    let fitness = |name: &str, colour, of: fn(&Iteration) -> f64| Curve {
        name: name.to_owned(),
        points: iterations.iter().map(|step| point(step, of(step), None)).collect(),
        ours: true,
        colour,
    };
    let scores = Chart {
        title: "mean score of an iteration".to_owned(),
        across: "iteration".to_owned(),
        upwards: "score".to_owned(),
        logarithmic: false,
        curves: vec![
            fitness("elite", 0, |step| step.fitness.0),
            fitness("all", 1, |step| step.fitness.1),
        ],
    };
    let parameters = tuning.axes.iter().enumerate().map(|(index, axis)| {
        let points = iterations.iter().map(|step| {
            let (mean, deviation) = (step.belief.means[index], step.belief.deviations[index]);
            let range = (axis.value(mean - deviation), axis.value(mean + deviation));
            point(step, axis.value(mean), Some(range))
        });
        let name = format!("{}: mean, one deviation each way", axis.key);
        Chart {
            title: name.clone(),
            across: "iteration".to_owned(),
            upwards: axis.key.clone(),
            logarithmic: false,
            curves: vec![Curve {
                name: axis.key.clone(),
                points: points.collect(),
                ours: true,
                colour: index,
            }],
        }
    });
    for chart in std::iter::once(scores).chain(parameters) {
        if let Some(svg) = chart.svg() {
            let _ = writeln!(body, "<figure>{svg}</figure>");
        }
    }
    page("Tuning", &body)
}

fn point(step: &Iteration, y: f64, interval: Option<(f64, f64)>) -> Point {
    Point { x: step.number as f64, y, interval }
}
