//! Several processes that compute one answer, perhaps on several machines: *ranks*, as MPI calls them.
//!
//! # The seam
//!
//! A stage that shares its work between ranks takes a [`Ranks`]: the number of this rank, the number of ranks, and five
//! exchanges in which all ranks take part. The stage knows nothing else of MPI. In an ordinary run it takes [`Alone`],
//! whose exchanges send nothing. All ranks call the same methods in the same order, and may wait in each for the
//! others. Stages pass no errors between ranks: the program reports the error of a rank and ends all ranks
//! ([`World::abort`]), wherever they wait.
//!
//! The ranks of a stage need not be all processes: on each machine, the program lets the first work with the cores of
//! all, and [splits](World::split) it and its like from the others.
//!
//! # MPI is opened when the program runs
//!
//! There are two ways to MPI from Rust. The crate `mpi` (rsmpi) compiles a shim with `mpicc` and generates bindings
//! with libclang, so it needs both and an installed MPI to build; the program then needs that MPI to start, even alone.
//! The other way is to open the library when the program runs, as CUDA's driver is opened. Lacuna takes that way: one
//! program serves every MPI and needs none, neither to build nor to run alone. It calls few functions, whose signatures
//! are the same in all versions of MPI. Handles differ, in three binary interfaces:
//!
//! | binary interface | handles | libraries |
//! |---|---|---|
//! | of the standard, MPI 5.0 | pointers with fixed values | `libmpi_abi.so.1` of MPICH 5 |
//! | of MPICH | integers with fixed values | `libmpi.so.12` of MPICH, Intel MPI, Cray MPICH |
//! | of Open MPI | addresses of variables of the library | `libmpi.so.40` of Open MPI 4 and 5 |
//!
//! A library is opened only if a launcher has started the process (`launcher`). If a launcher has started several
//! processes and they cannot be connected, that is an error: as many copies of a run would overwrite each other's
//! files.

mod launcher;
mod mpi;
mod portions;
pub(crate) mod threads;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::memory::Refused;
pub use launcher::{Launched, launched};
pub use mpi::start;
pub use portions::Portions;

/// Name of the environment variable that names the library, or is `off`.
const LIBRARY: &str = "LACUNA_MPI";

/// Takes the next numbers, of this count, and returns the first of them; see [`Ranks::deal`].
pub(crate) type Take<'a> = &'a (dyn Fn(u64) -> u64 + Sync);

/// Processes that compute one answer. All of them call each method of exchange, in the same order.
pub trait Ranks: Sync {
    /// Number of this process, from 0.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn size(&self) -> usize;

    /// Replaces `bytes`, on every rank, by those of rank 0. They should be few.
    fn broadcast(&self, bytes: &mut Vec<u8>);

    /// Replaces each number, on every rank, by the sum of those at its place on all ranks, which wraps as sums of `u64`
    /// do. All ranks give equally many. No rank returns before all have called.
    fn sum(&self, numbers: &mut [i64]);

