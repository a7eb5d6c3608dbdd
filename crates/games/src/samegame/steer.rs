//! Games steered by weights: the inner loop of NRPA.
//!
//! Every group a game may take is listed with its code, which finds its weight
//! in a dense array; nothing is allocated and no table is searched. A move
//! changes few groups: the others keep their place in the list, and their
//! weights. The kept colour's groups are not even flooded while there are
//! others.

use std::mem::MaybeUninit;

use solitree_core::{Rng, Trace, Weights, drawn, slot};

use super::board::Cell;
use super::kernel::{
    Links, MAX_GROUPS, each_group_from, group_code, occupied, of_colour, remove_and_tell,
};
use super::lockstep::end_points;
use super::plane::Plane;
use super::rules::{MAX_CELLS, Rules};

/// What all games of a search share.
pub struct Steering<'a> {
    pub(super) rules: &'a Rules,
    /// The colour that stays while there is another; 0 for none.
    pub(super) kept: u32,
    /// The colour that stays while there is a third; 0 for none.
    pub(super) second: u32,
    /// Groups of two of the kept colour may go after so many moves.
    pub(super) pairs_after: u32,
    /// Whether a move is known by the blocks it takes instead of their cells.
    pub(super) blocks: bool,
    /// Factors by size, of the kept colour and of the others.
    pub(super) factors: Option<&'a [[f32; MAX_CELLS + 1]; 2]>,
}

/// Plays to the end; returns the points.
#[inline(always)]
pub(super) fn steer<
    const W: usize,
    const P: usize,
    const BIASED: bool,
    const BLOCKS: bool,
    V: Plane<W>,
>(
    steering: &Steering<'_>,
    words: &[[u64; W]; P],
    mut score: i32,
    weights: &Weights,
    rng: &mut Rng,
    trace: &mut Trace<Cell>,
) -> i32 {
    let weights = weights.table();
    let mut planes = [V::empty(); P];
    for k in 0..P {
        planes[k] = V::from_words(words[k]);
    }
    let tools = V::tools();
    let mut options = Options::<W, V>::new();
    let mut sums = [0f32; MAX_GROUPS + 1];
    let mut marks =
        if BLOCKS { marks_of(occupied(&planes).words()) } else { [[0; 16]; MAX_COLUMNS] };
    let mut links = Links::of(&planes, tools);
    // What the options were listed under: they are of use only under the same.
    let mut listed_under = None;
    // Cells that may be of other groups than before the last move.
    let mut touched = V::empty();
    loop {
        let kept = if steering.kept == 0 { V::empty() } else { of_colour(&planes, steering.kept) };
        let pairs = (trace.before + trace.moves.len()) as u32 > steering.pairs_after;
        let second =
            if steering.second == 0 { V::empty() } else { of_colour(&planes, steering.second) };
        // What may go: first what is neither kept nor second, then what is not
        // kept, then anything.
        let mut stage = if steering.second == 0 { 1 } else { 0 };
        loop {
            let mut from = links.corners;
            // Of the kept colour only pairs, once their time has come.
            let mut refused = V::empty();
            if stage < 2 {
                if pairs {
                    refused = kept;
                } else {
                    from = from.without(kept);
                }
            }
            if stage == 0 {
                from = from.without(second);
            }
            if listed_under == Some((stage, pairs)) {
                from = from.without(options.keep_untouched::<BIASED>(touched));
            } else {
                options.clear();
                listed_under = Some((stage, pairs));
            }
            let mut now = [[0; W]; P];
            for k in 0..P {
                now[k] = planes[k].words();
            }
            let kept_words = kept.words();
            each_group_from(&links, from, |cells, bit, first| {
                let (word, shift) = (bit as usize / 64 % W, bit % 64);
                // A group comes once for each of its corners; its code is dear.
                if BLOCKS && !first {
                    return;
                }
                if first && !cells.and(refused).is_empty() && cells.count() != 2 {
                    // SAFETY: a position has at most `MAX_GROUPS` groups.
                    unsafe { options.refuse(cells) };
                    return;
                }
                let slot = slot(if BLOCKS {
                    u64::from(block_code(&marks, cells.words()))
                } else {
                    let mut colour = 0;
                    for (k, plane) in now.iter().enumerate() {
                        colour |= (plane[word] >> shift & 1) << k;
                    }
                    group_code(cells.words(), colour as u32)
                });
                let mut factor = 1.0;
                if BIASED && let Some(by_size) = steering.factors {
                    let other = kept_words[word] >> shift & 1 == 0;
                    factor = by_size[usize::from(other)][cells.count() as usize];
                }
                // SAFETY: a position has at most `MAX_GROUPS` groups, and there
                // is room for one more.
                unsafe { options.add::<BIASED>(cells, bit, slot, weights[slot as usize], factor) };
                options.len += usize::from(first);
            });
            if options.len > 0 {
                let (group, first) = options.draw::<BIASED>(&mut sums, rng, trace);
                trace.moves.push(Cell::from_bit(first));
                score += steering.rules.points(group.count());
                let closed = remove_and_tell(&mut planes, group);
                if BLOCKS {
                    settle_marks::<W, V>(&mut marks, group.words());
                    if closed {
                        close_marks::<W>(&mut marks);
                    }
                }
                if closed {
                    listed_under = None;
                }
                let before = links;
                links = Links::of(&planes, tools);
                touched = links.touched(&before, group);
                break;
            }
            if stage == 2 {
                return score + end_points(steering.rules, &planes);
            }
            stage += 1;
        }
    }
}

