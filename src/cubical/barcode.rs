//! Persistent homology of an image: from an image to its persistence diagram.

use super::error::CubicalError;
use super::image::AnyImage;
use super::persistence::representatives::Representatives;
use super::persistence::{
    Class, Classes, Figures, PersistenceRequest, persistence_by, persistence_traced_by,
};
use super::settings::{Machine, filtration_setters, machine_setters};
use super::value::{Inexact, Value};
use crate::backend::Decision;
use crate::diagram::{Bar, BarSelection, Diagram};
use crate::progress::{Progress, interruptible};

/// Persistent homology of an image over Z/2: a builder that holds the image and the options of the computation.
///
/// ```
/// use lacuna::cubical::{AnyImage, Construction, Cubical};
///
/// // A ring of ones around a nine: 3 × 3 pixels, the last axis fastest.
/// let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3])?;
/// let diagram = Cubical::new(&image).construction(Construction::V).max_dim(1).run()?;
/// assert_eq!((diagram.bars(0).len(), diagram.bars(1).len()), (1, 1));
/// assert_eq!((diagram.bars(1)[0].birth, diagram.bars(1)[0].death), (1.0, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cubical<'a> {
    image: &'a AnyImage,
    request: PersistenceRequest,
    threshold: Option<Value>,
    representatives: Option<BarSelection>,
    machine: Machine,
}

/// Result of [`Cubical::solve`]: the persistence classes with statistics of the run.
#[derive(Debug)]
#[non_exhaustive]
pub struct CubicalOutcome {
    /// The classes, each by the places of the voxels at which it is born and dies.
    pub classes: Classes,
    /// Counts and times of the run.
    pub figures: Figures,
    /// Device that computed the discrete gradient, with the reason.
    pub decision: Decision,
    representatives: Option<Representatives>,
}

impl CubicalOutcome {
    /// Representative cycles of the bars; `None` unless they were requested.
    pub fn representatives(&self) -> Option<&Representatives> {
        self.representatives.as_ref()
    }
}

impl<'a> Cubical<'a> {
    /// A computation on `image` with the defaults: T-construction, sublevel sets, all dimensions, all cores.
    pub fn new(image: &'a AnyImage) -> Self {
        let request = PersistenceRequest::default();
        Cubical { image, request, threshold: None, representatives: None, machine: Machine::default() }
    }

    /// Greatest homology dimension computed. The default is one below the number of axes longer than one voxel, the
    /// greatest dimension in which classes exist.
    #[must_use]
    pub fn max_dim(mut self, dim: usize) -> Self {
        self.request.max_dim = Some(dim);
        self
    }

    /// Value at which the filtration ends (default: none), compared exactly. Classes that die later become essential.
    #[must_use]
    pub fn threshold(mut self, threshold: impl Into<Value>) -> Self {
        self.threshold = Some(threshold.into());
        self
    }

    /// Also computes representatives of these bars, returned by [`CubicalOutcome::representatives`]; the bars stay the
    /// same. "Longest" selects among the bars of dimension 1 and above, or of dimension 0 if there are no others; see
    /// [`representatives`](super::persistence::representatives).
    #[must_use]
    pub fn representatives(mut self, bars: BarSelection) -> Self {
        self.representatives = Some(bars);
        self
    }

    /// The persistence diagram in voxel values. For superlevel sets, births are greater than deaths. Essential bars die
    /// at infinity (for superlevel sets, minus infinity) and look like classes that die at an infinite voxel;
    /// [`Cubical::solve`] distinguishes them.
    ///
    /// # Errors
    /// [`CubicalError`]: the image has 2^30 voxels or more, or needs more memory than is available; the birth or death
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
        interruptible(progress, |progress| self.machine.on_threads(|| self.solve_here(progress)))
    }

    /// Runs [`Cubical::solve`] on the current thread pool.
    fn solve_here(&self, progress: &dyn Progress) -> Result<CubicalOutcome, CubicalError> {
        let (image, request, backend) = (self.image, &self.request, &self.machine.backend);
        let (mut classes, figures, decision, representatives) = match &self.representatives {
            None => {
                let (classes, figures, decision) = persistence_by(image, request, backend, progress)?;
                (classes, figures, decision, None)
            }
            Some(bars) => {
                let found = persistence_traced_by(image, request, backend, progress)?;
                let (classes, figures, decision, trace) = found;
                let representatives = trace.representatives(image, self.threshold, bars)?;
                (classes, figures, decision, Some(representatives))
            }
        };
        if let Some(threshold) = self.threshold {
            classes = classes.cut(image, request, threshold);
        }
        Ok(CubicalOutcome { classes, figures, decision, representatives })
    }
}

filtration_setters!(Cubical);
machine_setters!(Cubical, "finds the gradient");

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
        let (line, inf) = (Cubical::new(&line), f64::INFINITY);
        assert_eq!(bars(line.clone()), [(0.5, inf), (1.0, 9.0), (3.0, 7.0)]);
        assert_eq!(bars(line.clone().threads(1).threshold(8.0)), [(0.5, inf), (1.0, inf), (3.0, 7.0)]);
        assert_eq!(bars(line.superlevel(true)), [(9.0, -inf), (7.0, 0.5)]);
    }

    #[test]
    fn integers_that_no_double_is_are_an_error_of_the_diagram_alone() {
        let image = AnyImage::from_slice(&[u64::MAX, u64::MAX - 1], &[2]).unwrap();
        assert!(matches!(Cubical::new(&image).run(), Err(CubicalError::Inexact(_))));
        assert_eq!(Cubical::new(&image).solve(&()).unwrap().classes.dimensions[0].len(), 1);
    }
}
