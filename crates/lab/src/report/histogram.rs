//! How often each number occurs, as SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::chart::{short, ticks};
use super::text::escaped;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 50.0;
/// More bars than this are joined.
const BARS: u64 = 48;

/// How often each number occurs.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// What it shows.
    pub title: String,
    /// What is along the axis.
    pub across: String,
    /// What is upwards.
    pub upwards: String,
    /// How often each number occurs.
    pub counts: BTreeMap<u64, u64>,
}

impl Histogram {
    /// As SVG; nothing if there are no numbers.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let (&low, &high) = (self.counts.keys().next()?, self.counts.keys().next_back()?);
        let width = (high - low) / BARS + 1;
        let bars = (high - low) / width + 1;
        let mut heights = vec![0u64; bars as usize];
        for (number, count) in &self.counts {
            heights[((number - low) / width) as usize] += count;
        }
        let steps = ticks(0.0, heights.iter().copied().max().unwrap_or(0) as f64);
        let most = steps[steps.len() - 1];
        let y = |count: f64| HEIGHT - BOTTOM - count / most * (HEIGHT - TOP - BOTTOM);
        let each = (WIDTH - LEFT - RIGHT) / bars as f64;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"12\"><title>{}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n",
            escaped(&self.title)
        );
        for step in steps.into_iter().filter(|step| step.fract() == 0.0) {
            let at = y(step);
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                at + 4.0,
                short(step)
            );
        }
        // A label for every fifth bar or so.
        let labelled = (bars / 10 + 1) as usize;
        for (index, &count) in heights.iter().enumerate() {
            let (first, x) = (low + index as u64 * width, LEFT + each * index as f64);
            let last = first.saturating_add(width - 1);
            let name = if width == 1 { first.to_string() } else { format!("{first} to {last}") };
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#0072b2\">\
                 <title>{name}: {count}</title></rect>",
                x + each * 0.1,
                y(count as f64),
                each * 0.8,
                HEIGHT - BOTTOM - y(count as f64)
            );
            if index % labelled == 0 {
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{first}</text>",
                    x + each / 2.0,
                    HEIGHT - BOTTOM + 18.0
                );
            }
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.across),
            TOP + (HEIGHT - TOP - BOTTOM) / 2.0,
            escaped(&self.upwards)
        );
        out.push_str("</svg>\n");
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[(u64, u64)]) -> Option<String> {
        let counts = counts.iter().copied().collect();
        let (title, across, upwards) = ("t".into(), "moves".into(), "games".into());
        Histogram { title, across, upwards, counts }.svg()
    }

    #[test]
    fn every_number_is_in_a_bar() {
        assert_eq!(of(&[]), None);
        let svg = of(&[(7, 3), (9, 1)]).unwrap();
        for bar in ["7: 3", "8: 0", "9: 1"] {
            assert!(svg.contains(&format!("<title>{bar}</title>")), "{svg}");
        }
        let svg = of(&[(0, 1), (1, 1), (95, 5), (96, 2)]).unwrap();
        for bar in ["0 to 2: 2", "93 to 95: 5", "96 to 98: 2"] {
            assert!(svg.contains(&format!("<title>{bar}</title>")), "{svg}");
        }
        assert!(of(&[(u64::MAX, 1), (0, 1)]).is_some());
    }
}
