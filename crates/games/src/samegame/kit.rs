//! What SameGame lends to the searches.

use solitree_core::params::{ParamError, ParamInfo, Params, nearest};
use solitree_core::{
    Child, Choice, Evaluator, Guide, Job, Kit, Playout, Puzzle, Rng, Score, Trace, Weights,
};

use super::board::Cell;
use super::dispatch::Engine;
use super::evaluate::EvaluatorConfig;
use super::guide::{GuideConfig, SameGameGuide, TabuRule, by_frequency};
use super::policy::{PlayoutConfig, SameGamePlayout};
use super::{Kernels, SameGame, State};

/// All that can be set: playouts, guide and evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KitConfig {
    /// How games are finished at random.
    pub playout: PlayoutConfig,
    /// How games are steered.
    pub guide: GuideConfig,
    /// What positions are worth.
    pub evaluator: EvaluatorConfig,
}

impl Params for KitConfig {
    fn table() -> Vec<ParamInfo> {
        [PlayoutConfig::table(), GuideConfig::table(), EvaluatorConfig::table()].concat()
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ParamError> {
        let unknown =
            |result: &Result<(), ParamError>| matches!(result, Err(ParamError::UnknownKey { .. }));
        let mut result = self.playout.set(key, value);
        if unknown(&result) {
            result = self.guide.set(key, value);
        }
        if unknown(&result) {
            result = self.evaluator.set(key, value);
        }
        if unknown(&result) {
            let near = nearest(key, Self::table().iter().map(|info| info.key));
            return Err(ParamError::UnknownKey { key: key.to_owned(), near });
        }
        result
    }

    fn values(&self) -> Vec<(&'static str, String)> {
        [self.playout.values(), self.guide.values(), self.evaluator.values()].concat()
    }
}

/// Playouts, guide and evaluation for one board.
#[derive(Clone, Debug)]
pub struct SameGameKit {
    config: KitConfig,
    playout: SameGamePlayout,
    guide: SameGameGuide,
}

impl SameGameKit {
    /// The kit for a puzzle.
    #[must_use]
    pub fn new<const W: usize, const P: usize>(
        config: &KitConfig,
        puzzle: &SameGame<W, P>,
    ) -> SameGameKit
    where
        Kernels: Engine<W, P>,
    {
        SameGameKit {
            config: config.clone(),
            playout: SameGamePlayout::new(&config.playout, puzzle.width() * puzzle.height()),
            guide: SameGameGuide::new(&config.guide, &config.playout, puzzle),
        }
    }
}

impl<const W: usize, const P: usize> Playout<SameGame<W, P>> for SameGameKit
where
    Kernels: Engine<W, P>,
{
    fn run(&self, puzzle: &SameGame<W, P>, batch: &mut [Job<SameGame<W, P>>]) {
        self.playout.run(puzzle, batch);
    }

    fn preferred_batch(&self) -> usize {
        Playout::<SameGame<W, P>>::preferred_batch(&self.playout)
    }

    fn canonical(&self, puzzle: &SameGame<W, P>, state: &State<W, P>, mv: Cell) -> Cell {
        self.playout.canonical(puzzle, state, mv)
    }
}

impl<const W: usize, const P: usize> Guide<SameGame<W, P>> for SameGameKit
where
    Kernels: Engine<W, P>,
{
    fn choices(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        played: usize,
        out: &mut Vec<Choice<Cell>>,
    ) {
        self.guide.choices(puzzle, state, played, out);
    }

    fn retrace(
        &self,
        puzzle: &SameGame<W, P>,
        start: &State<W, P>,
        before: usize,
        moves: &[Cell],
    ) -> Trace<Cell> {
        self.guide.retrace(puzzle, start, before, moves)
    }

    fn greedy(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        played: usize,
        moves: &mut Vec<Cell>,
    ) -> Score {
        self.guide.greedy(puzzle, state, played, moves)
    }

    fn steer(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        weights: &Weights,
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) {
        self.guide.steer(puzzle, state, weights, rng, trace);
    }
}

impl<const W: usize, const P: usize> Evaluator<SameGame<W, P>> for SameGameKit
where
    Kernels: Engine<W, P>,
{
    fn evaluate(&self, puzzle: &SameGame<W, P>, states: &[State<W, P>], out: &mut Vec<f32>) {
        self.config.evaluator.evaluate(puzzle, states, out);
    }

    fn progress(&self, puzzle: &SameGame<W, P>, state: &State<W, P>) -> Option<usize> {
        self.config.evaluator.progress(puzzle, state)
    }

    fn children(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        out: &mut Vec<Child<SameGame<W, P>>>,
    ) {
        self.config.evaluator.children(puzzle, state, out);
    }
}

impl<const W: usize, const P: usize> Kit<SameGame<W, P>> for SameGameKit
where
    Kernels: Engine<W, P>,
{
    /// One for every colour that could be kept, unless one was named.
    fn variants(&self, puzzle: &SameGame<W, P>) -> Vec<Self> {
        if self.config.playout.keep != 0 {
            return vec![self.clone()];
        }
        let keeping = |colour: u32| {
            let mut config = self.config.clone();
            config.playout.keep = u64::from(colour);
            SameGameKit::new(&config, puzzle)
        };
        by_frequency(&puzzle.start()).into_iter().map(keeping).collect()
    }

    /// The same kept colour under other rules, for games that are steered. (A
    /// second kept colour was tried too, and was worse on every random board.)
    fn refinements(&self, puzzle: &SameGame<W, P>) -> Vec<Self> {
        if self.config.guide.rule != TabuRule::Strict {
            return Vec::new();
        }
        let under = |rule: TabuRule| {
            let mut config = self.config.clone();
            config.guide.rule = rule;
            SameGameKit::new(&config, puzzle)
        };
        vec![under(TabuRule::Selective), under(TabuRule::None)]
    }
}
