//! The threads of the program, started once before anything is computed.

use std::hint::black_box;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, available_parallelism};

use lacuna::internals::asking;
use rayon::{ThreadBuilder, ThreadPool};
#[cfg(target_os = "linux")]
use rustix::thread::CpuSet;

use super::error::{CliError, Result};
use super::notes::Notes;
use super::ranks::joined;

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

/// Number of threads: `asked`, or else as the environment says, for each process that this one works for, or else one
/// per core; cut to what is useful.
fn helpful(asked: Option<usize>, notes: Notes) -> usize {
    let (wanted, source) = match (asked, by_variable()) {
        (Some(threads), _) => (threads.saturating_mul(joined()), format!("--threads {threads}")),
        (None, Some(threads)) => (threads.saturating_mul(joined()), format!("{VARIABLE}={threads}")),
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

/// The cores that a process may use.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cores {
    /// The system's name of the group of processes that a container's limits hold for.
    group: PathBuf,
    numbers: Vec<usize>,
}

impl Cores {
    /// The cores of this process; `None` where that is not known.
    pub(crate) fn of_process() -> Option<Cores> {
        let group = std::fs::read_link("/proc/self/ns/cgroup").ok()?;
        Some(Cores { group, numbers: allowed()? })
    }

    pub(crate) fn group(&self) -> &Path {
        &self.group
    }

    /// Lets the current thread, and those that it starts, use all of these. Returns whether it may.
    pub(crate) fn widen<'a>(all: impl Iterator<Item = &'a Cores>) -> bool {
        let mut numbers: Vec<usize> = all.flat_map(|cores| &cores.numbers).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let Some(before) = allowed() else { return false };
        allow(&numbers);
        let is_allowed = allowed() == Some(numbers);
        if !is_allowed {
            allow(&before);
        }
        is_allowed
    }
}

/// Numbers of the cores that the current thread may use, ascending.
#[cfg(target_os = "linux")]
fn allowed() -> Option<Vec<usize>> {
    let cores = rustix::thread::sched_getaffinity(None).ok()?;
    Some((0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect())
}

/// Lets the current thread use these cores, if the system does not refuse.
#[cfg(target_os = "linux")]
fn allow(numbers: &[usize]) {
    let mut cores = CpuSet::new();
    numbers.iter().for_each(|&core| cores.set(core));
    // Whoever calls looks at what is allowed then.
    let _ = rustix::thread::sched_setaffinity(None, &cores);
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Option<Vec<usize>> {
    None
}

#[cfg(not(target_os = "linux"))]
fn allow(_numbers: &[usize]) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A thread that is bound to one core is allowed those of other processes, but no cores that there are not.
    #[test]
    fn cores_of_several_processes_are_allowed_to_one() {
        let all = Cores::of_process().unwrap();
        let of = |numbers: &[usize]| Cores { group: all.group().to_path_buf(), numbers: numbers.to_vec() };
        let each: Vec<Cores> = all.numbers.iter().rev().map(|&core| of(&[core])).collect();
        allow(&all.numbers[..1]);
        assert_eq!((allowed(), cores()), (Some(all.numbers[..1].to_vec()), 1));
        assert!(!Cores::widen([&all, &of(&[CpuSet::MAX_CPU - 1])].into_iter()));
        assert_eq!(allowed(), Some(all.numbers[..1].to_vec()));
        assert!(Cores::widen(each.iter()));
        assert_eq!(allowed(), Some(all.numbers));
    }
}
