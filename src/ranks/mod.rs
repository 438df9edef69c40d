//! Several processes that compute one answer, perhaps on several machines: *ranks*, as MPI calls them.
//!
//! # The seam
//!
//! A stage that shares its work between ranks takes a [`Ranks`]: its own number, how many there are, and four ways in
//! which all of them exchange data at once. It knows nothing else of MPI. [`Alone`] is the only process of an ordinary
//! run; every exchange is then nothing at all. Every rank calls the same methods in the same order, and waits in each
//! for the others. No stage passes errors between ranks: a rank that fails says why and ends all of them
//! ([`World::abort`]), wherever they wait.
//!
//! # MPI is opened when the program runs
//!
//! MPI has two ways into a program that need not know the installed library beforehand:
//!
//! | | to build | to run |
//! |---|---|---|
//! | the crate `mpi` (rsmpi) | a library with headers and `mpicc`, a C compiler, and libclang for bindgen | that library, or one with the same binary interface; without it the program does not start |
//! | opening the library, as CUDA's driver is opened | nothing | any library of the table below; without it the program runs alone |
//!
//! Lacuna takes the second, so that one program serves every MPI and needs none. It uses few functions, whose
//! signatures all versions of MPI share. What differs is the handles, in three binary interfaces:
//!
//! | binary interface | libraries | handles |
//! |---|---|---|
//! | that of the standard, MPI 5.0, chapter 20 | `libmpi_abi.so.1`: MPICH 5 | pointers with fixed values |
//! | MPICH's (<https://www.mpich.org/abi/>) | `libmpi.so.12`: MPICH, Intel MPI, Cray MPICH, MVAPICH | integers with fixed values |
//! | Open MPI's | `libmpi.so.40`: Open MPI 4 and 5 | addresses of variables of the library |
//!
//! No library is opened unless a launcher has started the process (`launcher`): a run alone does not look for one. If
//! a launcher has started several processes and they do not find each other, that is an error; as many copies of a run
//! would overwrite each other's files.

mod launcher;
mod mpi;
#[cfg(test)]
pub(crate) mod threads;

use std::path::PathBuf;

use crate::memory::Refused;
pub use launcher::{Launched, launched};
pub use mpi::start;

/// Name of the environment variable that names the library, or is `off`.
const LIBRARY: &str = "LACUNA_MPI";

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

/// The ranks of a program that a launcher has started.
pub trait World: Ranks + Send {
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
        /// What was tried, with the system's reasons.
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
        /// The library.
        library: PathBuf,
    },
    /// The library lacks a function or a handle.
    #[error("{library}: expected a library of MPI: {problem}; {LIBRARY}=PATH names another library")]
    Incomplete {
        /// The library.
        library: PathBuf,
        /// What is missing.
        problem: String,
    },
    /// The library failed when it was started.
    #[error("{library}: cannot start MPI: {problem}")]
    Start {
        /// The library.
        library: PathBuf,
        /// The error code, or the support of threads that it lacks.
        problem: String,
    },
}
