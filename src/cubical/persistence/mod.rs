//! Persistent homology of images, over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | voxels in order | — | `order`, `grid` |
//! | a matching of each lower star | Robins, Wood, Sheppard 2011 | `gradient` |
//! | dimension 0 | Kruskal; Delgado-Friedrichs, Robins, Sheppard 2015 | `components` |
//! | the top dimension, by duality | the same | `cavities` |
//! | dimension 1 of space | Morozov, Nigmetov 2020 | `loops` |
//! | all of these, one after the other | — | [`via_gradient`] |
//! | cycles of the bars that are wanted | — | [`representatives`] |
//! | by the boundary matrix instead | — | [`via_matrix`] |
//! | the oracle: every cell, standard column algorithm | Edelsbrunner, Letscher, Zomorodian 2002 | [`plain`] |
//!
//! # Owners
//!
//! Take the V-construction. A cell enters with the last of its voxels, by value, ties by coordinates: its *owner*. The cells that
//! a voxel owns, its *lower star*, enter together. So the complexes of the first k voxels are a filtration with one step a voxel, and
//! a class that lives between steps has a voxel at which it is born and one at which it dies. In whatever order cells enter within a
//! star, those are the same: a method may choose the order, or a matching within each star, to suit itself, and all methods agree.
//!
//! # Both constructions are one
//!
//! The cells of the T-construction are those of a grid whose vertices are voxels, turned round: its top cells are voxels, its vertices are
//! the cubes between them, those at the border of the image included. So its filtration read backwards is that of a V-construction of the
//! image with a *rim* of one voxel around it, in the opposite order, relative to the rim. A pair of dimension k, born with voxel x,
//! killed by y, is there a pair of dimension d − 1 − k that y begins and x ends (Bleile, Garin, Heiss, Maggs, Robins
//! 2022; de Silva, Morozov, Vejdemo-Johansson 2011). The rim's own cells are left out: it is one vertex, older than all. The
//! essential class is that of the first voxel, in both. The type `Complex` says which of the two a grid is.
//!
//! # From cells to voxels
//!
//! No cell is listed. A code of 16 bits a voxel says how its lower star is matched, and only cells left over, critical ones,
//! matter. Critical edges that join components are settled by union-find, and so, from above, are critical facets of top cells; that is all
//! there is in the plane. In space what is left are as many critical edges as faces, which alone are reduced.
//!
//! Memory is the ranks and places of voxels and their codes, ten bytes a voxel, and critical cells and columns. For cycles all of it is kept.

mod cavities;
mod cell;
mod classes;
mod components;
mod duality;
mod error;
mod expected;
mod figures;
pub mod footprint;
mod forest;
pub(crate) mod gradient;
pub(crate) mod grid;
mod layout;
mod loops;
mod machine;
mod order;
pub mod plain;
pub mod representatives;
mod request;
#[cfg(test)]
mod tests;
mod threshold;
pub mod via_gradient;
pub mod via_matrix;
mod words;

pub use classes::{Class, Classes};
pub use duality::Complex;
pub use error::PersistenceError;
pub use figures::Figures;
pub use layout::{GridLayout, GridPlace, check};
pub use machine::{MachineError, persistence_by, persistence_traced_by};
pub use request::PersistenceRequest;
pub use via_gradient::{FindGradient, persistence, persistence_traced, persistence_with};