/// The groups a game may take now: those that the moves so far have left as
/// they were, which are not looked for again, and behind them the others.
struct Options<const W: usize, V: Plane<W>> {
    /// How many there are. The arrays are written as far as they are read.
    len: usize,
    groups: [MaybeUninit<V>; MAX_GROUPS + 1],
    firsts: [MaybeUninit<u32>; MAX_GROUPS + 1],
    slots: [MaybeUninit<u32>; MAX_GROUPS + 1],
    weights: [MaybeUninit<f32>; MAX_GROUPS + 1],
    factors: [MaybeUninit<f32>; MAX_GROUPS + 1],
    /// Groups that may not be taken; they need not be looked for again either.
    refused: [MaybeUninit<V>; MAX_GROUPS + 1],
    refusals: usize,
}

impl<const W: usize, V: Plane<W>> Options<W, V> {
    #[inline(always)]
    fn new() -> Self {
        Options {
            len: 0,
            groups: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            firsts: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            slots: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            weights: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            factors: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            refused: [const { MaybeUninit::uninit() }; MAX_GROUPS + 1],
            refusals: 0,
        }
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.len = 0;
        self.refusals = 0;
    }

    /// Takes note of a group that may not be taken.
    ///
    /// SAFETY: there are at most `MAX_GROUPS` of them.
    #[inline(always)]
    unsafe fn refuse(&mut self, group: V) {
        // SAFETY: there is room for `MAX_GROUPS + 1`.
        unsafe { self.refused.get_unchecked_mut(self.refusals).write(group) };
        self.refusals += 1;
    }

    /// Writes an option behind the others, not counted yet.
    ///
    /// SAFETY: `len` is at most `MAX_GROUPS`.
    #[inline(always)]
    unsafe fn add<const BIASED: bool>(
        &mut self,
        group: V,
        first: u32,
        slot: u32,
        weight: f32,
        factor: f32,
    ) {
        // SAFETY: there is room for `MAX_GROUPS + 1`.
        unsafe {
            self.groups.get_unchecked_mut(self.len).write(group);
            self.firsts.get_unchecked_mut(self.len).write(first);
            self.slots.get_unchecked_mut(self.len).write(slot);
            let weight = if BIASED { weight * factor } else { weight };
            self.weights.get_unchecked_mut(self.len).write(weight);
            if BIASED {
                self.factors.get_unchecked_mut(self.len).write(factor);
            }
        }
    }

    /// Drops the groups with touched cells; returns the cells of the others.
    #[inline(always)]
    fn keep_untouched<const BIASED: bool>(&mut self, touched: V) -> V {
        let mut cells = V::empty();
        let mut len = 0;
        for i in 0..self.len {
            // SAFETY: the first `len` of each have been written.
            unsafe {
                let group = self.groups.get_unchecked(i).assume_init();
                let keep = group.and(touched).is_empty();
                *self.groups.get_unchecked_mut(len) = *self.groups.get_unchecked(i);
                *self.firsts.get_unchecked_mut(len) = *self.firsts.get_unchecked(i);
                *self.slots.get_unchecked_mut(len) = *self.slots.get_unchecked(i);
                *self.weights.get_unchecked_mut(len) = *self.weights.get_unchecked(i);
                if BIASED {
                    *self.factors.get_unchecked_mut(len) = *self.factors.get_unchecked(i);
                }
                cells = cells.or(group.and(V::all_if(keep)));
                len += usize::from(keep);
            }
        }
        self.len = len;
        let mut refusals = 0;
        for i in 0..self.refusals {
            // SAFETY: the first `refusals` have been written.
            unsafe {
                let group = self.refused.get_unchecked(i).assume_init();
                let keep = group.and(touched).is_empty();
                *self.refused.get_unchecked_mut(refusals) = *self.refused.get_unchecked(i);
                cells = cells.or(group.and(V::all_if(keep)));
                refusals += usize::from(keep);
            }
        }
        self.refusals = refusals;
        cells
    }

