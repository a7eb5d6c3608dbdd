//! The loops for AVX2 and AVX-512: their bodies are inlined into functions that
//! are compiled for these instructions.
//!
//! SAFETY of each: the caller has checked every index, and that the processor
//! has the instructions.

use std::arch::x86_64::{__m256, __m256i, __m512, __m512i};

use super::kernel::{Conv, conv_tiles, lookup_cells, lookup_slopes, weight_slopes};
use super::quant::{Quant, quant_tiles};
use super::{Cells, Finish, LANES, Marks, Stretch};

macro_rules! compiled {
    ($features:literal, $name:ident($($argument:ident: $type:ty),*) => $body:expr) => {
        /// # Safety
        /// See the module.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name($($argument: $type),*) {
            // SAFETY: see the module.
            unsafe { $body }
        }
    };
}

compiled!("avx2,fma", conv_avx2(job: &Conv<'_>, output: &mut [f32]) =>
    conv_tiles::<[__m256; 2], 6, 1>(job, output));
compiled!("avx512f", conv_avx512(job: &Conv<'_>, output: &mut [f32]) =>
if job.to.is_multiple_of(2 * LANES) {
    conv_tiles::<__m512, 12, 2>(job, output);
} else {
    conv_tiles::<__m512, 12, 1>(job, output);
});
compiled!("avx2,fma", slopes_avx2(
    input: Cells<'_>, moved: Cells<'_>, neighbours: &[isize], stretch: Stretch,
    slopes: &mut [f32]
) => weight_slopes::<[__m256; 2], 4>(input, moved, neighbours, stretch, slopes));
compiled!("avx512f", slopes_avx512(
    input: Cells<'_>, moved: Cells<'_>, neighbours: &[isize], stretch: Stretch,
    slopes: &mut [f32]
) => weight_slopes::<__m512, 16>(input, moved, neighbours, stretch, slopes));
compiled!("avx2,fma", lookup_avx2(
    marks: Marks<'_>, table: &[f32], neighbours: &[isize], finish: Finish<'_>,
    stretch: Stretch, output: &mut [f32]
) => lookup_cells::<[__m256; 2]>(marks, table, neighbours, finish, stretch, output));
compiled!("avx512f", lookup_avx512(
    marks: Marks<'_>, table: &[f32], neighbours: &[isize], finish: Finish<'_>,
    stretch: Stretch, output: &mut [f32]
) => lookup_cells::<__m512>(marks, table, neighbours, finish, stretch, output));
compiled!("avx2,fma", lookup_slopes_avx2(
    marks: Marks<'_>, moved: Cells<'_>, neighbours: &[isize], stretch: Stretch,
    slopes: &mut [f32]
) => lookup_slopes::<[__m256; 2]>(marks, moved, neighbours, stretch, slopes));
compiled!("avx512f", lookup_slopes_avx512(
    marks: Marks<'_>, moved: Cells<'_>, neighbours: &[isize], stretch: Stretch,
    slopes: &mut [f32]
) => lookup_slopes::<__m512>(marks, moved, neighbours, stretch, slopes));

compiled!("avx2,fma", whole_avx2(job: &Quant<'_>, output: &mut [f32]) =>
    quant_tiles::<[__m256i; 2], 4>(job, output));
compiled!("avx512f,avx512vnni", whole_vnni(job: &Quant<'_>, output: &mut [f32]) =>
    quant_tiles::<__m512i, 12>(job, output));

/// # Safety
/// See the module.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn run_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// # Safety
/// See the module.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn run_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}
