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
//! The filtration order is (diameter ↑, dimension ↑, combinatorial index ↓), Ripser's; hence the pairs, and the bars to
//! the byte, are Ripser's. The stages, one module each: landmarks are chosen ([`landmarks`]) or points weighted
//! ([`distance_to_measure`]), if that is asked for; distances become ranks ([`rank`]); edges are collapsed, where it pays
//! ([`edge_collapse`]); dimension 0 is a spanning
//! forest ([`components`]); in each dimension the residue, some per cent of the simplices or less, is constructed
//! ([`filtration_construction`]), without apparent pairs ([`apparent_pairs`]) and without what the dimension below clears
//! ([`clearing`], [`pair_store`]); and it is reduced ([`submatrix_reduction`]).
//! Where [`representatives`] of bars are wanted, their simplices are taken from each dimension on the way. [`plain`] computes the barcode from an explicit
//! filtration, and is the oracle of all tests.

mod any;
pub mod apparent_pairs;
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
pub mod pair_store;
pub(crate) mod pipeline;
pub mod plain;
mod plan;
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
use crate::snapshot::SnapshotError;
pub use any::RipsOptions;
pub use distance_to_measure::{DistanceToMeasure, Growth};
pub use landmarks::Landmarks;
use pipeline::Prepared;
pub use plan::{Collapse, PairSearch, Plan, SecondLayer, Shape, Threshold};
pub use representatives::{
    Chain, ChainError, CocycleScale, Representative, RepresentativeKind, Representatives,
    RepresentativesRequest,
};
pub use stats::{CollapseStats, DimensionStats, PairStoreStats, Stats};
pub use summary::Summary;

/// A Vietoris–Rips computation: distances and what is asked of them.
#[derive(Debug, Clone)]
pub struct Rips<T = f32> {
    distances: Distances<T>,
    max_dim: usize,
    threshold: Threshold,
    modulus: u32,
    threads: Option<usize>,
    pair_store: SecondLayer,
    times_pair_store: bool,
    collapse: Collapse,
    weights: Option<DistanceToMeasure>,
    landmarks: Option<usize>,
    representatives: Option<RepresentativesRequest>,
    backend: Backend,
}

/// The result of a run: the diagram, and how it came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The bars.
    pub diagram: Diagram,
    /// Counts and times of each stage.
    pub stats: Stats,
    /// The choices that were made, and why.
    pub plan: Plan,
    /// The figures of the input, of the landmarks if they are taken for it.
    pub summary: Summary,
    /// The points that were taken for all, if that was asked for.
    pub landmarks: Option<Landmarks>,
    /// The representatives of bars, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    representatives: Option<Representatives>,
    /// The first dimension that was not computed, where the run was to end early and to answer with [what was
    /// done](Progress::takes_what_is_done) by then; the diagram has the dimensions below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<usize>,
    /// Messages about what was done in another way than asked for: edges that were not collapsed, devices that failed and were replaced by the
    /// processor. The diagram is right all the same.
    pub notes: Vec<String>,
}

impl Outcome {
    /// The representatives of bars, in the order of the diagram, if they were [asked for](Rips::representatives).
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
    /// let square = representatives.of_dimension(1).next().expect("there is one loop");
    /// assert_eq!((square.birth, square.death), (&[0, 1][..], Some(&[0, 1, 3][..])));
    /// assert_eq!((square.birth_edge, square.death_edge), (Some([0, 1]), Some([1, 3])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn representatives(&self) -> Option<&Representatives> {
        self.representatives.as_ref()
    }

    #[doc(hidden)]
    /// Takes the representatives out.
    pub fn take_representatives(&mut self) -> Option<Representatives> {
        self.representatives.take()
    }
}

