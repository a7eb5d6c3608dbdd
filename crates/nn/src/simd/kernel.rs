//! The loops themselves, on any vector.
//!
//! SAFETY of every function: the caller has checked that the stretch, up to
//! `SPARE` cells behind it and all their neighbours lie within the buffers, that
//! channels are multiples of `LANES`, and that the processor has the vector's
//! instructions.

use super::vector::Vector;
use super::{Cells, Finish, LANES, Marks, Stretch};

/// A convolution.
pub(super) struct Conv<'a> {
    pub(super) input: Cells<'a>,
    pub(super) weights: &'a [f32],
    pub(super) neighbours: &'a [isize],
    pub(super) finish: Finish<'a>,
    pub(super) stretch: Stretch,
    pub(super) to: usize,
}

/// Computes `T` cells and `N` blocks of channels at a time, in registers.
///
/// # Safety
/// See the module.
#[inline(always)]
pub(super) unsafe fn conv_tiles<V: Vector, const T: usize, const N: usize>(
    job: &Conv<'_>,
    output: &mut [f32],
) {
    // SAFETY: see the module. A constant number of channels lets the distances
    // between cells be part of the instructions.
    unsafe {
        match job.input.channels {
            16 => conv_from::<V, T, N, 16>(job, output),
            32 => conv_from::<V, T, N, 32>(job, output),
            64 => conv_from::<V, T, N, 64>(job, output),
            _ => conv_from::<V, T, N, 0>(job, output),
        }
    }
}

/// The same for `C` input channels; 0 for any number.
#[inline(always)]
unsafe fn conv_from<V: Vector, const T: usize, const N: usize, const C: usize>(
    job: &Conv<'_>,
    output: &mut [f32],
) {
    let Stretch { first, count } = job.stretch;
    let from = if C == 0 { job.input.channels } else { C };
    for block in (0..job.to).step_by(N * LANES) {
        let mut start = V::splat(0.0);
        let mut starts = [start; N];
        if let Some(bias) = job.finish.bias {
            for (n, begin) in starts.iter_mut().enumerate() {
                // SAFETY: the bias has `to` numbers.
                start = unsafe { V::load(bias.as_ptr().add(block + n * LANES)) };
                *begin = start;
            }
        }
        for tile in (0..count).step_by(T) {
            let at = first + tile;
            let mut sums = [starts; T];
            for (index, &offset) in job.neighbours.iter().enumerate() {
                // SAFETY: the neighbours of `T` cells are in the buffer, and the
                // weights are `[neighbour][from][to]`.
                let (cell, weights) = unsafe {
                    let neighbour = (at as isize + offset) as usize;
                    let weights = job.weights.as_ptr().add(index * from * job.to + block);
                    (job.input.data.as_ptr().add(neighbour * from), weights)
                };
                for channel in 0..from {
                    let mut row = [start; N];
                    for (n, vector) in row.iter_mut().enumerate() {
                        // SAFETY: as above.
                        *vector = unsafe { V::load(weights.add(channel * job.to + n * LANES)) };
                    }
                    for (t, sums) in sums.iter_mut().enumerate() {
                        // SAFETY: as above.
                        let number = V::splat(unsafe { *cell.add(t * from + channel) });
                        for n in 0..N {
                            sums[n] = sums[n].fma(number, row[n]);
                        }
                    }
                }
            }
            for (t, sums) in sums.iter().enumerate() {
                for (n, &sum) in sums.iter().enumerate() {
                    let place = (at + t) * job.to + block + n * LANES;
                    let mut sum = sum;
                    if let Some(residual) = job.finish.residual {
                        // SAFETY: it is as long as the output.
                        sum = sum.add(unsafe { V::load(residual.as_ptr().add(place)) });
                    }
                    if job.finish.relu {
                        sum = sum.relu();
                    }
                    // SAFETY: the output has room for the tile.
                    unsafe { sum.store(output.as_mut_ptr().add(place)) };
                }
            }
        }
    }
}

