//! Images: cubical persistence, the Euler characteristic curve, thinning.
//!
//! | stage | source | module |
//! |---|---|---|
//! | files → image | — | [`read`] |
//! | where voxels lie in space, from file to file | — | [`geometry`] |
//! | voxels, their keys, axes | — | [`image`], [`Key`], [`Shape`] |
//! | persistent homology | see there | [`persistence`] |
//! | Euler characteristic curve, as the vector of its changes (VCEC) | Wang, Wagner, Chen 2022 | [`ecc`] |
//! | curves of images as they are read | — | [`curves`] |
//! | image of bytes → files | — | [`mod@write`] |
//! | thinning | Guo, Hall 1989; see there | [`thinning`] |
//!
//! # From an image to its answer
//!
//! [`Cubical`] gives a [`Diagram`](crate::Diagram), [`EulerCurve`] a [`Vcec`](ecc::Vcec), [`Skeleton`] a
//! [`BitImage`](thinning::BitImage). All are built alike, `run` gives the answer and `solve` the answer and how it came about; what
//! goes wrong is a [`CubicalError`], and what is wrong with a file an [`ImageReadError`](read::ImageReadError).
//!
//! # Constructions
//!
//! An image is a filtered cubical complex in one of two ways ([`Construction`]): voxels as top cells (T, the default; lower cells
//! take the least value around them), or as vertices (V; higher cells take the greatest). In both, a cell enters with one voxel
//! that *owns* it: the least, or the greatest, of its voxels, by value, ties by place in memory. All stages order cells by their
//! owners, so all agree on the voxels at which a class is born and dies.
//!
//! # Axes
//!
//! Axes are those of the array as its users index it: `a[i, j, k]` in NumPy, (page, row, column) in PNG and TIFF, (x, y, z) in NIfTI,
//! DIPHA and Perseus. Axes of one voxel are left out of all that is computed. In memory, and in this library, the slowest axis comes first, whatever the file calls it ([`Shape`]);
//! coordinates that are printed are the user's.

mod barcode;
mod construction;
pub mod curves;
pub mod ecc;
mod error;
mod euler;
pub mod geometry;
pub mod image;
mod key;
pub mod persistence;
pub mod read;
pub(crate) mod resident;
mod settings;
mod shape;
mod skeleton;
pub mod thinning;
pub mod value;
pub mod write;

pub use barcode::{Cubical, CubicalOutcome};
pub use construction::Construction;
pub use error::CubicalError;
pub use euler::{EulerCurve, EulerOutcome};
pub use image::{AnyImage, Image, SharedVoxels, Voxel};
pub use key::{Coding, Key};
pub use shape::{Order, Shape, ShapeError};
pub use skeleton::{Skeleton, SkeletonOutcome};
pub use value::Value;
