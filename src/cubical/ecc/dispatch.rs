//! Computes the curves of an image in memory on the device that the backend chooses.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::checkpoint::{load_scales, save_scale};
use super::error::{EccError, MachineError};
use super::estimate::estimate;
use super::request::EccRequest;
use super::scales::{Scales, curves_device, curves_since};
use super::slices;
use super::vcec::Vcec;
use crate::backend::{Backend, Decision, Difference, Estimate, Stage, expect_same};
use crate::cubical::image::AnyImage;
use crate::cubical::periodic::Periodic;
use crate::cubical::voxel::VoxelType;
use crate::cuda::Gpu;
use crate::progress::{Cost, Expected, Progress, saving};
use crate::with_image;

/// Name of the stage for [`Progress`]. The unit of work is a voxel; voxels that are read twice count twice.
pub(crate) const STAGE: &str = "curve";

/// Computes the curve of an image of up to four axes, which may be periodic; also returns the decision on where it ran.
/// If a GPU fails that was chosen automatically, the CPU takes over. The unit of work that is reported to `progress` is
/// a voxel.
///
/// # Errors
/// [`MachineError`]: the bins are invalid; a requested GPU cannot be used or fails, or differs from the CPU.
pub fn curve_by(
    image: &AnyImage,
    periodic: Periodic,
    request: &EccRequest,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Vcec, Decision), MachineError> {
    request.bins.check()?;
    if !periodic.is_none() {
        return slices::curve_by(image, periodic, request, backend, progress);
    }
    let scales = Scales { count: 1, ..Scales::default() };
    let (mut curves, decision) = curves_by(image, request, &scales, backend, progress)?;
    Ok((curves.pop().unwrap_or_default(), decision))
}

/// Like [`curve_by`], but computes the curves at several scales, resuming from the checkpoint of `progress`, which
/// counts voxels once per scale.
///
/// # Errors
/// As [`curve_by`]; the image cannot be smoothed, or the checkpoint does not belong to it.
pub(crate) fn curves_by(
    image: &AnyImage,
    request: &EccRequest,
    scales: &Scales,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Vec<Vcec>, Decision), MachineError> {
    if image.shape().dim() > 3 && scales.count == 1 {
        let (curve, decision) = slices::curve_by(image, Periodic::NONE, request, backend, progress)?;
        return Ok((vec![curve], decision));
    }
    request.check(image.shape())?;
    let mut all = estimate(image.shape(), image.voxel_type(), request);
    if scales.count > 1 {
        let (more, smoothed) = (estimate(image.shape(), VoxelType::F32, request), (scales.count - 1) as f64);
        all = Estimate {
            work: format!("{}, at {} scales", all.work, scales.count),
            cpu: all.cpu + smoothed * more.cpu,
            device: all.device + smoothed * more.device,
        };
    }
    let mut decision = backend.decide(&all)?;
    let known = load_scales(progress.checkpoint(), image.voxel_type(), image.shape(), scales.count)?;
    let found = decision.run(&mut CurvesStage { image, request, scales, known, progress })?;
    Ok((found, decision))
}

/// The curves of an image in memory at several scales, as a stage.
struct CurvesStage<'a> {
    image: &'a AnyImage,
    request: &'a EccRequest,
    scales: &'a Scales,
    /// Curves at the first scales, loaded from the checkpoint.
    known: Vec<Vcec>,
    progress: &'a dyn Progress,
}

impl CurvesStage<'_> {
    /// Starts the progress of the stage: each device counts from the first voxel.
    fn begin(&self) {
        self.progress.expect(&[Expected::of(STAGE, Cost::Known(1.0))]);
        self.progress.begin(STAGE, None, self.image.shape().count() as u64 * self.scales.count as u64);
    }
}

impl Stage for CurvesStage<'_> {
    type Found = Vec<Vcec>;
    type Error = EccError;

    fn on_device(&mut self, gpu: &Gpu) -> Result<Vec<Vcec>, MachineError> {
        self.begin();
        curves_device(gpu, self.image, self.request, self.scales, &|voxels| self.progress.advance(voxels))
    }

    fn on_processor(&mut self) -> Result<Vec<Vcec>, EccError> {
        self.begin();
        let (shape, checkpoint) = (self.image.shape(), self.progress.checkpoint());
        let (saved, since) = (Cell::new(self.known.len()), Cell::new(Instant::now()));
        let found = RefCell::new(std::mem::take(&mut self.known));
        // The saved curves are always those at the first scales.
        let save = |curves: &[Vcec]| {
            for (scale, curve) in curves.iter().enumerate().skip(saved.get()) {
                if !save_scale(checkpoint, self.image.voxel_type(), shape, scale, curve) {
                    return;
                }
                saved.set(scale + 1);
            }
            since.set(Instant::now());
        };
        let mut take = |curves: &[Vcec]| {
            if checkpoint.takes_turn() || checkpoint.is_worth_keeping(since.get().elapsed()) {
                save(curves);
            }
        };
        let work = || {
            let advance = |voxels| self.progress.advance(voxels);
            let curves = &mut found.borrow_mut();
            with_image!(self.image, image => {
                curves_since(image, self.request, self.scales, curves, &mut take, &advance)
            })
        };
        saving(work, || {
            if checkpoint.is_kept() {
                save(&found.borrow());
            }
        })?;
        Ok(found.into_inner())
    }

    fn check(&mut self, found: &Vec<Vcec>) -> Result<(), MachineError> {
        let expected = self.on_processor()?;
        for (found, expected) in found.iter().zip(&expected) {
            compare(found, expected)?;
        }
        Ok(())
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
    use crate::cubical::ecc::curve;
    use crate::cubical::{Image, Order, Shape};

    fn image() -> Image<u8> {
        Image::new(Shape::new(&[2, 3], Order::C).unwrap(), vec![3, 1, 4, 1, 5, 9]).unwrap()
    }

    #[test]
    fn the_processor_unless_a_device_pays() {
        for choice in [Choice::Cpu, Choice::Auto] {
            let backend = Backend::new(BackendRequest { choice, ..BackendRequest::default() });
            let (found, decision) =
                curve_by(&image().into(), Periodic::NONE, &EccRequest::default(), &backend, &()).unwrap();
            assert_eq!(found, curve(&image(), &EccRequest::default()).unwrap());
            assert!(decision.gpus.is_empty(), "{decision}");
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_asked_for_and_checked() {
        let asked = BackendRequest { choice: Choice::Cuda, self_check: true, ..BackendRequest::default() };
        let found =
            curve_by(&image().into(), Periodic::NONE, &EccRequest::default(), &Backend::new(asked), &());
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
