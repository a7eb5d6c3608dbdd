//! The live line on a terminal: best score, speed, time left, and how the
//! score came to be.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use solitree_core::{Budget, Counters, Event, Score};

use crate::output::{grouped, per_second, readable};

/// How many improvements the sparkline shows.
const SPARKS: usize = 16;

/// A line on standard error that is redrawn in place; nothing at all where
/// that is not a terminal.
pub struct Live {
    bar: Option<ProgressBar>,
    budget: Budget,
    best: Option<Score>,
    improvements: Vec<Score>,
}

impl Live {
    /// The line of a search; silent if not wanted.
    pub fn new(budget: &Budget, wanted: bool) -> Live {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Live { bar, budget: budget.clone(), best: None, improvements: Vec::new() }
    }

    /// Takes note of an event.
    pub fn see<M>(&mut self, event: &Event<'_, M>) {
        let (counters, elapsed) = match event {
            Event::NewBest { line, counters, elapsed } => {
                self.best = Some(line.score);
                self.improvements.push(line.score);
                (*counters, *elapsed)
            }
            Event::Progress { counters, elapsed }
            | Event::Insight { counters, elapsed, .. }
            | Event::Checkpoint { counters, elapsed } => (*counters, *elapsed),
            Event::Stopped { .. } => {
                if let Some(bar) = &self.bar {
                    bar.finish_and_clear();
                }
                return;
            }
        };
        if let Some(bar) = &self.bar {
            bar.set_message(self.text(counters, elapsed));
            bar.tick();
        }
    }

    fn text(&self, counters: Counters, elapsed: Duration) -> String {
        let best = self.best.map_or_else(|| "none yet".to_owned(), |score| grouped(score.0));
        let mut text = format!(
            "best {best}  {}  {} playouts/s",
            sparkline(&self.improvements),
            grouped(per_second(counters.playouts, elapsed)),
        );
        if let Some(left) = self.time_left(counters, elapsed) {
            text.push_str(&format!("  {} left", readable(left)));
        }
        text
    }

    /// How long the search will still take, by the limit that is nearest.
    fn time_left(&self, counters: Counters, elapsed: Duration) -> Option<Duration> {
        let by_time = self.budget.time.map(|time| time.saturating_sub(elapsed));
        let by_work = |limit: Option<u64>, done: u64| {
            let share = done as f64 / limit? as f64;
            (share > 0.0).then(|| elapsed.mul_f64(((1.0 - share) / share).clamp(0.0, 1e9)))
        };
        let nodes = by_work(self.budget.nodes, counters.spent);
        let playouts = by_work(self.budget.playouts, counters.playouts);
        [by_time, nodes, playouts].into_iter().flatten().min()
    }
}

/// The last improvements as a row of bars.
fn sparkline(scores: &[Score]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = &scores[scores.len().saturating_sub(SPARKS)..];
    let (Some(low), Some(high)) = (shown.first(), shown.last()) else { return String::new() };
    let range = (high.0 - low.0).max(1);
    shown.iter().map(|score| BARS[((score.0 - low.0) * 7 / range).clamp(0, 7) as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_rises_with_the_scores() {
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[Score(5)]), "▁");
        assert_eq!(sparkline(&[Score(0), Score(50), Score(100)]), "▁▄█");
        assert_eq!(sparkline(&vec![Score(1); 99]).chars().count(), SPARKS);
    }
}
