//! Persistent homology: barcodes of distances, matrices and images.
//!
//! | stage | source | module |
//! |---|---|---|
//! | distances → ranks | — | [`metric`], [`rips::rank`] |
//! | dimension 0 | Kruskal; Prim | [`rips::components`] |
//! | filtration construction with clearing, apparent-pair search | Zhang, Xiao, Wang 2020 (Ripser++), Bauer 2021 (Ripser) | [`rips::filtration_construction`] |
//! | two-layer pair store | Zhang, Xiao, Wang 2020 | [`rips::pair_store`] |
//! | submatrix reduction | Bauer 2021; Morozov, Nigmetov 2020 | [`rips::submatrix_reduction`] |
//! | the oracle: explicit filtration, standard column algorithm | Edelsbrunner, Letscher, Zomorodian 2002 | [`rips::plain`] |
//! | boundary matrix: scan of leftmost ones | Zhang et al. 2019 (HYPHA) | [`matrix::leftmost_ones`] |
//! | boundary matrix: union-find, annotations, residue | see there | [`matrix::sieve`] |
//! | boundary matrix: clearing, compression, SS+ and the other reductions | Zhang et al. 2019; see there | [`matrix::reduction`] |
//! | images and distances → filtered complexes | Bauer, Kerber, Reininghaus 2014 (DIPHA) | [`cells`] |
//! | images | see there | [`cubical`] |
//! | bars → files | — | [`output`] |
//! | whether two files hold the same bars | — | [`compare`] |
//!
//! Data flows one way: input → ranks → columns → pairs → diagram → writer.

pub mod backend;
pub mod cells;
pub mod compare;
pub mod cubical;
pub mod cuda;
pub mod diagram;
pub mod input;
#[cfg(any(feature = "ndarray", feature = "sprs"))]
pub mod interop;
pub mod matrix;
pub mod memory;
pub mod metric;
pub mod output;
pub mod progress;
pub mod rips;
pub mod simd;

pub use diagram::{Bar, Diagram};

/// The examples of README.md run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
