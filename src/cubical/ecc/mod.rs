//! The Euler characteristic curve of an image.
//!
//! # Definition
//!
//! The image is a filtered cubical complex ([`Construction`](super::Construction)). Its curve maps each value t to the
//! Euler characteristic χ of the subcomplex of cells with values up to t: vertices minus edges plus squares minus
//! cubes. It is stored as its changes (VCEC; Wang, Wagner, Chen, "GPU computation of the Euler characteristic curve for
//! imaging data", SoCG 2022): the sum of (−1)^dim over the cells that enter at t. With *superlevel* sets, cells enter
//! at descending values: T takes the greatest of the voxels around a cell, V the least.
//!
//! # Rows
//!
//! | [`Bins`] | rows |
//! |---|---|
//! | `Distinct` | one for each distinct voxel value, even without a change; `-0.0` and `0.0` are equal |
//! | `Uniform` | one for each of `count` bins: bin k ends at low + (k + 1) · (high − low) / count, the last at high |
//!
//! A value belongs to the first bin whose end is not less. The default range is from the least to the greatest finite
//! value. Values below the range, including −∞, count in the first bin; values above it, including ∞, in none, as they
//! are in no sublevel set up to high. So each row has the Euler characteristic of the sublevel set at the end of its
//! bin, whatever lies outside the range. For superlevel sets the bins descend: bin k ends at high − (k + 1) · (high −
//! low) / count; values above the range count in the first bin, values below it in none. See [`bins::Edges`] for the
//! rounding.
//!
//! Values of rows are exact: 64-bit integers are stored as such ([`Values`]).
//!
//! # One small number per voxel
//!
//! Each cell is owned by one of the voxels around it, at whose value it enters: the least (T) or the greatest (V), ties
//! broken by place. Let c(x) = Σ (−1)^dim over the cells that voxel x owns; then the change at t is Σ c(x) over the
//! voxels of value t. c(x) depends on 26 comparisons only, lies between −7 and 5 (T) or −5 and 7 (V), and is 0 for most
//! voxels of a smooth image. Among voxels of equal value it does not matter which one owns a cell, as they belong to
//! the same row. [`plain`] counts cells instead.

pub mod bins;
pub(crate) mod checkpoint;
pub(crate) mod cpu;
pub mod cuda;
mod dispatch;
mod error;
mod estimate;
pub mod plain;
mod request;
mod rows;
mod run;
pub mod scales;
pub mod slabs;
mod slices;
mod source;
mod spill;
mod threads;
mod vcec;

pub use bins::{Bins, BinsError};
pub use cpu::curve;
pub(crate) use dispatch::{STAGE, curves_by};
pub use dispatch::{compare, curve_by};
pub use error::{EccError, MachineError};
pub(crate) use estimate::estimate;
pub use request::EccRequest;
pub use rows::{Spilled, VcecRows};
pub use source::{ReadVoxels, Voxels, reader_of};
pub use vcec::{Values, Vcec};
