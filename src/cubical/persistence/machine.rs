//! Persistence of an image with the gradient computed on the device that the backend chooses.
//!
//! A GPU computes only the codes of the gradient; every other stage runs on the CPU.

use super::classes::Classes;
use super::error::PersistenceError;
use super::figures::Figures;
use super::gradient::Gradient;
use super::grid::Grid;
use super::representatives::Trace;
use super::request::PersistenceRequest;
use super::via_gradient::{FindGradient, persistence_traced, persistence_with};
use crate::backend::{self, Backend, Decision, Estimate, Outcome, Stage};
use crate::cubical::image::AnyImage;
use crate::cubical::shape::Shape;
use crate::cuda::{CudaError, Gpu};
use crate::progress::Progress;
use crate::with_image;

/// Codes per second and core, by the number of axes: 13 ms for 2048² voxels and 50 ms for 128³ on one core of an AMD
/// EPYC (Zen 5), measured by `cargo bench --bench cubical`.
const CPU_RATES: [f64; 4] = [300e6, 300e6, 300e6, 40e6];
/// Bytes per second transferred to or from a device.
const TRANSFER_RATE: f64 = 10e9;
/// Bytes transferred per voxel: its rank to the device, its code back.
const TRANSFER: f64 = 6.0;
/// Fixed cost in seconds of the gradient on a device.
const DEVICE_FIXED: f64 = 0.02;

/// Reasons why the persistent homology of an image could not be computed.
pub type MachineError = backend::MachineError<PersistenceError>;

impl From<PersistenceError> for MachineError {
    fn from(error: PersistenceError) -> Self {
        MachineError::Stage(error)
    }
}

/// Estimates the time of the gradient of an image on CPU and GPU.
pub(crate) fn estimate(shape: Shape) -> Estimate {
    let count = shape.count() as f64;
    let rate = CPU_RATES[shape.dim()] * rayon::current_num_threads() as f64;
    Estimate {
        work: format!("the gradient at {} voxels", shape.count()),
        cpu: count / rate,
        device: count * TRANSFER / TRANSFER_RATE + DEVICE_FIXED,
    }
}

/// Computes the classes of an image, statistics, and the decision on where the gradient was computed. If a GPU fails
/// that was chosen automatically, the CPU takes over.
///
/// # Errors
/// [`MachineError`]: the image is too large or memory does not suffice; a requested GPU cannot be used or fails, or
/// differs from the CPU.
pub fn persistence_by(
    image: &AnyImage,
    request: &PersistenceRequest,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Classes, Figures, Decision), MachineError> {
    let found = |gradient: &mut FindGradient<'_, MachineError>| with_image!(image, image => persistence_with(image, request, gradient, progress));
    let ((classes, figures), decision) = by(image.shape(), backend, found)?;
    Ok((classes, figures, decision))
}

/// Like [`persistence_by`], but also returns the trace from which representatives are computed.
///
/// # Errors
/// The errors of [`persistence_by`].
pub fn persistence_traced_by(
    image: &AnyImage,
    request: &PersistenceRequest,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Classes, Figures, Decision, Trace), MachineError> {
    let found = |gradient: &mut FindGradient<'_, MachineError>| with_image!(image, image => persistence_traced(image, request, gradient, progress));
    let ((classes, figures, trace), decision) = by(image.shape(), backend, found)?;
    Ok((classes, figures, decision, trace))
}

/// Runs `find` with the gradient computed where the backend decides, and returns the decision too.
fn by<R>(
    shape: Shape,
    backend: &Backend,
    find: impl FnOnce(&mut FindGradient<'_, MachineError>) -> Result<R, MachineError>,
) -> Result<(R, Decision), MachineError> {
    let mut decision = backend.decide(&estimate(shape))?;
    let mut gradient = |grid: &Grid, progress: &dyn Progress| {
        let device = |gpu: &Gpu, grid: &Grid| Gradient::on_device(gpu, grid, progress);
        decision.run(&mut GradientStage { grid, progress, device })
    };
    let found = find(&mut gradient)?;
    Ok((found, decision))
}

/// The gradient of a grid, as a stage; `device` computes it on a GPU.
struct GradientStage<'a, F> {
    grid: &'a Grid,
    progress: &'a dyn Progress,
    device: F,
}

