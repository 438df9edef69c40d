//! Errors of computing a curve in slabs.

use std::io;
use std::path::PathBuf;

use crate::cubical::ecc::bins::BinsError;
use crate::cubical::ecc::cpu::OtherSums;
use crate::cubical::shape::Shape;
use crate::memory::Refused;

/// Reasons why a curve could not be computed in slabs; `E` is the error of reading voxels.
#[derive(Debug, thiserror::Error)]
pub enum SlabError<E> {
    /// The bins are invalid.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// Voxels could not be read.
    #[error(transparent)]
    Read(E),
    /// The voxels end early.
    #[error("expected {expected} voxels, found {found}")]
    Short {
        /// The number of voxels of the shape.
        expected: usize,
        /// The number of voxels read.
        found: usize,
    },
    /// The saved sums of an interrupted run belong to another curve.
    #[error(transparent)]
    Since(#[from] OtherSums),
    /// The bins need a range, and none was given.
    #[error("expected the range of voxels of {0} beforehand, found bins without one")]
    Range(&'static str),
    /// The memory limit is too low for the thinnest slabs.
    #[error("expected at least {needed} bytes of memory for an image of {shape} voxels, found {limit}")]
    Slabs {
        /// The shape of the image.
        shape: Shape,
        /// Bytes needed with the thinnest slabs.
        needed: usize,
        /// The memory limit in bytes.
        limit: usize,
    },
    /// The system refuses memory for the slabs, although the limit allows it.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The system started no thread to add up voxels.
    #[error(
        "cannot start a thread that adds up voxels: {0}; the system's limits of processes and memory (ulimit -u, \
         ulimit -v) may allow more"
    )]
    Threads(io::Error),
    /// Rows that exceed the memory limit could not be written to temporary files.
    #[error("{}: cannot keep rows that {limit} bytes of memory have no room for: {error}", directory.display())]
    Spill {
        /// The directory of the temporary files.
        directory: PathBuf,
        /// The memory limit in bytes.
        limit: usize,
        /// The error of the system.
        error: io::Error,
    },
}
