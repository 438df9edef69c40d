//! From a binary image to its skeleton.

use super::error::CubicalError;
use super::thinning::{BitImage, Pass, ThinningRequest, ThinningStatistics, thin_by};
use crate::backend::{Backend, Decision, on_threads};
use crate::progress::{Progress, check, interruptible};

/// Thinning of a binary image: the image and the options of the computation.
///
/// ```
/// use lacuna::cubical::thinning::{BitImage, ThinningRequest};
/// use lacuna::cubical::{Image, Skeleton};
///
/// // A bar of 3 × 5 pixels in a frame of background, the last axis fastest.
/// let voxels = (0..5 * 7).map(|place| u8::from((1..4).contains(&(place / 7)) && (1..6).contains(&(place % 7))));
/// let image = BitImage::of(&Image::from_slice(&voxels.collect::<Vec<u8>>(), &[5, 7])?, |voxel| voxel > 0);
/// let skeleton = Skeleton::new(&image, ThinningRequest::default()).run()?;
/// assert!(skeleton.count() > 0 && skeleton.count() < image.count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Skeleton<'a> {
    /// The image.
    pub image: &'a BitImage,
    /// The rule and the number of iterations.
    pub request: ThinningRequest,
    /// Number of threads (default: those of the global rayon pool).
    pub threads: Option<usize>,
    /// The device that thins (default: the processor).
    pub backend: Backend,
}

/// Result of [`Skeleton::solve`]: the skeleton with statistics of the run.
#[derive(Debug)]
#[non_exhaustive]
pub struct SkeletonOutcome {
    /// The skeleton.
    pub skeleton: BitImage,
    /// Counts of iterations and voxels.
    pub statistics: ThinningStatistics,
    /// Device that thinned the image, with the reason.
    pub decision: Decision,
}

impl<'a> Skeleton<'a> {
    /// Thinning of `image` on all cores.
    pub fn new(image: &'a BitImage, request: ThinningRequest) -> Self {
        Skeleton { image, request, threads: None, backend: Backend::default() }
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
        on_threads(self.threads, || {
            let found = thin_by(self.image, &self.request, &self.backend, &mut |pass| watch(pass));
            let (skeleton, statistics, decision) = found?;
            Ok(SkeletonOutcome { skeleton, statistics, decision })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::thinning::Rule;
    use crate::cubical::{Image, Order, Shape};

    #[test]
    fn iterations_are_told_and_limited() {
        let image = Image::from_slice(&[1_u8; 9 * 9], &[9, 9]).unwrap();
        let image = BitImage::of(&image, |voxel| voxel > 0);
        let mut told = Vec::new();
        let request = ThinningRequest { iterations: Some(1), rule: None };
        let once = Skeleton { threads: Some(1), ..Skeleton::new(&image, request) };
        let outcome = once.solve_watched(&mut |pass| told.push(pass.iteration)).unwrap();
        assert_eq!((told, outcome.statistics.iterations), (vec![1], 1));
        assert_eq!(once.run().unwrap(), outcome.skeleton);
        let request = ThinningRequest { rule: Some(Rule::GuoHall), iterations: None };
        let space = BitImage::new(Shape::new(&[2, 2, 2], Order::C).unwrap());
        assert!(matches!(Skeleton::new(&space, request).run(), Err(CubicalError::Thinning(_))));
    }
}
