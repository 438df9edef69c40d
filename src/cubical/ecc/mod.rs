//! The Euler characteristic curve of an image.
//!
//! # Definition
//!
//! The image is a filtered cubical complex ([`Construction`]). Its curve says, for each value t, the Euler characteristic χ of the cells
//! with values up to t: vertices minus edges plus squares minus cubes. It is kept as its changes (VCEC; Wang, Wagner, Chen, "GPU
//! computation of the Euler characteristic curve for imaging data", SoCG 2022): the sum of (−1)^dim over the cells that enter at t. With
//! *superlevel* sets, cells enter at descending values: T takes the greatest of the voxels around a cell, V the least.
//!
//! # Rows
//!
//! | [`Bins`] | rows |
//! |---|---|
//! | `Distinct` | one for each distinct value of a voxel, also where nothing changes; `-0.0` and `0.0` are one |
//! | `Uniform` | one for each of `count` bins over a range: bin k ends at low + (k + 1) · (high − low) / count, the last at high |
//!
//! A value belongs to the first bin whose end is not less. Without a range, it is from the least finite value to the greatest. A
//! value below the range, −∞ included, is in the first bin; a value above it, ∞ included, is in none, for it is in no sublevel set up to
//! high: the characteristic in each row is that of the sublevel set at the end of its bin, whatever there is past the range. Superlevel
//! sets have their bins from above: bin k ends at high − (k + 1) · (high − low) / count; a value above the range is in the first bin, one
//! below it in none. See [`bins::Edges`] for the rounding.
//!
//! Values of rows are exact: integers of 64 bits are kept as such ([`Values`]).
//!
//! # One small number a voxel
//!
//! Each cell is owned by one of the voxels around it, at whose value it enters: the least (T) or the greatest (V), ties by place. So with
//! c(x) = Σ (−1)^dim over the cells that voxel x owns, the change at t is Σ c(x) over the voxels of value t. c(x) depends on 26 comparisons only,
//! lies between −7 and 5 (T) or −5 and 7 (V), and is 0 for most voxels of a smooth image. Which voxel owns a cell when values are
//! equal moves nothing: both have the same row. [`plain`] counts cells instead.

pub mod batch;
pub mod bins;
pub(crate) mod cpu;
pub mod cuda;
mod curve;
mod estimate;
mod machine;
pub mod plain;
pub mod rows;
pub mod scales;
mod spill;
pub mod stream;
mod threads;

pub use bins::BinsError;
pub use curve::{Curve, Values};
pub use estimate::estimate;
pub use machine::{MachineError, compare, curve_by};
pub use rows::Rows;

use crate::cubical::{Construction, Image, Value, Voxel};
use crate::simd::Level;

/// The rows of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Bins {
    /// One for each distinct value.
    #[default]
    Distinct,
    /// Bins of one width.
    Uniform {
        /// How many: from one to [`bins::MOST_BINS`].
        count: usize,
        /// From where to where; the least finite value and the greatest when `None`.
        range: Option<(Value, Value)>,
    },
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Request {
    /// How the image is a complex.
    pub construction: Construction,
    /// Whether cells enter at descending values.
    pub superlevel: bool,
    /// The rows.
    pub bins: Bins,
}

/// The curve of an image.
///
/// # Errors
/// [`BinsError`]: there are no such bins, or their range is to be found and no voxel is finite.
pub fn curve<T: Voxel>(image: &Image<T>, request: &Request) -> Result<Curve, BinsError> {
    request.bins.check()?;
    cpu::curve(image, request, Level::detect())
}
