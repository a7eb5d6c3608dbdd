//! Choosing a move: normalisation, virtual loss, and the formulas.

use std::sync::Mutex;

use super::amaf::{Blend, Table};
use super::config::{Growth, ParallelMctsConfig, SelectionRule};
use super::node::{Below, Node};

/// The settings that selection needs, ready to use.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    rule: SelectionRule,
    c: f64,
    virtual_loss: f64,
    growth: Growth,
    widening: (f64, f64),
    unpruning: (usize, f64, f64),
    blend: Blend,
    /// The weight of the best playout in a value.
    pub(super) top_share: f64,
    /// Whether sums of squares are kept.
    pub(super) squares: bool,
}

impl Formula {
    pub(super) fn new(config: &ParallelMctsConfig) -> Formula {
        Formula {
            rule: config.formula,
            c: config.c,
            virtual_loss: config.virtual_loss,
            growth: config.growth,
            widening: (config.widening_c, config.widening_a),
            unpruning: (config.unpruning_k as usize, config.unpruning_a, config.unpruning_b),
            blend: Blend::new(config),
            top_share: config.top_share(),
            squares: config.formula == SelectionRule::Ucb1Tuned,
        }
    }

    /// How many moves may be chosen after so many visits.
    pub(super) fn window(&self, visits: u32) -> usize {
        let visits = f64::from(visits);
        match self.growth {
            Growth::All => usize::MAX,
            Growth::Widening => {
                let (c, a) = self.widening;
                ((c * libm::pow(visits, a)).ceil() as usize).max(1)
            }
            Growth::Unpruning => {
                let (k, a, b) = self.unpruning;
                if visits < a { k } else { k + 1 + (libm::log(visits / a) / libm::log(b)) as usize }
            }
        }
    }

    /// The value of a move less its virtual loss, if it has one.
    #[inline]
    fn lossy(&self, value: Option<f64>, pending: u32) -> f64 {
        match value {
            Some(value) => value - self.virtual_loss * f64::from(pending) * value.abs(),
            None => f64::NAN,
        }
    }

    /// The move to go on with: an index into the edges, or `None` if all are
    /// closed. Of equals, the first.
    pub(super) fn select<M>(
        &self,
        node: &Node<M>,
        below: &Below<M>,
        reference: Option<&Mutex<Table>>,
        open: &mut Vec<Open>,
    ) -> Option<usize> {
        let visits = node.visits();
        let amaf = reference.and_then(|table| table.lock().ok());
        let scale = self.survey(visits, below, amaf.as_deref(), open);
        let share = self.share(visits);
        let tried = |visits: f64| visits > 0.0 || amaf.is_some();
        match self.rule {
            SelectionRule::Puct if below.priors.is_empty() => {
                let share = share / below.edges.len() as f64;
                most(open, |open| scale.norm(open.value) + share / (1.0 + open.visits))
            }
            SelectionRule::Puct => most(open, |open| {
                let prior = f64::from(below.priors[open.index]);
                scale.norm(open.value) + share * prior / (1.0 + open.visits)
            }),
            SelectionRule::Ucb1 => most(open, |open| {
                let bound = self.c * (share / open.visits.max(1.0)).sqrt();
                if tried(open.visits) { scale.unit(open.value) + bound } else { f64::MAX }
            }),
            SelectionRule::Ucb1Tuned => most(open, |open| {
                let share = share / open.visits.max(1.0);
                let spread = below.edges[open.index].variance() / scale.width_squared();
                let bound = self.c * (share * (spread + (2.0 * share).sqrt()).min(0.25)).sqrt();
                if tried(open.visits) { scale.unit(open.value) + bound } else { f64::MAX }
            }),
        }
    }

    /// Lists the moves that may be chosen, and the range of their values.
    #[inline]
    fn survey<M>(
        &self,
        visits: u32,
        below: &Below<M>,
        amaf: Option<&Table>,
        open: &mut Vec<Open>,
    ) -> Scale {
        let first = below.first();
        let window = self.window(visits);
        let touched = below.touched();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        open.clear();
        for (index, edge) in below.edges.iter().enumerate() {
            if edge.is_closed() {
                continue;
            }
            if open.len() == window {
                break;
            }
            let (done, pending) = (edge.done(), edge.pending());
            let mut value = edge.value().or(first);
            if let Some(table) = amaf
                && let Some(entry) = table.get(below.slots[index])
            {
                value = Some(self.blend.value(value, done, entry));
            }
            let value = self.lossy(value, pending);
            // What is not a number is neither.
            if value < low {
                low = value;
            }
            if value > high {
                high = value;
            }
            open.push(Open { value, visits: f64::from(done.saturating_add(pending)), index });
            // The others are just like this one.
            if index >= touched {
                break;
            }
        }
        Scale::new(low, high)
    }

    /// What of the exploration term is the same for all moves.
    fn share(&self, visits: u32) -> f64 {
        let visits = f64::from(visits.max(1));
        match self.rule {
            SelectionRule::Puct => self.c * visits.sqrt(),
            // Not the system's: that may differ in the last bit elsewhere.
            _ => libm::log(visits),
        }
    }
}

/// A move that may be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Its value less the virtual loss; not a number if nothing is known.
    value: f64,
    visits: f64,
    index: usize,
}

