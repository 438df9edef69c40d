//! Threads that are kept between calls, since starting threads takes longer than a small input.
//!
//! The calling thread does small work itself if it is the one that imported the module, since waking another thread
//! takes longer, too. That thread is the only one of a pool for ever, so that parallel loops of the library stay on
//! it. Every other calling thread, and every one that asks for one thread, has a servant thread that serves no other
//! caller, so that callers do not wait for each other.
//!
//! A forked process has none of its parent's threads. So pools belong to a process, and another process starts its
//! own.

use std::cell::RefCell;
use std::mem;
use std::num::NonZero;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Failure;

/// Number of threads per core above which more threads only wait for each other.
const HELPFUL_PER_CORE: usize = 4;

/// Number of threads that is allowed on any machine, even with few cores.
const ALWAYS_ALLOWED: usize = 64;

/// Number of pools of different sizes that are kept; beyond it the oldest is dropped.
const KEPT: usize = 4;

/// The pools of a process, the newest last.
static POOLS: Mutex<Pools> = Mutex::new(Pools { process: 0, pools: Vec::new() });

struct Pools {
    process: u32,
    pools: Vec<Arc<ThreadPool>>,
}

/// Whether some thread works alone already.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WORKS_ALONE: bool = begin_to_work_alone();
}

/// Makes this thread the only one of a pool if it is the first to request that.
fn begin_to_work_alone() -> bool {
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return false;
    }
    // Such a pool is never freed.
    ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map(mem::forget).is_ok()
}

/// Whether this thread is the only one of a pool. The first thread that asks becomes so.
pub(crate) fn works_alone() -> bool {
    WORKS_ALONE.with(|alone| *alone)
}

thread_local! {
    /// The single-thread pool that works for this thread alone, with its process.
    static SERVANT: RefCell<Option<Servant>> = const { RefCell::new(None) };
}

/// A single-thread pool with the process that it belongs to.
struct Servant {
    process: u32,
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Servant {
    fn drop(&mut self) {
        if self.process != process::id() {
            // Ending the pool would wake a thread that does not exist, using locks that may never be released.
            mem::forget(self.pool.take());
        }
    }
}

/// A pool of one thread that serves this thread until it ends. If the system starts no more threads, callers without
/// one share a pool.
///
/// # Errors
/// The system cannot start a thread.
pub(crate) fn servant() -> Result<Arc<ThreadPool>, Failure> {
    let own = SERVANT.with_borrow_mut(|servant| {
        if let Some(Servant { process, pool: Some(pool) }) = servant
            && *process == process::id()
        {
            return Ok(Arc::clone(pool));
        }
        let pool = started(1)?;
        *servant = Some(Servant { process: process::id(), pool: Some(Arc::clone(&pool)) });
        Ok(pool)
    });
    own.or_else(|_: Failure| pool(Some(1)))
}

/// Number of threads that this machine runs simultaneously.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// A pool of `threads` threads, by default one per core. Numbers beyond what helps are reduced, since no answer
/// depends on them.
///
/// # Errors
/// The system cannot start the threads.
pub(crate) fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, Failure> {
    let most = ALWAYS_ALLOWED.max(HELPFUL_PER_CORE * cores());
    let threads = match threads {
        Some(0) => return Err(Failure::Value("threads: expected at least 1, found 0".into())),
        Some(threads) => threads.min(most),
        None => cores(),
    };
    let mut kept = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.process != process::id() {
        kept.process = process::id();
        // Freeing them would wait for threads that do not exist.
        mem::forget(mem::take(&mut kept.pools));
    }
    if let Some(pool) = kept.pools.iter().find(|pool| pool.current_num_threads() == threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = started(threads)?;
    if kept.pools.len() == KEPT {
        kept.pools.remove(0);
    }
    kept.pools.push(Arc::clone(&pool));
    Ok(pool)
}

/// Starts a pool of `threads` threads.
fn started(threads: usize) -> Result<Arc<ThreadPool>, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|thread| format!("lacuna {thread}"));
    let failed = |error| Failure::Runtime(format!("cannot start {threads} threads: {error}"));
    Ok(Arc::new(pool.build().map_err(failed)?))
}
