//! Memory in a file: with `--spill DIR`, allocations beyond the memory limit are placed in a file in that directory.
//!
//! - The file has no name and disappears with the process, however that ends. It is mapped as a whole, as long as its
//!   disk has room. Blocks are reserved on the disk before they are used: a full disk is a refusal.
//! - `blocks` records which parts are in use, and `classes` defines the sizes of small ones. Freed blocks are returned
//!   to the disk.
//! - The file must lie on a disk. File systems in memory are refused, and so are overlays whose upper directory lies on
//!   one, where that can be checked (`overlay`). In most containers it cannot, and the user must know.
//! - A share of the limit is set aside for pages of the file ([`lacuna::memory`]). `keeper` is a thread that unmaps
//!   pages beyond it; the system writes them to the disk when it needs their memory, and reads them again on access.
//!
//! All data of a run can lie there: layer 1 of the pair store, versions of columns, residues, tables of distances. What
//! was allocated first, and what is freed before the limit is reached, stays in memory.

mod blocks;
mod classes;
mod keeper;
mod overlay;

use std::alloc::Layout;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use lacuna::internals::{resource_limit, spill_into, spilled};
use libc::{
    FALLOC_FL_KEEP_SIZE, MADV_RANDOM, MADV_REMOVE, MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED, MAP_NORESERVE,
    MAP_PRIVATE, MAP_SHARED, PROT_NONE, PROT_READ, PROT_WRITE,
};

use blocks::{Block, Blocks, WORDS};
use classes::BLOCK;

use crate::cli::locked;

/// Maximal length of the file in bytes.
const MOST: u64 = 8 << 40;

/// The tables in memory get 1/256 of the file's address space; only the pages in use exist.
const PART_OF_TABLES: u64 = 1 << 8;

/// The file gets at most 1/4 of the addresses that `ulimit -v` leaves.
const PART_OF_ADDRESSES: u64 = 4;

/// Address range of the file. The length is 0 while there is no file.
static START: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);

static HEAP: Mutex<Option<Heap>> = Mutex::new(None);

/// The file and the state of its blocks.
struct Heap {
    file: File,
    start: *mut u8,
    blocks: Blocks<'static>,
    /// Whether some range could not be returned to the disk, so that new blocks may contain old bytes.
    may_be_dirty: bool,
}

// SAFETY: the mapping exists until the process ends, and all its users hold the lock.
unsafe impl Send for Heap {}

/// Creates the file in a directory; from now on, allocations beyond the memory limit are placed in it.
///
/// # Errors
/// The directory cannot be written, or its file system keeps files in memory, or cannot reserve blocks or take them
/// back.
pub(crate) fn open(directory: &Path) -> io::Result<()> {
    let file = tempfile::tempfile_in(directory)?;
    let free = free_on_disk(&file, directory)?;
    let allowed = [
        resource_limit("Max file size"),
        resource_limit("Max address space").map(|bytes| bytes / PART_OF_ADDRESSES),
        resource_limit("Max data size")
            .map(|bytes| (bytes / PART_OF_ADDRESSES).saturating_mul(PART_OF_TABLES)),
    ];
    let allowed = allowed.into_iter().flatten().fold(MOST, u64::min);
    let length = usize::try_from(free.min(allowed)).unwrap_or(usize::MAX) / BLOCK * BLOCK;
    if length == 0 {
        let found = format!(
            "expected room for {BLOCK} bytes, found {free} on its disk, of which this process may have {allowed}"
        );
        return Err(io::Error::new(io::ErrorKind::StorageFull, found));
    }
    file.set_len(length as u64)?;
    let start = map(&file, length)?;
    let count = length / BLOCK;
    let blocks = Blocks::new(zeros::<Block>(count)?, zeros::<u64>(count * WORDS)?);
    let mut heap = Heap { file, start, blocks, may_be_dirty: false };
    heap.try_out().map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("its file system cannot reserve blocks of a file and give them back ({error})"),
        )
    })?;
    keeper::start(start.addr())?;
    *locked(&HEAP) = Some(heap);
    START.store(start.addr(), Relaxed);
    LENGTH.store(length, Release);
    spill_into(length as u64);
    Ok(())
}

/// Whether the file exists.
pub(super) fn is_open() -> bool {
    LENGTH.load(Relaxed) > 0
}

/// Whether a pointer lies in the file.
#[inline]
pub(super) fn holds(pointer: *mut u8) -> bool {
    let length = LENGTH.load(Acquire);
    pointer.addr().wrapping_sub(START.load(Relaxed)) < length
}

/// Allocates in the file. Null without a file, or if the file or its disk is full.
pub(super) fn allocate(layout: Layout, is_zeroed: bool) -> *mut u8 {
    with_heap(|heap| heap.allocate(layout, is_zeroed)).unwrap_or(null_mut())
}

/// Frees an allocation.
///
/// # Safety
/// [`allocate`] returned the pointer, and it is no longer in use.
pub(super) unsafe fn free(pointer: *mut u8) {
    with_heap(|heap| heap.free(pointer));
}

/// Whether an allocation has a capacity of at least `size` bytes.
pub(super) fn fits(pointer: *mut u8, size: usize) -> bool {
    with_heap(|heap| size <= heap.blocks.room(pointer.addr() - heap.start.addr())).unwrap_or(false)
}

fn with_heap<T>(of: impl FnOnce(&mut Heap) -> T) -> Option<T> {
    // Nothing here may allocate or panic while it holds the lock: the allocator would be entered again and wait for the
    // lock for ever.
    locked(&HEAP).as_mut().map(of)
}

