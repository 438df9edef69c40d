//! The limit of this process's memory, and how much of it is taken.
//!
//! The program's allocator counts what it gives out, through [`take`], [`take_small`] and [`give_small`], and so holds every table to the
//! limit, whatever made it. There are three ways in which a run meets its limit:
//! - a table made through [`memory`](super) is refused, with [`Refused`](super::Refused);
//! - what is allocated without asking, such as the columns of a reduction, may pass the limit by a little ([`slack`]). The loops that
//!   look whether they are interrupted see that and end the run with the same error ([`over_limit`]);
//! - past that little, and where the system itself refuses, the allocator ends the program with a message.
//!
//! An allocator that has files for what finds no room ([`spill_into`]) takes from them before it passes the limit, and a part of the limit
//! ([`spill_window`]) is left for their pages.
//!
//! A process whose allocator does not count, such as one that uses the library alone, is measured by its resident pages where a large
//! table is about to be made.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Refused, available_to_system};

/// Bytes that the allocator has given out.
static TAKEN: AtomicI64 = AtomicI64::new(0);

/// The most bytes that the allocator is to give out. Not known before so much is taken that it matters.
static MOST: AtomicI64 = AtomicI64::new(i64::MAX);

/// The limit as the user gave it; 0 where the user gave none.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// Whether more may have been given out than the limit allows.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Whether anybody has found out how much memory there is.
static HAS_LOOKED: AtomicBool = AtomicBool::new(false);

/// Whether the allocator of this process counts.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// Bytes that files have for what finds no room in memory; 0 where there are no files for that.
static ROOM: AtomicU64 = AtomicU64::new(0);

/// Bytes that lie in those files, and the most that have.
static SPILLED: AtomicI64 = AtomicI64::new(0);
static MOST_SPILLED: AtomicI64 = AtomicI64::new(0);

/// The computations that are under way, each with the stage that it is in.
static COMPUTATIONS: Mutex<Computations> = Mutex::new(Computations(Vec::new()));

/// Computations that have begun; their numbers are from 1 up.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Bytes that are taken before anybody looks how many there are: to look takes a third of a millisecond.
const LOOK: i64 = 64 << 20;

/// Bytes that a thread gathers before the count of all threads is changed.
const GATHERED: i64 = 64 << 10;

/// Bytes of the program itself, of the stacks of its threads and of what the allocator keeps, which nobody counts.
pub(super) const UNCOUNTED: u64 = 12 << 20;

thread_local! {
    /// Bytes in small pieces that this thread has taken, or given back if negative, and that are not in [`TAKEN`] yet. What a thread has here
    /// when it ends is lost to the count, [`GATHERED`] at the most: a destructor that added it would be registered by the allocator, from
    /// within an allocation. So threads that are started for each input or each run [`settle`] before they end.
    static PENDING: Cell<i64> = const { Cell::new(0) };
    /// The computation that this thread last began a stage of; 0 if none.
    static COMPUTATION: Cell<u64> = const { Cell::new(0) };
    /// Whether this thread is finding out how much memory there is.
    static LOOKS: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread makes of a refusal an error.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// A stage of a run, as its progress calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) dim: Option<usize>,
}

/// Limits the memory of this process to so many bytes, all that it has already included. Without a limit, what the system,
/// its control groups and its resource limits leave is one.
///
/// The limit holds from now on and for all computations of the process. The program `lacuna` counts every byte; elsewhere the limit is
/// looked at where a large table is about to be made. A run that has passed it ends by unwinding to its entry, which makes an error of that: in a program that is
/// built with `panic = "abort"` it ends the program, see [`progress`](crate::progress).
pub fn limit(bytes: u64) {
    GIVEN.store(bytes.max(1), Relaxed);
    MOST.store(most_given(), Relaxed);
}

/// The limit that was given, if one was.
pub(crate) fn given() -> Option<u64> {
    Some(GIVEN.load(Relaxed)).filter(|&bytes| bytes > 0)
}

