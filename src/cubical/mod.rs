//! Images: cubical persistence, the Euler characteristic curve, thinning.
//!
//! | stage | source | module |
//! |---|---|---|
//! | files → image | — | [`read`] |
//! | position and size of voxels in space, copied from file to file | — | [`geometry`] |
//! | voxels, their keys, axes | — | [`image`], [`Key`], [`Shape`] |
//! | persistent homology | listed there | [`persistence`] |
//! | Euler characteristic curve, as the vector of its changes (VCEC) | Wang, Wagner, Chen 2022 | [`ecc`] |
//! | curves of images while they are read | — | [`curves`] |
//! | image → files | — | [`mod@write`] |
//! | thinning | Guo, Hall 1989; others listed there | [`thinning`] |
//! | graphs of skeletons | — | [`thinning::graph`] |
//!
//! # Entry points
//!
//! [`Cubical`] computes a [`Diagram`](crate::Diagram), [`EulerCurve`] a [`Vcec`](ecc::Vcec), [`Skeleton`] a
//! [`BitImage`](thinning::BitImage). All three hold their options: `run` returns the result, and
//! `solve` the result with details of the run. Errors are [`CubicalError`]s, and errors of reading a file
//! [`ImageReadError`](read::ImageReadError)s.
//!
//! # Constructions
//!
//! An image is a filtered cubical complex in one of two ways ([`Construction`]): with voxels as top-dimensional cells
//! (T, the default; lower cells take the least value around them), or as vertices (V; higher cells take the greatest).
//! In both, each cell enters together with the voxel that *owns* it: the least (T) or the greatest (V) of its voxels by
//! value, ties broken by place in memory. All stages order cells by their owners, so they agree on the voxels at which
//! a class is born and dies.
//!
//! # Axes
//!
//! Axes are those of the array as its users index it: `a[i, j, k]` in NumPy, (page, row, column) in PNG and TIFF, (x,
//! y, z) in NIfTI, DIPHA and Perseus. Computations ignore axes of one voxel. In memory, and in this library, the
//! slowest axis comes first, whatever the file calls it ([`Shape`]); printed coordinates are the user's.

mod barcode;
mod construction;
pub mod curves;
pub mod ecc;
mod error;
mod euler;
pub mod geometry;
pub mod image;
mod key;
mod mask;
mod nifti;
pub(crate) mod order;
mod periodic;
pub mod persistence;
pub(crate) mod plain_cells;
pub mod read;
pub(crate) mod resident;
mod shape;
mod skeleton;
pub mod thinning;
pub mod value;
pub mod verify;
mod voxel;
pub mod write;

pub use barcode::{Cubical, CubicalOutcome};
pub use construction::Construction;
pub use error::CubicalError;
pub use euler::{EulerCurve, EulerOutcome};
pub use image::{AnyImage, Image, SharedVoxels, Voxel};
pub use key::{Coding, Key};
pub use mask::Mask;
pub use periodic::Periodic;
pub use shape::{Order, Shape, ShapeError};
pub use skeleton::{Skeleton, SkeletonOutcome};
pub use value::Value;
pub use voxel::VoxelType;
