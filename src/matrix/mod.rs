//! Path 2: persistence pairs of a boundary matrix over Z/2.
//!
//! | stage | source | module |
//! |---|---|---|
//! | reduction of what is left, nine ways | — | [`reduction`] |
//!
//! A column is *reduced* when no column left of it has the same *low* (greatest row). Whatever way the columns are added
//! left to right, the reduced lows are the same (Edelsbrunner, Letscher, Zomorodian 2002): a pair (i, j) for each column
//! j whose reduced low is i; cell i creates the class that cell j destroys. So every algorithm here, at any number of
//! threads, gives the same pairs.

pub mod clearing;
pub mod columns;
pub mod compression;
pub mod figures;
mod mates;
pub mod pairs;
pub mod plan;
pub mod read;
pub mod reduction;
pub mod row;
pub mod scan;
pub mod sieve;
pub mod state;

pub use figures::Figures;
pub use pairs::Pairs;
pub use phat_formats::{BoundaryMatrix, ColumnError, Dimension, Index, NotAComplex};
pub use plan::{Algorithm, Dualize, Plan, Reason, Representation, Request};
pub use reduction::reduce;
pub use row::Row;
