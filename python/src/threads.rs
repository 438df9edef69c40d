//! The threads that work is done on, kept between calls: starting some takes longer than a small input does.
//!
//! What is little work is done by the calling thread, if it is the one that imported the module: to wake up another one takes longer, too. That
//! thread is for ever the only one of a pool, so that what the library shares out stays with it. Each other thread that calls has one thread do
//! it that serves no other caller, so that callers do not wait for each other.
//!
//! A process that was forked has none of the threads of its parent. So what is kept belongs to a process, and another one starts its own.

use std::cell::RefCell;
use std::mem;
use std::num::NonZero;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Failure;

/// Threads for each core beyond which more only wait for each other.
const HELPFUL_PER_CORE: usize = 4;

/// A number of threads that is started on any machine, however few its cores are.
const ALWAYS_ALLOWED: usize = 64;

/// Pools of different sizes that are kept; of more, the one that was made first goes.
const KEPT: usize = 4;

/// Pools of a process, the newest last.
static POOLS: Mutex<Pools> = Mutex::new(Pools { process: 0, pools: Vec::new() });

struct Pools {
    process: u32,
    pools: Vec<Arc<ThreadPool>>,
}

/// Whether some thread works alone.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WORKS_ALONE: bool = begin_to_work_alone();
}

/// Makes this thread the only one of a pool, if it is the first that asks for that.
fn begin_to_work_alone() -> bool {
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return false;
    }
    // Such a pool is never freed.
    ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map(mem::forget).is_ok()
}

/// Whether this thread is the only one of a pool: the first thread that asks is.
pub(crate) fn works_alone() -> bool {
    WORKS_ALONE.with(|alone| *alone)
}

thread_local! {
    /// The pool of one thread that does what is little work for this thread, and the process that it belongs to.
    static SERVANT: RefCell<Option<Servant>> = const { RefCell::new(None) };
}

/// A pool of one thread, and the process that it belongs to.
struct Servant {
    process: u32,
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Servant {
    fn drop(&mut self) {
        if self.process != process::id() {
            // To end it would be to wake a thread that is not there, by locks that nobody may release.
            mem::forget(self.pool.take());
        }
    }
}

/// A pool of one thread that serves this thread alone, until it ends; or, where the system starts no more threads, all that find none.
///
/// # Errors
/// The system does not start a thread.
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

/// The number of threads that this machine runs at a time.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// A pool of so many threads, by default one a core. A number past what helps is cut: no answer depends on it.
///
/// # Errors
/// The system does not start the threads.
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
        // To free them would be to wait for threads that are not there.
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

/// A pool of so many threads, which are started.
fn started(threads: usize) -> Result<Arc<ThreadPool>, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(|thread| format!("lacuna {thread}"));
    let failed = |error| Failure::Runtime(format!("cannot start {threads} threads: {error}"));
    Ok(Arc::new(pool.build().map_err(failed)?))
}
