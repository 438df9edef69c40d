//! The global allocator of the program.
//!
//! The stages allocate tables of millions of entries, touch each entry once or twice, and free the table. Mapping such
//! a table in pages of four kilobytes takes as long as filling it; in huge pages of two megabytes it does not. Linux
//! backs memory by huge pages where a process asks for them (`madvise` with `MADV_HUGEPAGE`), so every allocation of at
//! least [`HUGE`] bytes is a mapping of its own that begins at a multiple of [`HUGE`] and asks for them. A table that
//! grows is moved by the page table (`mremap`), not copied, and a table that is freed returns to the system at once, so
//! that the peak memory is that of the live data. Smaller allocations are those of the system's allocator.
//!
//! All allocations are counted against the memory limit (`lacuna::memory`). A refusal, by the limit or by the system,
//! is returned to callers that handle it. Other callers could only abort; for them the program ends here, with a
//! message and the exit code of a machine's failure. With `--spill`, refused allocations are placed in a file
//! ([`spill`]), which is recognised by its addresses.

#![allow(unsafe_code)]

pub(crate) mod spill;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut};

use lacuna::internals::{asks, give, give_small, take, take_in_need, take_small, take_small_in_need};
use libc::{
    MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, MREMAP_FIXED, MREMAP_MAYMOVE, PROT_READ,
    PROT_WRITE,
};

/// Bytes of a huge page, and the smallest allocation that gets a mapping of its own.
const HUGE: usize = 2 << 20;
/// Largest default page size of Linux processors, in bytes. Mapping lengths are multiples of it.
const MOST_PAGE: usize = 1 << 16;

#[global_allocator]
static ALLOCATOR: HugePages = HugePages;

struct HugePages;

/// Whether an allocation gets a mapping of its own.
fn is_mapping(size: usize, align: usize) -> bool {
    size >= HUGE && align <= HUGE
}

/// Length of the mapping for `size` bytes; `None` if it exceeds the address space.
fn length_of(size: usize) -> Option<usize> {
    size.checked_next_multiple_of(MOST_PAGE)
}

/// Maps zeroed memory at a multiple of [`HUGE`], to be backed by huge pages. Null if the system refuses.
fn map(size: usize) -> *mut u8 {
    let Some((length, room)) = length_of(size).and_then(|length| Some((length, length.checked_add(HUGE)?)))
    else {
        return null_mut();
    };
    // SAFETY: a new anonymous mapping at an address that the system chooses touches no memory that is in use.
    let room_start =
        unsafe { libc::mmap(null_mut(), room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
    if room_start == MAP_FAILED {
        return null_mut();
    }
    let before = room_start.align_offset(HUGE);
    // SAFETY: `before` is less than HUGE, so `start` and `end` lie within the mapping, which is HUGE bytes longer than
    // `length`; what is unmapped before and after is part of it and was given to nobody. `madvise` changes no contents.
    unsafe {
        let start = room_start.byte_add(before);
        let end = start.byte_add(length);
        if before > 0 {
            libc::munmap(room_start, before);
        }
        libc::munmap(end, HUGE - before);
        // A system without huge pages refuses, which does no harm.
        libc::madvise(start, length, MADV_HUGEPAGE);
        start.cast()
    }
}

/// Returns a mapping of [`map`] to the system.
///
/// # Safety
/// `map(size)` returned the pointer, or [`remap`] for this size, and it is no longer in use.
unsafe fn unmap(pointer: *mut u8, size: usize) {
    if let Some(length) = length_of(size) {
        // SAFETY: this is exactly the mapping that was made; see above.
        unsafe { libc::munmap(pointer.cast(), length) };
    }
}

/// Resizes a mapping, moving its pages if needed. Null, with nothing changed, if the system refuses.
///
/// # Safety
/// `map(old)` returned the pointer, or `remap` for this size.
unsafe fn remap(pointer: *mut u8, old: usize, new: usize) -> *mut u8 {
    let (Some(old_length), Some(new_length)) = (length_of(old), length_of(new)) else { return null_mut() };
    // SAFETY: the mapping is whole and ours; without MREMAP_MAYMOVE it stays where it is.
    let stayed = unsafe { libc::mremap(pointer.cast(), old_length, new_length, 0) };
    if stayed != MAP_FAILED {
        return stayed.cast();
    }
    let target = map(new);
    if target.is_null() {
        return target;
    }
    // SAFETY: the target is a mapping of our own of just this length, in nobody's use, which the moved pages replace.
    let moved = unsafe {
        let flags = MREMAP_MAYMOVE | MREMAP_FIXED;
        libc::mremap(pointer.cast(), old_length, new_length, flags, target.cast::<libc::c_void>())
    };
    if moved == MAP_FAILED {
        // The system unmaps the target before it moves anything, and does not say whether it got that far. The target
        // may now belong to another thread, so it is left alone: at worst, addresses are lost whose pages were never
        // touched.
        return null_mut();
    }
    moved.cast()
}

/// Makes the system's allocator return freed tables to the system. By default it keeps ever larger ones for reuse,
/// which leads to uncounted peaks: for the curve of an image within 128 MiB, 180 MB instead of 80 MB.
pub(crate) fn keep_little() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call changes a number of the system's allocator. Where it refuses, nothing has changed.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
    }
}

