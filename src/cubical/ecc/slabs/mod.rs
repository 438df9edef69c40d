//! The curve of an image that need not fit into memory.
//!
//! The image is cut into slabs along its slowest axis that has more than one voxel: planes of a volume, rows of a picture, stretches of
//! a line. What a voxel owns depends on its neighbours, so a slab comes with a collar: a slice on either side, or, of a line, 64 voxels
//! before. The curve is that of [`curve`](super::curve), whatever the slabs.
//!
//! | voxels come | slabs | collars |
//! |---|---|---|
//! | from any place, as those of most files | each thread reads its own and adds it up (`apart`) | are read twice |
//! | in memory order, as through a pipe | one thread reads them, the others add them up (`in_order`) | are copied from slab to slab |
//!
//! **Memory.** The limit is for everything: slabs with their collars, tables and sums of all threads, the program itself. It does
//! not grow with the image. The rows of [`Bins::Distinct`](super::Bins::Distinct) of 32 or 64 bits are as many as there are distinct values: when they pass the
//! limit, they go to temporary files, and are read from there ([`VcecRows`](super::VcecRows)). What a reader keeps (a picture that is compressed as a whole) is its own.
//!
//! **Ranges.** Bins over the whole range of 32 or 64 bits need it beforehand: [`SlabCounter::range`] is a pass of its own.

mod apart;
mod counter;
mod cut;
mod error;
mod in_order;
mod job;
mod partial;
mod queue;

pub use counter::SlabCounter;
pub use cut::memory_plan;
pub use error::SlabError;
pub use partial::{PartialCurve, Watch};
