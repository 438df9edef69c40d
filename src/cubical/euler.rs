//! From an image to its Euler characteristic curve.

use super::ecc::{EccRequest, Vcec, curve_by};
use super::error::CubicalError;
use super::image::AnyImage;
use super::periodic::Periodic;
use crate::backend::{Backend, Decision, on_threads};
use crate::progress::{Progress, interruptible};

/// The Euler characteristic curve of an image in memory: the image and the options of the computation. For
/// images read from files, see [`curves`](super::curves).
///
/// ```
/// use lacuna::cubical::ecc::EccRequest;
/// use lacuna::cubical::{AnyImage, EulerCurve};
///
/// // Two pixels of value 0 that touch at a corner, and two of value 1 that fill the square.
/// let image = AnyImage::from_slice(&[0.0_f32, 1.0, 1.0, 0.0], &[2, 2])?;
/// let vcec = EulerCurve::new(&image, EccRequest::default()).run()?;
/// assert_eq!(vcec.changes, [1, 0]);
/// assert_eq!(vcec.euler(), [1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct EulerCurve<'a> {
    /// The image.
    pub image: &'a AnyImage,
    /// The filtration and the rows of the curve.
    pub request: EccRequest,
    /// The axes along which the image closes up (default: none).
    pub periodic: Periodic,
    /// Number of threads (default: those of the global rayon pool).
    pub threads: Option<usize>,
    /// The device that counts (default: the processor).
    pub backend: Backend,
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
    /// The curve of `image`, computed on all cores.
    pub fn new(image: &'a AnyImage, request: EccRequest) -> Self {
        EulerCurve { image, request, periodic: Periodic::NONE, threads: None, backend: Backend::default() }
    }

    /// Computes the vector of changes.
    ///
    /// # Errors
    /// [`CubicalError`]: the bins are invalid, or need a range and no voxel is finite; an axis cannot be periodic; a
    /// requested device fails.
    pub fn run(&self) -> Result<Vcec, CubicalError> {
        Ok(self.solve(&())?.vcec)
    }

    /// Computes the curve and returns it with the decision. The unit of work that is reported to `progress` is a voxel.
    ///
    /// # Errors
    /// The errors of [`EulerCurve::run`].
    pub fn solve(&self, progress: &dyn Progress) -> Result<EulerOutcome, CubicalError> {
        interruptible(progress, |progress| {
            on_threads(self.threads, || {
                let (vcec, decision) =
                    curve_by(self.image, self.periodic, &self.request, &self.backend, progress)?;
                Ok(EulerOutcome { vcec, decision })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::Construction;
    use crate::cubical::ecc::Bins;

    #[test]
    fn a_ring_in_bins() {
        let image = AnyImage::from_slice(&[1_i16, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3]).unwrap();
        let bins = |count| Bins::Uniform { count, range: Some((0_i16.into(), 10_i16.into())) };
        let request = EccRequest { bins: bins(2), ..EccRequest::default() };
        let curve = EulerCurve { threads: Some(2), ..EulerCurve::new(&image, request) };
        assert_eq!(curve.run().unwrap().euler(), [0, 1]);
        let none = EccRequest { bins: bins(0), ..request };
        assert!(matches!(EulerCurve::new(&image, none).run(), Err(CubicalError::Curve(_))));
        let reversed = EccRequest { superlevel: true, construction: Construction::V, ..request };
        assert_eq!(EulerCurve { request: reversed, ..curve }.run().unwrap().euler(), [1, 1]);
    }
}
