//! A plane in one 256-bit register, for processors with AVX-512 (BW, VL, VBMI2, BITALG, VPOPCNTDQ).

use std::arch::x86_64::*;

use super::plane::Plane;

/// Sixteen columns of sixteen bits.
///
/// SAFETY of every block below: values of this type are made and used only in
/// functions that `dispatch` compiles for, and calls on, processors with AVX-512 BW, VL, VBMI2, BITALG,
/// VPOPCNTDQ, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m256i);

/// From which column each column takes its bits when all move.
#[derive(Clone, Copy)]
pub struct Sideways {
    left: __m256i,
    right: __m256i,
}

impl Plane<4> for Avx512 {
    type Tools = Sideways;

    #[inline(always)]
    fn tools() -> Sideways {
        let left: [u16; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0];
        let right: [u16; 16] = [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        let [left, right] = std::hint::black_box([left, right]);
        // SAFETY: both types are 32 bytes without invalid values.
        let lanes = |order| unsafe { std::mem::transmute::<[u16; 16], __m256i>(order) };
        Sideways { left: lanes(left), right: lanes(right) }
    }

    #[inline(always)]
    fn from_words(words: [u64; 4]) -> Self {
        // SAFETY: both types are 32 bytes without invalid values.
        Avx512(unsafe { std::mem::transmute::<[u64; 4], __m256i>(words) })
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        // SAFETY: both types are 32 bytes without invalid values.
        unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn up(self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_slli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn down(self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_srli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn left(self, tools: Sideways) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_permutexvar_epi16(tools.left, self.0) })
    }

    #[inline(always)]
    fn right(self, tools: Sideways) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_permutexvar_epi16(tools.right, self.0) })
    }

    #[inline(always)]
    fn upwards(self) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_or_si256(self.0, _mm256_sub_epi16(_mm256_setzero_si256(), self.0)) })
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        // SAFETY: see the type.
        unsafe { _mm256_testz_si256(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn single(bit: u32) -> Self {
        // SAFETY: see the type. A shift by 64 or more, or by a negative count,
        // leaves nothing.
        Avx512(unsafe {
            let counts = _mm256_sub_epi64(
                _mm256_set1_epi64x(i64::from(bit)),
                _mm256_set_epi64x(192, 128, 64, 0),
            );
            _mm256_sllv_epi64(_mm256_set1_epi64x(1), counts)
        })
    }

    #[inline(always)]
    fn all_if(condition: bool) -> Self {
        // SAFETY: see the type.
        Avx512(unsafe { _mm256_set1_epi64x(-i64::from(condition)) })
    }

    /// The lowest run of holes of every column at once.
    #[inline(always)]
    fn settle_step<const P: usize>(planes: &mut [Self; P], holes: Self) -> Self {
        // SAFETY: see the type.
        unsafe {
            let holes = holes.0;
            let lowest = _mm256_and_si256(holes, _mm256_sub_epi16(_mm256_setzero_si256(), holes));
            let below = _mm256_sub_epi16(lowest, _mm256_set1_epi16(1));
            let run = _mm256_andnot_si256(_mm256_add_epi16(holes, lowest), holes);
            let length = _mm256_popcnt_epi16(run);
            for plane in planes {
                let fallen = _mm256_srlv_epi16(plane.0, length);
                // Below the run as it was, above it what has fallen.
                *plane = Avx512(_mm256_ternarylogic_epi64::<0xCA>(below, plane.0, fallen));
            }
            let rest = _mm256_srlv_epi16(_mm256_xor_si256(holes, run), length);
            Avx512(_mm256_andnot_si256(below, rest))
        }
    }

    #[inline(always)]
    fn close_columns<const P: usize>(planes: &mut [Self; P]) {
        let mut occupied = planes[0];
        for plane in &planes[1..] {
            occupied = occupied.or(*plane);
        }
        // SAFETY: see the type.
        unsafe {
            let columns = _mm256_test_epi16_mask(occupied.0, occupied.0);
            for plane in planes {
                *plane = Avx512(_mm256_maskz_compress_epi16(columns, plane.0));
            }
        }
    }

    #[inline(always)]
    fn select_in_word(word: u64, rank: u32) -> u32 {
        // SAFETY: see the type.
        unsafe { _pdep_u64(1u64 << (rank & 63), word).trailing_zeros() & 63 }
    }

    #[inline(always)]
    fn drop_marks(column: &mut [u32; 16], keep: u16) {
        // SAFETY: see the type; a column is 64 bytes.
        unsafe {
            let marks = _mm512_loadu_si512(column.as_ptr().cast());
            let kept = _mm512_maskz_compress_epi32(keep, marks);
            _mm512_storeu_si512(column.as_mut_ptr().cast(), kept);
        }
    }

    #[inline(always)]
    fn count(self) -> u32 {
        Self::count_both(self, Avx512::empty()).0
    }

    #[inline(always)]
    fn count_both(one: Self, other: Self) -> (u32, u32) {
        // SAFETY: see the type.
        let sum = unsafe {
            let other = _mm256_slli_epi64::<32>(_mm256_popcnt_epi64(other.0));
            let both = _mm256_add_epi64(_mm256_popcnt_epi64(one.0), other);
            let half =
                _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
            (_mm_cvtsi128_si64(half) + _mm_extract_epi64::<1>(half)) as u64
        };
        (sum as u32, (sum >> 32) as u32)
    }
}
