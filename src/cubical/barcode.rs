//! Persistent homology of an image: from an image to its persistence diagram.

use std::time::{Duration, Instant};

use super::error::CubicalError;
use super::image::AnyImage;
use super::persistence::representatives::Representatives;
use super::persistence::via_matrix::MatrixCells;
use super::persistence::{
    Class, Classes, FINDING_CYCLES, Held, Limits, Persistence, PersistenceRequest, PersistenceStatistics,
    persistence, via_matrix,
};
use super::value::Inexact;
use crate::backend::{Backend, Decision, on_threads};
use crate::diagram::{Bar, BarSelection, Diagram};
use crate::progress::{Progress, interruptible};

/// Persistent homology of an image over Z/2: the image and the options of the computation.
///
/// ```
/// use lacuna::cubical::persistence::PersistenceRequest;
/// use lacuna::cubical::{AnyImage, Construction, Cubical};
///
/// // A ring of ones around a nine: 3 × 3 pixels, the last axis fastest.
/// let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3])?;
/// let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
/// let diagram = Cubical::new(&image, request).run()?;
/// assert_eq!((diagram.bars(0).len(), diagram.bars(1).len()), (1, 1));
/// assert_eq!((diagram.bars(1)[0].birth, diagram.bars(1)[0].death), (1.0, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cubical<'a> {
    /// The image.
    pub image: &'a AnyImage,
    /// The filtration and the dimensions.
    pub request: PersistenceRequest,
    /// Where the filtration ends (default: nowhere). Classes that die later become essential.
    pub limits: Limits<'a>,
    /// The part of the grid that is held in memory; each voxel and the border take a place of it. By default it is all,
    /// if memory suffices. For representatives it is always all.
    pub held: Option<Held>,
    /// The bars whose representatives are also computed (default: none). "Longest" selects among the bars of dimension
    /// 1 and above, or of dimension 0 if there are no others; see
    /// [`representatives`](super::persistence::representatives).
    pub representatives: Option<BarSelection>,
    /// Number of threads (default: those of the global rayon pool).
    pub threads: Option<usize>,
    /// The device that computes the gradient (default: the processor).
    pub backend: Backend,
}

/// Result of [`Cubical::solve`]: the persistence classes with statistics of the run.
#[derive(Debug)]
#[non_exhaustive]
pub struct CubicalOutcome {
    /// The classes, each by the places of the voxels at which it is born and dies.
    pub classes: Classes,
    /// Counts and times of the run.
    pub statistics: PersistenceStatistics,
    /// Device that computed the discrete gradient, or of four axes scanned the boundary matrix, with the reason.
    pub decision: Decision,
    /// Representative cycles of the bars, if requested.
    pub representatives: Option<Representatives>,
    /// Time in which the representatives were computed.
    pub cycles_took: Duration,
}

impl<'a> Cubical<'a> {
    /// A computation on all of `image`, without threshold and representatives, on all cores.
    pub fn new(image: &'a AnyImage, request: PersistenceRequest) -> Self {
        let (limits, representatives, threads) = (Limits::default(), None, None);
        Cubical { image, request, limits, held: None, representatives, threads, backend: Backend::default() }
    }

    /// The persistence diagram in voxel values. For superlevel sets, births are greater than deaths. Essential bars die
    /// at infinity (for superlevel sets, minus infinity) and look like classes that die at an infinite voxel;
    /// [`Cubical::solve`] distinguishes them.
    ///
    /// # Errors
    /// [`CubicalError`]: the image takes 2^36 places or more with its rim, or 2^30 where voxels have to be sorted, or
    /// needs more memory than is available; the birth or death
    /// value of a class is an integer without an exact `f64`; the requested device fails.
    pub fn run(&self) -> Result<Diagram, CubicalError> {
        let outcome = Cubical { representatives: None, ..self.clone() }.solve(&())?;
        Ok(outcome.classes.diagram(self.image, self.request.superlevel)?)
    }

    /// Computes the classes, statistics and, if requested, representatives, reporting to `progress`.
    ///
    /// # Errors
    /// The errors of [`Cubical::run`] except for inexact integers; also if a bar selected by its index does not exist.
    pub fn solve(&self, progress: &dyn Progress) -> Result<CubicalOutcome, CubicalError> {
        interruptible(progress, |progress| on_threads(self.threads, || self.solve_here(progress)))
    }

    /// Runs [`Cubical::solve`] on the current thread pool.
    fn solve_here(&self, progress: &dyn Progress) -> Result<CubicalOutcome, CubicalError> {
        let Cubical { image, request, limits, held, representatives, backend, .. } = self;
        let by_all_cells = representatives.is_some() && request.cycles_need_all_cells(image.shape());
        if by_all_cells || image.shape().dim() > 3 {
            return self.solve_by_matrix(progress);
        }
        let found =
            persistence(image, limits.mask, request, backend, representatives.is_some(), *held, progress)?;
        let Persistence { mut classes, statistics, decision, trace } = found;
        let start = Instant::now();
        let representatives = match trace.zip(representatives.as_ref()) {
            Some((trace, bars)) => {
                progress.begin(FINDING_CYCLES, None, 1);
                Some(trace.representatives(image, *limits, bars, progress)?)
            }
            None => None,
        };
        let cycles_took = start.elapsed();
        classes = classes.cut(image, request, *limits);
        Ok(CubicalOutcome { classes, statistics, decision, representatives, cycles_took })
    }

