//! The memory limit of this process and the bytes counted against it.
//!
//! The program's allocator counts its allocations by [`take`], [`take_small`] and [`give_small`], so that the limit
//! applies to every table, whatever made it. A run can meet its limit in three ways:
//! - A table made through [`memory`](super) is refused, with [`Refused`](super::Refused).
//! - Other allocations, such as the columns of a reduction, may exceed the limit by a little ([`slack`]). The loops
//!   that poll for interruption notice it and end the run with the same error ([`over_limit`]).
//! - Beyond the slack, and where the system itself refuses, the allocator ends the program with a message.
//!
//! An allocator with files for the overflow ([`spill_into`]) uses them before it exceeds the limit; a share of the
//! limit ([`spill_window`]) is then set aside for their pages.
//!
//! In a process whose allocator does not count, such as one that uses only the library, the resident pages are measured
//! whenever a large table is about to be made.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use phat_formats::parallel::lock;

use super::{Refused, available_to_system};

/// Bytes counted as allocated.
static TAKEN: AtomicI64 = AtomicI64::new(0);

/// Largest value of [`TAKEN`] that the limit allows. Determined only once enough memory is taken for it to matter.
static MOST: AtomicI64 = AtomicI64::new(i64::MAX);

/// The limit that the user gave; 0 for none.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// The limits that hold for a while, see [`limit_while`], the least of them, 0 for none, and the process that they are
/// of: in a forked process the threads are missing that would lift them.
static TEMPORARY: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static LEAST_TEMPORARY: AtomicU64 = AtomicU64::new(0);
static LIMITED_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Whether the limit may have been exceeded.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Whether the available memory has been queried.
static HAS_LOOKED: AtomicBool = AtomicBool::new(false);

/// Whether the allocator of this process counts.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// Room in bytes of the spill files; 0 without such files.
static ROOM: AtomicU64 = AtomicU64::new(0);

/// Bytes in the spill files, and their peak.
static SPILLED: AtomicI64 = AtomicI64::new(0);
static MOST_SPILLED: AtomicI64 = AtomicI64::new(0);

/// The current stages of running computations, by number.
static COMPUTATIONS: Mutex<BTreeMap<u64, Option<Stage>>> = Mutex::new(BTreeMap::new());

/// Number of computations that have begun; the first has number 1.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Up to this many bytes the available memory is not queried, which takes a third of a millisecond.
const LOOK: i64 = 64 << 20;

/// Largest amount in bytes that a thread counts for itself before it updates the shared count.
const GATHERED: i64 = 64 << 10;

/// Uncounted bytes: the program itself, the stacks of its threads, and the overhead of the allocator.
pub(super) const UNCOUNTED: u64 = 12 << 20;

thread_local! {
    /// Bytes of small allocations of this thread, negative for freed ones, that are not yet in [`TAKEN`]. At the end of
    /// a thread they are lost to the count, at most [`GATHERED`]: a destructor that adds them would have to be
    /// registered by the allocator, within an allocation. Threads that are started for each input or run therefore call
    /// [`settle`] before they end.
    static PENDING: Cell<i64> = const { Cell::new(0) };
    /// The computation of which this thread last began a stage; 0 if none.
    static COMPUTATION: Cell<u64> = const { Cell::new(0) };
    /// Whether this thread is querying the available memory.
    static LOOKS: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread turns refusals into errors.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// A stage of a run, as in its progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) dim: Option<usize>,
}

/// Limits the memory of this process to `bytes` bytes, including what it already has. Without such a limit, the memory
/// left by the system, its control groups and its resource limits is the limit.
///
/// The limit applies from now on to all computations of the process. The program `lacuna` counts every byte; elsewhere
/// the limit is checked whenever a large table is about to be made. A run that exceeds it unwinds to its entry point,
/// which returns an error; in a program built with `panic = "abort"` this ends the program, see
/// [`progress`](crate::progress).
pub fn limit(bytes: u64) {
    GIVEN.store(bytes.max(1), Relaxed);
    MOST.store(most_given(), Relaxed);
}

/// A limit that holds as long as this lives, made by [`limit_while`].
#[derive(Debug)]
#[must_use]
pub struct TemporaryLimit(u64);

/// Like [`limit`], as long as the returned value lives. Of several such limits the least holds, for all computations of
/// the process.
pub fn limit_while(bytes: u64) -> TemporaryLimit {
    let limit = TemporaryLimit(bytes.max(1));
    change_temporary(|limits| limits.push(limit.0));
    limit
}

