//! Which runs there are, by which variant each, and how long.

use serde::{Deserialize, Serialize};
use solitree_core::Score;

use super::AnnealConfig;

/// Changes in a run where no limit is known, and how much longer the next one is.
const UNLIMITED: f64 = 100_000.0;
const LONGER: f64 = 1.5;

/// How long a run is, and how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Span {
    /// From one share of the budget to another.
    Share { begin: f64, end: f64 },
    /// So many changes, of which some are done.
    Changes { done: u64, all: u64 },
}

impl Span {
    /// How much of it is over, from 0 to 1, with this share of the budget used.
    pub(super) fn passed(&self, used: f64) -> f64 {
        match *self {
            Span::Share { begin, end } if used < end => ((used - begin) / (end - begin)).max(0.0),
            Span::Share { .. } => 1.0,
            Span::Changes { done, all } => done as f64 / all as f64,
        }
    }

    /// Whether it is over. What the whole budget is for never is.
    pub(super) fn is_over(&self, used: f64) -> bool {
        match *self {
            Span::Share { end, .. } => end < 1.0 && used >= end,
            Span::Changes { done, all } => done >= all,
        }
    }

    /// Counts changes.
    pub(super) fn count(&mut self, changes: u64) {
        if let Span::Changes { done, .. } = self {
            *done += changes;
        }
    }
}

/// The runs of one worker.
pub(super) struct Schedule {
    /// Which of how many workers.
    pub(super) worker: (u64, u64),
    /// How many variants there are.
    pub(super) variants: u64,
}

impl Schedule {
    /// Runs of this worker by which variants are tried, so that together the workers try
    /// each once at least. Where there is one variant, or no time for it, none.
    fn tries(&self, config: &AnnealConfig) -> u64 {
        if self.variants > 1 && config.first > 0.0 {
            self.variants.div_ceil(self.worker.1)
        } else {
            0
        }
    }

    /// The variant of a run by its number. Those that have shown themselves the best take
    /// turns, each half as often as the one before it, and more than one at a time where
    /// there are several workers.
    pub(super) fn variant(&self, number: u64, scores: &[Score], config: &AnnealConfig) -> usize {
        let (worker, workers) = self.worker;
        let tries = self.tries(config);
        if number < tries {
            return ((worker + workers * number) % self.variants) as usize;
        }
        let turn = worker + workers * (number - tries);
        let rank = u64::from((turn + 1).trailing_zeros()) % self.variants;
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by_key(|&variant| std::cmp::Reverse(scores[variant]));
        order[rank as usize]
    }

    /// How long a run is that begins now. Tries are equally long, and so are the runs after
    /// them; where no limit is known, each of these is longer than the one before it.
    pub(super) fn span(
        &self,
        number: u64,
        (used, limited): (f64, bool),
        config: &AnnealConfig,
    ) -> Span {
        let tries = self.tries(config);
        let after = (number + 1).saturating_sub(tries);
        if !limited {
            let all = UNLIMITED * libm::pow(LONGER, after as f64);
            return Span::Changes { done: 0, all: all as u64 };
        }
        let first = if tries > 0 { config.first } else { 0.0 };
        let end = if after == 0 {
            first * (number + 1) as f64 / tries as f64
        } else if after < config.runs {
            first + (1.0 - first) * after as f64 / config.runs as f64
        } else {
            1.0
        };
        Span::Share { begin: used.min(end), end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [Score; 5] = [Score(10), Score(50), Score(30), Score(40), Score(20)];

    fn runs(worker: (u64, u64), config: &AnnealConfig, many: u64) -> Vec<(usize, f64)> {
        let schedule = Schedule { worker, variants: 5 };
        let run = |number| {
            let variant = schedule.variant(number, &SCORES, config);
            match schedule.span(number, (0.0, true), config) {
                Span::Share { end, .. } => (variant, (end * 1000.0).round()),
                Span::Changes { .. } => panic!("a limit is known"),
            }
        };
        (0..many).map(run).collect()
    }

    #[test]
    fn every_variant_is_tried_and_the_best_has_the_rest() {
        let config = AnnealConfig::default();
        let alone = [(0, 60.0), (1, 120.0), (2, 180.0), (3, 240.0), (4, 300.0), (1, 1000.0)];
        assert_eq!(runs((0, 1), &config, 6), alone);
        assert_eq!(runs((0, 2), &config, 4), [(0, 100.0), (2, 200.0), (4, 300.0), (1, 1000.0)]);
        assert_eq!(runs((1, 2), &config, 4), [(1, 100.0), (3, 200.0), (0, 300.0), (3, 1000.0)]);
        assert_eq!(runs((5, 8), &config, 2), [(0, 300.0), (3, 1000.0)]);
    }

    #[test]
    fn the_best_take_turns() {
        let config = AnnealConfig { first: 0.0, runs: 4, ..AnnealConfig::default() };
        assert_eq!(runs((0, 1), &config, 4), [(1, 250.0), (3, 500.0), (1, 750.0), (2, 1000.0)]);
    }

    #[test]
    fn without_a_limit_runs_get_longer() {
        let schedule = Schedule { worker: (0, 1), variants: 2 };
        let config = AnnealConfig::default();
        let all = |number| match schedule.span(number, (0.0, false), &config) {
            Span::Changes { all, .. } => all,
            Span::Share { .. } => panic!("no limit is known"),
        };
        assert_eq!([all(0), all(1), all(2), all(3)], [100_000, 100_000, 150_000, 225_000]);
    }

    #[test]
    fn the_last_run_lasts_to_the_end() {
        let span = Span::Share { begin: 0.5, end: 1.0 };
        assert_eq!((span.passed(0.75), span.passed(1.0), span.is_over(1.0)), (0.5, 1.0, false));
        let span = Span::Share { begin: 0.0, end: 0.25 };
        assert_eq!((span.is_over(0.2), span.is_over(0.25)), (false, true));
    }
}
