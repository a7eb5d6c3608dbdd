//! Plans of SameGame: a mark is one block of the starting board, and to follow it is to
//! remove the group that this block is in by then.
//!
//! Games are finished by groups of random blocks, the kept colour last; a move to be
//! inserted is drawn in the same way, but for one in [`ANY_COLOUR`].

use std::sync::Arc;

use solitree_core::{Plans, Rng, Score};

use super::blocks::{Blocks, Columns, Portable, Tools, count};
use super::board::Cell;
use super::dispatch::Engine;
use super::rules::Rules;
use super::{Kernels, SameGame};

/// Of so many moves to be inserted one may be of the kept colour, whatever else there is.
const ANY_COLOUR: u32 = 20;

/// How plans are followed on one board.
#[derive(Clone, Debug)]
pub struct SameGamePlans<const W: usize, const P: usize> {
    blocks: Blocks<W, P>,
    rules: Arc<Rules>,
    kept: usize,
    /// Whether the kernels may use the instructions of [`quick`].
    quick: bool,
}

/// A position: the blocks that are left, in the places they started in, and the points.
#[derive(Clone, Copy, Debug)]
pub struct Spot<const W: usize> {
    live: Columns<W>,
    points: i32,
}

impl<const W: usize, const P: usize> SameGamePlans<W, P>
where
    Kernels: Engine<W, P>,
{
    /// Plans for a puzzle that keep a colour; 0 for none.
    pub(super) fn new(puzzle: &SameGame<W, P>, kept: u32) -> Self {
        SameGamePlans {
            blocks: Blocks::new(&puzzle.start.planes),
            rules: Arc::clone(&puzzle.rules),
            kept: kept as usize % 16,
            quick: puzzle.path.gathers_bits(),
        }
    }
}