impl Drop for TemporaryLimit {
    fn drop(&mut self) {
        change_temporary(|limits| {
            if let Some(place) = limits.iter().position(|&bytes| bytes == self.0) {
                limits.swap_remove(place);
            }
        });
    }
}

fn change_temporary(change: impl FnOnce(&mut Vec<u64>)) {
    let mut limits = lock(&TEMPORARY);
    if LIMITED_PROCESS.swap(process::id(), Relaxed) != process::id() {
        limits.clear();
    }
    change(&mut limits);
    LEAST_TEMPORARY.store(limits.iter().copied().min().unwrap_or(0), Relaxed);
    MOST.store(most_given(), Relaxed);
    // What the system leaves is looked up again.
    HAS_LOOKED.store(false, Relaxed);
}

/// The limit that the user gave, if any.
pub(crate) fn given() -> Option<u64> {
    let temporary = LEAST_TEMPORARY.load(Relaxed);
    let is_own = temporary > 0 && LIMITED_PROCESS.load(Relaxed) == process::id();
    let limits = [GIVEN.load(Relaxed), if is_own { temporary } else { 0 }];
    limits.into_iter().filter(|&bytes| bytes > 0).min()
}

/// Bytes left within the limit, if the user gave one.
pub(super) fn left() -> Option<u64> {
    let given = given()?;
    if COUNTS.load(Relaxed) {
        let left = most_in_memory(MOST.load(Relaxed)).saturating_sub(TAKEN.load(Relaxed));
        return Some(left.max(0) as u64);
    }
    Some(given.saturating_sub(resident().unwrap_or(0)))
}

/// Resident memory of this process in bytes; `None` where the system does not report it, as everywhere but on Linux.
pub fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/status").ok()?;
    super::kibibytes(&pages, "VmRSS:")
}

/// Bytes by which allocations may exceed a limit before the loops of the run notice.
fn slack(most: i64) -> i64 {
    (most / 32).clamp(1 << 20, 256 << 20)
}

/// Counts `bytes` as allocated. False if they are refused.
#[inline]
pub fn take(bytes: usize) -> bool {
    if asks() || spills() {
        return take_if_it_fits(i64::try_from(bytes).unwrap_or(i64::MAX >> 1));
    }
    take_in_need(bytes)
}

/// Like [`take`], for memory that cannot be spilled to a file: may exceed the limit by the slack.
#[inline]
pub fn take_in_need(bytes: usize) -> bool {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX >> 1);
    let before = TAKEN.fetch_add(bytes, Relaxed);
    let fits = is_little(before, bytes) || fits(before, bytes, true);
    if !fits {
        TAKEN.fetch_sub(bytes, Relaxed);
    }
    fits
}

/// Like [`take`], for a thread that handles refusals: refused bytes never appear in the count.
#[cold]
fn take_if_it_fits(bytes: i64) -> bool {
    let mut before = TAKEN.load(Relaxed);
    while is_little(before, bytes) || fits(before, bytes, false) {
        match TAKEN.compare_exchange_weak(before, before.saturating_add(bytes), Relaxed, Relaxed) {
            Ok(_) => return true,
            Err(now) => before = now,
        }
    }
    false
}

/// Whether so little memory is taken that the available amount is not queried.
#[inline]
fn is_little(before: i64, bytes: i64) -> bool {
    before.saturating_add(bytes) <= most_in_memory(MOST.load(Relaxed)).min(LOOK)
}

/// Whether `bytes` more fit within the limit or, if `may_pass`, within its slack.
#[cold]
fn fits(before: i64, bytes: i64, may_pass: bool) -> bool {
    let after = before.saturating_add(bytes);
    let is_wanted =
        !HAS_LOOKED.load(Relaxed) || after > MOST.load(Relaxed) && MOST.load(Relaxed) < most_given();
    if is_wanted && after > LOOK {
        if LOOKS.get() {
            // Allocations of the query itself.
            return true;
        }
        // Several threads may query at the same time: a thread must not slip past the limit because another has not
        // finished its query.
        LOOKS.set(true);
        look(before);
        LOOKS.set(false);
    }
    let most = MOST.load(Relaxed);
    if after <= most_in_memory(most) {
        return true;
    }
    let passes = may_pass && after <= most.saturating_add(slack(most));
    if passes && after > most {
        IS_OVER.store(true, Relaxed);
    }
    passes
}

/// Largest number of bytes in memory under the limit `most`: with spill files, a share is set aside for their pages.
fn most_in_memory(most: i64) -> i64 {
    if spills() { most - most / PART_OF_PAGES } else { most }
}

