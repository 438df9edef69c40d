//! The curve of an image by the machine that a backend decides for.

use std::fmt::Display;

use super::bins::BinsError;
use super::cpu::curve;
use super::cuda::counting::{DeviceError, ecc_device};
use super::estimate::estimate;
use super::request::EccRequest as Request;
use super::vcec::Vcec as Curve;
use crate::backend::{Backend, BackendError, Decision};
use crate::cubical::image::Image;
use crate::cuda::KernelVoxel;

/// Why there is no curve.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// There are no such bins.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// A GPU was asked for, and there is none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails.
    #[error("backend cuda")]
    Device(#[source] DeviceError),
    /// The device finds another curve than the processor.
    #[error("self-check: {0}")]
    Check(#[from] Difference),
}

/// The first row that a device found otherwise than the processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row}, {what}: {device} on the device, {processor} on the processor")]
pub struct Difference {
    /// The row, from 0; with another number of rows, the first that only one has.
    pub row: usize,
    /// `value` or `change`, or `row` if only one has it.
    pub what: &'static str,
    /// What the device found.
    pub device: String,
    /// What the processor found.
    pub processor: String,
}

/// The curve of an image, and what found it. A device that fails is replaced by the processor unless it was asked for.
///
/// # Errors
/// [`MachineError`]: there are no such bins; a GPU was asked for and cannot be used, fails, or differs from the processor.
pub fn curve_by<T: KernelVoxel>(
    image: &Image<T>,
    request: &Request,
    backend: &Backend,
) -> Result<(Curve, Decision), MachineError> {
    request.bins.check()?;
    let mut decision = backend.decide(&estimate::<T>(image.shape(), request))?;
    let on_device =
        decision.on_device(|gpu| ecc_device(gpu, &gpu.upload(image.voxels())?, image.shape(), request));
    let Some(found) = on_device.map_err(MachineError::Device)? else {
        return Ok((curve(image, request)?, decision));
    };
    if decision.self_check {
        compare(&found, &curve(image, request)?)?;
    }
    Ok((found, decision))
}

/// Compares the curve that a device found with the processor's, row by row.
///
/// # Errors
/// The first difference.
pub fn compare(device: &Curve, processor: &Curve) -> Result<(), Difference> {
    let rows = [device, processor].map(|curve| curve.rows().len());
    for (row, (found, expected)) in device.rows().zip(processor.rows()).enumerate() {
        same(row, "value", found.0, expected.0)?;
        same(row, "change", found.1, expected.1)?;
    }
    let is_there = |rows: usize, row| if rows > row { "there" } else { "none" };
    let last = rows[0].min(rows[1]);
    same(last, "row", is_there(rows[0], last), is_there(rows[1], last))
}

fn same<T: PartialEq + Display>(
    row: usize,
    what: &'static str,
    device: T,
    processor: T,
) -> Result<(), Difference> {
    if device == processor {
        return Ok(());
    }
    Err(Difference { row, what, device: device.to_string(), processor: processor.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{self, Choice};
    use crate::cubical::{Order, Shape};

    fn image() -> Image<u8> {
        Image::new(Shape::new(&[2, 3], Order::C).unwrap(), vec![3, 1, 4, 1, 5, 9]).unwrap()
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        for choice in [Choice::Cpu, Choice::Auto] {
            let backend = Backend::new(backend::Request { choice, ..backend::Request::default() });
            let (found, decision) = curve_by(&image(), &Request::default(), &backend).unwrap();
            assert_eq!(found, curve(&image(), &Request::default()).unwrap());
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_asked_for_and_checked() {
        let asked =
            backend::Request { choice: Choice::Cuda, self_check: true, ..backend::Request::default() };
        let found = curve_by(&image(), &Request::default(), &Backend::new(asked));
        let (found, decision) = found.unwrap();
        assert_eq!((found, decision.gpus.len()), (curve(&image(), &Request::default()).unwrap(), 1));
    }

    #[test]
    fn differences_are_named() {
        let curve = Curve::new(vec![1.0, 2.5], vec![3, -2]);
        assert_eq!(compare(&curve, &curve), Ok(()));
        let of = |values: &[f64], changes: &[i64]| {
            let other = Curve::new(values.to_vec(), changes.to_vec());
            compare(&other, &curve).unwrap_err().to_string()
        };
        assert_eq!(of(&[1.0, 2.5], &[3, -1]), "row 1, change: -1 on the device, -2 on the processor");
        assert_eq!(of(&[1.5, 2.5], &[3, -2]), "row 0, value: 1.5 on the device, 1 on the processor");
        assert_eq!(of(&[1.0], &[3]), "row 1, row: none on the device, there on the processor");
    }
}
