//! A plane in one 256-bit register, for processors with AVX2 and BMI2.

use std::arch::x86_64::*;

use super::plane::Plane;

/// Sixteen columns of sixteen bits.
///
/// SAFETY of every block below: values of this type are made and used only in
/// functions that `dispatch` compiles for, and calls on, processors with AVX2,
/// BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

impl Plane<4> for Avx2 {
    type Tools = ();

    fn tools() {}

    #[inline(always)]
    fn from_words(words: [u64; 4]) -> Self {
        // SAFETY: both types are 32 bytes without invalid values.
        Avx2(unsafe { std::mem::transmute::<[u64; 4], __m256i>(words) })
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        // SAFETY: both types are 32 bytes without invalid values.
        unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn up(self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_slli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn down(self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_srli_epi16::<1>(self.0) })
    }

    #[inline(always)]
    fn left(self, (): ()) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe {
            let high = _mm256_permute2x128_si256::<0x81>(self.0, self.0);
            _mm256_alignr_epi8::<2>(high, self.0)
        })
    }

    #[inline(always)]
    fn right(self, (): ()) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe {
            let low = _mm256_permute2x128_si256::<0x08>(self.0, self.0);
            _mm256_alignr_epi8::<14>(self.0, low)
        })
    }

    #[inline(always)]
    fn upwards(self) -> Self {
        // SAFETY: see the type.
        Avx2(unsafe { _mm256_or_si256(self.0, _mm256_sub_epi16(_mm256_setzero_si256(), self.0)) })
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
        Avx2(unsafe {
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
        Avx2(unsafe { _mm256_set1_epi64x(-i64::from(condition)) })
    }

    /// The two lowest holes of every column at once: asking whether there are
    /// more costs as much as a hole.
    #[inline(always)]
    fn settle_step<const P: usize>(planes: &mut [Self; P], holes: Self) -> Self {
        let rest = close_lowest(planes, holes);
        close_lowest(planes, rest)
    }

    /// One gap at a time: a move seldom leaves more.
    #[inline(always)]
    fn close_columns<const P: usize>(planes: &mut [Self; P]) {
        loop {
            let mut occupied = planes[0];
            for plane in &planes[1..] {
                occupied = occupied.or(*plane);
            }
            // SAFETY: see the type.
            unsafe {
                // Two bits for every column that is not empty.
                let empty = _mm256_cmpeq_epi16(occupied.0, _mm256_setzero_si256());
                let columns = !_mm256_movemask_epi8(empty) as u32;
                if columns & columns.wrapping_add(1) == 0 {
                    return;
                }
                let gap = _mm256_set1_epi16((columns.trailing_ones() / 2) as i16);
                let number = _mm256_set_epi16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
                let before = Avx2(_mm256_cmpgt_epi16(gap, number));
                for plane in planes.iter_mut() {
                    // Here nothing comes into the last column.
                    *plane = plane.and(before).or(plane.left(()).without(before));
                }
            }
        }
    }

    #[inline(always)]
    fn select_in_word(word: u64, rank: u32) -> u32 {
        // SAFETY: see the type.
        unsafe { _pdep_u64(1u64 << (rank & 63), word).trailing_zeros() & 63 }
    }

    #[inline(always)]
    fn count(self) -> u32 {
        let [a, b, c, d] = self.words();
        (count_word(a) + count_word(b) + count_word(c) + count_word(d)) as u32
    }
}

/// Lets every column fall into its lowest hole; returns the other holes.
#[inline(always)]
fn close_lowest<const P: usize>(planes: &mut [Avx2; P], holes: Avx2) -> Avx2 {
    // SAFETY: see the type.
    unsafe {
        let holes = holes.0;
        let lowest = _mm256_and_si256(holes, _mm256_sub_epi16(_mm256_setzero_si256(), holes));
        let below = _mm256_sub_epi16(lowest, _mm256_set1_epi16(1));
        for plane in planes {
            *plane = Avx2(_mm256_or_si256(
                _mm256_and_si256(plane.0, below),
                _mm256_andnot_si256(below, _mm256_srli_epi16::<1>(plane.0)),
            ));
        }
        Avx2(_mm256_andnot_si256(below, _mm256_srli_epi16::<1>(holes)))
    }
}

/// The bits of a word. Spelled out because the compiler would join four of
/// these into a longer computation on vectors, for which AVX2 has no
/// instruction.
#[inline(always)]
fn count_word(word: u64) -> u64 {
    let count: u64;
    // SAFETY: see the type `Avx2`; the instruction touches nothing else.
    unsafe {
        std::arch::asm!(
            "popcnt {count}, {word}",
            word = in(reg) word,
            count = lateout(reg) count,
            options(pure, nomem, nostack)
        );
    }
    count
}
