//! Path 1: Vietoris–Rips persistence barcodes.
//!
//! ```
//! use lacuna::metric::DistanceMatrix;
//! use lacuna::rips::Rips;
//!
//! // A cycle of four points at distance 1, diagonals 2: a loop from 1 to 2.
//! let square = DistanceMatrix::from_lower(vec![1.0f32, 2.0, 1.0, 1.0, 2.0, 1.0])?;
//! let diagram = Rips::new(square).max_dim(1).threshold(3.0).modulus(3).run()?;
//! assert_eq!(diagram.bars(1).len(), 1);
//! assert_eq!((diagram.bars(1)[0].birth, diagram.bars(1)[0].death), (1.0, 2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The filtration order is (diameter ↑, dimension ↑, combinatorial index ↓), which is that of Ripser; hence the pairs,
//! and the printed bars to the byte, are Ripser's. Each stage is a module:
//!
//! 1. on request landmarks are chosen ([`landmarks`]), or points are weighted ([`distance_to_measure`]);
//! 2. distances become ranks ([`rank`]);
//! 3. edges are collapsed if that pays ([`edge_collapse`]);
//! 4. dimension 0 is a minimum spanning forest ([`components`]);
//! 5. in each further dimension the residue, a few per cent of the simplices or less, is constructed
//!    ([`filtration_construction`]), without apparent pairs ([`apparent_pairs`]) and without the simplices that the
//!    dimension below clears ([`clearing`], [`pair_store`]);
//! 6. the residue is reduced ([`submatrix_reduction`]).
//!
//! If [`representatives`] of bars are requested, they are collected in each dimension. [`plain`] computes the barcode
//! from an explicit filtration and is the oracle of all tests.

pub(crate) mod binomial;
pub mod clearing;
pub(crate) mod code;
pub(crate) mod complex;
pub mod components;
pub mod distance_to_measure;
pub mod edge_collapse;
mod estimate;
pub(crate) mod field;
pub mod filtration_construction;
mod footprint;
pub mod landmarks;
pub(crate) mod modulus;
mod options;
pub mod pair_store;
pub(crate) mod pipeline;
pub mod plain;
mod plan;
#[cfg(test)]
mod random;
pub mod rank;
pub mod representatives;
mod stats;
pub mod submatrix_reduction;
mod summary;
pub(crate) mod word;

use serde::{Deserialize, Serialize};

use crate::backend::{Backend, BackendError, ThreadsError, on_threads};
pub use crate::diagram::BarSelection;
use crate::diagram::{Diagram, SelectionError};
use crate::memory::{Bytes, DoesNotFit, Refused};
use crate::metric::{Distances, Value};
pub use crate::progress::Progress;
use crate::progress::{Interrupted, interruptible};
use crate::ranks::{Alone, Ranks};
use crate::snapshot::SnapshotError;
pub use complex::apparent_pairs;
pub use distance_to_measure::{DistanceToMeasure, Growth};
pub use landmarks::Landmarks;
pub use options::RipsOptions;
pub use pair_store::SecondLayer;
use pipeline::Prepared;
pub use plan::{Collapse, Plan, Shape};
pub use rank::PairSearch;
pub use representatives::{
    Chain, CocycleScale, Representative, RepresentativeKind, Representatives, RepresentativesRequest,
};
pub use stats::{CollapseStats, DimensionStats, PairStoreStats, Stats};
pub use summary::Summary;

/// A Vietoris–Rips computation: the distances and the options.
#[derive(Debug, Clone)]
pub struct Rips<T = f32> {
    distances: Distances<T>,
    options: RipsOptions,
}

/// The result of a run: the diagram, and a record of how it was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The bars.
    pub diagram: Diagram,
    /// Counts and times of each stage.
    pub stats: Stats,
    /// The choices that were made, with reasons.
    pub plan: Plan,
    /// Summary of the input, or of the landmarks if they represent it.
    pub summary: Summary,
    /// The landmarks that represented the input, if they were requested.
    pub landmarks: Option<Landmarks>,
    /// The representatives of bars, if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    representatives: Option<Representatives>,
    /// The first dimension that was not computed, if the run ended early and returned [what was
    /// done](Progress::takes_what_is_done) by then. The diagram has the dimensions below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<usize>,
    /// Messages about deviations from the request: edges that were not collapsed, devices that failed and were replaced
    /// by the CPU. The diagram is correct all the same.
    pub notes: Vec<String>,
}