impl<G, F: FnMut(&G, &Grid) -> Result<Gradient, CudaError>> Stage<G> for GradientStage<'_, F> {
    type Found = Gradient;
    type Error = PersistenceError;
    type Failure = CudaError;

    fn on_device(&mut self, device: &G) -> Outcome<Gradient, Self, G> {
        Ok((self.device)(device, self.grid)?)
    }

    fn on_processor(&mut self) -> Result<Gradient, PersistenceError> {
        Ok(Gradient::new(self.grid, self.progress))
    }

    fn check(&mut self, found: &Gradient) -> Outcome<(), Self, G> {
        // Only the device's computation reports progress.
        Ok(found.compare(&Gradient::new(self.grid, &()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::persistence;
    use super::*;
    use crate::backend::{BackendRequest, Choice};
    use crate::cubical::{Image, Order};
    use crate::progress::Sums;

    fn image() -> Image<u8> {
        let shape = Shape::new(&[3, 4, 5], Order::C).unwrap();
        Image::new(shape, (0..60).map(|i| (i * 37 % 11) as u8).collect()).unwrap()
    }

    fn by(asked: BackendRequest) -> Result<(Classes, Decision), MachineError> {
        let found =
            persistence_by(&image().into(), &PersistenceRequest::default(), &Backend::new(asked), &());
        found.map(|(classes, _, decision)| (classes, decision))
    }

    /// A failing device ends the run before anything else is computed, unless the CPU may take over.
    #[test]
    fn a_device_that_fails_when_it_was_asked_for_ends_the_run() {
        let by = |may_fall_back| {
            let mut decision =
                Decision { gpus: vec![()], self_check: false, may_fall_back, why: "as asked".into() };
            let sums = Sums::default();
            let mut gradient = |grid: &Grid, progress: &dyn Progress| {
                let device = |(): &(), _: &Grid| {
                    progress.begin("gradient", None, 1);
                    Err(CudaError::NoThread)
                };
                decision.run(&mut GradientStage { grid, progress, device })
            };
            let found = persistence_with(&image(), &PersistenceRequest::default(), &mut gradient, &sums);
            (found, decision.to_string(), sums.stages())
        };
        let (found, _, stages) = by(false);
        assert!(matches!(found, Err(MachineError::Device(CudaError::NoThread))), "{found:?}");
        assert_eq!(stages.last().map(|told| told.stage), Some("gradient"));
        let (found, decision, stages) = by(true);
        // The CPU, unlike the device, reports its progress in detail.
        let counted: Vec<bool> =
            stages.iter().filter(|told| told.stage == "gradient").map(|told| told.total > 1).collect();
        assert_eq!(counted, [false, true]);
        assert_eq!(found.unwrap().0, persistence(&image(), &PersistenceRequest::default()).unwrap());
        assert!(decision.starts_with("cpu: as asked, but "), "{decision}");
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        let expected = persistence(&image(), &PersistenceRequest::default()).unwrap();
        for choice in [Choice::Cpu, Choice::Auto] {
            let (found, decision) = by(BackendRequest { choice, ..BackendRequest::default() }).unwrap();
            assert_eq!(found, expected);
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_finds_the_gradient_when_asked_for() {
        for self_check in [false, true] {
            let asked = BackendRequest { choice: Choice::Cuda, self_check, ..BackendRequest::default() };
            let found = by(asked);
            let (found, decision) = found.unwrap();
            let expected = persistence(&image(), &PersistenceRequest::default()).unwrap();
            assert_eq!((found, decision.gpus.len()), (expected, 1));
        }
    }
}
