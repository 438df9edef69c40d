//! The classes of an image by the machine that a backend decides for.
//!
//! A device finds the gradient's codes; all else is the processor's.

use super::classes::Classes;
use super::error::PersistenceError;
use super::figures::Figures;
use super::gradient::Gradient;
use super::grid::Grid;
use super::request::PersistenceRequest as Request;
use super::via_gradient::persistence_with;
use crate::backend::{Backend, BackendError, Decision, Estimate};
use crate::cubical::image::AnyImage;
use crate::cubical::shape::Shape;
use crate::cuda::{CudaError, Gpu};
use crate::progress::Progress;
use crate::with_image;

/// Codes that a core finds a second, by the number of axes: of 2048² and 128³ voxels, 13 and 50 ms on one core of an AMD EPYC (Zen 5);
/// stages of `cargo bench --bench cubical`.
const CPU_RATES: [f64; 4] = [300e6, 300e6, 300e6, 40e6];
/// Bytes a second to a device and back.
const TRANSFER_RATE: f64 = 10e9;
/// Bytes of a voxel that go there and back: its rank, its code.
const TRANSFER: f64 = 6.0;
/// Seconds that it takes on a device, however few voxels there are.
const DEVICE_FIXED: f64 = 0.02;

/// Why there are no classes.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The image is not one for this.
    #[error(transparent)]
    Persistence(#[from] PersistenceError),
    /// A GPU was asked for, and there is none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails.
    #[error("backend cuda")]
    Device(#[source] CudaError),
    /// The device finds another code than the processor.
    #[error("self-check: the gradient at place {place}: the device and the processor have other codes")]
    Check {
        /// The place in the grid.
        place: usize,
    },
}

/// How long the codes of an image should take.
pub fn estimate(shape: Shape) -> Estimate {
    let count = shape.count() as f64;
    let rate = CPU_RATES[shape.dim()] * rayon::current_num_threads() as f64;
    Estimate {
        work: format!("the gradient at {} voxels", shape.count()),
        cpu: count / rate,
        device: count * TRANSFER / TRANSFER_RATE + DEVICE_FIXED,
    }
}

/// The classes of an image, what was counted, and what found the gradient and why. A device that fails is replaced by the processor
/// unless it was asked for.
///
/// # Errors
/// [`MachineError`].
pub fn persistence_by(
    image: &AnyImage,
    request: &Request,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Classes, Figures, Decision), MachineError> {
    let mut decision = backend.decide(&estimate(image.shape()))?;
    let mut gradient = |grid: &Grid, progress: &dyn Progress| {
        let on_device = |gpu: &Gpu, grid: &Grid| Gradient::on_device(gpu, grid, progress);
        gradient_by(&mut decision, on_device, grid, progress)
    };
    let found = with_image!(image, image => persistence_with(image, request, &mut gradient, progress));
    let (classes, figures) = found?;
    Ok((classes, figures, decision))
}

/// The gradient by what was decided on, whose devices find it `on_device`.
fn gradient_by<G>(
    decision: &mut Decision<G>,
    on_device: impl FnOnce(&G, &Grid) -> Result<Gradient, CudaError>,
    grid: &Grid,
    progress: &dyn Progress,
) -> Result<Gradient, MachineError> {
    let found = decision.on_device(|gpu| on_device(gpu, grid)).map_err(MachineError::Device)?;
    let Some(found) = found else { return Ok(Gradient::new(grid, progress)) };
    match decision.self_check.then(|| found.difference(&Gradient::new(grid, &()))).flatten() {
        Some(place) => Err(MachineError::Check { place }),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::persistence;
    use super::*;
    use crate::backend::{self, Choice};
    use crate::cubical::{Image, Order};
    use crate::progress::Sums;

    fn image() -> Image<u8> {
        let shape = Shape::new(&[3, 4, 5], Order::C).unwrap();
        Image::new(shape, (0..60).map(|i| (i * 37 % 11) as u8).collect()).unwrap()
    }

    fn by(asked: backend::Request) -> Result<(Classes, backend::Decision), MachineError> {
        let found = persistence_by(&image().into(), &Request::default(), &Backend::new(asked), &());
        found.map(|(classes, _, decision)| (classes, decision))
    }

    /// A device that fails ends the run before anything else is computed, unless it may be replaced.
    #[test]
    fn a_device_that_fails_when_it_was_asked_for_ends_the_run() {
        let by = |may_fall_back| {
            let mut decision =
                Decision { gpus: vec![()], self_check: false, may_fall_back, why: "as asked".into() };
            let sums = Sums::default();
            let mut gradient = |grid: &Grid, progress: &dyn Progress| {
                let fail = |(): &(), _: &Grid| {
                    progress.begin("gradient", None, 1);
                    Err(CudaError::NoThread)
                };
                gradient_by(&mut decision, fail, grid, progress)
            };
            let found = persistence_with(&image(), &Request::default(), &mut gradient, &sums);
            (found, decision.to_string(), sums.stages())
        };
        let (found, _, stages) = by(false);
        assert!(matches!(found, Err(MachineError::Device(CudaError::NoThread))), "{found:?}");
        assert_eq!(stages.last().map(|told| told.stage), Some("gradient"));
        let (found, decision, stages) = by(true);
        // The processor, unlike the device, says how far it is.
        let counted: Vec<bool> =
            stages.iter().filter(|told| told.stage == "gradient").map(|told| told.total > 1).collect();
        assert_eq!(counted, [false, true]);
        assert_eq!(found.unwrap().0, persistence(&image(), &Request::default()).unwrap());
        assert!(decision.starts_with("cpu: as asked, but "), "{decision}");
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        let expected = persistence(&image(), &Request::default()).unwrap();
        for choice in [Choice::Cpu, Choice::Auto] {
            let (found, decision) = by(backend::Request { choice, ..backend::Request::default() }).unwrap();
            assert_eq!(found, expected);
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_finds_the_gradient_when_asked_for() {
        for self_check in [false, true] {
            let asked = backend::Request { choice: Choice::Cuda, self_check, ..backend::Request::default() };
            let found = by(asked);
            let (found, decision) = found.unwrap();
            let expected = persistence(&image(), &Request::default()).unwrap();
            assert_eq!((found, decision.gpus.len()), (expected, 1));
        }
    }
}
