//! The tools of [`blocks`](super::blocks) for processors with BMI2 and AVX2.

use std::arch::x86_64::*;

use super::blocks::{Columns, Tools};

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
    fn differ<const W: usize>(one: &Columns<W>, other: &Columns<W>) -> u64 {
        let pairs = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
        let mut differ = 0;
        for (place, (one, other)) in pairs.enumerate() {
            // SAFETY: see the type; the arrays are 32 bytes, of any alignment.
            let equal = unsafe {
                let one = _mm256_loadu_si256(std::ptr::from_ref(one).cast());
                let other = _mm256_loadu_si256(std::ptr::from_ref(other).cast());
                _mm256_movemask_epi8(_mm256_cmpeq_epi16(one, other))
            };
            differ |= u64::from(!equal.cast_unsigned()) << (32 * place);
        }
        differ
    }
}
