//! What SameGame lends to the searches.

use std::sync::Arc;

use solitree_core::params::{ParamError, ParamInfo, Params, nearest};
use solitree_core::{
    Child, Choice, Evaluator, Favour, Furnace, Guide, Job, Kit, Layers, Plan, Playout, Puzzle,
    Repairs, Rng, Score, Trace, Weights,
};

use super::accelerator::{Accelerator, BulkBoard, BulkPass, BulkShape};
use super::board::Cell;
use super::dispatch::Engine;
use super::evaluate::EvaluatorConfig;
use super::guide::{GuideConfig, SameGameGuide, TabuRule, by_frequency};
use super::plans::SameGamePlans;
use super::policy::{GroupChoice, PlayoutConfig, PlayoutKind, SameGamePlayout, TabuTime};
use super::swarm::SwarmRepairs;
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
    accelerator: Option<Arc<dyn Accelerator>>,
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
            accelerator: None,
        }
    }

    /// The same kit with a machine for beams.
    #[must_use]
    pub fn with_accelerator(mut self, accelerator: Option<Arc<dyn Accelerator>>) -> Self {
        self.accelerator = accelerator;
        self
    }

    /// The colour that plans keep.
    fn kept_in_plans<const W: usize, const P: usize>(&self, puzzle: &SameGame<W, P>) -> u32
    where
        Kernels: Engine<W, P>,
    {
        match self.config.playout.keep {
            0 => by_frequency(&puzzle.start()).first().copied().unwrap_or(0),
            colour => colour as u32,
        }
    }

    /// The same kit with other settings.
    fn changed<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        change: impl FnOnce(&mut KitConfig),
    ) -> SameGameKit
    where
        Kernels: Engine<W, P>,
    {
        let mut config = self.config.clone();
        change(&mut config);
        SameGameKit::new(&config, puzzle).with_accelerator(self.accelerator.clone())
    }

    /// What the machine would have to play; none if that is not what it can:
    /// playouts that keep one or two named colours and draw every group alike.
    fn bulk<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
    ) -> Option<(&dyn Accelerator, BulkShape)>
    where
        Kernels: Engine<W, P>,
    {
        let accelerator = self.accelerator.as_deref()?;
        let config = &self.config.playout;
        let plain = config.keep != 0
            && config.kind == PlayoutKind::TabuColorRandom
            && config.tabu == TabuTime::Start
            && config.choice == GroupChoice::Groups
            && config.epsilon == 0.0;
        let (width, height) = (puzzle.width(), puzzle.height());
        let (kept, second) = (config.keep as u32, config.second as u32);
        let second = if second == kept { 0 } else { second };
        let shape = BulkShape { width, height, planes: P, kept, second };
        plain.then_some((accelerator, shape))
    }

    /// Games on the machine, for checks and measurements: `many` times `samples` of
    /// them, the best score of each. The seed of sample `j` of the `i`th is
    /// `mix((seeds ^ i) + j)`. None if there is no machine for such games.
    pub fn play_apart<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        seeds: u64,
        (many, samples): (usize, u64),
    ) -> Option<Result<Vec<i32>, String>>
    where
        Kernels: Engine<W, P>,
    {
        let (accelerator, shape) = self.bulk(puzzle)?;
        let plan = Plan { start: &puzzle.start(), seeds, width: 1, samples, bonus: 1.0 };
        let rules = BulkRules::of(puzzle);
        Some(accelerator.play(&shape, &rules.pass(puzzle, &plan), many))
    }
}

/// The rules as tables for a machine.
pub(super) struct BulkRules {
    pub(super) points: Vec<i32>,
    pub(super) left: Vec<i32>,
}

impl BulkRules {
    pub(super) fn of<const W: usize, const P: usize>(puzzle: &SameGame<W, P>) -> BulkRules
    where
        Kernels: Engine<W, P>,
    {
        let rules = puzzle.rules();
        let blocks = 0..=(puzzle.width() * puzzle.height()) as u32;
        let points = blocks.clone().map(|size| rules.points(size)).collect();
        let mut left: Vec<i32> = blocks.map(|blocks| rules.left(blocks)).collect();
        left[0] = rules.clear();
        BulkRules { points, left }
    }

