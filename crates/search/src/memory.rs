//! Large memory that is read here and there.

/// Asks for large pages where a vector will grow to: a tree of a gigabyte is then
/// found in the processor's tables. Where there are none, nothing changes.
pub(crate) fn ask_for_huge_pages<T>(memory: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 21;
        let begin = (memory.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = memory.as_mut_ptr() as usize + memory.capacity() * size_of::<T>();
        let length = end.saturating_sub(begin) / PAGE * PAGE;
        if length > 0 {
            // SAFETY: whole pages of memory that is the vector's; the advice does not
            // change what is in them.
            let _ = unsafe { libc::madvise(begin as *mut _, length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Has the processor fetch what will be read soon. Where there is nothing at that
/// place, nothing happens.
#[inline(always)]
pub(crate) fn prefetch<T>(memory: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint reads nothing, wherever it points, and every such processor
        // has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(memory.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (memory, at);
}