    /// Runs [`Cubical::solve`] for an image of four axes, in which a lower star has too many cells for a gradient by
    /// tables: by the boundary matrix of its critical cells; or for cycles of an image of four axes or with periodic
    /// ones, which come from the matrix of all cells.
    fn solve_by_matrix(&self, progress: &dyn Progress) -> Result<CubicalOutcome, CubicalError> {
        let Cubical { image, request, limits, representatives, backend, .. } = self;
        let (cells, stage) = match representatives {
            None => (MatrixCells::Critical, "critical cells"),
            Some(bars) => (MatrixCells::AllForCycles(bars), "boundary matrix"),
        };
        let found = via_matrix::persistence(image, request, cells, *limits, backend, progress)?;
        let building = (stage.into(), found.building.as_secs_f64());
        let statistics = PersistenceStatistics {
            voxels: image.shape().count(),
            columns: found.cells,
            additions: found.figures.additions,
            stages: std::iter::once(building).chain(found.figures.stages).collect(),
            ..Default::default()
        };
        let via_matrix::Solution { classes, decision, representatives, cycles_took, .. } = found;
        Ok(CubicalOutcome { classes, statistics, decision, representatives, cycles_took })
    }
}

impl Classes {
    /// The bars of these classes, in the order of the classes, in the voxel values of `image`. Essential bars die at
    /// infinity (for superlevel sets, minus infinity).
    ///
    /// # Errors
    /// [`Inexact`]: the birth or death value of a class is an integer without an exact `f64`.
    pub fn diagram(&self, image: &AnyImage, superlevel: bool) -> Result<Diagram, Inexact> {
        let end = if superlevel { f64::NEG_INFINITY } else { f64::INFINITY };
        let value = |place: usize| image.exact(place).exact_double();
        let bar = |class: &Class| {
            let death = class.death.map_or(Ok(end), value)?;
            Ok(Bar { birth: value(class.birth)?, death })
        };
        let bars = |classes: &Vec<Class>| classes.iter().map(bar).collect::<Result<Vec<Bar>, Inexact>>();
        Ok(Diagram::new(self.dimensions.iter().map(bars).collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_by_value() {
        let line = AnyImage::from_slice(&[1.0_f32, 9.0, 0.5, 7.0, 3.0], &[5]).unwrap();
        let bars = |cubical: Cubical<'_>| -> Vec<(f64, f64)> {
            cubical.run().unwrap().bars(0).iter().map(|bar| (bar.birth, bar.death)).collect()
        };
        let inf = f64::INFINITY;
        let line = Cubical::new(&line, PersistenceRequest::default());
        assert_eq!(bars(line.clone()), [(0.5, inf), (1.0, 9.0), (3.0, 7.0)]);
        let ended = Cubical {
            threads: Some(1),
            limits: Limits::up_to(crate::cubical::Value::from(8.0)),
            ..line.clone()
        };
        assert_eq!(bars(ended), [(0.5, inf), (1.0, inf), (3.0, 7.0)]);
        let request = PersistenceRequest { superlevel: true, ..line.request };
        assert_eq!(bars(Cubical { request, ..line }), [(9.0, -inf), (7.0, 0.5)]);
    }

    #[test]
    fn images_of_four_axes() {
        // A shell of ones around a nine has a class of dimension 3.
        let voxels: Vec<u8> = (0..81).map(|place| if place == 40 { 9 } else { 1 }).collect();
        let image = AnyImage::from_slice(&voxels, &[3, 3, 3, 3]).unwrap();
        let cubical = Cubical::new(&image, PersistenceRequest::default());
        let diagram = cubical.run().unwrap();
        let counts: Vec<usize> = (0..4).map(|dim| diagram.bars(dim).len()).collect();
        assert_eq!((counts, diagram.bars(3)[0]), (vec![1, 0, 0, 1], Bar { birth: 1.0, death: 9.0 }));
        let message = "expected 1 to 3 axes of more than one voxel, found shape [3, 3, 3, 3]";
        let cycles = Cubical { representatives: Some(BarSelection::All), ..cubical.clone() };
        assert_eq!(cycles.solve(&()).unwrap().representatives.map(|cycles| cycles.len()), Some(2));
        let refused = persistence(&image, None, &cubical.request, &cubical.backend, false, None, &());
        assert_eq!(refused.map(|found| found.classes).unwrap_err().to_string(), message);
    }

    #[test]
    fn integers_that_no_double_is_are_an_error_of_the_diagram_alone() {
        let image = AnyImage::from_slice(&[u64::MAX, u64::MAX - 1], &[2]).unwrap();
        let cubical = Cubical::new(&image, PersistenceRequest::default());
        assert!(matches!(cubical.run(), Err(CubicalError::Inexact(_))));
        assert_eq!(cubical.solve(&()).unwrap().classes.dimensions[0].len(), 1);
    }
}