    fn pass<'a, const W: usize, const P: usize>(
        &'a self,
        puzzle: &SameGame<W, P>,
        plan: &Plan<'a, State<W, P>>,
    ) -> BulkPass<'a>
    where
        Kernels: Engine<W, P>,
    {
        let Plan { start, seeds, width, samples, bonus } = *plan;
        BulkPass {
            planes: start.planes.as_flattened(),
            score: start.score,
            key: puzzle.key(start),
            counts: start.counts(),
            points: &self.points,
            left: &self.left,
            seeds,
            width,
            samples,
            bonus,
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

    fn steer_favoured(
        &self,
        puzzle: &SameGame<W, P>,
        state: &State<W, P>,
        opinions: (&Weights, Favour<'_, SameGame<W, P>>),
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) {
        self.guide.steer_favoured(puzzle, state, opinions, rng, trace);
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
    type Plans = SameGamePlans<W, P>;

    /// Plans keep the colour that is to be kept, or else the most frequent one.
    fn plans(&self, puzzle: &SameGame<W, P>) -> SameGamePlans<W, P> {
        SameGamePlans::new(puzzle, self.kept_in_plans(puzzle))
    }

    /// One for every colour that could be kept, unless one was named or there is none.
    fn variants(&self, puzzle: &SameGame<W, P>) -> Vec<Self> {
        let colours = by_frequency(&puzzle.start());
        if self.config.playout.keep != 0 || colours.is_empty() {
            return vec![self.clone()];
        }
        let keeping =
            |colour: u32| self.changed(puzzle, |config| config.playout.keep = u64::from(colour));
        colours.into_iter().map(keeping).collect()
    }

    /// The same kept colour under other rules, for games that are steered. (A
    /// second kept colour was tried too, and was worse on every random board.)
    fn refinements(&self, puzzle: &SameGame<W, P>) -> Vec<Self> {
        if self.config.guide.rule != TabuRule::Strict {
            return Vec::new();
        }
        let under = |rule| self.changed(puzzle, |config| config.guide.rule = rule);
        vec![under(TabuRule::Selective), under(TabuRule::None)]
    }

    /// With each of the other colours as the second one to keep. (On average that is
    /// worse, and yet on some boards it is the best.)
    fn playout_variants(&self, puzzle: &SameGame<W, P>) -> Vec<Self> {
        let PlayoutConfig { keep, second, .. } = self.config.playout;
        if keep == 0 || second != 0 {
            return Vec::new();
        }
        let colours = by_frequency(&puzzle.start()).into_iter().map(u64::from);
        let keeping = |colour| self.changed(puzzle, |config| config.playout.second = colour);
        colours.filter(|&colour| colour != keep).map(keeping).collect()
    }

    fn widest_layers(&self, puzzle: &SameGame<W, P>) -> Option<u64> {
        let (accelerator, shape) = self.bulk(puzzle)?;
        accelerator.widest(&shape)
    }

    fn layers(
        &self,
        puzzle: &SameGame<W, P>,
        plan: &Plan<'_, State<W, P>>,
    ) -> Option<Box<dyn Layers<Cell>>> {
        let (accelerator, shape) = self.bulk(puzzle)?;
        let rules = BulkRules::of(puzzle);
        accelerator.begin(&shape, &rules.pass(puzzle, plan))
    }

    fn repairs(
        kits: &[Self],
        puzzle: &SameGame<W, P>,
    ) -> Option<Box<dyn Repairs<State<W, P>, Cell>>> {
        let manners = kits.iter().map(|kit| kit.guide.manner()).collect::<Option<Vec<_>>>()?;
        let (width, height) = (puzzle.width(), puzzle.height());
        let shape = BulkShape { width, height, planes: P, kept: 0, second: 0 };
        let swarm = kits.first()?.accelerator.as_deref()?.swarm(&shape)?;
        Some(Box::new(SwarmRepairs::new(swarm, manners, puzzle)))
    }

    fn furnace(kits: &[Self], puzzle: &SameGame<W, P>) -> Option<Box<dyn Furnace<Cell>>> {
        let kept: Vec<u32> = kits.iter().map(|kit| kit.kept_in_plans(puzzle)).collect();
        let (width, height) = (puzzle.width(), puzzle.height());
        let shape = BulkShape { width, height, planes: P, kept: 0, second: 0 };
        let BulkRules { points, left } = &BulkRules::of(puzzle);
        let planes = puzzle.start.planes.as_flattened();
        let board = BulkBoard { planes, points, left, kept: &kept };
        kits.first()?.accelerator.as_deref()?.furnace(&shape, &board)
    }
}