/// Smallest allocation, in bytes, that the system's allocator returns at once where memory is limited.
#[cfg(target_env = "gnu")]
const KEPT: libc::c_int = 256 << 10;

impl HugePages {
    /// Allocates and counts the bytes, or places the allocation in the file.
    ///
    /// # Safety
    /// The demands of [`GlobalAlloc::alloc`].
    #[inline]
    unsafe fn counted(layout: Layout, is_zeroed: bool) -> *mut u8 {
        if !Self::take(layout.size(), layout.align()) {
            let spilled = spilled(layout, is_zeroed);
            if !spilled.is_null() {
                return spilled;
            }
            if !Self::take_in_need(layout.size(), is_mapping(layout.size(), layout.align())) {
                return refused(layout.size());
            }
        }
        let pointer = if is_mapping(layout.size(), layout.align()) {
            map(layout.size())
        } else {
            // SAFETY: the caller's promises are the callee's demands.
            unsafe { if is_zeroed { System.alloc_zeroed(layout) } else { System.alloc(layout) } }
        };
        if pointer.is_null() {
            Self::give(layout.size(), layout.align());
            let spilled = spilled(layout, is_zeroed);
            return if spilled.is_null() { refused(layout.size()) } else { spilled };
        }
        pointer
    }

    /// Moves the content to new memory and frees the old, unless `new` is null.
    ///
    /// # Safety
    /// `pointer` is memory of this layout, and `new` is null or other memory of `new_size` bytes.
    unsafe fn move_to(&self, new: *mut u8, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !new.is_null() {
            // SAFETY: old and new memory do not overlap, and both are at least as long as the copy. The old memory is
            // not used afterwards.
            unsafe {
                copy_nonoverlapping(pointer, new, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
        }
        new
    }

    /// Counts an allocation. False if it exceeds the limit.
    fn take(size: usize, align: usize) -> bool {
        if is_mapping(size, align) { take(size) } else { take_small(size) }
    }

    /// Counts bytes that were refused and do not fit into the file either. False if they stay refused.
    #[cold]
    fn take_in_need(bytes: usize, is_mapping: bool) -> bool {
        // Callers that handle refusals are refused; without a file, the limit has been exceeded by the slack already.
        spill::is_open()
            && !asks()
            && if is_mapping { take_in_need(bytes) } else { take_small_in_need(bytes) }
    }

    /// Subtracts freed memory from the count.
    fn give(size: usize, align: usize) {
        if is_mapping(size, align) { give(size) } else { give_small(size) }
    }
}

/// Allocates in the file. Null without a file, or if it has no room.
#[cold]
fn spilled(layout: Layout, is_zeroed: bool) -> *mut u8 {
    if spill::is_open() { spill::allocate(layout, is_zeroed) } else { null_mut() }
}

/// Null for callers that handle refusals; for others the program ends.
#[cold]
fn refused(size: usize) -> *mut u8 {
    if !asks() {
        crate::cli::end_out_of_memory(size as u64);
    }
    null_mut()
}

// SAFETY: addresses tell which memory lies in the file, and the layout alone tells which other memory is a mapping, so
// memory is freed where it was allocated. Mappings are aligned to HUGE, at least as much as their layouts require, and
// long enough; all other memory is the system allocator's. Counting does not allocate except when it first queries the
// available memory, with no lock held.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the callee's demands.
        unsafe { HugePages::counted(layout, false) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the callee's demands.
        unsafe { HugePages::counted(layout, true) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if spill::holds(pointer) {
            // SAFETY: the pointer lies in the file.
            return unsafe { spill::free(pointer) };
        }
        HugePages::give(layout.size(), layout.align());
        if is_mapping(layout.size(), layout.align()) {
            // SAFETY: memory of such a layout was mapped, with this size.
            return unsafe { unmap(pointer, layout.size()) };
        }
        // SAFETY: memory of any other layout is the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let (was_mapping, is_mapping) =
            (is_mapping(layout.size(), layout.align()), is_mapping(new_size, layout.align()));
        let was_spilled = spill::holds(pointer);
        if was_spilled && spill::fits(pointer, new_size) {
            return pointer;
        }
        // SAFETY: the caller promises that `new_size` and the alignment make a layout.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        if was_spilled || was_mapping != is_mapping {
            // SAFETY: the caller's promises are the callee's demands.
            let new = unsafe { self.alloc(new_layout) };
            // SAFETY: see `move_to`.
            return unsafe { self.move_to(new, pointer, layout, new_size) };
        }
        // During a realloc the old memory still exists: moved pages are not counted twice, but a small table is copied
        // and may be.
        let (old, more) = (layout.size(), new_size.saturating_sub(layout.size()));
        let is_room = if was_mapping { more == 0 || take(more) } else { take_small(new_size) };
        if !is_room {
            let new = spilled(new_layout, false);
            if !new.is_null() {
                // SAFETY: see `move_to`.
                return unsafe { self.move_to(new, pointer, layout, new_size) };
            }
            if !HugePages::take_in_need(if was_mapping { more } else { new_size }, was_mapping) {
                return refused(new_size);
            }
        }
        let moved = if was_mapping {
            // SAFETY: memory of such a layout was mapped, with this size.
            unsafe { remap(pointer, old, new_size) }
        } else {
            // SAFETY: memory of any other layout is the system allocator's; the caller's promises are its demands.
            unsafe { System.realloc(pointer, layout, new_size) }
        };
        match (moved.is_null(), was_mapping) {
            (true, true) => give(more),
            (true, false) => give_small(new_size),
            (false, true) => give(old.saturating_sub(new_size)),
            (false, false) => give_small(old),
        }
        if !moved.is_null() {
            return moved;
        }
        let new = spilled(new_layout, false);
        if new.is_null() {
            return refused(new_size);
        }
        // SAFETY: the old memory is unchanged; see `move_to`.
        unsafe { self.move_to(new, pointer, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    /// A table that grows and shrinks across the threshold keeps its contents.
    #[test]
    fn tables_keep_their_contents_when_they_grow_and_shrink() {
        let mut table: Vec<u32> = Vec::new();
        for size in [100, 300_000, 600_000, 3_000_000, 40_000_000, 700_000, 1000] {
            let kept = table.len().min(size);
            table.truncate(kept);
            table.shrink_to_fit();
            table.reserve_exact(size - kept);
            table.extend(kept as u32..size as u32);
            assert!(table.iter().copied().eq(0..size as u32), "{size} entries");
        }
    }

    #[test]
    fn zeroed_tables_are_zero_and_aligned() {
        for size in [1 << 10, 2 << 20, (2 << 20) + 1, 9_000_001] {
            let mut table = vec![0_u8; size];
            assert!(table.iter().all(|&byte| byte == 0));
            assert!(size < super::HUGE || table.as_ptr().addr().is_multiple_of(super::HUGE));
            table.fill(1);
            drop(table);
        }
    }

    #[test]
    fn what_the_system_refuses_is_an_error() {
        assert!(super::map(isize::MAX as usize).is_null());
    }

    #[test]
    fn many_threads_allocate_at_once() {
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    for round in 1..20 {
                        let table = vec![thread; round << 18];
                        assert!(table.iter().all(|&byte| byte == thread));
                    }
                });
            }
        });
    }
}
