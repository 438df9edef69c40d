//! The options of a computation, and computations on distances whose precision is known only when their file is read.

use super::{
    Collapse, DistanceToMeasure, Outcome, Prepared, Progress, RepresentativesRequest, Rips, RipsError,
    SecondLayer,
};
use crate::backend::{Backend, on_threads};
use crate::metric::read::Input;
use crate::parallel;
use crate::progress::{Interrupted, Silent};
use crate::ranks::{Alone, Ranks};

/// Options of a run; see the methods of [`Rips`].
#[derive(Debug, Clone)]
pub struct RipsOptions {
    /// The greatest homology dimension.
    pub max_dim: usize,
    /// The greatest diameter; `None` means the enclosing radius: the smallest r such that some point is within r of all
    /// others, past which the complex is a cone and nothing changes. Edge lists have none; all their edges are used.
    pub threshold: Option<f64>,
    /// Coefficients are in Z/`modulus`.
    pub modulus: u32,
    /// Number of threads; `None` means those of the global rayon pool.
    pub threads: Option<usize>,
    /// The second layer of the pair store.
    pub pair_store: SecondLayer,
    /// Whether reduction times its accesses to the pair store.
    pub times_pair_store: bool,
    /// Whether edges are collapsed first.
    pub collapse: Collapse,
    /// Weights of points by distance to measure, if any.
    pub weights: Option<DistanceToMeasure>,
    /// Number of landmarks; `None` uses all points.
    pub landmarks: Option<usize>,
    /// The representatives wanted, if any.
    pub representatives: Option<RepresentativesRequest>,
    /// The device that constructs the residue.
    pub backend: Backend,
}

impl Default for RipsOptions {
    /// Up to dimension 1 and the enclosing radius, over Z/2, on all cores. The defaults of `lacuna rips` differ only in
    /// the device: the program uses a GPU where it pays.
    fn default() -> Self {
        RipsOptions {
            max_dim: 1,
            threshold: None,
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
}

impl RipsOptions {
    /// Like [`Rips::solve`], on distances of either precision.
    ///
    /// # Errors
    /// As [`Rips::run`].
    pub fn solve(self, input: Input, progress: &dyn Progress) -> Result<Outcome, RipsError> {
        on_threads(self.threads, || self.prepare(input, &Alone, progress)?.solve(progress))
    }

    /// Like [`solve`](RipsOptions::solve), for several inputs side by side: each is solved by a single thread of the
    /// current pool. For many small inputs that is much faster than one after another. Outcomes are in the order of the
    /// inputs, with the same diagrams as from separate runs. `progress` receives the number of inputs done.
    ///
    /// ```
    /// use lacuna::metric::PointCloud;
    /// use lacuna::rips::RipsOptions;
    ///
    /// let clouds = (1..=3).map(|k| PointCloud::new(1, vec![0.0f32, k as f32]).map(Into::into));
    /// let outcomes = RipsOptions::default().solve_each(clouds.collect::<Result<_, _>>()?, &());
    /// let deaths: Vec<f64> = outcomes.iter().flatten().map(|outcome| outcome.diagram.bars(0)[0].death).collect();
    /// assert_eq!(deaths, [1.0, 2.0, 3.0]);
    /// # Ok::<(), lacuna::metric::MetricError>(())
    /// ```
    pub fn solve_each(&self, inputs: Vec<Input>, progress: &dyn Progress) -> Vec<Result<Outcome, RipsError>> {
        progress.begin("inputs", None, inputs.len() as u64);
        let options = RipsOptions { threads: None, ..self.clone() };
        parallel::side_by_side(inputs, &|input| {
            if progress.is_interrupted() {
                return Err(Interrupted::default().into());
            }
            let result = options.clone().solve(input, &Silent(progress));
            progress.advance(1);
            result
        })
    }

    #[doc(hidden)]
    /// Ranks the distances of an input, which determines the amount of work left, as process 0 of several that then
    /// [share it](Prepared::solve_with).
    ///
    /// # Errors
    /// As [`Rips::run`].
    pub fn prepare(
        self,
        input: Input,
        processes: &dyn Ranks,
        progress: &dyn Progress,
    ) -> Result<Prepared, RipsError> {
        match input {
            Input::Single(distances) => Rips { distances, options: self }.prepare(processes, progress),
            Input::Double(distances) => Rips { distances, options: self }.prepare(processes, progress),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{MetricError, PointCloud, SparseDistances};

    fn cloud(number: usize, points: usize) -> PointCloud<f32> {
        let at = |k: usize| ((k * k * 31 + 17 * k + 5 * number) % 101) as f32;
        PointCloud::new(2, (0..2 * points).map(at).collect()).unwrap()
    }

    /// Whatever the number of threads, each input has the same outcome as in a separate run, and failing inputs do not
    /// affect the others.
    #[test]
    fn outcomes_side_by_side_are_those_one_by_one() -> Result<(), MetricError> {
        let options = RipsOptions { max_dim: 2, landmarks: Some(12), ..RipsOptions::default() };
        let mut inputs: Vec<Input> = (0..30).map(|k| cloud(k, 10 + k).into()).collect();
        inputs[20] = Input::Double(SparseDistances::new(3, [(0, 1, 1.0)])?.into());
        let expected: Vec<_> = inputs.iter().map(|input| options.clone().solve(input.clone(), &())).collect();
        assert!(expected[0].is_err() && expected[5].is_ok() && expected[20].is_err());
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| options.solve_each(inputs.clone(), &()));
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let bars = |outcome: &Result<Outcome, RipsError>| {
                    outcome.clone().map(|outcome| (outcome.diagram, outcome.landmarks))
                };
                assert_eq!(bars(found), bars(expected), "{threads} threads");
                assert!(found.as_ref().is_ok_and(|outcome| outcome.plan.threads == 1) || found.is_err());
            }
        }
        assert!(options.solve_each(Vec::new(), &()).is_empty());
        Ok(())
    }

    #[test]
    fn little_work_is_light() {
        let is_light = |points, max_dim| {
            let options = RipsOptions { max_dim, ..RipsOptions::default() };
            options.prepare(cloud(0, points).into(), &Alone, &()).unwrap().is_light()
        };
        // More threads get more done before others could help.
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool(2).install(|| is_light(3, 5) && is_light(50, 1) && is_light(1, 0)));
        assert!(!pool(1).install(|| is_light(200, 3)));
        assert!(pool(1).install(|| is_light(50, 1)) && !pool(1000).install(|| is_light(50, 1)));
    }
}
