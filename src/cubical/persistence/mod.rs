//! Persistent homology of images, over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | keys of voxels | — | `grid`, `order` |
//! | a matching of each lower star | Robins, Wood, Sheppard 2011 | `gradient` |
//! | dimension 0 | Kruskal; Delgado-Friedrichs, Robins, Sheppard 2015 | `components` |
//! | the top dimension, by duality | the same | `cavities` |
//! | dimension 1 of space | Morozov, Nigmetov 2020 | `loops` |
//! | all of these, one after the other | — | [`via_gradient`] |
//! | cycles of the bars that are wanted | — | [`representatives`] |
//! | by the boundary matrix instead, for images of four axes | — | [`via_matrix`] |
//! | the oracle: every cell, standard column algorithm | Edelsbrunner, Letscher, Zomorodian 2002 | [`plain`] |
//!
//! # Owners
//!
//! Take the V-construction. A cell enters with the last of its voxels, by value, ties by coordinates: its *owner*. The
//! cells that a voxel owns, its *lower star*, enter together. The complexes of the first k voxels thus form a
//! filtration with one step per voxel, and a class that survives a step has a birth voxel and a death voxel. These do
//! not depend on the order of the cells within a star: a method may choose this order, or a matching within each star,
//! and all methods agree.
//!
//! # Both constructions are one
//!
//! The T-construction is dual to a grid whose vertices are voxels: its top cells are the voxels, and its vertices are
//! the cubes between them, those at the border of the image included. Its filtration read backwards is therefore that
//! of a V-construction of the image with a *rim* of one voxel around it, in the opposite order, relative to the rim. A
//! pair of dimension k with birth voxel x and death voxel y corresponds there to a pair of dimension d − 1 − k with
//! birth y and death x (Bleile, Garin, Heiss, Maggs, Robins 2022; de Silva, Morozov, Vejdemo-Johansson 2011). The cells
//! of the rim itself are left out: the rim is one vertex, older than all others. In both, the essential class is that
//! of the first voxel. The construction of a grid says which of the two it is.
//!
//! # From cells to voxels
//!
//! Cells are never listed, and voxels are not sorted: which of two neighbours is earlier follows from their keys, and
//! from their places where keys are equal. (Only voxels whose keys do not fit beside a place are sorted first.) A code
//! of 16 bits per voxel describes the matching of its lower star, and only the unmatched, critical cells matter, which
//! are sorted. Union-find pairs the critical edges that join components and, dually, the critical facets of top cells;
//! in the plane these are all pairs. In space as many critical edges as faces remain, and only these are reduced.
//!
//! Memory holds the keys and codes of voxels, six bytes a voxel, the critical cells, what was found on the ways between
//! them, and columns. For representatives all of it is kept.
//!
//! Where that does not fit, critical cells are listed by blocks of slices, one after the other, each with the keys of
//! the slices beside it (`blocks`). Then keys are held no more, and codes as far as there is room: what is not held
//! is found from the voxels, for the few places by which paths and columns pass.

mod blocks;
mod cavities;
mod cell;
mod classes;
mod components;
mod duality;
mod error;
pub mod footprint;
mod forest;
pub(crate) mod gradient;
pub(crate) mod grid;
mod grid_cell;
mod layout;
mod limits;
mod look;
mod loops;
mod narrowing;
mod order;
pub mod plain;
pub mod representatives;
mod request;
mod stages;
mod statistics;
#[cfg(test)]
mod tests;
pub mod via_gradient;
pub mod via_matrix;
mod words;

pub use classes::{Class, Classes};
pub use error::{MachineError, PersistenceError};
pub use footprint::Held;
pub use layout::check;
pub use limits::Limits;
pub use request::PersistenceRequest;
pub(super) use stages::FINDING_CYCLES;
pub use statistics::PersistenceStatistics;
pub(super) use via_gradient::{Persistence, persistence};