impl Outcome {
    /// The representatives of bars, in the order of the diagram, if they were [requested](Rips::representatives).
    ///
    /// ```
    /// use lacuna::metric::PointCloud;
    /// use lacuna::rips::{Rips, RepresentativesRequest};
    ///
    /// // The corners of a square, one after another: the last of its sides in filtration order closes the loop.
    /// let corners = PointCloud::new(2, vec![0.0f32, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
    /// let outcome = Rips::new(corners).representatives(RepresentativesRequest::default()).solve(&())?;
    /// let representatives = outcome.representatives().expect("they were asked for");
    /// for representative in representatives.iter() {
    ///     println!("{:?}: {:?} to {:?}", representative.bar, representative.birth, representative.death);
    /// }
    /// let square = representatives.of_dimension(1).first().expect("there is one loop");
    /// assert_eq!((&square.birth[..], square.death.as_deref()), (&[0, 1][..], Some(&[0, 1, 3][..])));
    /// assert_eq!((square.birth_edge, square.death_edge), (Some([0, 1]), Some([1, 3])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn representatives(&self) -> Option<&Representatives> {
        self.representatives.as_ref()
    }

    #[doc(hidden)]
    /// Takes the representatives out of the outcome.
    pub fn take_representatives(&mut self) -> Option<Representatives> {
        self.representatives.take()
    }
}

/// Reasons for which a run fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RipsError {
    /// An option or the input is out of range.
    #[error("{what}: expected {expected}, found {found}")]
    Invalid {
        /// The name of the option, or of the part of the input.
        what: &'static str,
        /// The values that are permitted.
        expected: String,
        /// The value that was given.
        found: String,
    },
    /// The simplices do not fit the widest entry.
    #[error(
        "dimension {dim} of {points} points needs entries of {bits} bits, the widest are {widest}; ask for a lower --max-dim"
    )]
    TooWide {
        /// The requested dimension.
        dim: usize,
        /// Number of points.
        points: usize,
        /// Number of bits needed.
        bits: u64,
        /// Number of bits of the widest entry.
        widest: u32,
    },
    /// The distances and their ranks would not fit in memory.
    #[error(
        "memory: {points} points with {distances} distances to rank need {} at the least, {} are available; {helps}",
        Bytes(*needed), Bytes(*available)
    )]
    Memory {
        /// Number of points.
        points: usize,
        /// Number of distances to rank.
        distances: u64,
        /// Least number of bytes needed.
        needed: u64,
        /// Number of bytes available.
        available: u64,
        /// Advice for the user.
        helps: String,
    },
    /// The tables of the complex would not fit in memory.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// The system refused memory although enough was available when the run began.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// More different distances than ranks of 32 bits.
    #[error(
        "expected fewer than 2^32 - 1 different distances up to the threshold, found more; give a lower --threshold"
    )]
    TooManyDistances,
    /// More edges to collapse than ranks of 32 bits: each edge needs its own rank.
    #[error(
        "expected fewer than 2^32 - 1 edges to collapse, found {0}; leave them as they are (--collapse off)"
    )]
    TooManyEdges(usize),
    /// The distance of two points is greater than any number of the coordinates' precision.
    #[error(
        "points {i} and {j} are further apart than the greatest number of their precision; divide all coordinates by a power of two, \
         or give a finite --threshold"
    )]
    TooFarApart {
        /// One point, 0-based.
        i: usize,
        /// The other point, 0-based.
        j: usize,
    },
    /// A point has fewer neighbours than its distance to measure needs.
    #[error(
        "the distance to measure takes {neighbours} neighbours of each point, point {point} has {found}; ask for fewer (--dtm-neighbors)"
    )]
    TooFewNeighbours {
        /// The point, 0-based.
        point: usize,
        /// Number of other points at a finite distance.
        found: usize,
        /// Number of neighbours requested.
        neighbours: usize,
    },
    /// The selection of bars for representatives is invalid.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The requested GPU is not available or failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The result of a device differs from that of the CPU.
    #[error("self-check: dimension {dim}: {difference}")]
    SelfCheck {
        /// The dimension whose residue was constructed.
        dim: usize,
        /// The first difference.
        difference: String,
    },
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The [checkpoint](crate::snapshot) of the run cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
    /// The run was ended early by its [`Progress`].
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl RipsError {
    fn invalid(what: &'static str, expected: impl Into<String>, found: impl ToString) -> Self {
        RipsError::Invalid { what, expected: expected.into(), found: found.to_string() }
    }
}

