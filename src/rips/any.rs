//! Rips computations on distances whose precision is known only when their file is read.

use super::{Collapse, DistanceToMeasure, Outcome, Progress, Rips, RipsError, SecondLayer};
use crate::backend::Backend;
use crate::metric::read::Input;
use crate::metric::{Distances, Value};

/// What is asked for, whatever the precision of the distances; see the methods of [`Rips`].
#[derive(Debug, Clone)]
pub struct RipsOptions {
    /// The highest homology dimension.
    pub max_dim: usize,
    /// The greatest diameter; the enclosing radius when `None`.
    pub threshold: Option<f64>,
    /// Coefficients are in Z/`modulus`.
    pub modulus: u32,
    /// The second layer of the pair store.
    pub pair_store: SecondLayer,
    /// Whether edges are collapsed first.
    pub collapse: Collapse,
    /// How points are weighted, if they are.
    pub weights: Option<DistanceToMeasure>,
    /// The number of points that are taken for all, if not all are.
    pub landmarks: Option<usize>,
    /// Which machine assembles.
    pub backend: Backend,
}

impl RipsOptions {
    /// Like [`Rips::solve`], on distances of either precision.
    ///
    /// # Errors
    /// As [`Rips::run`].
    pub fn solve(self, input: Input, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        match input {
            Input::Single(distances) => self.rips(distances).solve(progress),
            Input::Double(distances) => self.rips(distances).solve(progress),
        }
    }

    fn rips<T: Value>(self, distances: Distances<T>) -> Rips<T> {
        let rips = Rips::new(distances).max_dim(self.max_dim).modulus(self.modulus);
        let rips = rips.pair_store(self.pair_store).collapse(self.collapse).weights(self.weights);
        let rips = rips.landmarks(self.landmarks).backend(self.backend);
        match self.threshold {
            Some(t) => rips.threshold(t),
            None => rips,
        }
    }
}
