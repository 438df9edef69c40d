//! From an image to its diagram.

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

/// Persistent homology of an image over Z/2: the image, and what is asked of it.
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

/// What a run gives: the classes, and how they came about.
#[derive(Debug)]
#[non_exhaustive]
pub struct CubicalOutcome {
    /// The classes, by the places of the voxels with which they are born and die.
    pub classes: Classes,
    /// Counts and times.
    pub figures: Figures,
    /// What found the gradient, and why.
    pub decision: Decision,
    representatives: Option<Representatives>,
}

impl CubicalOutcome {
    /// Cycles of the bars, if they were asked for.
    pub fn representatives(&self) -> Option<&Representatives> {
        self.representatives.as_ref()
    }
}

impl<'a> Cubical<'a> {
    /// A computation on this image: the T-construction, sublevel sets, all dimensions, on all cores.
    pub fn new(image: &'a AnyImage) -> Self {
        let request = PersistenceRequest::default();
        Cubical { image, request, threshold: None, representatives: None, machine: Machine::default() }
    }

    /// Homology up to this dimension (default: one below the number of axes of more than one voxel, where the last classes live).
    #[must_use]
    pub fn max_dim(mut self, dim: usize) -> Self {
        self.request.max_dim = Some(dim);
        self
    }

    /// The value at which the filtration ends (default: none); what dies past it is essential. Values are compared exactly.
    #[must_use]
    pub fn threshold(mut self, threshold: impl Into<Value>) -> Self {
        self.threshold = Some(threshold.into());
        self
    }

    /// Cycles of these bars too, which [`CubicalOutcome::representatives`] has; the bars are the same. The longest ones are those of dimension 1
    /// and above, or of dimension 0 where there are no others; see [`representatives`](super::persistence::representatives).
    #[must_use]
    pub fn representatives(mut self, bars: BarSelection) -> Self {
        self.representatives = Some(bars);
        self
    }

    /// The bars, by the values of voxels; those of superlevel sets are born above where they die. Essential ones die at infinity, of
    /// superlevel sets at minus infinity; a class that dies at an infinite voxel is not told from these ([`Cubical::solve`] does).
    ///
    /// # Errors
    /// [`CubicalError`]: the image has 2^30 voxels or more, or takes more memory than there is; a voxel of a class is an integer that no
    /// double is; a device that was asked for fails.
    pub fn run(&self) -> Result<Diagram, CubicalError> {
        let outcome = Cubical { representatives: None, ..self.clone() }.solve(&())?;
        Ok(outcome.classes.diagram(self.image, self.request.superlevel)?)
    }

    /// The classes with the figures of the run, reporting to `progress` on the way, and representatives if they were asked for.
    ///
    /// # Errors
    /// As [`Cubical::run`], but for integers that no double is; and a bar that representatives are asked for is not there.
    pub fn solve(&self, progress: &dyn Progress) -> Result<CubicalOutcome, CubicalError> {
        interruptible(progress, |progress| self.machine.on_threads(|| self.solve_here(progress)))
    }

    /// [`Cubical::solve`] on the threads of the current pool.
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
    /// The bars of these classes of an image, in their order. Essential ones die at infinity, of superlevel sets at minus infinity.
    ///
    /// # Errors
    /// [`Inexact`]: a voxel is an integer that no double is.
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