impl<T: Value> Rips<T> {
    /// A computation on these distances with the default [options](RipsOptions).
    pub fn new(distances: impl Into<Distances<T>>) -> Self {
        Rips { distances: distances.into(), options: RipsOptions::default() }
    }

    /// The greatest homology dimension (default 1), at most n − 2 for n points.
    pub fn max_dim(mut self, dim: usize) -> Self {
        self.options.max_dim = dim;
        self
    }

    /// The greatest diameter of simplices (default: the enclosing radius). `t` is rounded to the precision of the
    /// distances, so that 0.6 includes a distance read as 0.6; infinity requests the whole filtration.
    pub fn threshold(mut self, t: f64) -> Self {
        self.options.threshold = Some(t);
        self
    }

    /// Coefficients in Z/p (default 2), p a prime below 2^16.
    pub fn modulus(mut self, p: u32) -> Self {
        self.options.modulus = p;
        self
    }

    /// Number of threads (default: those of the global rayon pool).
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = Some(threads);
        self
    }

    /// The kind of layer 2 of the pair store (default: implicit). The sorted one stores an entry for each apparent
    /// pair, of which there are nearly as many as simplices.
    pub fn pair_store(mut self, layer: SecondLayer) -> Self {
        self.options.pair_store = layer;
        self
    }

    /// Whether reduction times its accesses to the pair store (default: no), for [`PairStoreStats::read_seconds`] and
    /// [`PairStoreStats::layer1_write_seconds`]. These include the reading of the clock, which takes about as long as a
    /// look-up.
    pub fn time_pair_store(mut self, is_timed: bool) -> Self {
        self.options.times_pair_store = is_timed;
        self
    }

    /// Whether edges are collapsed first (default: as long as that pays). The diagram is the same, in the same order.
    pub fn collapse(mut self, collapse: Collapse) -> Self {
        self.options.collapse = collapse;
        self
    }

    /// The weights of points by their distance to the measure of all points (default: none). Without them points are
    /// born as the distances say, see [`DistanceMatrix::with_births`](crate::metric::DistanceMatrix::with_births), or
    /// at 0.
    pub fn weights(mut self, weights: Option<DistanceToMeasure>) -> Self {
        self.options.weights = weights;
        self
    }

    /// The number of landmarks that represent all points (default: all points are used), chosen as described in
    /// [`landmarks`]. Edge lists have no landmarks.
    pub fn landmarks(mut self, count: Option<usize>) -> Self {
        self.options.landmarks = count;
        self
    }

    /// The representatives of bars to compute (default: none), for [`Outcome::representatives`]. Their simplices are
    /// those of the whole filtration, so edges are not collapsed.
    pub fn representatives(mut self, request: impl Into<Option<RepresentativesRequest>>) -> Self {
        self.options.representatives = request.into();
        self
    }

    /// The device that constructs residues (default: the CPU).
    pub fn backend(mut self, backend: Backend) -> Self {
        self.options.backend = backend;
        self
    }

    /// Computes the barcode. The distances are freed once they are ranked; clone the computation to run it again.
    ///
    /// # Errors
    /// [`RipsError`]: an option is out of its range, or the run does not fit in memory.
    pub fn run(self) -> Result<Diagram, RipsError> {
        Ok(self.solve(&())?.diagram)
    }

    /// Computes the barcode with statistics of the run, and reports to `progress`.
    ///
    /// If `progress` has a [checkpoint](Progress::checkpoint), the run saves there the collapsed graph, each finished
    /// dimension, and the reduced columns of the current one. A later run on the same input with the same options
    /// continues from them. Runs with representatives save nothing.
    ///
    /// # Errors
    /// Those of [`Rips::run`].
    pub fn solve(self, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        on_threads(self.options.threads, || self.prepare(&Alone, progress)?.solve(progress))
    }

    #[doc(hidden)]
    /// Checks the options and ranks the distances, as process 0.
    ///
    /// # Errors
    /// Those of [`Rips::run`].
    pub fn prepare(self, processes: &dyn Ranks, progress: &dyn Progress) -> Result<Prepared, RipsError> {
        interruptible(progress, |progress| pipeline::prepare(self, processes, progress))
    }
}