    /// Writes the options to the trace and draws one: its group and first cell.
    #[inline(always)]
    fn draw<const BIASED: bool>(
        &self,
        sums: &mut [f32; MAX_GROUPS + 1],
        rng: &mut Rng,
        trace: &mut Trace<Cell>,
    ) -> (V, u32) {
        let len = self.len;
        trace.slots.reserve(MAX_GROUPS + 1);
        if BIASED {
            trace.factors.reserve(MAX_GROUPS + 1);
        }
        let slots = trace.slots.spare_capacity_mut();
        let factors = trace.factors.spare_capacity_mut();
        let mut total = 0.0;
        for i in 0..len {
            // SAFETY: the first `len` of each have been written, and there is
            // room in the trace.
            unsafe {
                *slots.get_unchecked_mut(i) = *self.slots.get_unchecked(i);
                if BIASED {
                    *factors.get_unchecked_mut(i) = *self.factors.get_unchecked(i);
                }
                total += self.weights.get_unchecked(i).assume_init();
                *sums.get_unchecked_mut(i) = total;
            }
        }
        // SAFETY: the first `len` of each have just been written.
        unsafe {
            trace.slots.set_len(trace.slots.len() + len);
            if BIASED {
                trace.factors.set_len(trace.factors.len() + len);
            }
        }
        let index = drawn(&sums[..len], rng);
        trace.chose(index);
        // SAFETY: `index` is below `len`.
        unsafe { (self.groups[index].assume_init(), self.firsts[index].assume_init()) }
    }
}

/// The columns of the largest board.
const MAX_COLUMNS: usize = 32;

/// A number for the block in each cell, column by column; 0 where there is
/// none.
type Marks = [[u32; 16]; MAX_COLUMNS];

/// A random number for the block that is in a cell of a starting position.
pub(super) fn mark(cell: Cell) -> u32 {
    MARKS[cell.column()][cell.row()]
}

const MARKS: Marks = {
    let mut marks = [[0; 16]; MAX_COLUMNS];
    let mut cell = 0;
    while cell < 16 * MAX_COLUMNS {
        // Never 0, which is for no block.
        marks[cell / 16][cell % 16] = solitree_core::mix(cell as u64 + 1) as u32 | 1;
        cell += 1;
    }
    marks
};

/// The marks of the blocks of a position.
#[inline(always)]
fn marks_of<const W: usize>(occupied: [u64; W]) -> Marks {
    let mut marks = MARKS;
    for (x, column) in marks.iter_mut().enumerate().take(4 * W) {
        let there = occupied[x / 4] >> (x % 4 * 16);
        for (y, mark) in column.iter_mut().enumerate() {
            *mark &= ((there >> y & 1) as u32).wrapping_neg();
        }
    }
    marks
}

/// A number for a group: the blocks it is made of, wherever they are now.
#[inline(always)]
fn block_code<const W: usize>(marks: &Marks, cells: [u64; W]) -> u32 {
    let marks = marks.as_flattened();
    let mut code = 0;
    for (index, mut word) in cells.into_iter().enumerate() {
        while word != 0 {
            code ^= marks[index * 64 + word.trailing_zeros() as usize];
            word &= word - 1;
        }
    }
    code
}

/// Moves the marks the way the blocks fall.
#[inline(always)]
fn settle_marks<const W: usize, V: Plane<W>>(marks: &mut Marks, group: [u64; W]) {
    for (index, &word) in group.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let column = rest.trailing_zeros() as usize / 16;
            let gone = (word >> (column * 16)) as u16;
            rest &= !(0xFFFF << (column * 16));
            V::drop_marks(&mut marks[index * 4 + column], !gone);
        }
    }
}

/// Moves the marks the way the columns close up.
#[inline(always)]
fn close_marks<const W: usize>(marks: &mut Marks) {
    let mut to = 0;
    for from in 0..4 * W {
        if marks[from][0] != 0 {
            marks[to] = marks[from];
            to += 1;
        }
    }
    for column in &mut marks[to..4 * W] {
        *column = [0; 16];
    }
}
