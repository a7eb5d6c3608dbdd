//! Playout policies: which groups a random game may take.

use solitree_core::params::Range;
use solitree_core::{Job, Playout, Rng, choice, params};

use super::board::{Cell, MAX_COLOURS};
use super::dispatch::Engine;
use super::kernel::of_colour;
use super::lockstep::{Epsilon, MAX_LANES, Table};
use super::plane::Plane;
use super::roulette::{Roulette, Spin};
use super::{Kernels, SameGame, State};

choice! {
    /// How a playout chooses its moves.
    pub enum PlayoutKind {
        /// Every group alike.
        Random = "random",
        /// One colour, drawn at random, is kept until nothing else is left
        /// (Schadd et al., 2008).
        TabuRandom = "tabu-random",
        /// The most frequent colour is kept (Schadd et al., 2008).
        TabuColorRandom = "tabu-color-random",
        /// Monte-Carlo with Roulette-Wheel Selection: rare colours are played
        /// more often (Takes and Kosters, 2009).
        McRws = "mc-rws",
    }
}

choice! {
    /// When the kept colour is chosen.
    pub enum TabuTime {
        /// Once, at the start of the playout: the papers.
        Start = "start",
        /// Before every move: the authors' program.
        Move = "move",
    }
}

choice! {
    /// How one of the allowed groups is drawn.
    pub enum GroupChoice {
        /// Every group alike.
        Groups = "groups",
        /// The first group after a random cell, so that large groups and those
        /// behind gaps are likelier: the authors' program.
        Cells = "cells",
    }
}

params! {
    /// A playout policy as data.
    pub struct PlayoutConfig {
        /// How playouts choose their moves.
        kind ("playout"): PlayoutKind = PlayoutKind::TabuColorRandom, Range::Choice(PlayoutKind::WORDS);
        /// Probability that a move of a playout ignores its policy.
        epsilon ("epsilon"): f64 = 0.003, Range::Real(0.0, 1.0);
        /// When tabu playouts choose the colour to keep.
        tabu ("tabu"): TabuTime = TabuTime::Start, Range::Choice(TabuTime::WORDS);
        /// How a playout draws among the groups it may take.
        choice ("group-choice"): GroupChoice = GroupChoice::Groups, Range::Choice(GroupChoice::WORDS);
        /// The colour that tabu playouts keep, from 1; 0 for the policy's own choice.
        keep ("keep-colour"): u64 = 0, Range::Count(0, MAX_COLOURS as u64);
        /// A second colour that stays while there is a third, from 1; 0 for none. In
        /// tabu playouts with tabu=start, and only where keep-colour names the first.
        second ("keep-second"): u64 = 0, Range::Count(0, MAX_COLOURS as u64);
    }
}

/// A rule for what may be drawn, compiled into the kernels.
pub trait Draw: Sync {
    /// Whether cells are scanned instead of corners drawn.
    const SCAN: bool;

    /// Prepares the start of a playout. May exchange two colours.
    fn begin<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &mut [V; P],
        rng: &mut Rng,
    );

    /// Of the cells that stand for groups, those that may be drawn; none if
    /// the policy leaves nothing.
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &[V; P],
        all: V,
        rng: &mut Rng,
    ) -> V;
}

/// Every group.
pub(super) struct Any<const SCAN: bool>;

impl<const SCAN: bool> Draw for Any<SCAN> {
    const SCAN: bool = SCAN;

    #[inline(always)]
    fn begin<const W: usize, const P: usize, V: Plane<W>>(&self, _: &mut [V; P], _: &mut Rng) {}

    #[inline(always)]
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        _: &[V; P],
        all: V,
        _: &mut Rng,
    ) -> V {
        all
    }
}

/// Which colour is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    AtRandom,
    MostFrequent,
    Colour(u32),
}

impl Kept {
    /// The colour to keep in a position. Of equally frequent colours the one
    /// with the lowest number is taken.
    #[inline(always)]
    fn choose<const W: usize, const P: usize, V: Plane<W>>(
        self,
        planes: &[V; P],
        rng: &mut Rng,
    ) -> u32 {
        let colours = 1..1u32 << P;
        match self {
            Kept::Colour(colour) => colour,
            Kept::MostFrequent => {
                let (mut best, mut most) = (0, 0);
                for colour in colours {
                    let count = of_colour(planes, colour).count();
                    best = if count > most { colour } else { best };
                    most = most.max(count);
                }
                best
            }
            Kept::AtRandom => {
                let mut present = [0; 16];
                let mut len = 0;
                for colour in colours {
                    present[len] = colour;
                    len += usize::from(!of_colour(planes, colour).is_empty());
                }
                present[rng.below(len as u32) as usize]
            }
        }
    }
}

/// Every group but those of a colour chosen at the start of the playout.
pub(super) struct KeepFromStart<const SCAN: bool>(pub(super) Kept);

impl<const SCAN: bool> Draw for KeepFromStart<SCAN> {
    const SCAN: bool = SCAN;

    /// Exchanges the kept colour with the one whose bits are all set, so that
    /// telling it apart takes no further work.
    #[inline(always)]
    fn begin<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &mut [V; P],
        rng: &mut Rng,
    ) {
        let kept = self.0.choose(planes, rng);
        let last = (1 << P) - 1;
        if kept == 0 || kept == last {
            return;
        }
        let exchanged = of_colour(planes, kept).or(of_colour(planes, last));
        for (k, plane) in planes.iter_mut().enumerate() {
            if (kept ^ last) >> k & 1 != 0 {
                *plane = plane.xor(exchanged);
            }
        }
    }

    #[inline(always)]
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &[V; P],
        all: V,
        _: &mut Rng,
    ) -> V {
        let mut kept = planes[0];
        for plane in &planes[1..] {
            kept = kept.and(*plane);
        }
        all.without(kept)
    }
}

