//! How the program gets its memory.
//!
//! Tables of millions of entries are allocated, touched once or twice and given back. In pages of four kilobytes,
//! mapping them takes as long as filling them; in huge pages it does not. Linux gives those to who asks (`thp:always`).
//! Freed pages go back at once (`dirty_decay_ms:0`): peak memory is that of what is in use. Whoever would rather have them
//! again soon says so ([`keep_freed_pages`]).

/// Keeps freed pages for a second, for tables that follow each other. Bars of images come a quarter sooner, in a tenth more memory.
pub(crate) fn keep_freed_pages() {
    #[cfg(all(feature = "jemalloc", target_os = "linux"))]
    jemalloc::keep_freed_pages();
}

#[cfg(all(feature = "jemalloc", target_os = "linux"))]
mod jemalloc {
    use std::ptr::null_mut;

    #[global_allocator]
    static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

    /// What jemalloc reads when it starts.
    // SAFETY: jemalloc declares a symbol of this name and type, a pointer to a string that ends with a zero byte, for
    // programs to define; nothing else in the program does.
    #[allow(unsafe_code, non_upper_case_globals)]
    #[unsafe(export_name = "_rjem_malloc_conf")]
    pub(crate) static malloc_conf: Option<&'static std::ffi::c_char> = {
        // A reference to the first byte of the string.
        const CONF: &std::ffi::CStr = c"thp:always,narenas:1,dirty_decay_ms:0";
        // SAFETY: as above; the pointer is that of a string that lives for ever.
        Some(unsafe { &*CONF.as_ptr() })
    };

    pub(super) fn keep_freed_pages() {
        let mut milliseconds = 1000_isize;
        // SAFETY: what the name stands for is an `ssize_t`; one is read, nothing is written.
        #[allow(unsafe_code)]
        let failure = unsafe {
            tikv_jemalloc_sys::mallctl(
                c"arena.0.dirty_decay_ms".as_ptr(),
                null_mut(),
                null_mut(),
                (&raw mut milliseconds).cast(),
                size_of::<isize>(),
            )
        };
        // There is an arena 0; if there were none, pages would go back as before.
        debug_assert_eq!(failure, 0);
    }
}
