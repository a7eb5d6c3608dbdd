//! The parameters that are tuned, and how samples of them are drawn.

use serde::{Deserialize, Serialize};
use solitree_core::Rng;
use solitree_core::params::{ParamInfo, Range};

/// A parameter between two ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The parameter's key.
    pub key: String,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it is drawn by its logarithm.
    #[serde(default)]
    pub logarithmic: bool,
    /// Whether it is a whole number.
    #[serde(default)]
    pub whole: bool,
}

/// A Gaussian for each parameter, in the coordinates it is drawn in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// The means.
    pub means: Vec<f64>,
    /// The standard deviations.
    pub deviations: Vec<f64>,
}

impl Axis {
    /// Reads `KEY=LOW:HIGH`, with `:log` after it for a parameter that is drawn
    /// by its logarithm; without ends, those of the parameter's own range.
    pub fn parse(text: &str, table: &[ParamInfo]) -> Result<Axis, String> {
        let (key, ends) =
            text.split_once('=').map_or((text, None), |(key, ends)| (key, Some(ends)));
        let Some(info) = table.iter().find(|info| info.key == key) else {
            let keys = table.iter().map(|info| info.key);
            let hint = solitree_core::params::nearest(key, keys)
                .map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            return Err(format!("no parameter is called '{key}'{hint}"));
        };
        let (least, most, whole) = match info.range {
            Range::Real(low, high) => (low, high, false),
            Range::Count(low, high) => (low as f64, high as f64, true),
            Range::Flag | Range::Choice(_) | Range::WordOrFile(_) => {
                return Err(format!("'{key}' is not a number: it is {}", info.range));
            }
        };
        let mut parts = ends.map(|ends| ends.split(':')).into_iter().flatten();
        let mut end = |otherwise: f64| match parts.next() {
            None => Ok(otherwise),
            Some(part) => {
                part.parse::<f64>().ok().filter(|value| (least..=most).contains(value)).ok_or_else(
                    || format!("{text}: '{part}' is not in the range of '{key}', {}", info.range),
                )
            }
        };
        let (low, high) = (end(least)?, end(most)?);
        let logarithmic = match parts.next() {
            None => false,
            Some("log") => true,
            Some(other) => return Err(format!("{text}: '{other}' where only 'log' can stand")),
        };
        if low >= high || ends.is_some_and(|ends| !ends.contains(':')) || parts.next().is_some() {
            return Err(format!("{text}: expected KEY=LOW:HIGH or KEY=LOW:HIGH:log"));
        }
        if logarithmic && low <= 0.0 {
            return Err(format!("{text}: a logarithm needs ends above 0"));
        }
        Ok(Axis { key: key.to_owned(), low, high, logarithmic, whole })
    }

    /// The value of a coordinate, within the ends.
    #[must_use]
    pub fn value(&self, coordinate: f64) -> f64 {
        let value = if self.logarithmic { libm::exp(coordinate) } else { coordinate };
        value.clamp(self.low, self.high)
    }

    /// The same as text for the parameter.
    #[must_use]
    pub fn text(&self, coordinate: f64) -> String {
        let value = self.value(coordinate);
        if self.whole {
            return format!("{}", value.round());
        }
        // Six digits are more than any of them is known to.
        let shown: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        format!("{}", shown.clamp(self.low, self.high))
    }

    fn ends(&self) -> (f64, f64) {
        if self.logarithmic {
            (libm::log(self.low), libm::log(self.high))
        } else {
            (self.low, self.high)
        }
    }
}

impl Belief {
    /// What is believed at first (Chaslot et al., 2008): the middle, and half the
    /// distance between the ends.
    #[must_use]
    pub fn first(axes: &[Axis]) -> Belief {
        let ends: Vec<(f64, f64)> = axes.iter().map(Axis::ends).collect();
        Belief {
            means: ends.iter().map(|(low, high)| (low + high) / 2.0).collect(),
            deviations: ends.iter().map(|(low, high)| (high - low) / 2.0).collect(),
        }
    }

    /// Draws a sample; what falls outside of an axis is drawn again.
    #[must_use]
    pub fn draw(&self, axes: &[Axis], rng: &mut Rng) -> Vec<f64> {
        const TRIES: usize = 100;
        let coordinate = |(index, axis): (usize, &Axis)| {
            let (low, high) = axis.ends();
            let mut value = self.means[index];
            for _ in 0..TRIES {
                value = self.means[index] + self.deviations[index] * rng.normal();
                if (low..=high).contains(&value) {
                    break;
                }
            }
            value.clamp(low, high)
        };
        axes.iter().enumerate().map(coordinate).collect()
    }

    /// What is believed after seeing the best samples; a part of the old stays.
    #[must_use]
    pub fn after(&self, elite: &[&Vec<f64>], smoothing: f64) -> Belief {
        let mut next = self.clone();
        let count = elite.len().max(1) as f64;
        for axis in 0..self.means.len() {
            let mean = elite.iter().map(|sample| sample[axis]).sum::<f64>() / count;
            let squares: f64 = elite.iter().map(|sample| (sample[axis] - mean).powi(2)).sum();
            let deviation = (squares / count).sqrt();
            let mixed = |old: f64, new: f64| smoothing * old + (1.0 - smoothing) * new;
            next.means[axis] = mixed(self.means[axis], mean);
            next.deviations[axis] = mixed(self.deviations[axis], deviation);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<ParamInfo> {
        let info = |key, range| ParamInfo { key, range, default: String::new(), help: "" };
        vec![
            info("c", Range::Real(0.0, 100.0)),
            info("t", Range::Count(1, 50)),
            info("log", Range::Choice(&["ln", "log10"])),
        ]
    }

    #[test]
    fn axes_are_read_or_refused() {
        let axis = Axis::parse("c=0.1:10:log", &table()).unwrap();
        assert!(axis.logarithmic && !axis.whole && (axis.low, axis.high) == (0.1, 10.0));
        let whole = Axis::parse("t", &table()).unwrap();
        assert!(whole.whole && (whole.low, whole.high) == (1.0, 50.0));
        assert_eq!(whole.text(12.6), "13");
        for (text, expected) in [
            ("cc=1:2", "did you mean 'c'"),
            ("c=2:1", "expected KEY=LOW:HIGH"),
            ("c=1", "expected KEY=LOW:HIGH"),
            ("c=0:1:log", "above 0"),
            ("c=0:101", "'101'"),
            ("c=0:1:lin", "'lin'"),
            ("log=1:2", "not a number"),
        ] {
            let error = Axis::parse(text, &table()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn the_method_finds_the_top_of_a_hill() {
        let axes = [
            Axis::parse("c=0.01:100:log", &table()).unwrap(),
            Axis::parse("t=1:50", &table()).unwrap(),
        ];
        let height =
            |sample: &[f64]| -(sample[0] - 1.0).powi(2) - (sample[1] - 20.0).powi(2) / 50.0;
        let mut belief = Belief::first(&axes);
        for iteration in 0..12 {
            let mut rng = Rng::stream(1, iteration);
            let mut samples: Vec<Vec<f64>> =
                (0..60).map(|_| belief.draw(&axes, &mut rng)).collect();
            samples.sort_by(|one, other| height(other).total_cmp(&height(one)));
            belief = belief.after(&samples.iter().take(6).collect::<Vec<_>>(), 0.2);
        }
        assert!((belief.means[0] - 1.0).abs() < 0.1 && (belief.means[1] - 20.0).abs() < 1.0);
        assert_eq!(axes[1].text(belief.means[1]), "20");
    }
}
