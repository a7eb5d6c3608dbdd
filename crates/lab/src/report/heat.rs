//! Which setting is good on which board: a row a setting, a column a board, the
//! darker the nearer to the best of the column.

use std::fmt::Write;

use super::analysis::Analysis;
use super::text::{escaped, grouped};
use crate::experiment::Measure;

/// Above this many boards a picture shows nothing.
const BOARDS: usize = 60;
const CELL: f64 = 16.0;
const NAMES: f64 = 260.0;

/// The picture of the first budget with several settings; nothing where there is
/// none, too many boards, or games instead.
#[must_use]
pub fn heat(analysis: &Analysis) -> Option<String> {
    let plan = &analysis.plan;
    if plan.spec.meet.is_some() {
        return None;
    }
    let instances = plan.instances(0);
    let cells: Vec<_> =
        plan.cells().filter(|cell| plan.instances(cell.budget) == instances).collect();
    if cells.len() < 2 || instances.len() < 2 || instances.len() > BOARDS {
        return None;
    }
    let rows: Vec<&[f64]> =
        cells.iter().map(|&cell| analysis.values(cell, Measure::Score)).collect();
    let width = NAMES + CELL * instances.len() as f64 + 8.0;
    let height = CELL * (rows.len() + 2) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\"><title>score by board, the darker the better</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{NAMES}\" y=\"11\">boards, the darker the nearer to the best of the column</text>\n"
    );
    for (row, (cell, values)) in cells.iter().zip(&rows).enumerate() {
        let y = CELL * (row + 1) as f64;
        let budget = plan.budgets()[cell.budget];
        let name = format!("{}, {budget}", plan.spec.settings[cell.setting].name);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            NAMES - 6.0,
            y + 12.0,
            escaped(&name)
        );
        for (column, &value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let known = rows.iter().map(|row| row[column]).filter(|value| !value.is_nan());
            let (low, high) = known
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
            let share = if high > low { (value - low) / (high - low) } else { 1.0 };
            // From pale to dark blue.
            let mix = |pale: f64, dark: f64| (pale + (dark - pale) * share).round();
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"rgb({},{},{})\">\
                 <title>{} on {}: {}</title></rect>",
                NAMES + CELL * column as f64,
                CELL - 1.0,
                CELL - 1.0,
                mix(239.0, 8.0),
                mix(243.0, 48.0),
                mix(255.0, 107.0),
                escaped(&name),
                escaped(&instances[column]),
                grouped(value, 0)
            );
        }
    }
    out.push_str("</svg>\n");
    Some(out)
}