impl Heap {
    fn allocate(&mut self, layout: Layout, is_zeroed: bool) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        if align > BLOCK {
            return null_mut();
        }
        let Some(place) = self.blocks.find(size, align) else { return null_mut() };
        let new = place.new_blocks();
        if let Some((offset, length)) = new {
            if self.reserve(offset, length).is_err() {
                return null_mut();
            }
            spilled(length as i64);
        }
        let Some(offset) = self.blocks.take(place) else { return null_mut() };
        // SAFETY: the offset and the `size` bytes after it lie in the mapping and belong to this allocation alone.
        unsafe {
            let pointer = self.start.add(offset);
            if is_zeroed && (new.is_none() || self.may_be_dirty) {
                pointer.write_bytes(0, size);
            }
            pointer
        }
    }

    fn free(&mut self, pointer: *mut u8) {
        if let Some((offset, length)) = self.blocks.free(pointer.addr() - self.start.addr()) {
            self.may_be_dirty |= self.give_back(offset, length).is_err();
            spilled(-(length as i64));
        }
    }

    /// Reserves a range of the file on the disk.
    fn reserve(&self, offset: usize, length: usize) -> io::Result<()> {
        // SAFETY: the call takes numbers only.
        let reserved = uninterrupted(|| unsafe {
            libc::fallocate(self.file.as_raw_fd(), FALLOC_FL_KEEP_SIZE, offset as i64, length as i64)
        });
        if reserved.is_err() {
            // Part of the range may have been reserved. If it cannot be returned either, the disk has less room for
            // others.
            let _ = self.give_back(offset, length);
        }
        reserved
    }

    /// Returns a range of the file to the disk. It reads as zeros from then on.
    fn give_back(&self, offset: usize, length: usize) -> io::Result<()> {
        // SAFETY: the range lies in the mapping and is not in use.
        uninterrupted(|| unsafe { libc::madvise(self.start.add(offset).cast(), length, MADV_REMOVE) })
    }

    /// Tests whether the file system supports these operations.
    fn try_out(&mut self) -> io::Result<()> {
        self.reserve(0, BLOCK)?;
        // SAFETY: the first block lies in the mapping and is not in use yet.
        unsafe { self.start.write(1) };
        self.give_back(0, BLOCK)?;
        // SAFETY: see above.
        match unsafe { self.start.read() } {
            0 => Ok(()),
            _ => Err(io::Error::other("what was given back is not zero")),
        }
    }
}

/// Repeats a system call that was interrupted by a signal.
fn uninterrupted(call: impl Fn() -> libc::c_int) -> io::Result<()> {
    while call() != 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(())
}

/// Free bytes on the disk of a file in a directory, for ordinary users. A file system in memory is an error.
fn free_on_disk(file: &File, directory: &Path) -> io::Result<u64> {
    let told = file_system(file)?;
    refuse(&told)?;
    if number(&told) == OVERLAY
        && let Some(upper) = overlay::upper(directory)?
    {
        refuse(&file_system(&upper)?)?;
    }
    Ok((told.f_bavail as u64).saturating_mul(told.f_bsize as u64))
}

/// Queries the file system of a file.
fn file_system(file: &File) -> io::Result<libc::statfs> {
    let mut told = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the call fills the structure, unless it fails, which is checked.
    unsafe {
        if libc::fstatfs(file.as_raw_fd(), told.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(told.assume_init())
    }
}

/// Magic number of a file system, whose integer type depends on the architecture.
#[allow(clippy::unnecessary_cast)]
fn number(told: &libc::statfs) -> i64 {
    told.f_type as i64
}

/// Rejects file systems in memory and those that cannot reserve blocks.
fn refuse(told: &libc::statfs) -> io::Result<()> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::Unsupported, why));
    match number(told) {
        TMPFS | RAMFS => refused("its file system keeps files in memory (tmpfs)"),
        BTRFS | ZFS | BCACHEFS => refused(
            "its file system writes what is changed to another place, so that no room can be reserved (Btrfs, ZFS, bcachefs)",
        ),
        _ => Ok(()),
    }
}

const TMPFS: i64 = 0x0102_1994;
const RAMFS: i64 = 0x8584_58f6;
const OVERLAY: i64 = 0x794c_7630;
const BTRFS: i64 = 0x9123_683e;
const ZFS: i64 = 0x2fc1_2fc1;
const BCACHEFS: i64 = 0xca45_1a4e;

/// Maps the file at a multiple of [`BLOCK`].
fn map(file: &File, length: usize) -> io::Result<*mut u8> {
    // SAFETY: the first mapping is new and not in use; the second replaces part of it.
    unsafe {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        let room = libc::mmap(null_mut(), length + BLOCK, PROT_NONE, flags, -1, 0);
        if room == MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = room.byte_add(room.align_offset(BLOCK));
        let flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
        match libc::mmap(start, length, PROT_READ | PROT_WRITE, flags, file.as_raw_fd(), 0) {
            MAP_FAILED => Err(io::Error::last_os_error()),
            start => {
                // Accesses are scattered. By default the system reads 32 pages for each: with four times more data than
                // memory, runs take nine times longer.
                libc::madvise(start, length, MADV_RANDOM);
                Ok(start.cast())
            }
        }
    }
}

/// A zeroed table that is not counted; its pages exist once they are written.
fn zeros<T>(count: usize) -> io::Result<&'static mut [T]> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    // SAFETY: the mapping is new, long enough, page-aligned, and lives until the process ends. Zero bits are a valid
    // value of the types in use, which are integers and structures of integers.
    unsafe {
        match libc::mmap(null_mut(), count * size_of::<T>(), PROT_READ | PROT_WRITE, flags, -1, 0) {
            MAP_FAILED => Err(io::Error::last_os_error()),
            start => Ok(std::slice::from_raw_parts_mut(start.cast(), count)),
        }
    }
}
