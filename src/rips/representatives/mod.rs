//! Representatives of bars: which simplices a class is born and dies with, and what it is made of.
//!
//! In the filtration order (diameter ↑, dimension ↑, combinatorial index ↓) simplices enter one by one, and each begins
//! a class or ends one. So the pairs of simplices are unique, whatever the number of threads, and a bar of dimension d
//! has a *birth simplex* of dimension d and, unless it is essential, a *death simplex* of dimension d + 1, whose
//! diameters are its birth and its death.
//!
//! - In dimension d ≥ 1 they are there when the columns have been reduced: the column is the birth simplex, its pivot
//!   the death simplex.
//! - In dimension 0 the death simplex is the edge of the minimum spanning forest that joins two components. By the
//!   elder rule the component ends whose oldest vertex is younger, and that vertex is the birth simplex. Of vertices
//!   that are born together, the one of the greater id is older, as the combinatorial index says.
//!
//! Of each simplex the longest edge is kept too, the one that depends on the input: the diameter of the simplex is its
//! length. Of several edges of that length it is the youngest, as in giotto-ph, whose `return_generators` lists these
//! edges. (In dimension 0 giotto-ph takes any vertex of those that are born together, which is not always the one
//! here.)
//!
//! Of a bar [b, d) of dimension 1 and above there are chains too, over the field of the run:
//!
//! - A *cocycle* is zero on no class that the bar stands for, at every scale from b to before d. It is a column of V in
//!   R = DV, the simplices that reduction adds up to the column of the birth simplex. Which of several it is does not
//!   depend on threads ([`submatrix_reduction`](crate::rips::submatrix_reduction)); up to b alone it is short.
//! - A *cycle* is born at b and bounds at d (`cycles`). It may be tightened in dimension 1 (`tighten`).
//!
//! What is wanted is said before the run ([`RepresentativesRequest`]). The tables are filled while the entries of a
//! dimension are there (`collect`), of those bars alone that may be chosen (`choice`): of the k longest bars of all
//! dimensions no more than k of each. What the tables hold (`store`) is seen through [`Representative`].
//!
//! The simplices are those of the filtration of the input. A collapse of edges has the same bars, but other simplices
//! in it, so that none is done beside (`request`). Where landmarks are taken for all points, vertices are numbered as
//! in the input; but ties are broken by the order in which the landmarks were chosen.

mod chain;
mod choice;
mod collect;
mod cycles;
mod request;
mod store;
mod tighten;

pub use chain::{Chain, ChainError, Terms};
pub(super) use collect::{Below, Class, Codes, Collector};
pub(super) use cycles::Pairs;
pub(super) use request::collapse_beside;
pub use request::{CocycleScale, RepresentativeKind, RepresentativesRequest};
pub use store::{Representative, Representatives};
