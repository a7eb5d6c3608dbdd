//! Estimates with their intervals, a row each, as SVG.

use std::fmt::Write;

use super::chart::{short, ticks};
use super::text::{escaped, grouped};

const NAMES: f64 = 260.0;
const WIDTH: f64 = 720.0;
const ROW: f64 = 26.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 46.0;
/// Longer names are cut.
const LONGEST_NAME: usize = 38;

/// Named estimates in one frame.
#[derive(Clone, Debug)]
pub struct Whiskers {
    /// What it shows.
    pub title: String,
    /// What is along the axis.
    pub across: String,
    /// From the top.
    pub rows: Vec<Whisker>,
}

/// An estimate and what else it might be.
#[derive(Clone, Debug)]
pub struct Whisker {
    /// What it is of.
    pub name: String,
    /// The estimate.
    pub value: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

impl Whiskers {
    /// As SVG; nothing without rows, or with one that is no number.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let ends = || self.rows.iter().flat_map(|row| [row.value, row.interval.0, row.interval.1]);
        if self.rows.is_empty() || !ends().all(f64::is_finite) {
            return None;
        }
        let (low, high) = ends().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        let steps = ticks(low, high);
        let (low, high) = (steps[0].min(low), steps[steps.len() - 1].max(high));
        let x = |value: f64| NAMES + (value - low) / (high - low) * (WIDTH - NAMES - 30.0);
        let bottom = TOP + ROW * self.rows.len() as f64;
        let height = bottom + BOTTOM;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\"><title>{}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
            escaped(&self.title)
        );
        for step in steps {
            let at = x(step);
            let _ = writeln!(
                out,
                "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                short(step)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            NAMES + (WIDTH - NAMES) / 2.0,
            bottom + 36.0,
            escaped(&self.across)
        );
        for (index, row) in self.rows.iter().enumerate() {
            let y = TOP + ROW * (index as f64 + 0.5);
            let (from, to) = row.interval;
            let whole = format!(
                "{}: {} ({} to {})",
                row.name,
                grouped(row.value, 0),
                grouped(from, 0),
                grouped(to, 0)
            );
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#0072b2\" stroke-width=\"2\"/>\
                 <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#0072b2\"><title>{}</title></circle>",
                NAMES - 14.0,
                y + 4.0,
                escaped(&cut(&row.name)),
                x(from),
                x(to),
                x(row.value),
                escaped(&whole)
            );
        }
        out.push_str("</svg>\n");
        Some(out)
    }
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_where_they_belong() {
        let row = |name: &str, value: f64, half: f64| Whisker {
            name: name.to_owned(),
            value,
            interval: (value - half, value + half),
        };
        let rows = vec![row("<one>", 100.0, 50.0), row(&"long ".repeat(20), 0.0, 0.0)];
        let mut chart = Whiskers { title: "t".into(), across: "Elo".into(), rows };
        let svg = chart.svg().unwrap();
        assert!(svg.contains("&lt;one&gt;: 100 (50 to 150)") && svg.contains('…'), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
        chart.rows[0].value = f64::INFINITY;
        assert_eq!(chart.svg(), None);
        chart.rows.clear();
        assert_eq!(chart.svg(), None);
    }
}
