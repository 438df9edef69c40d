//! Path 1: Vietoris–Rips persistence barcodes.

pub mod assembly;
pub mod code;
pub mod complex;
pub mod components;
pub mod field;
pub mod modulus;
pub mod pair_store;
mod pipeline;
pub mod plain;
pub mod plan;
pub mod progress;
pub mod rank;
pub mod reduction;
pub mod stats;
pub mod summary;
pub mod word;

use crate::diagram::Diagram;
use crate::metric::{Distances, Value};
pub use plan::{PairStore, Plan, Shape, Threshold};
pub use progress::Progress;
pub use stats::{DimensionStats, PairStoreStats, Stats};
pub use summary::Summary;

/// A Vietoris–Rips computation: distances and what is asked of them.
#[derive(Debug, Clone)]
pub struct Rips<T = f32> {
    distances: Distances<T>,
    max_dim: usize,
    threshold: Threshold,
    modulus: u32,
    threads: Option<usize>,
    pair_store: PairStore,
}

/// What a run gives: the diagram, and how it came about.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The bars.
    pub diagram: Diagram,
    /// Counts and times.
    pub stats: Stats,
    /// What was chosen and why.
    pub plan: Plan,
    /// What the distances looked like.
    pub summary: Summary,
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
        "dimension {dim} of {points} points needs entries of {bits} bits, the widest are {widest}; ask for a lower --dim"
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
    /// The sorted second layer of the pair store would not fit in memory.
    #[error(
        "pair store: the sorted layer may need {needed} bytes, {available} are available; use the implicit one"
    )]
    PairStoreMemory {
        /// Bytes it may need.
        needed: u64,
        /// Bytes available.
        available: u64,
    },
    /// The threads could not be started.
    #[error("threads: {0}")]
    Threads(String),
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
            pair_store: PairStore::Implicit,
        }
    }

    /// Homology up to this dimension (default 1), cut to n − 2.
    pub fn max_dim(mut self, dim: usize) -> Self {
        self.max_dim = dim;
        self
    }

    /// Simplices of diameter up to `t`; infinity asks for the whole filtration.
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

    /// The second layer of the pair store (default implicit).
    pub fn pair_store(mut self, layer: PairStore) -> Self {
        self.pair_store = layer;
        self
    }

    /// The barcode.
    ///
    /// # Errors
    /// [`RipsError`]: an argument is out of its range, or the run would not fit.
    pub fn run(&self) -> Result<Diagram, RipsError> {
        Ok(self.solve(&())?.diagram)
    }

    /// The barcode with the figures of the run, reporting to `progress` on the way.
    ///
    /// # Errors
    /// As [`Rips::run`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        let modulus = modulus::prime_modulus(self.modulus)?;
        if let Threshold::Value(t) = self.threshold
            && (t.is_nan() || t < 0.0)
        {
            return Err(RipsError::Threshold(t));
        }
        let run = || pipeline::run(self, modulus, progress);
        match self.threads {
            None => run(),
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.map_err(|error| RipsError::Threads(error.to_string()))?.install(run)
            }
        }
    }
}
