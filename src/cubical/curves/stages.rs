//! Curves of images as stages that a backend runs, on the GPU or the CPU.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::checkpoint::{CurveState, save_scale};
use super::{CurveSource, CurvesError, ImageCurves, STAGE};
use crate::backend::{MachineError, Outcome, Stage};
use crate::cubical::ecc::cuda::DeviceError;
use crate::cubical::ecc::scales::{Scales, ScalesError, curves_device, curves_since};
use crate::cubical::ecc::{EccRequest, Vcec, VcecRows, compare};
use crate::cubical::image::Image;
use crate::cubical::read::{AnyStream, ImageReadError};
use crate::cuda::{Gpu, KernelVoxel};
use crate::progress::{Cost, Expected, Progress, saving};
use crate::with_stream;

/// The curve of a streamed image, as a stage.
pub(super) struct StreamStage<'a, 's> {
    pub(super) curves: &'a mut ImageCurves,
    pub(super) source: &'a CurveSource<'s>,
    /// The image at its first voxel; taken by the first device that reads it.
    pub(super) stream: Option<AnyStream>,
    /// State loaded from the checkpoint.
    pub(super) state: CurveState,
    pub(super) progress: &'a dyn Progress,
}

impl StreamStage<'_, '_> {
    /// Returns the image at its first voxel, opening it again if it was read.
    fn stream(&mut self) -> Result<AnyStream, ImageReadError> {
        self.stream.take().map_or_else(self.source.open, Ok)
    }
}

impl Stage for StreamStage<'_, '_> {
    type Found = VcecRows;
    type Error = CurvesError;
    type Failure = DeviceError;

    fn on_device(&mut self, gpu: &Gpu) -> Outcome<VcecRows, Self> {
        let stream = self.stream().map_err(CurvesError::Read)?;
        let (range, progress) = (self.state.range, self.progress);
        let curve = with_stream!(stream, stream => self.curves.on_device(gpu, stream, range, progress))?;
        Ok(VcecRows::Memory(curve))
    }

    fn on_processor(&mut self) -> Result<VcecRows, CurvesError> {
        let stream = self.stream()?;
        let (state, progress) = (&self.state, self.progress);
        Ok(with_stream!(stream, stream => self.curves.add_up(stream, state, progress))?)
    }

    fn check(&mut self, found: &VcecRows) -> Outcome<(), Self> {
        let expected = self.on_processor().and_then(|rows| {
            rows.into_vcec().map_err(|error| CurvesError::from(self.curves.unreadable(error)))
        });
        let expected = expected.map_err(MachineError::Stage)?;
        match found {
            VcecRows::Memory(found) => Ok(compare(found, &expected)?),
            VcecRows::Disk(_) => unreachable!("a device keeps its curve in memory"),
        }
    }
}

/// The curves of an image in memory at several scales, as a stage.
pub(super) struct ScalesStage<'a, T> {
    pub(super) image: &'a Image<T>,
    pub(super) request: &'a EccRequest,
    pub(super) scales: &'a Scales,
    /// Curves at the first scales, loaded from the checkpoint.
    pub(super) known: Vec<Vcec>,
    pub(super) progress: &'a dyn Progress,
}

impl<T: KernelVoxel> ScalesStage<'_, T> {
    /// Starts the progress of the stage: each device counts from the first voxel.
    fn begin(&self) {
        self.progress.expect(&[Expected { stage: STAGE, dim: None, cost: Cost::Known(1.0) }]);
        self.progress.begin(STAGE, None, self.image.shape().count() as u64 * self.scales.count as u64);
    }
}

impl<T: KernelVoxel> Stage for ScalesStage<'_, T> {
    type Found = Vec<Vcec>;
    type Error = ScalesError;
    type Failure = DeviceError;

    fn on_device(&mut self, gpu: &Gpu) -> Outcome<Vec<Vcec>, Self> {
        self.begin();
        let advance = |voxels| self.progress.advance(voxels);
        curves_device(gpu, self.image, self.request, self.scales, &advance).map_err(|error| match error {
            ScalesError::Device(error) => MachineError::Device(error),
            error => MachineError::Stage(error),
        })
    }

    fn on_processor(&mut self) -> Result<Vec<Vcec>, ScalesError> {
        self.begin();
        let (shape, checkpoint) = (self.image.shape(), self.progress.checkpoint());
        let (saved, since) = (Cell::new(self.known.len()), Cell::new(Instant::now()));
        let found = RefCell::new(std::mem::take(&mut self.known));
        // The saved curves are always those at the first scales.
        let save = |curves: &[Vcec]| {
            for (scale, curve) in curves.iter().enumerate().skip(saved.get()) {
                if !save_scale(checkpoint, T::NAME, shape, scale, curve) {
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
            curves_since(self.image, self.request, self.scales, curves, &mut take, &advance)
        };
        saving(work, || {
            if checkpoint.is_kept() {
                save(&found.borrow());
            }
        })?;
        Ok(found.into_inner())
    }

    fn check(&mut self, found: &Vec<Vcec>) -> Outcome<(), Self> {
        let expected = self.on_processor().map_err(MachineError::Stage)?;
        for (found, expected) in found.iter().zip(&expected) {
            compare(found, expected)?;
        }
        Ok(())
    }
}
