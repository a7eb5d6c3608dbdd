//! Sixteen numbers in two registers of AVX2 or one of AVX-512.
//!
//! SAFETY of every block below: values of these types are made and used only in
//! functions that the module above compiles for, and calls on, processors with
//! AVX2 and FMA, or AVX-512; what is loaded and stored is the caller's promise.

use std::arch::x86_64::*;

use super::vector::Vector;

impl Vector for [__m256; 2] {
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: see the module.
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: see the module.
        unsafe {
            _mm256_storeu_ps(to, self[0]);
            _mm256_storeu_ps(to.add(8), self[1]);
        }
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: see the module.
        [unsafe { _mm256_set1_ps(number) }; 2]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe { [_mm256_add_ps(self[0], other[0]), _mm256_add_ps(self[1], other[1])] }
    }

    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        // SAFETY: see the module.
        unsafe { [_mm256_fmadd_ps(a[0], b[0], self[0]), _mm256_fmadd_ps(a[1], b[1], self[1])] }
    }

    #[inline(always)]
    fn relu(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let nought = _mm256_setzero_ps();
            [_mm256_max_ps(self[0], nought), _mm256_max_ps(self[1], nought)]
        }
    }
}

impl Vector for __m512 {
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: see the module.
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_set1_ps(number) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }

    #[inline(always)]
    fn relu(self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_max_ps(self, _mm512_setzero_ps()) }
    }
}
