//! Games steered by weights: the inner loop of NRPA.
//!
//! Every group a game may take is listed with the hash of its cells, which
//! finds its weight in a dense array; nothing is allocated and no table is
//! searched. The kept colour's groups are not even flooded while there are
//! others.

use std::mem::MaybeUninit;

use solitree_core::{Rng, Trace, Weights, drawn, slot};

use super::board::Cell;
use super::kernel::{Links, MAX_GROUPS, each_group_from, group_code, occupied, of_colour, remove};
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
    // Written as far as they are read.
    let mut groups = [const { MaybeUninit::<V>::uninit() }; MAX_GROUPS + 1];
    let mut firsts = [const { MaybeUninit::<u16>::uninit() }; MAX_GROUPS + 1];
    let mut sums = [0f32; MAX_GROUPS + 1];
    let mut marks =
        if BLOCKS { marks_of(occupied(&planes).words()) } else { [[0; 16]; MAX_COLUMNS] };
    loop {
        let links = Links::of(&planes, tools);
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
            let mut len = 0;
            let mut total = 0.0;
            trace.slots.reserve(MAX_GROUPS + 1);
            if BIASED {
                trace.factors.reserve(MAX_GROUPS + 1);
            }
            let slots = trace.slots.spare_capacity_mut();
            let factors = trace.factors.spare_capacity_mut();
            let mut now = [[0; W]; P];
            for k in 0..P {
                now[k] = planes[k].words();
            }
            let kept_words = kept.words();
            each_group_from(&links, from, |cells, bit, first| {
                let (word, shift) = (bit as usize / 64 % W, bit % 64);
                let mut colour = 0;
                for (k, plane) in now.iter().enumerate() {
                    colour |= (plane[word] >> shift & 1) << k;
                }
                // A group comes once for each of its corners; its code is dear.
                if BLOCKS && !first {
                    return;
                }
                let slot = slot(if BLOCKS {
                    u64::from(block_code(&marks, cells.words()))
                } else {
                    group_code(cells.words(), colour as u32)
                });
                let mut weight = weights[slot as usize];
                // SAFETY: a position has at most `MAX_GROUPS` groups, and there
                // is room for one more in each of the four.
                unsafe {
                    if BIASED && let Some(by_size) = steering.factors {
                        let other = kept_words[word] >> shift & 1 == 0;
                        let factor = by_size[usize::from(other)][cells.count() as usize];
                        weight *= factor;
                        factors.get_unchecked_mut(len).write(factor);
                    }
                    slots.get_unchecked_mut(len).write(slot);
                    groups.get_unchecked_mut(len).write(cells);
                    firsts.get_unchecked_mut(len).write(bit as u16);
                    let counts = first && (cells.and(refused).is_empty() || cells.count() == 2);
                    total = if counts { total + weight } else { total };
                    *sums.get_unchecked_mut(len) = total;
                    len += usize::from(counts);
                }
            });
            if len > 0 {
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
                let (group, first) =
                    unsafe { (groups[index].assume_init(), firsts[index].assume_init()) };
                trace.moves.push(Cell::from_bit(u32::from(first)));
                score += steering.rules.points(group.count());
                remove(&mut planes, group);
                if BLOCKS {
                    settle::<W, V>(&mut marks, group.words());
                }
                break;
            }
            if stage == 2 {
                return score + end_points(steering.rules, &planes);
            }
            stage += 1;
        }
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

/// Moves the marks the way the blocks fall and close up.
#[inline(always)]
fn settle<const W: usize, V: Plane<W>>(marks: &mut Marks, group: [u64; W]) {
    let mut emptied = false;
    for (index, &word) in group.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let column = rest.trailing_zeros() as usize / 16;
            let gone = (word >> (column * 16)) as u16;
            rest &= !(0xFFFF << (column * 16));
            let cells = &mut marks[index * 4 + column];
            V::drop_marks(cells, !gone);
            emptied |= cells[0] == 0;
        }
    }
    if emptied {
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
}
