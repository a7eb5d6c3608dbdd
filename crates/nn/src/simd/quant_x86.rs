//! Sixteen whole sums in two registers of AVX2 or one of AVX-512.
//!
//! SAFETY of every block below: as in `vector_x86.rs`.

use std::arch::x86_64::*;

use super::LANES;
use super::quant::Sums;

impl Sums for [__m256i; 2] {
    #[inline(always)]
    fn nought() -> Self {
        // SAFETY: see the module.
        [unsafe { _mm256_setzero_si256() }; 2]
    }

    #[inline(always)]
    unsafe fn add(self, four: *const u8, weights: *const i8) -> Self {
        // SAFETY: see the module, and the caller's promise.
        unsafe {
            let four = _mm256_set1_epi32(four.cast::<i32>().read_unaligned());
            let half = |sums: __m256i, weights: *const i8| {
                let pairs = _mm256_maddubs_epi16(four, _mm256_loadu_si256(weights.cast()));
                _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
            };
            [half(self[0], weights), half(self[1], weights.add(32))]
        }
    }

    #[inline(always)]
    fn lanes(self) -> [i32; LANES] {
        // SAFETY: both types are 64 bytes without invalid values.
        unsafe { std::mem::transmute::<[__m256i; 2], [i32; LANES]>(self) }
    }
}

impl Sums for __m512i {
    #[inline(always)]
    fn nought() -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn add(self, four: *const u8, weights: *const i8) -> Self {
        // SAFETY: see the module, and the caller's promise.
        unsafe {
            let four = _mm512_set1_epi32(four.cast::<i32>().read_unaligned());
            _mm512_dpbusd_epi32(self, four, _mm512_loadu_si512(weights.cast()))
        }
    }

    #[inline(always)]
    fn lanes(self) -> [i32; LANES] {
        // SAFETY: both types are 64 bytes without invalid values.
        unsafe { std::mem::transmute::<__m512i, [i32; LANES]>(self) }
    }
}
