//! Why there is no curve of an image that comes in slabs.

use std::io;
use std::path::PathBuf;

use crate::cubical::ecc::bins::BinsError;
use crate::cubical::ecc::cpu::OtherSums;
use crate::cubical::shape::Shape;
use crate::memory::Refused;

/// Why there is no curve; `E` is why voxels cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SlabError<E> {
    /// There are no such bins.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// Voxels cannot be read.
    #[error(transparent)]
    Read(E),
    /// They end early.
    #[error("expected {expected} voxels, found {found}")]
    Short {
        /// How many the shape has.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// What was added up before an interruption is not of this curve.
    #[error(transparent)]
    Since(#[from] OtherSums),
    /// The range of the bins is not known.
    #[error("expected the range of voxels of {0} beforehand, found bins without one")]
    Range(&'static str),
    /// Too little memory for the thinnest slabs.
    #[error("expected at least {needed} bytes of memory for an image of {shape} voxels, found {limit}")]
    Slabs {
        /// The image.
        shape: Shape,
        /// What the thinnest slabs take, with all else.
        needed: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The system refuses memory for the slabs, although it is allowed.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The system starts no thread to add up voxels.
    #[error(
        "cannot start a thread that adds up voxels: {0}; the system's limits of processes and memory (ulimit -u, \
         ulimit -v) may allow more"
    )]
    Threads(io::Error),
    /// VcecRows that memory has no room for cannot be kept in temporary files.
    #[error("{}: cannot keep rows that {limit} bytes of memory have no room for: {error}", directory.display())]
    Spill {
        /// Where.
        directory: PathBuf,
        /// What is allowed.
        limit: usize,
        /// What the system says.
        error: io::Error,
    },
}
