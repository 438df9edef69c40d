//! The threads of the program, started once before anything is computed.

use std::hint::black_box;
use std::io;
use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, available_parallelism};

use lacuna::internals::asking;
use rayon::{ThreadBuilder, ThreadPool};

use super::error::{CliError, Result};
use super::notes::Notes;

/// Number of threads per core beyond which more are of no use.
const HELPFUL_PER_CORE: usize = 4;

/// Number of threads that is allowed on any machine, however few its cores, so that many threads can be tested.
const ALWAYS_ALLOWED: usize = 64;

/// Bytes of memory reserved for the start of a thread.
const RESERVE: usize = 4 << 20;

/// Environment variable of Rayon for the number of threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts the threads: `asked`, or else as many as the environment says, or else one per core. Returns their number. A
/// number beyond what is useful is cut, with a note; answers do not depend on it.
pub(crate) fn start(asked: Option<usize>, notes: Notes) -> Result<usize> {
    let threads = helpful(asked, notes);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start_one);
    pool.build_global().map_err(|source| not_started(threads, &source))?;
    Ok(threads)
}

/// Makes the current thread, which has not used a pool yet, the only worker, until [`start_late`] starts others.
pub(crate) fn work_alone() -> Result<ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build().map_err(|source| not_started(1, &source))
}

/// Starts one thread per core, in a pool of its own.
pub(crate) fn start_late(notes: Notes) -> Result<ThreadPool> {
    let threads = helpful(None, notes);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start_one);
    pool.build().map_err(|source| not_started(threads, &source))
}

fn not_started(threads: usize, source: &rayon::ThreadPoolBuildError) -> CliError {
    let what = format_args!(
        "cannot start {threads} threads; --threads asks for fewer, and the system's limits of processes and memory \
         (ulimit -u, ulimit -v) may allow more"
    );
    CliError::system(what, source)
}

/// The number of threads that the environment sets, if it does.
pub(crate) fn by_variable() -> Option<usize> {
    std::env::var(VARIABLE).ok()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// Number of threads: `asked`, or else as the environment says, or else one per core; cut to what is useful.
fn helpful(asked: Option<usize>, notes: Notes) -> usize {
    let (wanted, source) = match (asked, by_variable()) {
        (Some(threads), _) => (threads, format!("--threads {threads}")),
        (None, Some(threads)) => (threads, format!("{VARIABLE}={threads}")),
        (None, None) => (cores(), String::new()),
    };
    let most = ALWAYS_ALLOWED.max(HELPFUL_PER_CORE * cores());
    let threads = wanted.min(most);
    if threads < wanted {
        notes
            .note(format_args!("{source}: {threads} threads started, more do not help on {} cores", cores()));
    }
    // Freed before it is needed, so that a starting thread or the report of a failure finds memory.
    let mut reserve = Vec::<u8>::new();
    // If this memory is not available, starting the threads reports it.
    let _ = asking(|| reserve.try_reserve_exact(RESERVE));
    drop(black_box(reserve));
    threads
}

/// Starts a thread and waits until it runs. If memory runs out, the next thread then fails to start, which is a proper
/// error; if several started at once, those under way could run out of memory and abort the program.
fn start_one(worker: ThreadBuilder) -> io::Result<()> {
    let (runs, wait) = mpsc::channel::<()>();
    thread::Builder::new().name(format!("worker {}", worker.index())).spawn(move || {
        drop(runs);
        worker.run();
    })?;
    // Ends when the sender is dropped.
    let _ = wait.recv();
    Ok(())
}

/// Number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