/// With spill files, 1/4 of the limit is set aside for their pages.
const PART_OF_PAGES: i64 = 4;

/// Declares that the allocator of this process has spill files with room for `room` bytes.
pub fn spill_into(room: u64) {
    ROOM.store(room, Relaxed);
}

/// Whether there are spill files.
#[inline]
pub(super) fn spills() -> bool {
    ROOM.load(Relaxed) > 0
}

/// Counts bytes that were added to the spill files, or removed if negative.
pub fn spilled(bytes: i64) {
    let now = SPILLED.fetch_add(bytes, Relaxed) + bytes;
    MOST_SPILLED.fetch_max(now, Relaxed);
}

/// Bytes in the spill files.
pub fn spilled_now() -> u64 {
    SPILLED.load(Relaxed).max(0) as u64
}

/// Peak of the bytes in the spill files; `None` without such files.
pub fn spilled_at_most() -> Option<u64> {
    spills().then(|| MOST_SPILLED.load(Relaxed) as u64)
}

/// Capacity of the spill files in bytes, if there are any.
pub(super) fn files() -> Option<u64> {
    Some(ROOM.load(Relaxed)).filter(|&room| room > 0)
}

/// Bytes still free in the spill files.
pub(super) fn left_in_files() -> u64 {
    ROOM.load(Relaxed).saturating_sub(spilled_now())
}

/// Share of the limit, in bytes, that is set aside for pages of spill files.
pub fn spill_window() -> u64 {
    (MOST.load(Relaxed) / PART_OF_PAGES).max(0) as u64
}

/// Largest count that the user's limit allows.
fn most_given() -> i64 {
    let most = |bytes: u64| i64::try_from(bytes.saturating_sub(UNCOUNTED)).unwrap_or(i64::MAX);
    given().map_or(i64::MAX, most)
}

/// Queries the memory that is available now, with `before` bytes taken. Memory freed by other processes counts as
/// available, and so do allocated pages that were never touched.
fn look(before: i64) {
    COUNTS.store(true, Relaxed);
    if let Some(available) = available_to_system() {
        let most = before.saturating_add(i64::try_from(available).unwrap_or(i64::MAX));
        // The slack is part of the available memory.
        MOST.store(most_given().min(most - slack(most)), Relaxed);
    }
    HAS_LOOKED.store(true, Relaxed);
}

/// Subtracts bytes that were counted by [`take`].
#[inline]
pub fn give(bytes: usize) {
    TAKEN.fetch_sub(i64::try_from(bytes).unwrap_or(i64::MAX >> 1), Relaxed);
}

/// Bytes that a small allocation takes in the system's allocator: a header, rounded up to a multiple of 16.
#[inline]
fn rounded(bytes: usize) -> i64 {
    (bytes as i64 + 23) & !15
}

/// Like [`take`], for a small allocation.
#[inline]
pub fn take_small(bytes: usize) -> bool {
    PENDING.with(|pending| {
        let bytes = rounded(bytes);
        let gathered = pending.get() + bytes;
        if gathered < GATHERED {
            pending.set(gathered);
            return true;
        }
        pending.set(0);
        let taken = if spills() { take_for_pieces(gathered) } else { take(gathered as usize) };
        if !taken {
            pending.set(gathered - bytes);
        }
        taken
    })
}

/// Counts bytes of small allocations, if there are spill files. They leave a share of the memory to tables, because the
/// system's allocator keeps freed memory between live allocations, uncounted: half as much again in a long reduction.
#[cold]
fn take_for_pieces(bytes: i64) -> bool {
    let most = most_in_memory(MOST.load(Relaxed));
    let has_room = TAKEN.load(Relaxed).saturating_add(bytes) <= most - most / PART_OF_TABLES;
    has_room && take_if_it_fits(bytes)
}

/// With spill files, small allocations leave 1/3 of the memory to tables.
const PART_OF_TABLES: i64 = 3;

/// Like [`take_in_need`], for a small allocation.
pub fn take_small_in_need(bytes: usize) -> bool {
    take_in_need(rounded(bytes) as usize)
}

/// Subtracts what [`take_small`] counted for an allocation of `bytes` bytes.
#[inline]
pub fn give_small(bytes: usize) {
    PENDING.with(|pending| {
        let gathered = pending.get() - rounded(bytes);
        if gathered > -GATHERED {
            return pending.set(gathered);
        }
        pending.set(0);
        give(-gathered as usize);
    });
}

