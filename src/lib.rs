//! Persistent homology: barcodes of distances, pairs of boundary matrices, persistence and Euler characteristic curves
//! of images.
//!
//! Lacuna is a program (`lacuna`, see the README) and this library. For all three kinds of input the answer is the same
//! on any number of threads, and only memory limits the size.
//!
//! # Distances
//!
//! [`rips::Rips`] computes Vietoris–Rips barcodes of points, distance matrices or lists of edges ([`metric`]).
//!
//! ```
//! use lacuna::metric::PointCloud;
//! use lacuna::rips::Rips;
//!
//! // The corners of a square: a loop is born with the sides and dies with the diagonals.
//! let corners = PointCloud::new(2, vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
//! let diagram = Rips::new(corners).max_dim(1).run()?;
//! let loops = diagram.bars(1);
//! assert_eq!((loops.len(), loops[0].birth, loops[0].death), (1, 1.0, 2f64.sqrt()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Boundary matrices
//!
//! [`matrix::reduce`] pairs the cells of a filtered complex that is given by its boundary matrix over Z/2.
//!
//! ```
//! use lacuna::matrix::{BoundaryMatrix, MatrixError, Plan, ReductionRequest, reduce};
//!
//! // Two vertices and the edge between them.
//! let mut matrix = BoundaryMatrix::<u32>::new();
//! matrix.push(0, &[])?;
//! matrix.push(0, &[])?;
//! matrix.push(1, &[0, 1])?;
//! let (plan, _reasons) = Plan::choose(&matrix, &ReductionRequest::default());
//! let pairs = reduce(&matrix, &plan);
//! assert_eq!((&pairs.pairs[..], pairs.essential()), (&[(1, 2)][..], vec![0]));
//! # Ok::<(), MatrixError>(())
//! ```
//!
//! # Images
//!
//! [`cubical::Cubical`] computes the barcodes of gray images of one to four axes, [`cubical::EulerCurve`] their Euler
//! characteristic curves, [`cubical::Skeleton`] the skeletons of binary ones.
//!
//! ```
//! use lacuna::cubical::persistence::PersistenceRequest;
//! use lacuna::cubical::{AnyImage, Cubical};
//!
//! // A dark ring around a bright pixel.
//! let image = AnyImage::from_slice(&[1u8, 1, 1, 1, 5, 1, 1, 1, 1], &[3, 3])?;
//! let diagram = Cubical::new(&image, PersistenceRequest::default()).run()?;
//! assert_eq!((diagram.bars(1)[0].birth, diagram.bars(1)[0].death), (1.0, 5.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stages
//!
//! | stage | source | module |
//! |---|---|---|
//! | distances → ranks | — | [`metric`], [`rips::rank`] |
//! | landmarks by the greedy permutation | Gonzalez 1985 | [`rips::landmarks`] |
//! | weights by the distance to a measure | Anai and others 2020 | [`rips::distance_to_measure`] |
//! | dimension 0 | Kruskal; Prim; with births the elder rule | [`rips::components`] |
//! | filtration construction | Zhang, Xiao, Wang 2020 (Ripser++), Bauer 2021 (Ripser) | [`rips::filtration_construction`] |
//! | clearing | Chen, Kerber 2011; Zhang, Xiao, Wang 2020 | [`rips::clearing`] |
//! | apparent pairs | Bauer 2021; Zhang, Xiao, Wang 2020 | [`rips::apparent_pairs`] |
//! | two-layer pair store | Zhang, Xiao, Wang 2020 | [`rips::pair_store`] |
//! | submatrix reduction | Bauer 2021; Morozov, Nigmetov 2020 | [`rips::submatrix_reduction`] |
//! | representatives of bars | the standard pairing; edges as in giotto-ph | [`rips::representatives`] |
//! | the oracle: explicit filtration, standard column algorithm | Edelsbrunner, Letscher, Zomorodian 2002 | [`rips::plain`] |
//! | scan of leftmost ones | Zhang et al. 2019 (HYPHA) | [`matrix::leftmost_ones`] |
//! | clearing | Zhang et al. 2019, Lemma 2; Chen, Kerber 2011 | [`matrix::clearing`] |
//! | compression | Zhang et al. 2019, Lemmas 3 and 4; Bauer, Kerber, Reininghaus 2014 | [`matrix::reduction::compression`] |
//! | scan, clearing, compression and a reduction together | Zhang et al. 2019, Algorithm 6 | [`matrix::hypha`] |
//! | SS+ and the other reductions | Zhang et al. 2019; see there | [`matrix::reduction`] |
//! | union-find, annotations, residue | see there | [`matrix::sieve`] |
//! | persistence of images | see there | [`cubical::persistence`] |
//! | cycles of the bars of images | the standard pairing; duality | [`cubical::persistence::representatives`] |
//! | Euler characteristic curves, VCEC | Wang, Wagner, Chen 2022 | [`cubical::ecc`] |
//! | thinning | Guo, Hall 1989; see there | [`cubical::thinning`] |
//! | Euler characteristic transform | Turner, Mukherjee, Boyer 2014; see there | [`ect`] |
//! | images and distances → filtered complexes | Bauer, Kerber, Reininghaus 2014 (DIPHA) | [`cells`] |
//! | files → inputs | — | [`metric::read`], [`matrix::read`], [`cubical::read`] |
//! | bars → files | — | [`output`] |
//! | inputs → files | — | [`metric::write`], [`matrix::write`], [`cubical::write`], [`compare::write`] |
//! | whether two files hold the same bars | — | [`compare`] |
//! | Betti curves; persistence landscapes | Bubenik, Dłotko 2017 | [`diagram::betti`], [`diagram::landscape`] |
//! | diagrams → vectors | Adams and others 2017; see there | [`diagram::vectors`] |
//! | results → pictures; runs → pages | — | `plot`, `report` |
//! | bottleneck and Wasserstein distances of diagrams | Kerber, Morozov, Nigmetov 2017; see there | [`diagram::distance`] |
//!
//! Data flows one way: input → ranks → columns → pairs → diagram → writer.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `cli` | yes | the program `lacuna`, and the packages that only it needs |
//! | `cuda` | yes | GPUs beside the processor; a build with it runs without a GPU too |
//! | `codecs` | yes | PNG, TIFF and Zarr images, and writing compressed NIfTI images |
//! | `generate` | yes | point clouds and images of known shapes, by seed: `generate` |
//! | `huge-pages` | yes | the allocator of the program, on Linux: large tables lie in huge pages, and all is counted against a limit of memory |
//! | `plots` | yes | pictures of results as SVG, PNG and PDF, and pages about runs: `plot`, `report` |
//! | `ndarray` | yes | arrays of the crate `ndarray` as distances, points and images, and diagrams as arrays: [`interop`] |
//! | `sprs` | yes | sparse matrices of the crate `sprs` as distances and boundary matrices: [`interop`] |

#![warn(unreachable_pub)]

pub mod backend;
pub mod cells;
pub mod compare;
pub mod cubical;
pub(crate) mod cuda;
pub mod diagram;
mod disjoint_sets;
pub mod ect;
mod error_kind;
#[cfg(feature = "generate")]
pub mod generate;
pub mod input;
#[doc(hidden)]
pub mod internals;
#[cfg(any(feature = "ndarray", feature = "sprs"))]
pub mod interop;
pub(crate) mod kd_tree;
mod lists;
pub mod matrix;
pub mod memory;
pub mod metric;
mod names;
pub mod output;
mod parallel;
#[cfg(feature = "plots")]
pub mod plot;
pub mod progress;
mod ranks;
#[cfg(feature = "plots")]
pub mod report;
pub mod rips;
pub(crate) mod simd;
pub mod snapshot;
mod sort;

pub use diagram::{Bar, BarSelection, Diagram};
pub use error_kind::{Classified, ErrorKind};

/// Runs the examples on the book's page about the library as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/library.md")]
struct LibraryPage;
