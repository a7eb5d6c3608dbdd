//! Curves as SVG, drawn by hand: a few shapes, no font metrics, and the same
//! bytes everywhere.

use std::fmt::Write;

use super::text::{escaped, grouped};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 50.0;

/// Okabe and Ito's colours, told apart by everyone.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// A point with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Along the axis.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// What else it might be.
    pub interval: Option<(f64, f64)>,
}

/// A named row of points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it is called.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<Point>,
    /// Ours are filled and joined by a line; others are hollow, on dashes.
    pub ours: bool,
    /// Which of the colours.
    pub colour: usize,
}

/// Curves in one frame.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What is along the axis.
    pub across: String,
    /// What is upwards.
    pub upwards: String,
    /// Whether the axis is logarithmic.
    pub logarithmic: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// As SVG; nothing if there is no point.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let scale = |x: f64| if self.logarithmic { x.max(1e-12).log10() } else { x };
        let (low_x, high_x) = extent(points().map(|point| scale(point.x)))?;
        let heights = points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [low, high, point.y]
        });
        let (low_y, high_y) = extent(heights)?;
        let steps = ticks(low_y, high_y);
        let (low_y, high_y) = (steps[0].min(low_y), steps[steps.len() - 1].max(high_y));
        let frame = Frame { low_x, high_x, low_y, high_y };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\"><title>{}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n",
            escaped(&self.title)
        );
        axes(&mut out, &frame, &steps, &self.upwards, &self.across);
        let mut marks: Vec<f64> = points().map(|point| point.x).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        for x in marks {
            let at = frame.x(scale(x));
            let _ = writeln!(
                out,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - BOTTOM + 18.0,
                short(x)
            );
        }
        for (index, curve) in self.curves.iter().enumerate() {
            draw(&mut out, &frame, curve, index, scale);
        }
        out.push_str("</svg>\n");
        Some(out)
    }
}

/// Where data comes to lie.
struct Frame {
    low_x: f64,
    high_x: f64,
    low_y: f64,
    high_y: f64,
}

impl Frame {
    fn x(&self, x: f64) -> f64 {
        let share = if self.high_x > self.low_x {
            (x - self.low_x) / (self.high_x - self.low_x)
        } else {
            0.5
        };
        LEFT + 12.0 + share * (WIDTH - LEFT - RIGHT - 24.0)
    }

    fn y(&self, y: f64) -> f64 {
        let share = (y - self.low_y) / (self.high_y - self.low_y).max(1e-12);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

fn axes(out: &mut String, frame: &Frame, steps: &[f64], upwards: &str, across: &str) {
    for &step in steps {
        let y = frame.y(step);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            short(step)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
        HEIGHT - 10.0,
        escaped(across),
        TOP + (HEIGHT - TOP - BOTTOM) / 2.0,
        escaped(upwards)
    );
}

fn draw(out: &mut String, frame: &Frame, curve: &Curve, index: usize, scale: impl Fn(f64) -> f64) {
    let colour = COLOURS[curve.colour % COLOURS.len()];
    let at = |point: &Point| (frame.x(scale(point.x)), frame.y(point.y));
    let path: Vec<String> = curve
        .points
        .iter()
        .map(|point| {
            let (x, y) = at(point);
            format!("{x:.1} {y:.1}")
        })
        .collect();
    let dashes = if curve.ours { "" } else { " stroke-dasharray=\"4 4\"" };
    let _ = writeln!(
        out,
        "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
        path.join("L")
    );
    let fill = if curve.ours { colour } else { "#fff" };
    for point in &curve.points {
        let (x, y) = at(point);
        if let Some((low, high)) = point.interval {
            let (low, high) = (frame.y(low), frame.y(high));
            let _ = writeln!(out, "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\"/>");
        }
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\" \
             stroke-width=\"1.5\"><title>{}: {}</title></circle>",
            escaped(&curve.name),
            grouped(point.y, 1)
        );
    }
    let y = TOP + 14.0 + 20.0 * index as f64;
    let x = WIDTH - RIGHT + 14.0;
    let _ = writeln!(
        out,
        "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\" \
         stroke-width=\"1.5\"/><text x=\"{}\" y=\"{y:.1}\">{}</text>",
        y - 4.0,
        x + 12.0,
        escaped(&curve.name)
    );
}

fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut range: Option<(f64, f64)> = None;
    for value in values.filter(|value| value.is_finite()) {
        let (low, high) = range.unwrap_or((value, value));
        range = Some((low.min(value), high.max(value)));
    }
    range
}

/// Round numbers that cover a range.
pub(super) fn ticks(low: f64, high: f64) -> Vec<f64> {
    let span = (high - low).max(low.abs() * 0.01).max(1e-9);
    let raw = span / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|&factor| factor * power >= raw);
    let step = step.unwrap_or(10.0) * power;
    let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    (first..=last.max(first + 1)).map(|tick| tick as f64 * step).collect()
}

/// A number in few characters.
pub(super) fn short(value: f64) -> String {
    let magnitude = value.abs();
    let trimmed = |number: f64, unit: &str| {
        let text = format!("{number:.2}");
        format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match magnitude {
        m if m >= 1e6 => trimmed(value / 1e6, "M"),
        m if m >= 1e4 => trimmed(value / 1e3, "k"),
        _ => trimmed(value, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(
            ticks(2_197.0, 3_038.0),
            [2_000.0, 2_200.0, 2_400.0, 2_600.0, 2_800.0, 3_000.0, 3_200.0]
        );
        let flat = ticks(5.0, 5.0);
        assert!(flat[0] <= 5.0 && flat[flat.len() - 1] >= 5.0 && flat.len() >= 2, "{flat:?}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [short(2_500_000.0), short(50_000.0), short(1_500.0), short(0.5)],
            ["2.5M", "50k", "1500", "0.5"]
        );
    }
}