/// Every group but those of a colour, and not those of a second one while there is
/// a third.
pub(super) struct KeepTwo<const SCAN: bool> {
    pub(super) kept: u32,
    pub(super) second: u32,
}

impl<const SCAN: bool> Draw for KeepTwo<SCAN> {
    const SCAN: bool = SCAN;

    #[inline(always)]
    fn begin<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &mut [V; P],
        rng: &mut Rng,
    ) {
        KeepFromStart::<SCAN>(Kept::Colour(self.kept)).begin(planes, rng);
    }

    #[inline(always)]
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &[V; P],
        all: V,
        rng: &mut Rng,
    ) -> V {
        let others = KeepFromStart::<SCAN>(Kept::Colour(self.kept)).eligible(planes, all, rng);
        // The two were exchanged at the start.
        let second = if self.second == (1 << P) - 1 { self.kept } else { self.second };
        let thirds = others.without(of_colour(planes, second));
        if thirds.is_empty() { others } else { thirds }
    }
}

/// Every group but those of a colour chosen anew before every move.
pub(super) struct KeepEachMove<const SCAN: bool>(pub(super) Kept);

impl<const SCAN: bool> Draw for KeepEachMove<SCAN> {
    const SCAN: bool = SCAN;

    #[inline(always)]
    fn begin<const W: usize, const P: usize, V: Plane<W>>(&self, _: &mut [V; P], _: &mut Rng) {}

    #[inline(always)]
    fn eligible<const W: usize, const P: usize, V: Plane<W>>(
        &self,
        planes: &[V; P],
        all: V,
        rng: &mut Rng,
    ) -> V {
        all.without(of_colour(planes, self.0.choose(planes, rng)))
    }
}

/// A playout policy, ready to run.
#[derive(Clone, Debug)]
pub struct SameGamePlayout {
    config: PlayoutConfig,
    epsilon: Epsilon,
    roulette: Option<Roulette>,
}

impl SameGamePlayout {
    /// The policy for boards of this many cells.
    #[must_use]
    pub fn new(config: &PlayoutConfig, cells: usize) -> Self {
        let roulette = (config.kind == PlayoutKind::McRws).then(|| Roulette::new(cells));
        SameGamePlayout { config: config.clone(), epsilon: Epsilon::new(config.epsilon), roulette }
    }

    fn kept(&self) -> Kept {
        match (self.config.keep, self.config.kind) {
            (0, PlayoutKind::TabuRandom) => Kept::AtRandom,
            (0, _) => Kept::MostFrequent,
            (colour, _) => Kept::Colour(colour as u32),
        }
    }

    /// Both colours to keep, where there are two.
    fn both_kept(&self) -> Option<(u32, u32)> {
        let PlayoutConfig { keep, second, .. } = self.config;
        let two = keep != 0 && second != 0 && keep != second;
        two.then_some((keep as u32, second as u32))
    }

    fn run_scanning<const SCAN: bool, const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        batch: &mut [Job<SameGame<W, P>>],
    ) where
        Kernels: Engine<W, P>,
    {
        match (self.config.kind, self.config.tabu, &self.roulette) {
            (PlayoutKind::McRws, _, Some(roulette)) => {
                self.run_drawing(puzzle, &Spin::<SCAN>(roulette), batch);
            }
            (PlayoutKind::Random | PlayoutKind::McRws, ..) => {
                self.run_drawing(puzzle, &Any::<SCAN>, batch);
            }
            (_, TabuTime::Start, _) => match self.both_kept() {
                Some((kept, second)) => {
                    self.run_drawing(puzzle, &KeepTwo::<SCAN> { kept, second }, batch);
                }
                None => self.run_drawing(puzzle, &KeepFromStart::<SCAN>(self.kept()), batch),
            },
            (_, TabuTime::Move, _) => {
                self.run_drawing(puzzle, &KeepEachMove::<SCAN>(self.kept()), batch);
            }
        }
    }

    fn run_drawing<const W: usize, const P: usize>(
        &self,
        puzzle: &SameGame<W, P>,
        draw: &impl Draw,
        batch: &mut [Job<SameGame<W, P>>],
    ) where
        Kernels: Engine<W, P>,
    {
        let table = Table {
            rules: puzzle.rules(),
            draw,
            epsilon: self.epsilon,
            width: puzzle.width(),
            height: puzzle.height(),
        };
        Kernels::run(puzzle.path(), &table, batch);
    }
}

impl<const W: usize, const P: usize> Playout<SameGame<W, P>> for SameGamePlayout
where
    Kernels: Engine<W, P>,
{
    fn run(&self, puzzle: &SameGame<W, P>, batch: &mut [Job<SameGame<W, P>>]) {
        match self.config.choice {
            GroupChoice::Groups => self.run_scanning::<false, W, P>(puzzle, batch),
            GroupChoice::Cells => self.run_scanning::<true, W, P>(puzzle, batch),
        }
    }

    /// The same on every machine, whatever its lanes: searches divide their
    /// work by it.
    fn preferred_batch(&self) -> usize {
        MAX_LANES
    }

    fn canonical(&self, puzzle: &SameGame<W, P>, state: &State<W, P>, mv: Cell) -> Cell {
        puzzle.canonical(state, mv).unwrap_or(mv)
    }
}
