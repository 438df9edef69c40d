//! Computes the curve of an image on the device that the backend chooses.

use super::bins::BinsError;
use super::cpu::curve;
use super::cuda::counting::{DeviceError, ecc_device};
use super::estimate::estimate;
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::backend::{self, Backend, Decision, Difference, Outcome, Stage, expect_same};
use crate::cubical::image::Image;
use crate::cuda::{Gpu, KernelVoxel};

/// Reasons why the curve of an image could not be computed.
pub type MachineError = backend::MachineError<BinsError, DeviceError>;

impl From<BinsError> for MachineError {
    fn from(error: BinsError) -> Self {
        MachineError::Stage(error)
    }
}

/// Computes the curve of an image; also returns the decision on where it ran. If a GPU fails that was chosen
/// automatically, the CPU takes over.
///
/// # Errors
/// [`MachineError`]: the bins are invalid; a requested GPU cannot be used or fails, or differs from the CPU.
pub fn curve_by<T: KernelVoxel>(
    image: &Image<T>,
    request: &EccRequest,
    backend: &Backend,
) -> Result<(Vcec, Decision), MachineError> {
    request.bins.check()?;
    let mut decision = backend.decide(&estimate::<T>(image.shape(), request))?;
    let found = decision.run(&mut CurveStage { image, request })?;
    Ok((found, decision))
}

/// The curve of an image in memory, as a stage.
struct CurveStage<'a, T> {
    image: &'a Image<T>,
    request: &'a EccRequest,
}

impl<T: KernelVoxel> Stage for CurveStage<'_, T> {
    type Found = Vcec;
    type Error = BinsError;
    type Failure = DeviceError;

    fn on_device(&mut self, gpu: &Gpu) -> Outcome<Vcec, Self> {
        let CurveStage { image, request } = *self;
        let find = || ecc_device(gpu, &gpu.upload(image.voxels())?, image.shape(), request);
        find().map_err(MachineError::Device)
    }

    fn on_processor(&mut self) -> Result<Vcec, BinsError> {
        curve(self.image, self.request)
    }

    fn check(&mut self, found: &Vcec) -> Outcome<(), Self> {
        Ok(compare(found, &self.on_processor()?)?)
    }
}

/// Compares the curve that a device computed with the CPU's, row by row.
///
/// # Errors
/// The first difference; if the numbers of rows differ, the first row that only one curve has.
pub fn compare(device: &Vcec, processor: &Vcec) -> Result<(), Difference> {
    let rows = [device, processor].map(|curve| curve.rows().len());
    for (row, (found, expected)) in device.rows().zip(processor.rows()).enumerate() {
        expect_same(|| format!("row {row}, value"), found.0, expected.0)?;
        expect_same(|| format!("row {row}, change"), found.1, expected.1)?;
    }
    let is_there = |rows: usize, row| if rows > row { "there" } else { "none" };
    let last = rows[0].min(rows[1]);
    expect_same(|| format!("row {last}, row"), is_there(rows[0], last), is_there(rows[1], last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{BackendRequest, Choice};
    use crate::cubical::{Order, Shape};

    fn image() -> Image<u8> {
        Image::new(Shape::new(&[2, 3], Order::C).unwrap(), vec![3, 1, 4, 1, 5, 9]).unwrap()
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        for choice in [Choice::Cpu, Choice::Auto] {
            let backend = Backend::new(BackendRequest { choice, ..BackendRequest::default() });
            let (found, decision) = curve_by(&image(), &EccRequest::default(), &backend).unwrap();
            assert_eq!(found, curve(&image(), &EccRequest::default()).unwrap());
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_asked_for_and_checked() {
        let asked = BackendRequest { choice: Choice::Cuda, self_check: true, ..BackendRequest::default() };
        let found = curve_by(&image(), &EccRequest::default(), &Backend::new(asked));
        let (found, decision) = found.unwrap();
        assert_eq!((found, decision.gpus.len()), (curve(&image(), &EccRequest::default()).unwrap(), 1));
    }

    #[test]
    fn differences_are_named() {
        let curve = Vcec::new(vec![1.0, 2.5], vec![3, -2]);
        assert_eq!(compare(&curve, &curve), Ok(()));
        let of = |values: &[f64], changes: &[i64]| {
            let other = Vcec::new(values.to_vec(), changes.to_vec());
            compare(&other, &curve).unwrap_err().to_string()
        };
        assert_eq!(of(&[1.0, 2.5], &[3, -1]), "row 1, change: -1 on the device, -2 on the processor");
        assert_eq!(of(&[1.5, 2.5], &[3, -2]), "row 0, value: 1.5 on the device, 1 on the processor");
        assert_eq!(of(&[1.0], &[3]), "row 1, row: none on the device, there on the processor");
    }
}
