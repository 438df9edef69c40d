//! The Euler characteristic curve of an image.
//!
//! # Definition
//!
//! The image is a filtered cubical complex ([`Construction`](super::Construction)). Its curve says, for each value t, the Euler characteristic χ of the cells
//! with values up to t: vertices minus edges plus squares minus cubes. It is kept as its changes (VCEC; Wang, Wagner, Chen, "GPU
//! computation of the Euler characteristic curve for imaging data", SoCG 2022): the sum of (−1)^dim over the cells that enter at t. With
//! *superlevel* sets, cells enter at descending values: T takes the greatest of the voxels around a cell, V the least.
//!
//! # VcecRows
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

pub mod bins;
pub(crate) mod cpu;
pub mod cuda;
mod estimate;
mod machine;
pub mod plain;
mod request;
mod rows;
pub mod scales;
pub mod slabs;
mod source;
mod spill;
mod threads;
mod vcec;

pub use bins::{Bins, BinsError};
pub use cpu::{OtherSums, curve};
pub(crate) use estimate::estimate;
pub use machine::{MachineError, compare, curve_by};
pub use request::EccRequest;
pub use rows::{Spilled, VcecRows};
pub use source::{ReadAt, Voxels};
pub use vcec::{Values, Vcec};