/// Bytes that the limit leaves, if one was given.
pub(super) fn left() -> Option<u64> {
    let given = given()?;
    if COUNTS.load(Relaxed) {
        let left = most_in_memory(MOST.load(Relaxed)).saturating_sub(TAKEN.load(Relaxed));
        return Some(left.max(0) as u64);
    }
    Some(given.saturating_sub(resident().unwrap_or(0)))
}

/// Bytes of the pages of this process that are in memory.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/status").ok()?;
    super::kibibytes(&pages, "VmRSS:")
}

/// Bytes that may be given out past a limit, until the loops of the run have seen that it is passed.
fn slack(most: i64) -> i64 {
    (most / 32).clamp(1 << 20, 256 << 20)
}

/// Takes a number of bytes. False: they are refused.
#[inline]
pub fn take(bytes: usize) -> bool {
    if asks() || spills() {
        return take_if_it_fits(i64::try_from(bytes).unwrap_or(i64::MAX >> 1));
    }
    take_in_need(bytes)
}

/// Like [`take`], of what lies nowhere else: it may pass the limit by a little.
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

/// Like [`take`], of a thread that makes of a refusal an error: nobody sees bytes taken that it is refused.
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

/// Whether so few bytes are taken that nobody looks how many there are.
#[inline]
fn is_little(before: i64, bytes: i64) -> bool {
    before.saturating_add(bytes) <= most_in_memory(MOST.load(Relaxed)).min(LOOK)
}

