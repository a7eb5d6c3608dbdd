//! Sixteen numbers side by side.

use super::LANES;

/// Sixteen numbers on some instructions.
pub(super) trait Vector: Copy {
    /// Sixteen numbers from memory.
    ///
    /// # Safety
    /// There are sixteen.
    unsafe fn load(from: *const f32) -> Self;

    /// Sixteen numbers into memory.
    ///
    /// # Safety
    /// There is room for sixteen.
    unsafe fn store(self, to: *mut f32);

    /// One number, sixteen times.
    fn splat(number: f32) -> Self;

    /// The sums.
    fn add(self, other: Self) -> Self;

    /// `self + a * b`, each.
    fn fma(self, a: Self, b: Self) -> Self;

    /// What is negative becomes nought.
    fn relu(self) -> Self;
}

/// On the instructions that every processor has.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

impl Vector for Plain {
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller's promise; an array of floats needs no more.
        Plain(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        Plain([number; LANES])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    #[inline(always)]
    fn fma(self, a: Self, b: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane] + a.0[lane] * b.0[lane]))
    }

    #[inline(always)]
    fn relu(self) -> Self {
        Plain(self.0.map(|number| number.max(0.0)))
    }
}
