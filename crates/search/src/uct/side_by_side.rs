//! The bounds of sixteen sisters side by side, without a branch.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_cvtsi128_si32, _mm_loadl_epi64, _mm_max_epi32, _mm_shuffle_epi32,
    _mm256_add_ps, _mm256_andnot_si256, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_cvtepi32_ps,
    _mm256_cvtepu8_epi32, _mm256_div_ps, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_max_epi32, _mm256_mul_ps, _mm256_or_si256, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_sqrt_ps, _mm256_sub_epi32,
};

use super::bounds::LANE;
use super::family::Block;
use super::tree::{LANES, Proof};

/// As many as are in a register.
const WIDTH: usize = 8;

/// The highest bound of sixteen sisters, and in its last bits whose it is.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn highest_of(
    bytes: &[u8],
    block: Block,
    begin: usize,
    (c, first_play): (f32, f32),
) -> i32 {
    let constants = (_mm256_set1_ps(c), _mm256_set1_ps(first_play));
    let (low, high);
    if block.wide {
        low = wide(bytes, block, begin, constants);
        high = wide(bytes, block, begin + WIDTH, constants);
    } else {
        low = narrow(bytes, block, begin, constants);
        high = narrow(bytes, block, begin + WIDTH, constants);
    }
    let left = _mm256_set1_epi32((block.count - begin) as i32);
    let low = marked(low, left, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    let high = marked(high, left, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
    let highest = _mm256_max_epi32(low, high);
    let half = _mm256_extracti128_si256::<1>(highest);
    let highest = _mm_max_epi32(_mm256_castsi256_si128(highest), half);
    let highest = _mm_max_epi32(highest, _mm_shuffle_epi32::<0b01_00_11_10>(highest));
    let highest = _mm_max_epi32(highest, _mm_shuffle_epi32::<0b10_11_00_01>(highest));
    _mm_cvtsi128_si32(highest)
}

/// The lanes in the last bits of bounds, and -1 for those that are not there.
#[inline]
#[target_feature(enable = "avx2")]
fn marked(bounds: __m256i, left: __m256i, lanes: __m256i) -> __m256i {
    let last = _mm256_set1_epi32(LANE);
    let marks = _mm256_sub_epi32(last, lanes);
    let bounds = _mm256_or_si256(_mm256_andnot_si256(last, bounds), marks);
    let there = _mm256_cmpgt_epi32(left, lanes);
    _mm256_or_si256(bounds, _mm256_cmpeq_epi32(there, _mm256_setzero_si256()))
}

/// The bounds of eight in a wide family.
#[inline]
#[target_feature(enable = "avx2")]
fn wide(bytes: &[u8], block: Block, from: usize, constants: (__m256, __m256)) -> __m256i {
    let visits = words(bytes, block.visits() + 4 * from);
    let halves = words(bytes, block.halves() + 4 * from);
    let inverses = _mm256_castsi256_ps(words(bytes, block.inverses() + 4 * from));
    let proofs = some(bytes, block.proofs() + from);
    bounds((visits, halves, inverses), proofs, constants)
}

/// The bounds of eight in a narrow family.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow(bytes: &[u8], block: Block, from: usize, constants: (__m256, __m256)) -> __m256i {
    let visits = some(bytes, block.visits() + from);
    let halves = some(bytes, block.halves() + from);
    let roots = _mm256_sqrt_ps(_mm256_cvtepi32_ps(visits));
    let inverses = _mm256_div_ps(_mm256_set1_ps(1.0), roots);
    let proofs = some(bytes, block.proofs() + from);
    bounds((visits, halves, inverses), proofs, constants)
}

/// Bounds as their bits.
#[inline]
#[target_feature(enable = "avx2")]
fn bounds(
    (visits, halves, inverses): (__m256i, __m256i, __m256),
    proofs: __m256i,
    (c, first_play): (__m256, __m256),
) -> __m256i {
    let halves = _mm256_mul_ps(_mm256_cvtepi32_ps(halves), _mm256_set1_ps(0.5));
    let bound = _mm256_mul_ps(_mm256_add_ps(_mm256_mul_ps(halves, inverses), c), inverses);
    let untried = _mm256_cmpeq_epi32(visits, _mm256_setzero_si256());
    let bound = _mm256_blendv_ps(bound, first_play, _mm256_castsi256_ps(untried));
    let lost = _mm256_cmpeq_epi32(proofs, _mm256_set1_epi32(Proof::Lost as i32));
    _mm256_andnot_si256(lost, _mm256_castps_si256(bound))
}

#[inline]
#[target_feature(enable = "avx2")]
fn words(bytes: &[u8], at: usize) -> __m256i {
    let words = bytes[at..at + 4 * WIDTH].as_ptr();
    // SAFETY: so many bytes are there.
    unsafe { _mm256_loadu_si256(words.cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn some(bytes: &[u8], at: usize) -> __m256i {
    let some = bytes[at..at + WIDTH].as_ptr();
    // SAFETY: so many bytes are there.
    let some: __m128i = unsafe { _mm_loadl_epi64(some.cast()) };
    _mm256_cvtepu8_epi32(some)
}

const _: () = assert!(LANES == 2 * WIDTH);
