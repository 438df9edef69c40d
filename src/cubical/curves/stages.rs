//! Curves of images as stages that a backend runs, on the GPU or the CPU.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::checkpoint::{CurveState, save_scale};
use super::{CurveSource, CurvesError, ImageCurves, STAGE};
use crate::backend::{MachineError, Outcome, Stage};
use crate::cubical::ecc::bins::Bins;
use crate::cubical::ecc::cuda::{DeviceError, Prepared};
use crate::cubical::ecc::scales::{Scales, ScalesError, curves_device, curves_since};
use crate::cubical::ecc::slabs::{PartialCurve, SlabCounter, Watch};
use crate::cubical::ecc::{EccRequest, Vcec, VcecRows, Voxels, compare};
use crate::cubical::image::Image;
use crate::cubical::read::{ImageReadError, Stream};
use crate::cubical::value::Value;
use crate::cuda::{Gpu, KernelVoxel};
use crate::progress::{Cost, Expected, Progress, check, saving};

/// The curves of streamed images of one voxel type, with buffers and kernels that are reused from image to image.
pub(super) trait StreamedCurves {
    /// Finds the least and the greatest finite value of an image.
    fn range(&mut self, stream: Stream, progress: &dyn Progress) -> Result<(Value, Value), CurvesError>;

    /// Computes the curve of an image on the CPU, beginning with the state of its checkpoint.
    fn on_processor(
        &mut self,
        stream: Stream,
        state: &CurveState,
        progress: &dyn Progress,
    ) -> Result<VcecRows, CurvesError>;

    /// Computes the curve of an image on a GPU.
    fn on_device(
        &mut self,
        gpu: &Gpu,
        stream: Stream,
        range: Option<(Value, Value)>,
        progress: &dyn Progress,
    ) -> Result<Vcec, CurvesError>;
}

/// Buffers and kernels for images of voxel type `T`.
pub(super) struct Reused<T: KernelVoxel> {
    pub(super) request: EccRequest,
    pub(super) counter: SlabCounter<T>,
    pub(super) prepared: Option<Prepared<T>>,
}

impl<T: KernelVoxel> StreamedCurves for Reused<T> {
    fn range(&mut self, mut stream: Stream, progress: &dyn Progress) -> Result<(Value, Value), CurvesError> {
        let (shape, advance) = (stream.shape(), |voxels| progress.advance(voxels));
        Ok(SlabCounter::<T>::range(shape, |voxels| stream.read(voxels), &advance)?)
    }

    fn on_processor(
        &mut self,
        mut stream: Stream,
        state: &CurveState,
        progress: &dyn Progress,
    ) -> Result<VcecRows, CurvesError> {
        let (shape, checkpoint) = (stream.shape(), progress.checkpoint());
        let (since, range) = (state.partial.as_ref(), state.range);
        let keep = |partial: Option<PartialCurve>| {
            if partial.is_some() {
                CurveState { range, partial }.save(checkpoint, T::TYPE, shape);
            }
            check(progress);
        };
        let watch = Watch {
            advance: &|voxels| progress.advance(voxels),
            pauses: &|| checkpoint.takes_turn() || progress.is_interrupted(),
            keep: &keep,
        };
        let count = |voxels: Voxels<'_, T, _>| self.counter.curve(shape, range, voxels, since, &watch);
        Ok(with_source(&mut stream, std::convert::identity, count)?)
    }

    fn on_device(
        &mut self,
        gpu: &Gpu,
        mut stream: Stream,
        range: Option<(Value, Value)>,
        progress: &dyn Progress,
    ) -> Result<Vcec, CurvesError> {
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => Prepared::new(gpu).map_err(DeviceError::from)?,
        };
        let mut request = self.request;
        if let (Bins::Uniform { range: bounds, .. }, Some(found)) = (&mut request.bins, range) {
            *bounds = Some(found);
        }
        let (shape, advance) = (stream.shape(), |voxels| progress.advance(voxels));
        let count = |voxels: Voxels<'_, T, _>| prepared.stream(shape, &request, voxels, &advance);
        let curve = with_source(&mut stream, CurvesError::Read, count);
        self.prepared = Some(prepared);
        curve
    }
}

/// Passes the voxels of a stream to `work`; `failed` converts an error of reading them.
fn with_source<T: KernelVoxel, E, R>(
    stream: &mut Stream,
    failed: fn(ImageReadError) -> E,
    work: impl FnOnce(Voxels<'_, T, E>) -> R,
) -> R {
    if let Some(places) = stream.anywhere() {
        let read = |first, voxels: &mut [T]| places.read(first, voxels).map_err(failed);
        return work(Voxels::Anywhere(&read));
    }
    work(Voxels::InOrder(&mut |voxels| stream.read(voxels).map_err(failed)))
}

/// The curve of a streamed image, as a stage.
pub(super) struct StreamStage<'a, 's> {
    pub(super) curves: &'a mut ImageCurves,
    pub(super) source: &'a CurveSource<'s>,
    /// The image at its first voxel; taken by the first device that reads it.
    pub(super) stream: Option<Stream>,
    /// State loaded from the checkpoint.
    pub(super) state: CurveState,
    pub(super) progress: &'a dyn Progress,
}

impl StreamStage<'_, '_> {
    /// Returns the image at its first voxel, opening it again if it was read.
    fn stream(&mut self) -> Result<Stream, CurvesError> {
        Ok(self.stream.take().map_or_else(self.source.open, Ok)?)
    }
}

impl Stage for StreamStage<'_, '_> {
    type Found = VcecRows;
    type Error = CurvesError;
    type Failure = DeviceError;

    fn on_device(&mut self, gpu: &Gpu) -> Outcome<VcecRows, Self> {
        let stream = self.stream()?;
        let curves = self.curves.of_type(stream.voxel_type())?;
        Ok(VcecRows::Memory(curves.on_device(gpu, stream, self.state.range, self.progress)?))
    }

    fn on_processor(&mut self) -> Result<VcecRows, CurvesError> {
        let stream = self.stream()?;
        let curves = self.curves.of_type(stream.voxel_type())?;
        curves.on_processor(stream, &self.state, self.progress)
    }

    fn check(&mut self, found: &VcecRows) -> Outcome<(), Self> {
        let expected = self.on_processor()?.into_vcec().map_err(|error| self.curves.unreadable(error));
        match found {
            VcecRows::Memory(found) => Ok(compare(found, &expected.map_err(CurvesError::from)?)?),
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
                if !save_scale(checkpoint, T::TYPE, shape, scale, curve) {
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