/// Why a run cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RipsError {
    /// The modulus is not a prime below 2^16.
    #[error("modulus: expected a prime below 65536, found {0}")]
    Modulus(u32),
    /// The threshold is NaN or negative.
    #[error("threshold: expected a non-negative number, found {0}")]
    Threshold(f64),
    /// The simplices do not fit the widest entry.
    #[error(
        "dimension {dim} of {points} points needs entries of {bits} bits, the widest are {widest}; ask for a lower --max-dim"
    )]
    TooWide {
        /// Dimension asked.
        dim: usize,
        /// Number of points.
        points: usize,
        /// Bits needed.
        bits: u64,
        /// Bits there are.
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
        /// Bytes needed at the least.
        needed: u64,
        /// Bytes available.
        available: u64,
        /// What the user can do about it.
        helps: String,
    },
    /// What the complex takes would not fit in memory.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// The system refused memory although as much was available when the run began.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Vertices are numbers of 32 bits.
    #[error("expected at most {most} points, found {points}")]
    TooManyPoints {
        /// Number of points.
        points: usize,
        /// The most there may be.
        most: usize,
    },
    /// Ranks are numbers of 32 bits.
    #[error(
        "expected fewer than 2^32 - 1 different distances up to the threshold, found more; give a lower --threshold"
    )]
    TooManyDistances,
    /// Edges to collapse must fit 32 bits, since each has a rank of its own.
    #[error(
        "expected fewer than 2^32 - 1 edges to collapse, found {0}; leave them as they are (--collapse off)"
    )]
    TooManyEdges(usize),
    /// A point is so far from another that their distance is greater than any number of the precision of the coordinates.
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
    /// The exponent of the distance to measure is no finite number above 0.
    #[error("exponent of the distance to measure: expected a finite number above 0, found {0}")]
    MeasureExponent(f64),
    /// A point has fewer neighbours than its distance to measure takes.
    #[error(
        "the distance to measure takes {neighbours} neighbours of each point, point {point} has {found}; ask for fewer (--dtm-neighbors)"
    )]
    TooFewNeighbours {
        /// The point, 0-based.
        point: usize,
        /// Other points at a finite distance.
        found: usize,
        /// Neighbours asked for.
        neighbours: usize,
    },
    /// As many landmarks as there are points, or fewer, can be chosen, and at least one.
    #[error("landmarks: expected from 1 to {points}, the number of points, found {asked}")]
    LandmarkCount {
        /// Number of points.
        points: usize,
        /// Landmarks asked for.
        asked: usize,
    },
    /// Landmarks of a list of edges.
    #[error(
        "landmarks: expected points or a distance matrix to choose them of, found a list of edges, which lacks distances"
    )]
    LandmarksOfEdges,
    /// Landmarks that are weighted by their distance to a measure.
    #[error(
        "landmarks: expected points without weights, found weights by the distance to a measure, which is not that of a sample"
    )]
    WeightedLandmarks,
    /// The bars whose representatives are wanted cannot be chosen.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// A GPU was asked for and is not there, or failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// What a device found differs from what the processor found.
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
    /// What was [kept](crate::snapshot) of the run is of no use.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
    /// The run was ended early, as its [`Progress`] wanted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl<T: Value> Rips<T> {
    /// A computation on these distances: up to dimension 1, at the enclosing radius, over Z/2, on all cores.
    pub fn new(distances: impl Into<Distances<T>>) -> Self {
        Rips {
            distances: distances.into(),
            max_dim: 1,
            threshold: Threshold::EnclosingRadius,
            modulus: 2,
            threads: None,
            pair_store: SecondLayer::Implicit,
            times_pair_store: false,
            collapse: Collapse::default(),
            weights: None,
            landmarks: None,
            representatives: None,
            backend: Backend::default(),
        }
    }

    /// Homology up to this dimension (default 1), cut to n − 2.
    pub fn max_dim(mut self, dim: usize) -> Self {
        self.max_dim = dim;
        self
    }

    /// Simplices of diameter up to `t`, rounded to the precision of the distances (so that 0.6 takes in a distance
    /// read as 0.6); infinity asks for the whole filtration. Without it: up to the enclosing radius.
    pub fn threshold(mut self, t: f64) -> Self {
        self.threshold = Threshold::Value(t);
        self
    }

    /// Coefficients in Z/p (default 2), p a prime below 2^16.
    pub fn modulus(mut self, p: u32) -> Self {
        self.modulus = p;
        self
    }

    /// Number of threads (default: the global rayon pool's).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The second layer of the pair store (default implicit). The sorted one takes an entry an apparent pair, of which
    /// there are nearly as many as simplices.
    pub fn pair_store(mut self, layer: SecondLayer) -> Self {
        self.pair_store = layer;
        self
    }

    /// Whether reduction times its accesses to the pair store (default not), for [`PairStoreStats::read_seconds`] and
    /// [`PairStoreStats::layer1_write_seconds`]: one in 64, as reading a clock takes about as long as a look-up.
    pub fn time_pair_store(mut self, is_timed: bool) -> Self {
        self.times_pair_store = is_timed;
        self
    }

    /// Whether edges are collapsed first (default: as long as it pays). The diagram is the same, in the same order.
    pub fn collapse(mut self, collapse: Collapse) -> Self {
        self.collapse = collapse;
        self
    }

    /// Whether points are weighted by their distance to the measure of all points (default: no). Otherwise they are born when the
    /// distances say, see [`DistanceMatrix::with_births`](crate::metric::DistanceMatrix::with_births), or at 0.
    pub fn weights(mut self, weights: Option<DistanceToMeasure>) -> Self {
        self.weights = weights;
        self
    }

    /// The number of points that are taken for all (default: all are taken themselves), chosen as [`landmarks`] says. Lists of edges
    /// have none.
    pub fn landmarks(mut self, count: Option<usize>) -> Self {
        self.landmarks = count;
        self
    }

    /// The representatives of bars that are wanted (default: none), for [`Outcome::representatives`]. Simplices are those of the whole
    /// filtration, so that beside them no edges are collapsed.
    pub fn representatives(mut self, request: impl Into<Option<RepresentativesRequest>>) -> Self {
        self.representatives = request.into();
        self
    }

    /// Which machine constructs the residue (default: the processor).
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The barcode. The distances are freed when they have been ranked; clone the computation to run it again.
    ///
    /// # Errors
    /// [`RipsError`]: an argument is out of its range, or the run would not fit.
    pub fn run(self) -> Result<Diagram, RipsError> {
        Ok(self.solve(&())?.diagram)
    }

    /// The barcode with the figures of the run, reporting to `progress` on the way.
    ///
    /// Where `progress` has a [checkpoint](Progress::checkpoint), the collapsed graph, each dimension that is done, and the columns that are
    /// reduced of the next are kept there, and a run on the same input with the same options goes on from them. Runs that are asked for
    /// representatives keep nothing.
    ///
    /// # Errors
    /// Those of [`Rips::run`].
    pub fn solve(self, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        on_threads(self.threads, || self.prepare(progress)?.solve(progress))
    }

    /// Ranks the distances.
    fn prepare(self, progress: &dyn Progress) -> Result<Prepared, RipsError> {
        let modulus = modulus::prime_modulus(self.modulus)?;
        if let Threshold::Value(t) = self.threshold
            && (t.is_nan() || t < 0.0)
        {
            return Err(RipsError::Threshold(t));
        }
        self.representatives.as_ref().map_or(Ok(()), |request| request.bars.check())?;
        interruptible(progress, |progress| pipeline::prepare(self, modulus, progress))
    }
}
