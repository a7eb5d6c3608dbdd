//! The inner loops of networks, and the choice of instructions for them.
//!
//! The loops are written once, over a [`vector::Vector`] of sixteen numbers, and
//! compiled here for each set of instructions; the choice is made at run time.
//! Sums are taken in the same order by all of them, but AVX2 and AVX-512 round
//! once where plain instructions round twice, so that answers may differ in
//! their last digits.

#[cfg(target_arch = "x86_64")]
mod compiled;
mod kernel;
mod quant;
#[cfg(target_arch = "x86_64")]
mod quant_x86;
mod vector;
#[cfg(target_arch = "x86_64")]
mod vector_x86;

use std::fmt;

#[cfg(target_arch = "x86_64")]
use compiled::*;
use kernel::{conv_tiles, lookup_cells, lookup_slopes, weight_slopes};
pub(crate) use quant::{FOUR, MOST};
use quant::{Quant, quant_tiles};
use vector::Plain;

/// Channels are handled in blocks of so many; layers have a multiple of it.
pub(crate) const LANES: usize = 16;

/// Cells behind the last one of a buffer that the loops may touch.
pub(crate) const SPARE: usize = 12;

/// The next multiple of [`LANES`].
pub(crate) fn padded(channels: usize) -> usize {
    channels.next_multiple_of(LANES)
}

/// A set of instructions. There are values only of those that this processor
/// has, so that to hold one is to be allowed to use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 with products of bytes.
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Vnni => "avx512vnni",
        })
    }
}

impl Simd {
    /// What every processor can do.
    pub const PLAIN: Simd = Simd(Instructions::Plain);

    /// The best that this processor can do.
    #[must_use]
    pub fn best() -> Simd {
        Simd::available().pop().unwrap_or(Simd::PLAIN)
    }

    /// Everything that this processor can do, the best last.
    #[must_use]
    pub fn available() -> Vec<Simd> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Simd::PLAIN];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(Simd(Instructions::Avx2));
            if is_x86_feature_detected!("avx512f") {
                all.push(Simd(Instructions::Avx512));
                if is_x86_feature_detected!("avx512vnni") {
                    all.push(Simd(Instructions::Vnni));
                }
            }
        }
        all
    }
}

impl Simd {
    /// Does some work on these instructions: its loops are compiled for them as
    /// far as they are inlined into it. Nothing is rounded otherwise.
    #[inline(always)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            Instructions::Plain => work(),
            // SAFETY: a value of `Simd` proves that the processor has them.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { run_avx2(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Vnni => unsafe { run_avx512(work) },
        }
    }
}

/// What is added to a convolution's result, and what becomes of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Finish<'a> {
    /// Added to each channel.
    pub(crate) bias: Option<&'a [f32]>,
    /// Added cell by cell.
    pub(crate) residual: Option<&'a [f32]>,
    /// Whether what is negative becomes nought.
    pub(crate) relu: bool,
}

/// Cells in memory with so many channels each, a multiple of [`LANES`].
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) channels: usize,
}

/// The stretch of cells that is computed.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) first: usize,
    pub(crate) count: usize,
}

impl Stretch {
    /// Panics if a buffer of `cells` does not hold the stretch, what the loops
    /// may touch behind it, and every neighbour.
    fn check(self, cells: usize, neighbours: &[isize]) {
        let end = self.first + self.count + SPARE;
        for &offset in neighbours {
            assert!(self.first as isize + offset >= 0, "a neighbour before the buffer");
            assert!(end as isize + offset <= cells as isize, "a neighbour behind the buffer");
        }
    }
}

impl Simd {
    /// A convolution: `weights` is `[neighbour][from channel][to channel]`. Up to
    /// [`SPARE`] cells behind the stretch are overwritten.
    pub(crate) fn conv(
        self,
        input: Cells<'_>,
        weights: &[f32],
        neighbours: &[isize],
        finish: Finish<'_>,
        stretch: Stretch,
        output: &mut [f32],
    ) {
        let (from, to) = (input.channels, weights.len() / (neighbours.len() * input.channels));
        assert!(from.is_multiple_of(LANES) && to.is_multiple_of(LANES), "channels are padded");
        assert_eq!(weights.len(), neighbours.len() * from * to);
        assert!(finish.bias.is_none_or(|bias| bias.len() == to));
        stretch.check(input.data.len() / from, neighbours);
        stretch.check(output.len() / to, &[0]);
        if let Some(residual) = finish.residual {
            stretch.check(residual.len() / to, &[0]);
        }
        let job = kernel::Conv { input, weights, neighbours, finish, stretch, to };
        // SAFETY: every index was checked above for tiles of up to `SPARE` cells,
        // and a value of `Simd` proves that the processor has the instructions.
        unsafe {
            match self.0 {
                Instructions::Plain => conv_tiles::<Plain, 4, 1>(&job, output),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => conv_avx2(&job, output),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 | Instructions::Vnni => conv_avx512(&job, output),
            }
        }
    }