/// Adds this thread's count of small allocations to the shared count; for a thread that is about to end.
pub(crate) fn settle() {
    PENDING.with(|pending| TAKEN.fetch_add(pending.take(), Relaxed));
}

/// Whether the allocator of this process counts.
pub(super) fn is_counting() -> bool {
    COUNTS.load(Relaxed)
}

/// Declares that the allocator of this process counts from the first byte on.
pub fn counts() {
    COUNTS.store(true, Relaxed);
}

/// Whether this thread turns refusals into errors, so that the allocator must refuse instead of ending the program.
pub fn asks() -> bool {
    ASKS.get()
}

/// Runs `ask`, which allocates and turns a refusal into an error.
#[inline]
pub fn asking<T>(ask: impl FnOnce() -> T) -> T {
    let before = set_asks(true);
    let answer = ask();
    set_asks(before);
    answer
}

/// Sets whether this thread turns refusals into errors, and returns whether it did; compiled once for all questions.
#[inline(never)]
fn set_asks(asks: bool) -> bool {
    ASKS.replace(asks)
}

/// A computation, running as long as this lives. It may be part of another one, which also records its stages.
#[derive(Debug)]
pub(crate) struct Computation(u64);

impl Computation {
    pub(crate) fn begin() -> Self {
        let number = BEGUN.fetch_add(1, Relaxed) + 1;
        lock(&COMPUTATIONS).insert(number, None);
        Computation(number)
    }

    /// Records that this thread begins a stage of it.
    pub(crate) fn begin_stage(&self, name: &'static str, dim: Option<usize>) {
        COMPUTATION.set(self.0);
        lock(&COMPUTATIONS).insert(self.0, Some(Stage { name, dim }));
    }
}

impl Drop for Computation {
    fn drop(&mut self) {
        lock(&COMPUTATIONS).remove(&self.0);
    }
}

/// Stage of the computation of which this thread last began a stage. `None` while a computation begins or ends a stage.
pub(super) fn stage() -> Option<Stage> {
    COMPUTATIONS.try_lock().ok().and_then(|stages| stage_of(COMPUTATION.get(), &stages))
}

/// Stage of a computation. For one that has ended, and for number 0, of threads that began no stage and work for any
/// computation: the stage that all computations are in, if it is the same.
fn stage_of(number: u64, stages: &BTreeMap<u64, Option<Stage>>) -> Option<Stage> {
    stages.get(&number).copied().unwrap_or_else(|| {
        let first = *stages.values().next()?;
        first.filter(|_| stages.values().all(|stage| *stage == first))
    })
}

/// The error of a run that exceeds its limit; `None` once enough memory was freed.
#[inline]
pub(crate) fn over_limit() -> Option<Refused> {
    if IS_OVER.load(Relaxed) { still_over() } else { None }
}

#[cold]
fn still_over() -> Option<Refused> {
    let over = TAKEN.load(Relaxed).saturating_sub(MOST.load(Relaxed));
    if over <= 0 {
        IS_OVER.store(false, Relaxed);
        return None;
    }
    Some(Refused::at_limit(over as u64))
}

/// The limit that a request for `bytes` bytes exceeds, if it does: the user's, or else what the system left.
pub(super) fn passed(bytes: u64) -> Option<u64> {
    let (taken, most) = (TAKEN.load(Relaxed), MOST.load(Relaxed));
    if !COUNTS.load(Relaxed) {
        return given().filter(|_| left().is_some_and(|left| bytes > left));
    }
    let after = taken.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
    (most < i64::MAX && after > most_in_memory(most))
        .then(|| given().filter(|_| is_the_given()).unwrap_or(most as u64))
}

/// Whether the limit in effect is the user's, and not what the system leaves.
pub(super) fn is_the_given() -> bool {
    given().is_some() && (!COUNTS.load(Relaxed) || MOST.load(Relaxed) == most_given())
}

