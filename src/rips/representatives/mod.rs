//! Representatives of bars: birth and death simplices, cocycles and cycles.
//!
//! In the filtration order (diameter ↑, dimension ↑, combinatorial index ↓) simplices enter one by one, and each
//! creates a class or ends one. So the pairs of simplices are unique, whatever the number of threads. A bar of
//! dimension d has a *birth simplex* of dimension d and, unless it is essential, a *death simplex* of dimension d + 1;
//! their diameters are its birth and its death.
//!
//! - In dimension d ≥ 1 the reduced columns contain them: the column is the birth simplex, its pivot the death simplex.
//! - In dimension 0 the death simplex is the edge of the minimum spanning forest that joins two components. By the
//!   elder rule the component whose oldest vertex is younger ends, and that vertex is the birth simplex. Of vertices
//!   born together, the one of greater id is older, in agreement with the combinatorial index.
//!
//! The longest edge of each simplex is stored too; its length is the diameter of the simplex. If several edges have
//! that length it is the youngest, as in giotto-ph, whose `return_generators` lists these edges. (In dimension 0
//! giotto-ph takes any of the vertices born together, which is not always the same.)
//!
//! A bar [b, d) of dimension 1 and above has chains as representatives too, over the field of the run:
//!
//! - A *cocycle* represents the class of the bar at every scale from b to before d. It is a column of V in R = DV: the
//!   simplices whose coboundaries reduction adds up, beginning with the birth simplex. The choice among the possible
//!   cocycles does not depend on threads ([`submatrix_reduction`](crate::rips::submatrix_reduction)); restricted to the
//!   scale b it is short.
//! - A *cycle* is born at b and becomes a boundary at d (`cycles`). In dimension 1 it may be tightened (`tighten`).
//!
//! Representatives are requested before the run ([`RepresentativesRequest`]). Tables are filled while the entries of a
//! dimension are available (`collect`), and only for bars that may be chosen (`choice`): if the k longest bars of all
//! dimensions are requested, at most k of each dimension are candidates. [`Representative`] is the view of a row of the
//! tables (`store`).
//!
//! The simplices are those of the filtration of the input. Edge collapse keeps the bars but changes the simplices, so
//! it is switched off (`request`). If landmarks represent the points, vertices are numbered as in the input, but ties
//! are broken by the order in which the landmarks were chosen.

mod chain;
mod choice;
mod collect;
mod cycles;
mod request;
mod store;
mod tighten;

pub use chain::Chain;
pub(super) use collect::{Class, Collector};
pub(super) use cycles::Pairs;
pub(super) use request::collapse_beside;
pub use request::{CocycleScale, RepresentativeKind, RepresentativesRequest};
pub use store::{Representative, Representatives};
