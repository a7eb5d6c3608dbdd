//! The tools of [`blocks`](super::blocks) for processors with BMI2 and AVX2.

use std::arch::x86_64::*;

use super::blocks::{Columns, Tools};

/// Positions are read and written in registers of 16 bytes: they are copied in such, and a
/// wider load would have to wait for both halves.
///
/// SAFETY of every block below: these are called only in functions that `plans`
/// compiles for, and calls on, processors with AVX2, BMI1, BMI2, POPCNT and LZCNT.
pub(super) struct Quick;

impl Tools for Quick {
    #[inline(always)]
    fn gather(bits: u16, mask: u16) -> u16 {
        // SAFETY: see the type.
        unsafe { _pext_u32(u32::from(bits), u32::from(mask)) as u16 }
    }

    #[inline(always)]
    fn scatter(bits: u16, mask: u16) -> u16 {
        // SAFETY: see the type.
        unsafe { _pdep_u32(u32::from(bits), u32::from(mask)) as u16 }
    }

    #[inline(always)]
    fn scatter_word(bits: u64, mask: u64) -> u64 {
        // SAFETY: see the type.
        unsafe { _pdep_u64(bits, mask) }
    }

    #[inline(always)]
    fn remove<const W: usize>(live: &mut Columns<W>, before: &Columns<W>, after: &Columns<W>) {
        let (live, before, after) = (live.as_mut_ptr(), before.as_ptr(), after.as_ptr());
        const { assert!(W.is_multiple_of(2)) };
        for place in (0..W).step_by(2) {
            // SAFETY: see the type; `W` is even, so that all are inside, and two elements are 16 bytes, of any
            // alignment.
            unsafe {
                let before = _mm_loadu_si128(before.add(place).cast());
                let after = _mm_loadu_si128(after.add(place).cast());
                let live = live.add(place).cast();
                let gone = _mm_xor_si128(before, after);
                _mm_storeu_si128(live, _mm_andnot_si128(gone, _mm_loadu_si128(live)));
            }
        }
    }

    #[inline(always)]
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u32 {
        const { assert!(W.is_multiple_of(4)) };
        let pairs = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
        let mut differ = 0;
        for (place, (one, other)) in pairs.enumerate() {
            let (one, other) = (std::ptr::from_ref(one), std::ptr::from_ref(other));
            let (one, other) = (one.cast::<__m128i>(), other.cast::<__m128i>());
            // SAFETY: see the type; the arrays are 32 bytes, of any alignment.
            let equal = unsafe {
                let low = _mm_cmpeq_epi16(_mm_loadu_si128(one), _mm_loadu_si128(other));
                let (one, other) = (_mm_loadu_si128(one.add(1)), _mm_loadu_si128(other.add(1)));
                _mm_movemask_epi8(_mm_packs_epi16(low, _mm_cmpeq_epi16(one, other)))
            };
            differ |= (!equal.cast_unsigned() & 0xFFFF) << (16 * place);
        }
        differ
    }
}