/// The index of the move with the highest bound; of equals, the first.
#[inline(always)]
fn most(open: &[Open], bound: impl Fn(&Open) -> f64) -> Option<usize> {
    let (mut best, mut most) = (None, f64::NEG_INFINITY);
    for open in open {
        let bound = bound(open);
        if bound > most {
            (best, most) = (Some(open.index), bound);
        }
    }
    best
}

/// Max-min normalisation, local to a position.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: f64,
    high: f64,
    /// Two over the width.
    factor: f64,
}

impl Scale {
    fn new(low: f64, high: f64) -> Scale {
        Scale { low, high, factor: 2.0 / (high - low) }
    }

    /// A value in [-1, 1]; 1 if nothing is known or all are equal.
    #[inline]
    fn norm(self, value: f64) -> f64 {
        if value.is_nan() || self.high <= self.low {
            1.0
        } else {
            self.factor * (value - self.low) - 1.0
        }
    }

    /// The same in [0, 1].
    fn unit(self, value: f64) -> f64 {
        (self.norm(value) + 1.0) / 2.0
    }

    fn width_squared(self) -> f64 {
        let width = self.high - self.low;
        if width > 0.0 { width * width } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use solitree_core::Score;

    use super::*;

    fn position(plays: &[&[i64]]) -> Node<u16> {
        let root = Node::new(0);
        let edges: Box<[Node<u16>]> = (0..plays.len() as u16).map(Node::new).collect();
        for (edge, scores) in edges.iter().zip(plays) {
            for &score in *scores {
                edge.update(Score(score), 0.0, true);
                root.update(Score(score), 0.0, true);
            }
        }
        root.below.set(Box::new(Below::new(edges))).unwrap();
        root
    }

    fn choice(root: &Node<u16>, config: &ParallelMctsConfig) -> Option<usize> {
        Formula::new(config).select(root, root.below.get().unwrap(), None, &mut Vec::new())
    }

    #[test]
    fn values_are_scaled_between_the_least_and_the_greatest() {
        let scale = Scale::new(100.0, 300.0);
        assert_eq!([100.0, 200.0, 300.0].map(|value| scale.norm(value)), [-1.0, 0.0, 1.0]);
        assert_eq!(Scale::new(5.0, 5.0).norm(5.0), 1.0, "equal: optimistic");
        assert_eq!(scale.norm(f64::NAN), 1.0, "unknown: optimistic");
        let none = Scale::new(f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(none.norm(f64::NAN), 1.0);
    }

    #[test]
    fn virtual_loss_is_relative_to_the_value() {
        let formula = Formula::new(&ParallelMctsConfig::default());
        assert_eq!(formula.lossy(Some(200.0), 3), 194.0);
        assert_eq!(formula.lossy(Some(-200.0), 3), -206.0, "a loss for negative values too");
        assert_eq!(formula.lossy(Some(200.0), 0), 200.0);
        assert!(formula.lossy(None, 3).is_nan());
    }

    #[test]
    fn puct_selects_what_the_paper_says() {
        let config = ParallelMctsConfig { c: 3.0, ..ParallelMctsConfig::default() };
        let plays: [&[i64]; 4] = [&[100, 120, 80], &[150, 170], &[90, 90, 90, 200, 10], &[10]];
        let root = position(&plays);
        let means: Vec<f64> =
            plays.iter().map(|p| p.iter().sum::<i64>() as f64 / p.len() as f64).collect();
        let (low, high) = (10.0, 160.0);
        let bound = |i: usize| {
            2.0 * (means[i] - low) / (high - low) - 1.0
                + 3.0 * 0.25 * 11f64.sqrt() / (1.0 + plays[i].len() as f64)
        };
        let best = (0..4).max_by(|&a, &b| bound(a).total_cmp(&bound(b))).unwrap();
        assert_eq!(choice(&root, &config), Some(best));
    }

    #[test]
    fn visits_under_way_send_others_elsewhere() {
        let config = ParallelMctsConfig { c: 0.0, ..ParallelMctsConfig::default() };
        let root = position(&[&[1000], &[999], &[0]]);
        assert_eq!(choice(&root, &config), Some(0));
        root.below.get().unwrap().edges[0].begin_visit();
        assert_eq!(choice(&root, &config), Some(1));
        root.below.get().unwrap().edges[0].end_visit();
        assert_eq!(choice(&root, &config), Some(0));
    }

    #[test]
    fn closed_moves_are_not_chosen() {
        let root = position(&[&[1000], &[999]]);
        let edges = &root.below.get().unwrap().edges;
        edges[0].close();
        assert_eq!(choice(&root, &ParallelMctsConfig::default()), Some(1));
        edges[1].close();
        assert_eq!(choice(&root, &ParallelMctsConfig::default()), None);
        assert!(root.close_if_exhausted() && root.is_exact());
    }

    #[test]
    fn windows_grow_with_the_visits() {
        let mut config =
            ParallelMctsConfig { growth: Growth::Widening, ..ParallelMctsConfig::default() };
        let windows = |config: &ParallelMctsConfig| {
            [0, 1, 49, 50, 65, 1000].map(|visits| Formula::new(config).window(visits))
        };
        assert_eq!(windows(&config), [1, 2, 7, 7, 7, 16]);
        config.growth = Growth::Unpruning;
        assert_eq!(windows(&config), [5, 5, 5, 6, 7, 17]);
        config.growth = Growth::All;
        assert_eq!(windows(&config), [usize::MAX; 6]);
    }
}