    /// Adds to `slopes` (`[neighbour][from channel][to channel]`) what moves the
    /// weights of a convolution, given what moves its output; `moved` is nought
    /// wherever there is no output.
    pub(crate) fn weight_slopes(
        self,
        input: Cells<'_>,
        moved: Cells<'_>,
        neighbours: &[isize],
        stretch: Stretch,
        slopes: &mut [f32],
    ) {
        assert!(input.channels.is_multiple_of(LANES) && moved.channels.is_multiple_of(LANES));
        assert_eq!(slopes.len(), neighbours.len() * input.channels * moved.channels);
        stretch.check(input.data.len() / input.channels, neighbours);
        stretch.check(moved.data.len() / moved.channels, &[0]);
        // SAFETY: as above.
        unsafe {
            match self.0 {
                Instructions::Plain => {
                    weight_slopes::<Plain, 2>(input, moved, neighbours, stretch, slopes);
                }
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => slopes_avx2(input, moved, neighbours, stretch, slopes),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 | Instructions::Vnni => {
                    slopes_avx512(input, moved, neighbours, stretch, slopes);
                }
            }
        }
    }

    /// A convolution of planes given by the numbers of those that are set,
    /// `marks.each` in every cell: `table` is `[neighbour][plane][channel]`, its
    /// last plane nought and set outside of the board.
    pub(crate) fn lookup(
        self,
        marks: Marks<'_>,
        table: &[f32],
        neighbours: &[isize],
        finish: Finish<'_>,
        stretch: Stretch,
        output: &mut [f32],
    ) {
        let to = table.len() / (neighbours.len() * marks.planes);
        marks.check(table, to, neighbours, stretch);
        assert!(finish.residual.is_none());
        assert!(finish.bias.is_none_or(|bias| bias.len() == to));
        stretch.check(output.len() / to, &[0]);
        // SAFETY: as above; `check` saw that no mark is beyond the table.
        unsafe {
            match self.0 {
                Instructions::Plain => {
                    lookup_cells::<Plain>(marks, table, neighbours, finish, stretch, output);
                }
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => {
                    lookup_avx2(marks, table, neighbours, finish, stretch, output);
                }
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 | Instructions::Vnni => {
                    lookup_avx512(marks, table, neighbours, finish, stretch, output);
                }
            }
        }
    }

    /// Adds to `slopes` what moves the table of a look-up.
    pub(crate) fn lookup_slopes(
        self,
        marks: Marks<'_>,
        moved: Cells<'_>,
        neighbours: &[isize],
        stretch: Stretch,
        slopes: &mut [f32],
    ) {
        marks.check(slopes, moved.channels, neighbours, stretch);
        stretch.check(moved.data.len() / moved.channels, &[0]);
        // SAFETY: as above.
        unsafe {
            match self.0 {
                Instructions::Plain => {
                    lookup_slopes::<Plain>(marks, moved, neighbours, stretch, slopes);
                }
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => {
                    lookup_slopes_avx2(marks, moved, neighbours, stretch, slopes);
                }
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 | Instructions::Vnni => {
                    lookup_slopes_avx512(marks, moved, neighbours, stretch, slopes);
                }
            }
        }
    }
}

/// A convolution of small whole numbers, without its input.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    /// Input channels.
    pub(crate) from: usize,
    /// `[neighbour][four from][sixteen to][to][from]`.
    pub(crate) weights: &'a [i8],
    /// What one is worth, for each output channel.
    pub(crate) worth: &'a [f32],
}

impl Simd {
    /// Writes numbers that are not negative as whole ones up to [`MOST`].
    pub(crate) fn quantise(self, input: &[f32], factor: f32, output: &mut [u8]) {
        self.run(|| quant::quantise(input, factor, output));
    }

    /// A convolution of what [`Simd::quantise`] wrote. Up to [`SPARE`] cells
    /// behind the stretch are overwritten.
    pub(crate) fn whole(
        self,
        input: &[u8],
        layer: Whole<'_>,
        neighbours: &[isize],
        finish: Finish<'_>,
        stretch: Stretch,
        output: &mut [f32],
    ) {
        let Whole { from, weights, worth } = layer;
        let to = worth.len();
        assert!(from.is_multiple_of(LANES) && to.is_multiple_of(LANES), "channels are padded");
        assert_eq!(weights.len(), neighbours.len() * from * to);
        assert!(finish.bias.is_none_or(|bias| bias.len() == to));
        stretch.check(input.len() / from, neighbours);
        stretch.check(output.len() / to, &[0]);
        let job = Quant { input, from, weights, worth, neighbours, finish, stretch, to };
        // SAFETY: every index was checked above for tiles of up to `SPARE` cells,
        // and a value of `Simd` proves that the processor has the instructions.
        unsafe {
            match self.0 {
                Instructions::Plain => quant_tiles::<[i32; LANES], 2>(&job, output),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 | Instructions::Avx512 => whole_avx2(&job, output),
                #[cfg(target_arch = "x86_64")]
                Instructions::Vnni => whole_vnni(&job, output),
            }
        }
    }
}

/// The planes that are set in each cell of a frame.
#[derive(Clone, Copy)]
pub(crate) struct Marks<'a> {
    /// Their numbers; `planes - 1` stands for none.
    pub(crate) data: &'a [u8],
    /// How many in each cell.
    pub(crate) each: usize,
    /// How many there are, the one for none included.
    pub(crate) planes: usize,
}

impl Marks<'_> {
    fn check(&self, table: &[f32], to: usize, neighbours: &[isize], stretch: Stretch) {
        assert!(to.is_multiple_of(LANES), "channels are padded");
        assert_eq!(table.len(), neighbours.len() * self.planes * to);
        assert!(self.data.iter().all(|&mark| usize::from(mark) < self.planes));
        stretch.check(self.data.len() / self.each, neighbours);
    }
}
