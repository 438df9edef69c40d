//! The threads that everything runs on, started once and before anything is computed.

use std::hint::black_box;
use std::io;
use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, available_parallelism};

use lacuna::internals::asking;
use rayon::{ThreadBuilder, ThreadPool};

use super::error::MachineError;
use super::notes::Notes;

/// Threads for each core beyond which more only wait for each other.
const HELPFUL_PER_CORE: usize = 4;

/// A number of threads that is started on any machine, however few its cores are, so that results can be tested at many threads.
const ALWAYS_ALLOWED: usize = 64;

/// Bytes of memory that are kept for what a thread needs to start.
const RESERVE: usize = 4 << 20;

/// The variable by which Rayon's users set the number of threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts the threads: as many as `asked`, or else as the environment says, or else one a core. Says how many there are. A number
/// past what helps is cut, with a note: no answer depends on it.
pub(crate) fn start(asked: Option<usize>, notes: Notes) -> Result<usize, MachineError> {
    let threads = helpful(asked, notes);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start_one);
    pool.build_global().map_err(|source| MachineError::Threads { threads, source })?;
    Ok(threads)
}

/// Makes this thread, which has shared out nothing so far, the only one that works, until [`start_late`] starts others.
pub(crate) fn work_alone() -> Result<ThreadPool, MachineError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build().map_err(|source| MachineError::Threads { threads: 1, source })
}

/// Starts one thread a core, for the work that is installed on them.
pub(crate) fn start_late(notes: Notes) -> Result<ThreadPool, MachineError> {
    let threads = helpful(None, notes);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start_one);
    pool.build().map_err(|source| MachineError::Threads { threads, source })
}

/// Whether the environment says how many threads there are to be.
pub(crate) fn are_told() -> bool {
    by_variable().is_some()
}

fn by_variable() -> Option<usize> {
    std::env::var(VARIABLE).ok()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// As many threads as `asked`, or else as the environment says, or else one a core, cut to what helps.
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
    // Freed before it is needed: what allocates last, in a thread that starts or to report a failure, finds it.
    let mut reserve = Vec::<u8>::new();
    // Where there is no such memory, the threads will say so.
    let _ = asking(|| reserve.try_reserve_exact(RESERVE));
    drop(black_box(reserve));
    threads
}

/// Starts a thread and waits until it runs. Where memory for threads ends, the next then does not start, which is an error; were it
/// started before, those that are on their way could find none left, which ends the program.
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

/// The number of threads that this machine runs at a time.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
