//! Reduction algorithms: one file each, with one signature.
//!
//! | algorithm | module | parallel | clears | source |
//! |---|---|---|---|---|
//! | standard | [`mod@standard`] | no | no | Edelsbrunner, Letscher, Zomorodian 2002 |
//! | twist | [`mod@twist`] | no | yes | Chen, Kerber 2011 |
//! | row | [`mod@row`] | no | yes | de Silva, Morozov, Vejdemo-Johansson 2011 |
//! | chunk | [`mod@chunk`] | chunks of columns | yes | Bauer, Kerber, Reininghaus 2014 |
//! | spectral sequence | [`mod@spectral_sequence`] | stripes of columns | yes | Edelsbrunner, Harer 2010; Bauer, Kerber, Reininghaus 2014 |
//! | SS+ | [`mod@ss_plus`] | tiles or columns | yes | Zhang et al. 2019 |
//! | lock-free | [`mod@lock_free`] | columns | yes | Morozov, Nigmetov 2020 |
//!
//! Each takes a [`ReductionProblem`] and leaves its pairs in the look-up table. Two other methods do not have this
//! signature: [`hypha`](super::hypha) runs SS+ or twist after scan, clearing and compression, and the
//! [`sieve`](super::sieve) has a reduction of its own.
//!
//! **Guarantees.** For a matrix with ∂∂ = 0 ([`BoundaryMatrix::check`]) all algorithms find the same pairs on any
//! number of threads, and each cell is in at most one pair. For any other matrix with the invariants of
//! [`BoundaryMatrix`] they guarantee:
//!
//! | algorithm | the pairs are |
//! |---|---|
//! | standard | (low, column) of the matrix reduced left to right: no two share a low or a column; a cell may be a low and a column |
//! | twist, row, chunk, spectral sequence, SS+, lock-free | no two share a low or a column; which ones depends on the columns that are cleared before they are reduced |
//! | HYPHA, sieve | births come before deaths, one dimension below. Dimensions exchange results that are wrong if ∂∂ ≠ 0, so the pairs may depend on the number of threads |
//!
//! All of them terminate, and none of them panics.

pub mod chunk;
pub mod compression;
pub mod lock_free;
pub(super) mod problem;
pub mod row;
pub mod spectral_sequence;
pub mod ss_plus;
pub mod standard;
pub(super) mod stripes;
pub(super) mod team;
pub(super) mod tiles;
pub mod twist;

#[cfg(doc)]
use phat_formats::BoundaryMatrix;

pub use self::chunk::chunk;
pub use self::lock_free::lock_free;
pub use self::problem::{Additions, Reduce, ReductionProblem};
pub use self::row::row;
pub use self::spectral_sequence::spectral_sequence;
pub use self::ss_plus::ss_plus;
pub use self::standard::{standard, standard_counted};
pub use self::twist::{twist, twist_counted};
