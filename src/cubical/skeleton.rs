//! From a binary image to its skeleton.

use super::error::CubicalError;
use super::settings::{Machine, machine_setters};
use super::thinning::machine::thin_by;
use super::thinning::{BitImage, Pass, Rule, ThinningFigures, ThinningRequest};
use crate::backend::Decision;
use crate::progress::{Progress, check, interruptible};

/// Thinning of a binary image: a builder that holds the image and the options of the computation.
///
/// ```
/// use lacuna::cubical::thinning::BitImage;
/// use lacuna::cubical::{Image, Skeleton};
///
/// // A bar of 3 × 5 pixels in a frame of background, the last axis fastest.
/// let voxels = (0..5 * 7).map(|place| u8::from((1..4).contains(&(place / 7)) && (1..6).contains(&(place % 7))));
/// let image = BitImage::of(&Image::from_slice(&voxels.collect::<Vec<u8>>(), &[5, 7])?, |voxel| voxel > 0);
/// let skeleton = Skeleton::new(&image).run()?;
/// assert!(skeleton.count() > 0 && skeleton.count() < image.count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Skeleton<'a> {
    image: &'a BitImage,
    request: ThinningRequest,
    machine: Machine,
}

/// Result of [`Skeleton::solve`]: the skeleton with statistics of the run.
#[derive(Debug)]
#[non_exhaustive]
pub struct SkeletonOutcome {
    /// The skeleton.
    pub skeleton: BitImage,
    /// Counts of iterations and voxels.
    pub figures: ThinningFigures,
    /// Device that thinned the image, with the reason.
    pub decision: Decision,
}

impl<'a> Skeleton<'a> {
    /// Thinning of `image` with the defaults: the rule that suits its axes, until nothing changes, all cores.
    pub fn new(image: &'a BitImage) -> Self {
        let request = ThinningRequest::default();
        Skeleton { image, request, machine: Machine::default() }
    }

    /// Thinning rule (default: [`Rule::GuoHall`] in the plane, [`Rule::Subfields`] in space).
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.request.rule = Some(rule);
        self
    }

    /// Greatest number of iterations (default: until nothing is deleted).
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.request.iterations = Some(iterations);
        self
    }

    /// Computes the skeleton.
    ///
    /// # Errors
    /// [`CubicalError`]: a planar rule was requested for a three-dimensional image; a requested device fails.
    pub fn run(&self) -> Result<BitImage, CubicalError> {
        Ok(self.solve(&())?.skeleton)
    }

    /// Computes the skeleton with statistics. The stage is reported to `progress` as one unit of work.
    ///
    /// # Errors
    /// The errors of [`Skeleton::run`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<SkeletonOutcome, CubicalError> {
        interruptible(progress, |progress| {
            progress.begin("thinning", None, 1);
            self.solve_watched(&mut |_| check(progress))
        })
    }

    /// Like [`Skeleton::solve`], but calls `watch` after each iteration.
    ///
    /// # Errors
    /// The errors of [`Skeleton::run`].
    pub fn solve_watched(
        &self,
        watch: &mut (dyn FnMut(Pass) + Send),
    ) -> Result<SkeletonOutcome, CubicalError> {
        self.machine.on_threads(|| {
            let found = thin_by(self.image, &self.request, &self.machine.backend, &mut |pass| watch(pass));
            let (skeleton, figures, decision) = found?;
            Ok(SkeletonOutcome { skeleton, figures, decision })
        })
    }
}

machine_setters!(Skeleton, "thins");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::{Image, Order, Shape};

    #[test]
    fn iterations_are_told_and_limited() {
        let image = Image::from_slice(&[1_u8; 9 * 9], &[9, 9]).unwrap();
        let image = BitImage::of(&image, |voxel| voxel > 0);
        let mut told = Vec::new();
        let once = Skeleton::new(&image).iterations(1).threads(1);
        let outcome = once.solve_watched(&mut |pass| told.push(pass.iteration)).unwrap();
        assert_eq!((told, outcome.figures.iterations), (vec![1], 1));
        assert_eq!(once.run().unwrap(), outcome.skeleton);
        let space = BitImage::new(Shape::new(&[2, 2, 2], Order::C).unwrap());
        assert!(matches!(Skeleton::new(&space).rule(Rule::GuoHall).run(), Err(CubicalError::Thinning(_))));
    }
}
