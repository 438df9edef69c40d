//! Euler characteristic curves of images that need not fit into memory.
//!
//! The image is cut into slabs along its slowest axis longer than one voxel: planes of a volume, rows of a picture,
//! segments of a line. The cells that a voxel owns depend on its neighbours, so a slab has a collar: one slice on
//! either side, or 64 voxels before a segment of a line. The result does not depend on the slabs; it is that of
//! [`curve`](super::curve).
//!
//! Each thread reads slabs of its own and adds them up (`schedule`). If voxels can be read at any place, as from most
//! files, collars are read twice; if they come in memory order, as from a pipe, threads read in turn, and collars are
//! copied from slab to slab.
//!
//! **Memory.** The limit covers everything: slabs with their collars, tables and sums of all threads, and the program
//! itself. Usage does not grow with the image. The rows of [`Bins::Distinct`](super::Bins::Distinct) for 32 or 64 bits
//! are as many as there are distinct values; beyond the limit they are spilled to temporary files and read from there
//! ([`VcecRows`](super::VcecRows)). The memory of a reader, as for a picture compressed as a whole, is not counted.
//!
//! **Ranks.** Several processes share an image by its slices: each reads its own, with their collar, and adds them up
//! in slabs of its own. Sums of bins and of narrow voxels are then added by one reduction; the distinct values of wider
//! voxels are sent to rank 0 in ascending parts, and merged there as the runs of its threads are.
//!
//! **Ranges.** Bins over the whole range of 32- or 64-bit voxels need that range beforehand: [`SlabCounter::range`] is
//! a separate pass.

mod counter;
mod cut;
mod partial;
mod schedule;

pub use counter::SlabCounter;
pub(crate) use counter::joined;
pub use cut::memory_plan;
pub(crate) use cut::voxels_of;
pub use partial::{PartialCurve, Watch};
