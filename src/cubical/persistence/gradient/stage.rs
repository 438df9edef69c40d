//! The gradient on the device that the backend chooses.

use super::super::error::{MachineError, PersistenceError};
use super::super::grid::Grid;
use super::Gradient;
use crate::backend::{Estimate, Stage};
use crate::cubical::shape::Shape;
use crate::cuda::Gpu;
use crate::progress::Progress;

/// Codes per second and core, by the number of axes: 20 ms for 2048² voxels and 130 ms for 256³ on one core of an AMD
/// EPYC (Zen 5).
const CPU_RATES: [f64; 4] = [250e6, 250e6, 210e6, 130e6];
/// Bytes per second transferred to or from a device.
const TRANSFER_RATE: f64 = 10e9;
/// Bytes transferred per voxel: its key to the device, its code back.
const TRANSFER: f64 = 6.0;
/// Fixed cost in seconds of the gradient on a device.
const DEVICE_FIXED: f64 = 0.02;

/// Estimates the time of the gradient of an image on CPU and GPU.
pub(in super::super) fn estimate(shape: Shape) -> Estimate {
    let count = shape.count() as f64;
    let rate = CPU_RATES[shape.dim()] * rayon::current_num_threads() as f64;
    Estimate {
        work: format!("the gradient at {} voxels", shape.count()),
        cpu: count / rate,
        device: count * TRANSFER / TRANSFER_RATE + DEVICE_FIXED,
    }
}

/// The gradient of a grid, as a stage.
pub(in super::super) struct GradientStage<'a> {
    pub(in super::super) grid: &'a Grid<'a>,
    pub(in super::super) progress: &'a dyn Progress,
}

impl Stage for GradientStage<'_> {
    type Found = Gradient;
    type Error = PersistenceError;

    fn on_device(&mut self, gpu: &Gpu) -> Result<Gradient, MachineError> {
        Ok(Gradient::on_device(gpu, self.grid, self.progress)?)
    }

    fn on_processor(&mut self) -> Result<Gradient, PersistenceError> {
        Ok(Gradient::new(self.grid, self.progress))
    }

    fn check(&mut self, found: &Gradient) -> Result<(), MachineError> {
        // Only the device's computation reports progress.
        Ok(found.compare(&Gradient::new(self.grid, &()))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, BackendRequest, Choice, Decision};
    use crate::cubical::persistence::{PersistenceRequest, plain};
    use crate::cubical::{AnyImage, Cubical, Image, Order};

    fn image() -> Image<u8> {
        let shape = Shape::new(&[3, 4, 5], Order::C).unwrap();
        Image::new(shape, (0..60).map(|i| (i * 37 % 11) as u8).collect()).unwrap()
    }

    fn by(asked: BackendRequest) -> Decision {
        let (any, backend): (AnyImage, _) = (image().into(), Backend::new(asked));
        let run =
            Cubical { backend, ..Cubical::new(&any, PersistenceRequest::default()) }.solve(&()).unwrap();
        assert_eq!(run.classes, plain::persistence(&image(), &PersistenceRequest::default()));
        run.decision
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        for choice in [Choice::Cpu, Choice::Auto] {
            let decision = by(BackendRequest { choice, ..BackendRequest::default() });
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_finds_the_gradient_when_asked_for() {
        for self_check in [false, true] {
            let asked = BackendRequest { choice: Choice::Cuda, self_check, ..BackendRequest::default() };
            assert_eq!(by(asked).gpus.len(), 1);
        }
    }
}
