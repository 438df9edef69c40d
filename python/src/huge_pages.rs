//! The allocator of the extension module: the system's, whose large tables are backed by huge pages.
//!
//! A table of pages of four kilobytes takes as long to be mapped as to be filled. Where Linux gives huge pages to those
//! who ask for them, NumPy asks for its arrays, and this allocator for the tables of the library.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

/// Bytes of an allocation that has a whole huge page wherever it begins.
const LARGE: usize = 4 << 20;
/// Largest size of other pages of Linux, in bytes.
const PAGE: usize = 1 << 16;

struct HugePages;

/// Asks for huge pages for memory that is not used yet. Systems without them refuse, which does no harm.
fn ask(pointer: *mut u8, size: usize) -> *mut u8 {
    if !pointer.is_null() && size >= LARGE {
        let before = pointer.align_offset(PAGE);
        let (start, length) = (pointer.wrapping_add(before), (size - before) / PAGE * PAGE);
        // SAFETY: these pages belong to the allocation, and the advice changes no contents.
        unsafe { libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE) };
    }
    pointer
}

// SAFETY: all memory is the system allocator's.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the callee's demands.
        ask(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the callee's demands.
        ask(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the callee's demands.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the callee's demands.
        ask(unsafe { System.realloc(pointer, layout, new_size) }, new_size)
    }
}
