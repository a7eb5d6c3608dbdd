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
