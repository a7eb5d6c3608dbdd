//! What an experiment found as a curve, and what was published beside it.

use super::analysis::Analysis;
use super::chart::{Chart, Curve, Point};
use crate::experiment::{Along, Cell, Measure};

/// The curve of an experiment; nothing where it has no axis.
#[must_use]
pub fn plot(analysis: &Analysis) -> Option<String> {
    let spec = &analysis.plan.spec;
    let plot = spec.plot.as_ref()?;
    let measure = *spec.measures.first()?;
    let chart = Chart {
        title: spec.title.clone(),
        across: plot.axis.clone(),
        upwards: measure.name().to_owned(),
        logarithmic: plot.logarithmic,
        curves: curves(analysis, plot.along, measure),
    };
    chart.svg()
}

fn curves(analysis: &Analysis, along: Along, measure: Measure) -> Vec<Curve> {
    let plan = &analysis.plan;
    let scale = &plan.spec.scales[&plan.scale];
    let rows = match along {
        Along::Budgets => plan.spec.settings.len(),
        Along::Settings => scale.budgets.len(),
    };
    let mut curves = Vec::new();
    for row in 0..rows {
        let (mut ours, mut published) = (Vec::new(), Vec::new());
        for cell in plan.cells() {
            let (of_row, x) = match along {
                Along::Budgets => (cell.setting == row, scale.budgets[cell.budget].at),
                Along::Settings => (cell.budget == row, plan.spec.settings[cell.setting].at),
            };
            let (true, Some(x)) = (of_row, x) else { continue };
            if let Some(summary) = analysis.summary(cell, measure) {
                ours.push(Point { x, y: summary.mean, interval: Some(summary.interval) });
            }
            published.extend(published_at(analysis, cell, measure, x));
        }
        let name = match along {
            Along::Budgets => &plan.spec.settings[row].name,
            Along::Settings => &scale.budgets[row].name,
        };
        for (points, is_ours) in [(ours, true), (published, false)] {
            if !points.is_empty() {
                let name = if is_ours { name.clone() } else { format!("{name}, published") };
                let mut points = points;
                points.sort_by(|one, other| one.x.total_cmp(&other.x));
                curves.push(Curve { name, points, ours: is_ours, colour: row });
            }
        }
    }
    curves
}

/// What was published of a cell, with its 95 % interval where it is known of how
/// many games.
fn published_at(analysis: &Analysis, cell: Cell, measure: Measure, x: f64) -> Option<Point> {
    let published = analysis.published(cell, measure)?;
    let y = published.mean?;
    let interval = published.error().map(|error| (y - 1.96 * error, y + 1.96 * error));
    Some(Point { x, y, interval })
}
