//! From an image to its Euler characteristic curve.

use super::ecc::{Bins, EccRequest, Vcec, curve_by};
use super::error::CubicalError;
use super::image::AnyImage;
use super::settings::{Machine, filtration_setters, machine_setters};
use super::value::Value;
use crate::backend::Decision;
use crate::progress::{Progress, interruptible};
use crate::with_image;

/// The Euler characteristic curve of an image in memory: a builder that holds the image and the options. For images
/// read from files, see [`curves`](super::curves).
///
/// ```
/// use lacuna::cubical::{AnyImage, EulerCurve};
///
/// // Two pixels of value 0 that touch at a corner, and two of value 1 that fill the square.
/// let image = AnyImage::from_slice(&[0.0_f32, 1.0, 1.0, 0.0], &[2, 2])?;
/// let vcec = EulerCurve::new(&image).run()?;
/// assert_eq!(vcec.changes, [1, 0]);
/// assert_eq!(vcec.euler(), [1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EulerCurve<'a> {
    image: &'a AnyImage,
    request: EccRequest,
    machine: Machine,
}

/// Result of [`EulerCurve::solve`]: the curve, and the device that computed it.
#[derive(Debug)]
#[non_exhaustive]
pub struct EulerOutcome {
    /// The vector of changes; its prefix sums are the curve.
    pub vcec: Vcec,
    /// Device that computed the curve, with the reason.
    pub decision: Decision,
}

impl<'a> EulerCurve<'a> {
    /// The curve of `image` with the defaults: T-construction, sublevel sets, a row for each distinct value, all cores.
    pub fn new(image: &'a AnyImage) -> Self {
        EulerCurve { image, request: EccRequest::default(), machine: Machine::default() }
    }

    /// Uses `count` bins of equal width over the range of finite values as rows (default: one row per distinct value).
    #[must_use]
    pub fn bins(mut self, count: usize) -> Self {
        self.request.bins = Bins::Uniform { count, range: None };
        self
    }

    /// Uses `count` bins of equal width between these values as rows.
    #[must_use]
    pub fn bins_over(mut self, count: usize, low: impl Into<Value>, high: impl Into<Value>) -> Self {
        self.request.bins = Bins::Uniform { count, range: Some((low.into(), high.into())) };
        self
    }

    /// Computes the vector of changes.
    ///
    /// # Errors
    /// [`CubicalError`]: the bins are invalid, or need a range and no voxel is finite; a requested device fails.
    pub fn run(&self) -> Result<Vcec, CubicalError> {
        Ok(self.solve(&())?.vcec)
    }

    /// Computes the curve and returns it with the decision. The stage is reported to `progress` as one unit of work.
    ///
    /// # Errors
    /// The errors of [`EulerCurve::run`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<EulerOutcome, CubicalError> {
        interruptible(progress, |progress| {
            progress.begin("curve", None, 1);
            self.machine.on_threads(|| {
                let (vcec, decision) =
                    with_image!(self.image, image => curve_by(image, &self.request, &self.machine.backend))?;
                Ok(EulerOutcome { vcec, decision })
            })
        })
    }
}

filtration_setters!(EulerCurve);
machine_setters!(EulerCurve, "counts");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::Construction;

    #[test]
    fn a_ring_in_bins() {
        let image = AnyImage::from_slice(&[1_i16, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3]).unwrap();
        let curve = EulerCurve::new(&image).bins_over(2, 0_i16, 10_i16).threads(2);
        assert_eq!(curve.run().unwrap().euler(), [0, 1]);
        assert!(matches!(EulerCurve::new(&image).bins(0).run(), Err(CubicalError::Curve(_))));
        let reversed = curve.superlevel(true).construction(Construction::V);
        assert_eq!(reversed.run().unwrap().euler(), [1, 1]);
    }
}
