//! Path 2: persistence pairs of a boundary matrix over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | files → matrix | — | [`read`] |
//! | which algorithm, and why | — | [`plan`] |
//! | from matrix and plan to pairs | — | [`reduce()`] |
//! | scan of leftmost ones | Zhang et al. 2019 (HYPHA), Algorithm 2 | [`leftmost_ones`] |
//! | clearing | Zhang et al. 2019, Lemma 2; Chen, Kerber 2011 | [`clearing`] |
//! | compression | Zhang et al. 2019, Lemmas 3 and 4; Bauer, Kerber, Reininghaus 2014 | [`reduction::compression`] |
//! | scan, clearing, compression, then SS+ or twist | Zhang et al. 2019, Algorithm 6 | [`hypha`] |
//! | each dimension by the cheapest sufficient method; the default | see there | [`sieve`] |
//! | reduction, one algorithm per file | see there | [`reduction`] |
//! | cycles that represent the classes | Cohen-Steiner, Edelsbrunner, Morozov 2006 | [`cycles`] |
//! | the same stages for an index width that is known only at run time | — | [`any`] |
//! | working columns | Bauer, Kerber, Reininghaus, Wagner 2017 (PHAT) | `working_columns` |
//!
//! Calls go one way: `reduce` calls the sieve, HYPHA and the reductions; HYPHA calls scan, clearing, compression and
//! a reduction; all of them work on the same few tables (`reduction_matrix`, `cell_table`, `mates`), which depend
//! on the integers of `index` alone.
//!
//! ```
//! use lacuna::matrix::{BoundaryMatrix, MatrixError, Plan, ReductionRequest, reduce};
//!
//! // A triangle, filled: vertices 0 to 2, edges 3 to 5, the face 6.
//! let mut matrix = BoundaryMatrix::<u32>::new();
//! for _ in 0..3 {
//!     matrix.push(0, &[])?;
//! }
//! for edge in [[0, 1], [0, 2], [1, 2]] {
//!     matrix.push(1, &edge)?;
//! }
//! matrix.push(2, &[3, 4, 5])?;
//!
//! let (plan, _reasons) = Plan::choose(&matrix, &ReductionRequest::default());
//! let pairs = reduce(&matrix, &plan);
//! assert_eq!(pairs.pairs, [(1, 3), (2, 4), (5, 6)]);
//! assert_eq!(pairs.essential(), [0]);
//! # Ok::<(), MatrixError>(())
//! ```
//!
//! A column is *reduced* when no column left of it has the same *low* (greatest row). The reduced lows do not depend
//! on the order in which columns are added left to right (Edelsbrunner, Letscher, Zomorodian 2002). They give a pair
//! (i, j) for each column j whose reduced low is i: cell i creates the class that cell j destroys. So every algorithm
//! here, at any number of threads, gives the same pairs.

pub mod any;
pub(crate) mod cell_table;
mod checkpoint;
pub mod clearing;
pub mod cycles;
mod error;
mod expected;
pub mod figures;
pub mod hypha;
pub(crate) mod index;
pub mod leftmost_ones;
mod mates;
mod pairs;
pub mod plan;
pub mod read;
mod reason;
mod reduce;
pub mod reduction;
pub(crate) mod reduction_matrix;
pub mod sieve;
mod traversal;
pub(crate) mod working_columns;
pub mod write;

pub use error::MatrixError;
pub use figures::Figures;
pub use pairs::Pairs;
pub use phat_formats::{BoundaryMatrix, ColumnError, Dimension, Index, MatrixSize, NotAComplex};
pub use plan::{Algorithm, Dualize, Plan, ReductionRequest, Representation};
pub use reason::Reason;
pub use reduce::{MatrixIndex, reduce, reduce_with};