/// Calls the version of a kernel for this processor.
macro_rules! on_tools {
    ($plans:expr, $kernel:ident($($arg:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        let done = if $plans.quick {
            // SAFETY: `quick` is what a `Path` says, which is only ever made after
            // these instructions were found.
            unsafe { quick::$kernel($($arg),*) }
        } else {
            $kernel::<W, P, Portable>($($arg),*)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let done = $kernel::<W, P, Portable>($($arg),*);
        done
    }};
}

#[inline(always)]
fn take<const W: usize, const P: usize, T: Tools>(
    blocks: &Blocks<W, P>,
    live: &mut Columns<W>,
    block: Cell,
) -> u32 {
    blocks.take::<T>(live, block)
}

#[inline(always)]
fn take_again<const W: usize, const P: usize, T: Tools>(
    blocks: &Blocks<W, P>,
    live: &mut Columns<W>,
    block: Cell,
    (before, after): (&Columns<W>, &Columns<W>),
) -> Option<u32> {
    if Blocks::<W, P>::take_again::<T>(live, before, after) {
        return None;
    }
    Some(blocks.take::<T>(live, block))
}

/// Takes away the group of a random block, and returns the block and the group's size;
/// none if there is no group. With a chance of one in `any` the kept colour counts as any
/// other; else it is taken where there is no other.
#[inline(always)]
fn take_random<const W: usize, const P: usize, T: Tools>(
    blocks: &Blocks<W, P>,
    live: &mut Columns<W>,
    (kept, any): (usize, u32),
    rng: &mut Rng,
) -> Option<(Cell, u32)> {
    let grouped = blocks.grouped::<T>(live, kept);
    let (mut from, mut choices) = (&grouped.others, count(&grouped.others));
    if choices == 0 || any > 0 && rng.below(any) == 0 {
        (from, choices) = (&grouped.every, count(&grouped.every));
    }
    if choices == 0 {
        return None;
    }
    let block = Blocks::<W, P>::ranked::<T>(live, from, rng.below(choices))?;
    Some((block, blocks.take::<T>(live, block)))
}

#[inline(always)]
fn counts<const W: usize, const P: usize, T: Tools>(
    blocks: &Blocks<W, P>,
    live: &Columns<W>,
) -> [u32; 16] {
    blocks.counts(live)
}

/// The cell that names the group of a block, if it has one: settled, empty columns closed.
#[inline(always)]
fn named<const W: usize, const P: usize, T: Tools>(
    blocks: &Blocks<W, P>,
    live: &Columns<W>,
    block: Cell,
) -> Option<Cell> {
    let found = blocks.whole::<T>(live, block)?;
    let before = &live.as_flattened()[..found.first];
    let column = before.iter().filter(|&&column| column != 0).count();
    let row = found.settled.as_flattened()[found.first].trailing_zeros();
    Some(Cell::new(column, row as usize))
}

/// The kernels for processors with BMI2 and AVX2.
#[cfg(target_arch = "x86_64")]
mod quick {
    use super::super::blocks_avx2::Quick;
    use super::*;

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn take<const W: usize, const P: usize>(
        blocks: &Blocks<W, P>,
        live: &mut Columns<W>,
        block: Cell,
    ) -> u32 {
        super::take::<W, P, Quick>(blocks, live, block)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn take_again<const W: usize, const P: usize>(
        blocks: &Blocks<W, P>,
        live: &mut Columns<W>,
        block: Cell,
        known: (&Columns<W>, &Columns<W>),
    ) -> Option<u32> {
        super::take_again::<W, P, Quick>(blocks, live, block, known)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn take_random<const W: usize, const P: usize>(
        blocks: &Blocks<W, P>,
        live: &mut Columns<W>,
        kept: (usize, u32),
        rng: &mut Rng,
    ) -> Option<(Cell, u32)> {
        super::take_random::<W, P, Quick>(blocks, live, kept, rng)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn counts<const W: usize, const P: usize>(
        blocks: &Blocks<W, P>,
        live: &Columns<W>,
    ) -> [u32; 16] {
        super::counts::<W, P, Quick>(blocks, live)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn named<const W: usize, const P: usize>(
        blocks: &Blocks<W, P>,
        live: &Columns<W>,
        block: Cell,
    ) -> Option<Cell> {
        super::named::<W, P, Quick>(blocks, live, block)
    }
}

impl<const W: usize, const P: usize> SameGamePlans<W, P> {
    #[inline]
    fn random(&self, spot: &mut Spot<W>, any: u32, rng: &mut Rng) -> Option<Cell> {
        let (blocks, live) = (&self.blocks, &mut spot.live);
        let (block, size) = on_tools!(self, take_random(blocks, live, (self.kept, any), rng))?;
        spot.points += self.rules.points(size);
        Some(block)
    }
}

impl<const W: usize, const P: usize> Plans<SameGame<W, P>> for SameGamePlans<W, P>
where
    Kernels: Engine<W, P>,
{
    type Spot = Spot<W>;
    type Mark = Cell;

    /// A block stays the same block wherever it falls to.
    const STEADY: bool = true;

    fn start(&mut self) -> Spot<W> {
        Spot { live: self.blocks.all(), points: 0 }
    }

    #[inline]
    fn follow(&mut self, spot: &mut Spot<W>, mark: Cell) -> bool {
        let size = on_tools!(self, take(&self.blocks, &mut spot.live, mark));
        if size > 0 {
            spot.points += self.rules.points(size);
        }
        size > 0
    }

    #[inline]
    fn follow_again(
        &mut self,
        spot: &mut Spot<W>,
        mark: Cell,
        before: &Spot<W>,
        after: &Spot<W>,
    ) -> bool {
        let (blocks, known) = (&self.blocks, (&before.live, &after.live));
        let size = on_tools!(self, take_again(blocks, &mut spot.live, mark, known));
        match size {
            None => spot.points += after.points - before.points,
            Some(0) => return false,
            Some(size) => spot.points += self.rules.points(size),
        }
        true
    }

    #[inline]
    fn draw(&mut self, spot: &mut Spot<W>, rng: &mut Rng) -> Option<Cell> {
        self.random(spot, 0, rng)
    }

    #[inline]
    fn stray(&mut self, spot: &mut Spot<W>, rng: &mut Rng) -> Option<Cell> {
        self.random(spot, ANY_COLOUR, rng)
    }

    #[inline]
    fn same(&self, one: &Spot<W>, other: &Spot<W>) -> bool {
        one.live == other.live
    }

    #[inline]
    fn points(&self, spot: &Spot<W>) -> Score {
        Score(i64::from(spot.points))
    }

    #[inline]
    fn pay(&self, spot: &mut Spot<W>, points: Score) {
        // What a game can bring is bounded by the rules.
        spot.points += points.0 as i32;
    }

    fn score(&self, spot: &Spot<W>) -> Score {
        let cleared = spot.live.iter().flatten().all(|&column| column == 0);
        let end = if cleared {
            self.rules.clear()
        } else if self.rules.penalises() {
            let counts: [u32; 16] = on_tools!(self, counts(&self.blocks, &spot.live));
            counts[1..].iter().map(|&blocks| self.rules.left(blocks)).sum()
        } else {
            0
        };
        Score(i64::from(spot.points + end))
    }

    /// A game that leaves blocks counts as one that clears the board, less the price of
    /// each of them: most changes of a line leave a block or two, and it takes
    /// another change to be rid of them.
    fn worth(&self, spot: &Spot<W>, score: Score, price: Score) -> Score {
        let left: u32 = spot.live.iter().flatten().map(|column| column.count_ones()).sum();
        let cleared = Score(i64::from(spot.points + self.rules.clear()));
        score.max(cleared - Score(price.0.saturating_mul(i64::from(left))))
    }

    fn mark(&self, spot: &Spot<W>, mv: Cell) -> Cell {
        let columns = spot.live.as_flattened().iter().enumerate();
        let mut there = columns.filter(|(_, mask)| **mask != 0);
        let (column, mask) = there.nth(mv.column()).expect("a legal move is where blocks are");
        let block = Portable::scatter(1 << mv.row(), *mask);
        Cell::new(column, block.trailing_zeros() as usize)
    }

    fn line(&mut self, marks: &[Cell]) -> Vec<Cell> {
        let mut spot = self.start();
        let mut moves = Vec::with_capacity(marks.len());
        for &mark in marks {
            moves.extend(on_tools!(self, named(&self.blocks, &spot.live, mark)));
            self.follow(&mut spot, mark);
        }
        moves
    }
}
