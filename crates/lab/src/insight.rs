//! A look inside a search, as JSON.

use serde::Serialize;
use solitree_core::{BeamInsight, Counted, Insight, Layer, PolicyLevel, TreeInsight, TriedMove};

/// What is to be seen inside a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "of", rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum InsightView {
    /// A tree, or what was done below the first moves by a method that keeps none.
    Tree {
        /// What the depths are of.
        counted: CountedView,
        /// Moves from the start to the root.
        prefix: Vec<String>,
        /// The moves of the root that have been tried, the most visited first.
        moves: Vec<MoveView>,
        /// How many of them at each depth, the root's first.
        depths: Vec<u64>,
    },
    /// A policy: NRPA.
    Policy {
        /// The levels, the lowest first.
        levels: Vec<LevelView>,
    },
    /// A beam.
    Beam {
        /// The number of the pass, from 0.
        pass: u64,
        /// The most positions that are kept of a layer.
        width: u64,
        /// The layers so far.
        layers: Vec<LayerView>,
    },
}

/// What is counted by its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CountedView {
    /// Positions that were visited.
    Positions,
    /// Playouts, where they begin.
    Playouts,
}

/// A move of the root.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MoveView {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// How often it was tried.
    pub visits: u64,
    /// The mean score of what came of it.
    pub mean: f64,
    /// The best.
    pub best: i64,
}

/// A level of a search that adapts its policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LevelView {
    /// Iterations done since it last began.
    pub iteration: u64,
    /// The score of its best line, if it has one.
    pub score: Option<i64>,
    /// The mean probability that its policy gives to the moves of that line.
    pub concentration: Option<f64>,
    /// The probability of each of them.
    pub line: Vec<f64>,
}

/// A layer of a beam.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LayerView {
    /// Its number: moves or progress since the start of the pass.
    pub layer: usize,
    /// Positions kept.
    pub kept: u64,
    /// The value of the best of them.
    pub best: f64,
    /// The value of the last.
    pub worst: f64,
}

impl InsightView {
    /// A look inside with its moves named.
    #[must_use]
    pub fn of(insight: &Insight<String>) -> InsightView {
        match insight {
            Insight::Tree(TreeInsight { counted, prefix, moves, depths }) => {
                let mut moves: Vec<MoveView> = moves.iter().map(MoveView::of).collect();
                moves.sort_by(|a, b| b.visits.cmp(&a.visits).then_with(|| a.mv.cmp(&b.mv)));
                let counted = match counted {
                    Counted::Positions => CountedView::Positions,
                    Counted::Playouts => CountedView::Playouts,
                };
                let (prefix, depths) = (prefix.clone(), depths.clone());
                InsightView::Tree { counted, prefix, moves, depths }
            }
            Insight::Policy(levels) => {
                InsightView::Policy { levels: levels.iter().map(LevelView::of).collect() }
            }
            Insight::Beam(BeamInsight { pass, width, layers }) => InsightView::Beam {
                pass: *pass,
                width: *width,
                layers: layers.iter().map(LayerView::of).collect(),
            },
        }
    }
}

impl MoveView {
    fn of(tried: &TriedMove<String>) -> MoveView {
        let TriedMove { mv, visits, mean, best } = tried;
        MoveView { mv: mv.clone(), visits: *visits, mean: rounded(*mean), best: best.0 }
    }
}

impl LevelView {
    fn of(level: &PolicyLevel) -> LevelView {
        let line: Vec<f64> = level.line.iter().map(|&sure| rounded(sure.into())).collect();
        let mean = line.iter().sum::<f64>() / line.len() as f64;
        LevelView {
            iteration: level.iteration,
            score: level.score.map(|score| score.0),
            concentration: (!line.is_empty()).then(|| rounded(mean)),
            line,
        }
    }
}

impl LayerView {
    fn of(layer: &Layer) -> LayerView {
        let &Layer { number, kept, best, worst } = layer;
        LayerView { layer: number, kept, best: rounded(best.into()), worst: rounded(worst.into()) }
    }
}

/// A number to the thousandth; what is no number, where nothing is kept, as 0.
fn rounded(number: f64) -> f64 {
    if number.is_finite() { (number * 1e3).round() / 1e3 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_core::Score;

    #[test]
    fn a_look_is_json_with_the_most_visited_first() {
        let tried = |mv: &str, visits| TriedMove {
            mv: mv.to_owned(),
            visits,
            mean: 10.0 / 3.0,
            best: Score(7),
        };
        let moves = vec![tried("b1", 1), tried("a1", 9)];
        let counted = Counted::Playouts;
        let tree = TreeInsight { counted, prefix: vec![], moves, depths: vec![1, 2] };
        let text = serde_json::to_string(&InsightView::of(&Insight::Tree(tree))).unwrap();
        assert_eq!(
            text,
            r#"{"of":"tree","counted":"playouts","prefix":[],"moves":[{"move":"a1","visits":9,"mean":3.333,"best":7},{"move":"b1","visits":1,"mean":3.333,"best":7}],"depths":[1,2]}"#
        );
    }

    #[test]
    fn a_level_without_a_line_is_sure_of_nothing() {
        let fresh = PolicyLevel { iteration: 0, score: None, line: vec![] };
        let sure = PolicyLevel { iteration: 3, score: Some(Score(5)), line: vec![0.5, 1.0] };
        let found = InsightView::of(&Insight::Policy(vec![fresh, sure]));
        let InsightView::Policy { levels } = found else { panic!("{found:?}") };
        assert_eq!(levels[0].concentration, None);
        assert_eq!(levels[1].concentration, Some(0.75));
    }

    #[test]
    fn an_empty_layer_is_still_json() {
        let layer = Layer { number: 1, kept: 0, best: f32::NEG_INFINITY, worst: f32::INFINITY };
        let beam = BeamInsight { pass: 0, width: 4, layers: vec![layer] };
        let text = serde_json::to_string(&InsightView::of(&Insight::Beam(beam))).unwrap();
        assert!(text.contains(r#""kept":0,"best":0.0,"worst":0.0"#), "{text}");
    }
}