    /// Calls `work` on every rank, with a function that any thread may call at any time: it takes the next numbers, at
    /// least one, of a sequence 0, 1, 2, … that all ranks share, and returns the first of them. Rank 0 returns when all
    /// ranks have done their work, or at once if its own breaks off or unwinds, as the run then ends.
    fn deal(&self, work: &mut dyn FnMut(Take<'_>) -> ControlFlow<()>);

    /// Sends `to[r]` to each rank r, and returns what each rank has sent to this one.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for what arrives.
    ///
    /// # Panics
    /// Panics if `to` has not one element for each rank.
    fn all_to_all(&self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refused>;

    /// Sends bytes to rank 0 and returns there those of each rank; elsewhere nothing from each.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for what arrives.
    fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Refused> {
        let mut to = vec![Vec::new(); self.size()];
        to[0] = bytes;
        self.all_to_all(to)
    }
}

/// One of several processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the process, from 0.
    pub number: usize,
    /// The number of all processes.
    pub of: usize,
}

impl Default for Place {
    /// The only process.
    fn default() -> Self {
        Place { number: 0, of: 1 }
    }
}

impl Place {
    /// The place of a rank among all.
    pub fn among(ranks: &dyn Ranks) -> Place {
        Place { number: ranks.rank(), of: ranks.size() }
    }

    /// The place of a number in a list that contains it.
    pub fn of(number: usize, all: &[usize]) -> Place {
        Place { number: all.iter().take_while(|&&other| other != number).count(), of: all.len() }
    }

    /// The share of this process of a list that all have: every `of`-th, or of a short list one that others have, too.
    pub(crate) fn share<T: Clone>(self, list: &[T]) -> Vec<T> {
        let first = self.number % list.len().max(1);
        list.iter().skip(first).step_by(self.of).cloned().collect()
    }
}

/// The ranks of the machine of this one, ascending, which all ranks ask for together. Machines are told apart by the
/// number that Linux draws when it starts, which containers of a machine share.
///
/// # Errors
/// [`Refused`]: there is no memory for what arrives.
pub fn of_machine(ranks: &dyn Ranks) -> Result<Vec<usize>, Refused> {
    let own = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let machines = ranks.all_to_all(vec![own.clone(); ranks.size()])?;
    Ok((0..ranks.size()).filter(|&rank| machines[rank] == own).collect())
}

/// Calls and bytes that a rank has exchanged with the others so far, with lengths of messages and ends of loops.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Traffic {
    /// Number of collective calls of MPI.
    pub calls: u64,
    /// Bytes of all broadcasts, each counted once.
    pub broadcast_bytes: u64,
    /// Bytes of the numbers of this rank that were added to those of the others.
    pub summed_bytes: u64,
    /// Bytes that this rank has received from single other ranks.
    pub received_bytes: u64,
}

/// The ranks of a program that a launcher has started.
pub trait World: Ranks + Send {
    /// Calls and bytes that this rank has exchanged so far.
    fn traffic(&self) -> Traffic;

    /// Connects, of these ranks, those that `work`, in their order. All call it; to one that does not work, the result
    /// means nothing. Exchanges of both worlds are called one at a time.
    fn split(&self, works: bool) -> Box<dyn World>;

    /// Waits until another rank calls [`release`](World::release) for this one. It leaves its core to other work, which
    /// waiting in an exchange does not.
    fn wait_aside(&self);

    /// Ends the waiting of a rank.
    fn release(&self, rank: usize);

    /// Waits for all ranks and ends the exchange between them.
    fn finish(&self);

    /// Ends all ranks, wherever they are, with this exit code.
    fn abort(&self, code: u8) -> !;
}

/// The only process.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn broadcast(&self, _bytes: &mut Vec<u8>) {}

    fn sum(&self, _numbers: &mut [i64]) {}

    fn deal(&self, work: &mut dyn FnMut(Take<'_>) -> ControlFlow<()>) {
        let next = AtomicU64::new(0);
        let _ = work(&|numbers| next.fetch_add(numbers, Ordering::Relaxed));
    }

    fn all_to_all(&self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refused> {
        assert_eq!(to.len(), 1, "one message for each rank");
        Ok(to)
    }
}

/// Reasons why the processes of a launcher do not find each other.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RanksError {
    /// No library could be opened.
    #[error(
        "{launched}: expected a library of MPI to connect them, found none: {tried}; {LIBRARY}=PATH names one, \
         {LIBRARY}=off lets each process run by itself"
    )]
    NoLibrary {
        /// The launcher, and what it says.
        launched: Launched,
        /// The libraries that were tried, with the system's reasons.
        tried: String,
    },
    /// The library does not take part in what the launcher has started.
    #[error(
        "{launched}: expected that {library} connects them, found that it does not belong to this launcher; \
         {LIBRARY}=PATH names another library, {LIBRARY}=off lets each process run by itself"
    )]
    WrongLibrary {
        /// The launcher, and what it says.
        launched: Launched,
        /// Path of the library that was opened.
        library: PathBuf,
    },
    /// The library lacks a function or a handle.
    #[error("{library}: expected a library of MPI: {problem}; {LIBRARY}=PATH names another library")]
    Incomplete {
        /// Path of the library that was opened.
        library: PathBuf,
        /// Name of the missing symbol, in the system's words.
        problem: String,
    },
    /// The library failed when it was started.
    #[error("{library}: cannot start MPI: {problem}")]
    Start {
        /// Path of the library that was opened.
        library: PathBuf,
        /// The error code, or the support of threads that it lacks.
        problem: String,
    },
}