/// Sums for `T` input channels and a block of output channels at a time.
///
/// # Safety
/// See the module.
#[inline(always)]
pub(super) unsafe fn weight_slopes<V: Vector, const T: usize>(
    input: Cells<'_>,
    moved: Cells<'_>,
    neighbours: &[isize],
    stretch: Stretch,
    slopes: &mut [f32],
) {
    let (from, to) = (input.channels, moved.channels);
    for (index, &offset) in neighbours.iter().enumerate() {
        for channel in (0..from).step_by(T) {
            for block in (0..to).step_by(LANES) {
                let mut sums = [V::splat(0.0); T];
                for at in stretch.first..stretch.first + stretch.count {
                    let neighbour = (at as isize + offset) as usize;
                    // SAFETY: see the module; `T` divides the channels.
                    unsafe {
                        let push = V::load(moved.data.as_ptr().add(at * to + block));
                        let cell = input.data.as_ptr().add(neighbour * from + channel);
                        for (t, sum) in sums.iter_mut().enumerate() {
                            *sum = sum.fma(V::splat(*cell.add(t)), push);
                        }
                    }
                }
                for (t, sum) in sums.into_iter().enumerate() {
                    let place = (index * from + channel + t) * to + block;
                    // SAFETY: the slopes are `[neighbour][from][to]`.
                    unsafe {
                        let slope = slopes.as_mut_ptr().add(place);
                        V::load(slope).add(sum).store(slope);
                    }
                }
            }
        }
    }
}

/// Adds up rows of the table, cell by cell.
///
/// # Safety
/// See the module; no mark is beyond the table.
#[inline(always)]
pub(super) unsafe fn lookup_cells<V: Vector>(
    marks: Marks<'_>,
    table: &[f32],
    neighbours: &[isize],
    finish: Finish<'_>,
    stretch: Stretch,
    output: &mut [f32],
) {
    let to = table.len() / (neighbours.len() * marks.planes);
    for block in (0..to).step_by(LANES) {
        let start = match finish.bias {
            // SAFETY: the bias has `to` numbers.
            Some(bias) => unsafe { V::load(bias.as_ptr().add(block)) },
            None => V::splat(0.0),
        };
        for at in stretch.first..stretch.first + stretch.count {
            let mut sum = start;
            for (index, &offset) in neighbours.iter().enumerate() {
                let neighbour = (at as isize + offset) as usize;
                for mark in 0..marks.each {
                    // SAFETY: see the module.
                    unsafe {
                        let mark = *marks.data.get_unchecked(neighbour * marks.each + mark);
                        let row = index * marks.planes + usize::from(mark);
                        sum = sum.add(V::load(table.as_ptr().add(row * to + block)));
                    }
                }
            }
            if finish.relu {
                sum = sum.relu();
            }
            // SAFETY: see the module.
            unsafe { sum.store(output.as_mut_ptr().add(at * to + block)) };
        }
    }
}

/// Adds what moves a cell to the rows that were added up for it.
///
/// # Safety
/// See the module; no mark is beyond the table.
#[inline(always)]
pub(super) unsafe fn lookup_slopes<V: Vector>(
    marks: Marks<'_>,
    moved: Cells<'_>,
    neighbours: &[isize],
    stretch: Stretch,
    slopes: &mut [f32],
) {
    let to = moved.channels;
    for block in (0..to).step_by(LANES) {
        for at in stretch.first..stretch.first + stretch.count {
            // SAFETY: see the module.
            unsafe {
                let push = V::load(moved.data.as_ptr().add(at * to + block));
                for (index, &offset) in neighbours.iter().enumerate() {
                    let neighbour = (at as isize + offset) as usize;
                    for mark in 0..marks.each {
                        let mark = *marks.data.get_unchecked(neighbour * marks.each + mark);
                        let row = index * marks.planes + usize::from(mark);
                        let slope = slopes.as_mut_ptr().add(row * to + block);
                        V::load(slope).add(push).store(slope);
                    }
                }
            }
        }
    }
}
