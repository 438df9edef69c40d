//! Images: cubical persistence, the Euler characteristic curve, thinning.
//!
//! | stage | source | module |
//! |---|---|---|
//! | files → image | — | [`read`] |
//! | voxels, their keys, axes | — | [`image`] |
//! | persistent homology | see there | [`persistence`] |
//! | Euler characteristic curve | Wang, Wagner, Chen 2022 | [`ecc`] |
//! | image of bytes → files | — | [`mod@write`] |
//! | thinning | Guo, Hall 1989; see there | [`thinning`] |
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
//! DIPHA and Perseus. In memory, and in this library, the slowest axis comes first, whatever the file calls it ([`image::Shape`]);
//! coordinates that are printed are the user's.

pub mod ecc;
pub mod image;
pub mod persistence;
pub mod read;
pub mod thinning;
pub mod value;
pub mod write;

pub use image::{AnyImage, Construction, Image, Key, Order, Shape, ShapeError, Voxel};
pub use value::Value;
