//! Convolutions of small whole numbers.
//!
//! Inputs are 0 to 127 and weights -127 to 127, so that a pair of products fits
//! sixteen bits with its sign and AVX2's instructions never clip. Sums are exact;
//! what is done with them afterwards is the same on all instructions, operation
//! by operation: so are the results, bit for bit.
//!
//! SAFETY of every function: as in `kernel.rs`.

use super::{Finish, LANES, Stretch};

/// The largest input.
pub(crate) const MOST: f32 = 127.0;

/// Channels whose products are added up by one instruction.
pub(crate) const FOUR: usize = 4;

/// A convolution; weights are `[neighbour][four from][sixteen to][to][from]`.
pub(super) struct Quant<'a> {
    pub(super) input: &'a [u8],
    pub(super) from: usize,
    pub(super) weights: &'a [i8],
    /// What one is worth, for each output channel.
    pub(super) worth: &'a [f32],
    pub(super) neighbours: &'a [isize],
    pub(super) finish: Finish<'a>,
    pub(super) stretch: Stretch,
    pub(super) to: usize,
}

/// Sixteen whole sums on some instructions.
pub(super) trait Sums: Copy {
    /// Sixteen noughts.
    fn nought() -> Self;

    /// Adds to each sum the products of four inputs and its four weights.
    ///
    /// # Safety
    /// There are four bytes and sixty-four weights.
    unsafe fn add(self, four: *const u8, weights: *const i8) -> Self;

    /// The sums.
    fn lanes(self) -> [i32; LANES];
}

impl Sums for [i32; LANES] {
    #[inline(always)]
    fn nought() -> Self {
        [0; LANES]
    }

    #[inline(always)]
    unsafe fn add(self, four: *const u8, weights: *const i8) -> Self {
        // SAFETY: the caller's promise.
        let (four, weights) =
            unsafe { (&*four.cast::<[u8; FOUR]>(), &*weights.cast::<[[i8; FOUR]; LANES]>()) };
        std::array::from_fn(|lane| {
            let products = (0..FOUR).map(|i| i32::from(four[i]) * i32::from(weights[lane][i]));
            self[lane] + products.sum::<i32>()
        })
    }

    #[inline(always)]
    fn lanes(self) -> [i32; LANES] {
        self
    }
}

/// Computes `T` cells and a block of channels at a time.
///
/// # Safety
/// See the module.
#[inline(always)]
pub(super) unsafe fn quant_tiles<S: Sums, const T: usize>(job: &Quant<'_>, output: &mut [f32]) {
    // SAFETY: see the module.
    unsafe {
        match job.from {
            16 => quant_from::<S, T, 16>(job, output),
            32 => quant_from::<S, T, 32>(job, output),
            _ => quant_from::<S, T, 0>(job, output),
        }
    }
}

#[inline(always)]
unsafe fn quant_from<S: Sums, const T: usize, const C: usize>(job: &Quant<'_>, output: &mut [f32]) {
    let from = if C == 0 { job.from } else { C };
    let step = job.to * FOUR;
    for block in (0..job.to).step_by(LANES) {
        for at in (job.stretch.first..job.stretch.first + job.stretch.count).step_by(T) {
            let mut sums = [S::nought(); T];
            for (index, &offset) in job.neighbours.iter().enumerate() {
                let neighbour = (at as isize + offset) as usize;
                for four in 0..from / FOUR {
                    let place = (index * (from / FOUR) + four) * step + block * FOUR;
                    // SAFETY: the neighbours of `T` cells are in the buffer, and
                    // there are as many weights.
                    unsafe {
                        let weights = job.weights.as_ptr().add(place);
                        let cell = job.input.as_ptr().add(neighbour * from + four * FOUR);
                        for (t, sum) in sums.iter_mut().enumerate() {
                            *sum = sum.add(cell.add(t * from), weights);
                        }
                    }
                }
            }
            for (t, sums) in sums.into_iter().enumerate() {
                let place = (at + t) * job.to + block;
                finish(job, sums.lanes(), block, place, &mut output[place..place + LANES]);
            }
        }
    }
}

/// From whole sums to what the layer says.
#[inline(always)]
fn finish(job: &Quant<'_>, sums: [i32; LANES], block: usize, place: usize, out: &mut [f32]) {
    let worth = &job.worth[block..block + LANES];
    let mut numbers: [f32; LANES] = std::array::from_fn(|lane| sums[lane] as f32 * worth[lane]);
    if let Some(bias) = job.finish.bias {
        let bias = &bias[block..block + LANES];
        numbers = std::array::from_fn(|lane| numbers[lane] + bias[lane]);
    }
    if let Some(residual) = job.finish.residual {
        let residual = &residual[place..place + LANES];
        numbers = std::array::from_fn(|lane| numbers[lane] + residual[lane]);
    }
    if job.finish.relu {
        numbers = numbers.map(|number| if number > 0.0 { number } else { 0.0 });
    }
    out.copy_from_slice(&numbers);
}

/// Numbers, which are not negative, as whole multiples of `1 / factor`.
#[inline(always)]
pub(super) fn quantise(input: &[f32], factor: f32, output: &mut [u8]) {
    // Adding a large number leaves no room for a fraction: the sum is rounded,
    // the even one of two, and its lowest byte is the whole number.
    const ROUND: f32 = 12_582_912.0;
    for (whole, number) in output.iter_mut().zip(input) {
        let scaled = number * factor;
        let clipped = if scaled < MOST { scaled } else { MOST };
        *whole = (clipped + ROUND).to_bits() as u8;
    }
}