/// Whether there is room for so many bytes more; or, where that is allowed, past the limit by a little.
#[cold]
fn fits(before: i64, bytes: i64, may_pass: bool) -> bool {
    let after = before.saturating_add(bytes);
    let is_wanted =
        !HAS_LOOKED.load(Relaxed) || after > MOST.load(Relaxed) && MOST.load(Relaxed) < most_given();
    if is_wanted && after > LOOK {
        if LOOKS.get() {
            // This is what looking takes.
            return true;
        }
        // Other threads may look at the same time: none passes unseen because another has not seen yet.
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

/// The most bytes that are given out in memory, of a limit: where there are files, their pages have the rest.
fn most_in_memory(most: i64) -> i64 {
    if spills() { most - most / PART_OF_PAGES } else { most }
}

/// The part of the limit that is left for pages of files.
const PART_OF_PAGES: i64 = 4;

/// Says that the allocator of this process has files for what finds no room in memory, with room for so many bytes.
pub fn spill_into(room: u64) {
    ROOM.store(room, Relaxed);
}

/// Whether there are such files.
#[inline]
pub(super) fn spills() -> bool {
    ROOM.load(Relaxed) > 0
}

/// Counts bytes that lie in files now, or do no more if negative.
pub fn spilled(bytes: i64) {
    let now = SPILLED.fetch_add(bytes, Relaxed) + bytes;
    MOST_SPILLED.fetch_max(now, Relaxed);
}

/// Bytes that lie in files.
pub fn spilled_now() -> u64 {
    SPILLED.load(Relaxed).max(0) as u64
}

/// The most bytes that have lain in files at a time; none where there are no files for that.
pub fn spilled_at_most() -> Option<u64> {
    spills().then(|| MOST_SPILLED.load(Relaxed) as u64)
}

/// Bytes that the files have room for, if there are any.
pub(super) fn files() -> Option<u64> {
    Some(ROOM.load(Relaxed)).filter(|&room| room > 0)
}

/// Bytes that the files have room for beside what lies there.
pub(super) fn left_in_files() -> u64 {
    ROOM.load(Relaxed).saturating_sub(spilled_now())
}

/// Bytes of the limit that are left for pages of files.
pub fn spill_window() -> u64 {
    (MOST.load(Relaxed) / PART_OF_PAGES).max(0) as u64
}

/// The most bytes that the limit allows which the user gave.
fn most_given() -> i64 {
    let most = |bytes: u64| i64::try_from(bytes.saturating_sub(UNCOUNTED)).unwrap_or(i64::MAX);
    given().map_or(i64::MAX, most)
}

/// Finds out how much memory there is now, with `before` bytes taken. What others give back counts, and so do pages that were taken and never
/// touched.
fn look(before: i64) {
    COUNTS.store(true, Relaxed);
    if let Some(available) = available_to_system() {
        let most = before.saturating_add(i64::try_from(available).unwrap_or(i64::MAX));
        // The slack is part of what there is.
        MOST.store(most_given().min(most - slack(most)), Relaxed);
    }
    HAS_LOOKED.store(true, Relaxed);
}

/// Gives a number of bytes back that were taken by [`take`].
#[inline]
pub fn give(bytes: usize) {
    TAKEN.fetch_sub(i64::try_from(bytes).unwrap_or(i64::MAX >> 1), Relaxed);
}

/// Bytes that an allocation of few bytes takes in the system's allocator: a header, and a multiple of 16.
#[inline]
fn rounded(bytes: usize) -> i64 {
    (bytes as i64 + 23) & !15
}

/// Like [`take`], of few bytes.
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

/// Takes bytes for small pieces, where there are files. They leave a part of the memory to tables: the system's allocator keeps what is freed between
/// pieces that stay, half as much again as these in a long reduction, and nobody counts that.
#[cold]
fn take_for_pieces(bytes: i64) -> bool {
    let most = most_in_memory(MOST.load(Relaxed));
    let has_room = TAKEN.load(Relaxed).saturating_add(bytes) <= most - most / PART_OF_TABLES;
    has_room && take_if_it_fits(bytes)
}

/// The part of the memory that small pieces leave to tables, where there are files.
const PART_OF_TABLES: i64 = 3;

/// Like [`take_in_need`], of few bytes.
pub fn take_small_in_need(bytes: usize) -> bool {
    take_in_need(rounded(bytes) as usize)
}

/// Gives back what [`take_small`] took for so many bytes.
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

/// Counts what this thread has taken or given back in small pieces, for one that is about to end.
pub(crate) fn settle() {
    PENDING.with(|pending| TAKEN.fetch_add(pending.take(), Relaxed));
}

/// Says that the allocator of this process counts from the first byte on.
pub fn counts() {
    COUNTS.store(true, Relaxed);
}

/// Whether this thread makes of a refusal an error, so that the allocator is to refuse and not to end the program.
pub fn asks() -> bool {
    ASKS.with(Cell::get)
}

/// Allocates by `ask`, which makes of a refusal an error.
#[inline]
pub fn asking<T>(ask: impl FnOnce() -> T) -> T {
    let before = ASKS.with(|asks| asks.replace(true));
    let answer = ask();
    ASKS.with(|asks| asks.set(before));
    answer
}

/// Computations that are under way.
#[derive(Debug)]
struct Computations(Vec<(u64, Option<Stage>)>);

impl Computations {
    fn set(&mut self, number: u64, stage: Option<Stage>) {
        match self.0.iter_mut().find(|(other, _)| *other == number) {
            Some((_, before)) => *before = stage,
            None => self.0.push((number, stage)),
        }
    }

    fn end(&mut self, number: u64) {
        self.0.retain(|(other, _)| *other != number);
    }

    /// The stage of a computation; of one that is over, or of none, the stage that all are in, if it is one.
    fn stage(&self, number: u64) -> Option<Stage> {
        if let Some((_, stage)) = self.0.iter().find(|(other, _)| *other == number) {
            return *stage;
        }
        let (_, first) = self.0.first()?;
        first.filter(|_| self.0.iter().all(|(_, stage)| stage == first))
    }
}

/// A computation that is under way as long as this lives. It may be part of another, which is told of its stages too.
#[derive(Debug)]
pub(crate) struct Computation(u64);

impl Computation {
    pub(crate) fn begin() -> Self {
        let number = BEGUN.fetch_add(1, Relaxed) + 1;
        all_computations().set(number, None);
        Computation(number)
    }

    /// Notes that this thread begins a stage of it.
    pub(crate) fn begin_stage(&self, name: &'static str, dim: Option<usize>) {
        COMPUTATION.set(self.0);
        all_computations().set(self.0, Some(Stage { name, dim }));
    }
}

impl Drop for Computation {
    fn drop(&mut self) {
        all_computations().end(self.0);
    }
}

fn all_computations() -> MutexGuard<'static, Computations> {
    COMPUTATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stage of the computation that this thread last began a stage of. Other threads help whoever needs them: theirs is the stage that all
/// computations are in, if it is one. None where a computation begins or ends a stage just now.
pub(super) fn stage() -> Option<Stage> {
    COMPUTATIONS.try_lock().ok().and_then(|computations| computations.stage(COMPUTATION.get()))
}

/// The error of a run that has passed its limit, if it has and has not given back enough since.
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

/// The limit that a request for so many bytes passes, if it does: the one that was given, or else what there was.
pub(super) fn passed(bytes: u64) -> Option<u64> {
    let (taken, most) = (TAKEN.load(Relaxed), MOST.load(Relaxed));
    if !COUNTS.load(Relaxed) {
        return given().filter(|_| left().is_some_and(|left| bytes > left));
    }
    let after = taken.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
    (most < i64::MAX && after > most_in_memory(most))
        .then(|| given().filter(|_| is_the_given()).unwrap_or(most as u64))
}

/// Whether the limit is the one that was given, and not what the system leaves.
pub(super) fn is_the_given() -> bool {
    given().is_some() && (!COUNTS.load(Relaxed) || MOST.load(Relaxed) == most_given())
}

/// Bytes that the allocator has given out.
pub fn taken() -> u64 {
    TAKEN.load(Relaxed).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts are those of the process, and tests run side by side: all that is said of them is said here, of amounts that no other test
    /// comes near.
    #[test]
    fn a_limit_is_held() {
        assert!(take(1000) && take_small(100) && take_small(1 << 20));
        assert_eq!(taken(), 1000 + ((100 + 23) & !15) + ((1 << 20) + 16));
        give(1000);
        give_small(1 << 20);
        give_small(100);
        assert!(taken() <= (100 + 23) & !15);
        // What a thread has gathered is counted when it settles.
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
        // Where the allocator does not count, the pages that are in memory say what is left.
        assert_eq!(left(), None);
        counts();
        limit(1 << 40);
        // This machine has less.
        HAS_LOOKED.store(true, Relaxed);
        let most = (1 << 40) - UNCOUNTED;
        assert!(left().is_some_and(|left| left <= most && left > most - (1 << 30)));
        assert!(take(1 << 39) && over_limit().is_none());
        // One that asks is refused at the limit. That others may pass it by a little would end other tests: the program's tests do that.
        let more = (1 << 39) - (1 << 20);
        assert!(!asking(|| take(more)) && !asks());
        assert_eq!(passed(more as u64), Some(1 << 40));
        let refused = Refused::new(more as u64);
        assert!(refused.to_string().contains("limit of 1.1 TB"), "{refused}");
        // With files, a part of the limit is left for their pages, and nobody passes it before they are full.
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
        let mut all = Computations(Vec::new());
        assert_eq!(all.stage(0), None);
        all.set(1, None);
        assert_eq!((all.stage(1), all.stage(0)), (None, None));
        all.set(1, named("scan"));
        // A thread that works for it need not know.
        assert_eq!((all.stage(1), all.stage(0)), (named("scan"), named("scan")));
        all.set(2, named("graph"));
        assert_eq!((all.stage(1), all.stage(2), all.stage(0)), (named("scan"), named("graph"), None));
        // One of which the other is a part is in the same stage.
        all.set(1, named("graph"));
        assert_eq!(
            (all.stage(1), all.stage(2), all.stage(0)),
            (named("graph"), named("graph"), named("graph"))
        );
        // What is over has no stage, nor has a thread that began it.
        all.end(2);
        all.set(1, named("pairs"));
        assert_eq!(all.stage(2), named("pairs"));
        all.end(1);
        assert_eq!((all.stage(1), all.stage(2)), (None, None));
    }

    /// Computations of other tests may be under way.
    #[test]
    fn a_computation_has_its_stage_on_the_thread_that_began_it() {
        let computation = Computation::begin();
        computation.begin_stage("a stage that no test has", None);
        let own = all_computations().stage(COMPUTATION.get());
        assert_eq!(own.map(|stage| stage.name), Some("a stage that no test has"));
        drop(computation);
        let own = all_computations().stage(COMPUTATION.get());
        assert_ne!(own.map(|stage| stage.name), Some("a stage that no test has"));
    }
}
