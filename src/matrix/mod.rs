//! Path 2: persistence pairs of a boundary matrix over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | files → matrix | — | [`read`] |
//! | scan of leftmost ones | Zhang et al. 2019 (HYPHA) | [`leftmost_ones`] |
//! | each dimension in the way that suits it | see there | [`sieve`] |
//! | clearing | Zhang et al. 2019, Lemma 2; Chen, Kerber 2011 | [`clearing`] |
//! | compression | Zhang et al. 2019, Lemmas 3 and 4; Bauer, Kerber, Reininghaus 2014 | [`compression`] |
//! | reduction, an algorithm a file | see there | [`reduction`] |
//! | working columns | — | [`columns`] |
//! | what was chosen, and why | — | [`plan`] |
//! | all of it, where the index width comes from a file | — | [`any`] |
//!
//! ```
//! use lacuna::matrix::{BoundaryMatrix, Plan, Request, reduce};
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
//! let (plan, _reasons) = Plan::choose(&matrix, &Request::default());
//! let pairs = reduce(&matrix, &plan);
//! assert_eq!(pairs.pairs, [(1, 3), (2, 4), (5, 6)]);
//! assert_eq!(pairs.essential(), [0]);
//! # Ok::<(), lacuna::matrix::ColumnError>(())
//! ```
//!
//! A column is *reduced* when no column left of it has the same *low* (greatest row). Whatever way the columns are added
//! left to right, the reduced lows are the same (Edelsbrunner, Letscher, Zomorodian 2002): a pair (i, j) for each column
//! j whose reduced low is i; cell i creates the class that cell j destroys. So every algorithm here, at any number of
//! threads, gives the same pairs.

pub mod any;
pub mod clearing;
pub mod columns;
pub mod compression;
pub mod figures;
pub mod leftmost_ones;
mod mates;
pub mod pairs;
pub mod plan;
pub mod read;
pub mod reduction;
pub mod row;
pub mod sieve;
pub mod state;

pub use figures::Figures;
pub use pairs::Pairs;
pub use phat_formats::{BoundaryMatrix, ColumnError, Dimension, Index, MatrixSize, NotAComplex, Part};
pub use plan::{Algorithm, Dualize, Plan, Reason, Representation, Request};
pub use reduction::{ReduceError, reduce, reduce_with};
pub use row::Row;