/// Bytes counted as allocated.
pub fn taken() -> u64 {
    TAKEN.load(Relaxed).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts belong to the process, and tests run in parallel: so all of them are tested here, with amounts that
    /// no other test comes near.
    #[test]
    fn a_limit_is_held() {
        assert!(take(1000) && take_small(100) && take_small(1 << 20));
        assert_eq!(taken(), 1000 + ((100 + 23) & !15) + ((1 << 20) + 16));
        give(1000);
        give_small(1 << 20);
        give_small(100);
        assert!(taken() <= (100 + 23) & !15);
        // The pending count of a thread is added when it settles.
        let before = taken();
        let small = |settles: bool| {
            let thread = std::thread::spawn(move || {
                assert!(take_small(1000));
                if settles {
                    settle();
                }
            });
            thread.join().unwrap();
            taken()
        };
        assert_eq!(small(false), before);
        assert_eq!(small(true), before + ((1000 + 23) & !15));
        give((1000 + 23) & !15);
        // Where the allocator does not count, the limit is compared with resident pages.
        assert_eq!(left(), None);
        let (wider, narrower) = (limit_while(1 << 50), limit_while(1 << 49));
        assert_eq!(given(), Some(1 << 49));
        drop(narrower);
        let taken = resident().unwrap_or(0);
        assert!(left().is_some_and(|left| left.abs_diff((1 << 50) - taken) < (1 << 30)));
        drop(wider);
        assert_eq!((given(), left()), (None, None));
        // A forked process is without the threads that would lift the limits of its parent.
        let of_parent = limit_while(1 << 50);
        LIMITED_PROCESS.store(process::id() + 1, Relaxed);
        assert_eq!(given(), None);
        let own = limit_while(1 << 51);
        assert_eq!(given(), Some(1 << 51));
        drop((own, of_parent));
        assert_eq!(given(), None);
        counts();
        limit(1 << 40);
        // This machine has less memory than the limit.
        HAS_LOOKED.store(true, Relaxed);
        let most = (1 << 40) - UNCOUNTED;
        assert!(left().is_some_and(|left| left <= most && left > most - (1 << 30)));
        assert!(take(1 << 39) && over_limit().is_none());
        // A caller that handles refusals is refused at the limit. Exceeding it by the slack would end other tests, so
        // that is tested with the program.
        let more = (1 << 39) - (1 << 20);
        assert!(!asking(|| take(more)) && !asks());
        assert_eq!(passed(more as u64), Some(1 << 40));
        let refused = Refused::of_bytes(more as u64);
        assert!(refused.to_string().contains("limit of 1.1 TB"), "{refused}");
        // With spill files, a share of the limit is set aside for their pages, and nothing exceeds it before they are
        // full.
        spill_into(1 << 41);
        assert_eq!(spill_window(), most / 4);
        assert!(!take(1 << 38) && take(1 << 37) && over_limit().is_none());
        assert!(left().is_some_and(|left| left < (1 << 37)));
        spilled(1 << 40);
        spilled(-(1 << 39));
        assert_eq!((spilled_now(), spilled_at_most(), left_in_files()), (1 << 39, Some(1 << 40), 3 << 39));
        spilled(-(1 << 39));
        ROOM.store(0, Relaxed);
        give((1 << 39) + (1 << 37));
        GIVEN.store(0, Relaxed);
        MOST.store(i64::MAX, Relaxed);
        HAS_LOOKED.store(false, Relaxed);
        COUNTS.store(false, Relaxed);
    }

    #[test]
    fn a_stage_is_that_of_its_computation() {
        let named = |name| Some(Stage { name, dim: Some(1) });
        let mut all = BTreeMap::new();
        assert_eq!(stage_of(0, &all), None);
        all.insert(1, None);
        assert_eq!([0, 1].map(|number| stage_of(number, &all)), [None; 2]);
        all.insert(1, named("scan"));
        // A thread that works for it may have no computation of its own.
        assert_eq!([0, 1].map(|number| stage_of(number, &all)), [named("scan"); 2]);
        all.insert(2, named("graph"));
        let stages = [None, named("scan"), named("graph")];
        assert_eq!([0, 1, 2].map(|number| stage_of(number, &all)), stages);
        // A computation that contains the other is in the same stage.
        all.insert(1, named("graph"));
        assert_eq!([0, 1, 2].map(|number| stage_of(number, &all)), [named("graph"); 3]);
        // A computation that has ended has no stage, nor has the thread that began it.
        all.remove(&2);
        all.insert(1, named("pairs"));
        assert_eq!(stage_of(2, &all), named("pairs"));
        all.remove(&1);
        assert_eq!([1, 2].map(|number| stage_of(number, &all)), [None; 2]);
    }

    /// Computations of other tests may be running.
    #[test]
    fn a_computation_has_its_stage_on_the_thread_that_began_it() {
        let computation = Computation::begin();
        computation.begin_stage("a stage that no test has", None);
        let own = stage_of(COMPUTATION.get(), &lock(&COMPUTATIONS));
        assert_eq!(own.map(|stage| stage.name), Some("a stage that no test has"));
        drop(computation);
        let own = stage_of(COMPUTATION.get(), &lock(&COMPUTATIONS));
        assert_ne!(own.map(|stage| stage.name), Some("a stage that no test has"));
    }
}
