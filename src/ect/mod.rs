//! The Euler characteristic transform of images, point sets, graphs and meshes.
//!
//! # Definition
//!
//! For a complex in R^d and a unit vector v, the height of a vertex x is ⟨x − c, v⟩, where c is the center, and a cell
//! enters with the highest of its vertices. The transform maps v and t to the Euler characteristic of the cells with
//! heights up to t (Turner, Mukherjee, Boyer, "Persistent homology transform for modeling shapes and surfaces", 2014;
//! Munch, "An invitation to the Euler characteristic transform", 2023). In the weighted transform a cell counts by its
//! weight (Jiang, Kurtek, Needham, "The weighted Euler curve transform for shape and image analysis", 2020):
//!
//! ```text
//! ECT(v, t) = Σ (−1)^dim(σ) · w(σ)  over the cells σ with height_v(σ) ≤ t
//! ```
//!
//! It is sampled at `bins` values t_k = −R + 2Rk / (bins − 1) from −R to R, where the radius R is by default the
//! greatest distance of a vertex from the center. The packages `pyect` and `ect` sample it at the same values. Heights
//! below −R count in the first bin. Heights above R, which only a smaller radius than the default leaves, count in
//! none. A single sample is at R. If all vertices are at the center, R is 0, and they count from the middle sample on,
//! as for any other radius.
//!
//! The smooth transform (Crawford and others 2020; Meng, Wang, Crawford, Eloyan 2022) is the integral of the deviation
//! from the mean over t, here in units of the distance of two samples, as in `ect`: SECT_k = Σ_{j ≤ k} (ECT_j − mean).
//!
//! # Images
//!
//! The complex of an image has the voxels that are not 0 as vertices, and the cells of the grid all of whose voxels
//! are (construction V, the default), or as closed squares or cubes with all their faces (T). The origin is the center
//! of the grid, the side of a voxel is 1, and the components of a direction belong to the axes of the array. In the
//! weighted transform the weight of a cell is the greatest value of its voxels (V), as in `pyect`, or of the voxels
//! around it (T).
//!
//! # One small number per vertex
//!
//! The last vertex of a cell of the grid in direction v depends only on the signs of the components of v: along each
//! axis in which the cell extends, it is the end to which v points. So a vertex owns the same cells for all directions
//! in one of 2^d orthants, and the transform in a direction is a histogram of the heights of vertices, in which vertex
//! x counts by the sum of (−1)^dim(σ) · w(σ) over the cells σ that it owns. In a binary image this number is 0 except
//! at corners of the shape, and vertices with 0 are left out. If a component of v is 0, several vertices of a cell are
//! last, and their heights are equal also when computed: rounding keeps the order of heights along each axis.
//!
//! [`image`](self) computes the numbers row by row, [`heights`](self) the bins of eight directions at a time, and
//! [`plain`] goes through all cells instead.
//!
//! # Other complexes
//!
//! Cells of an [`EmbeddedComplex`] may have any number of vertices. For eight directions at a time, the bins of all
//! vertices are computed first, and the bin of a cell is the greatest of those of its vertices. [`surface`](self)
//! leaves out the edges of meshes.
//!
//! # Order of sums
//!
//! Heights and their bins are computed in double precision, the sum of a height along the axes in their order. Counts
//! are sums of doubles, which are exact for weights that are integers of moderate size. Other weights are added in an
//! order that depends on the input and the request only, so the result is the same on any number of threads.

mod complex;
mod directions;
mod error;
mod heights;
mod image;
pub mod plain;
mod request;
mod surface;
#[cfg(test)]
mod tests;

pub use complex::{EmbeddedComplex, of_complex};
pub use directions::Directions;
pub use error::EctError;
pub use image::{memory_plan, of_image};
pub use request::{Center, Ect, EctRequest};
