//! Euler characteristic curves of a sequence of images read from files, reusing buffers and kernels.
//!
//! An image is streamed to the CPU ([`super::ecc::slabs`]) or to a GPU ([`super::ecc::cuda`]), as the backend decides.
//! Only for curves at several scales it is read whole. This module connects reading ([`super::read`]) and the stage
//! ([`super::ecc`]), which do not depend on each other; the caller opens the files ([`CurveSource`]).

mod checkpoint;
mod stages;

use std::any::Any;
use std::io;
use std::path::PathBuf;

pub use self::checkpoint::forget;
use self::checkpoint::{CurveState, load_scales};
use self::stages::{ScalesStage, StreamStage};
use super::ecc::bins::{Bins, BinsError};
use super::ecc::cuda::{DeviceError, Prepared};
use super::ecc::scales::{Scales, ScalesError};
use super::ecc::slabs::{PartialCurve, SlabCounter, SlabError, Watch};
use super::ecc::{EccRequest, Vcec, VcecRows, Voxels, estimate};
use super::image::{Image, Voxel};
use super::read::{AnyStream, Detection, ImageReadError, Stream};
use super::shape::Shape;
use super::value::Value;
use crate::backend::{Backend, BackendError, Difference, Estimate, MachineError};
use crate::cuda::{Gpu, KernelVoxel};
use crate::progress::{Cost, Expected, Interrupted, Progress, check, interruptible};
use crate::snapshot::SnapshotError;
use crate::{with_image, with_stream};

/// Name of the stage for [`Progress`]. The unit of work is a voxel; voxels that are read twice count twice.
const STAGE: &str = "curve";

/// An image that can be opened for reading, once or several times.
pub struct CurveSource<'a> {
    open: &'a dyn Fn() -> Result<AnyStream, ImageReadError>,
    is_read_once: bool,
}

impl<'a> CurveSource<'a> {
    /// An image that `open` opens at its first voxel; only once if `is_read_once`, as for a pipe.
    pub fn new(open: &'a dyn Fn() -> Result<AnyStream, ImageReadError>, is_read_once: bool) -> Self {
        CurveSource { open, is_read_once }
    }
}

/// Computes the curves of images, all with the same request.
#[derive(Debug)]
pub struct ImageCurves {
    request: EccRequest,
    /// Memory limit in bytes.
    limit: usize,
    /// Directory for rows that exceed the memory limit.
    directory: PathBuf,
    backend: Backend,
    /// The [`SlabCounter`] of the last image, for that image's voxel type.
    counter: Option<Box<dyn Any>>,
    /// The [`Prepared`] kernels and buffers of the last image, for that image's voxel type.
    prepared: Option<Box<dyn Any>>,
}

/// Result for one image.
#[derive(Debug)]
#[non_exhaustive]
pub struct CurvesFound {
    /// The Euler characteristic curve.
    pub rows: VcecRows,
    /// The shape of the image.
    pub shape: Shape,
    /// NumPy name of the voxel type.
    pub voxels: &'static str,
    /// Number of passes over the image: 2 if the range of the bins had to be found first, else 1.
    pub passes: u64,
    /// Curves at the further scales: of the image smoothed once, twice, and so on.
    pub smoothed: Vec<Vcec>,
    /// Result of format detection; `None` if the format was given.
    pub detection: Option<Detection>,
    /// Device that computed the curve, `cpu` or `cuda`, with the reason.
    pub backend: String,
}

impl CurvesFound {
    /// Number of rows of all curves together.
    pub fn count(&self) -> u64 {
        self.rows.count() + self.smoothed.iter().map(|curve| curve.changes.len() as u64).sum::<u64>()
    }
}

/// Reasons why the curve of an image could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// The image cannot be read.
    #[error(transparent)]
    Read(#[from] ImageReadError),
    /// The range of the bins is unknown and the image cannot be read a second time to find it.
    #[error("expected the range of the bins of {voxels} voxels beforehand, found none")]
    Range {
        /// NumPy name of the voxel type.
        voxels: &'static str,
    },
    /// A GPU was requested, but none is usable.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The GPU failed.
    #[error("backend cuda")]
    Device(#[from] DeviceError),
    /// The self-check found that the curves of GPU and CPU differ.
    #[error("self-check")]
    Check(#[from] Difference),
    /// A self-check reads the image twice, but it can be read only once.
    #[error("expected a regular file, which can be read by processor and device both, for a self-check")]
    ReadOnce,
    /// The image cannot be smoothed.
    #[error(transparent)]
    Scales(#[from] ScalesError),
    /// The sums over the image cannot be computed or stored.
    #[error(transparent)]
    Slabs(SlabError<ImageReadError>),
    /// The checkpoint of the curve cannot be resumed from.
    #[error(transparent)]
    Checkpoint(Box<SnapshotError>),
    /// The [`Progress`] ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<SnapshotError> for CurvesError {
    fn from(error: SnapshotError) -> Self {
        CurvesError::Checkpoint(Box::new(error))
    }
}

impl From<MachineError<CurvesError, DeviceError>> for CurvesError {
    fn from(error: MachineError<CurvesError, DeviceError>) -> Self {
        match error {
            MachineError::Stage(error) => error,
            MachineError::Backend(error) => CurvesError::Backend(error),
            MachineError::Device(error) => CurvesError::Device(error),
            MachineError::Check(difference) => CurvesError::Check(difference),
        }
    }
}

/// A read error is not a failure of the device.
impl From<CurvesError> for MachineError<CurvesError, DeviceError> {
    fn from(error: CurvesError) -> Self {
        match error {
            CurvesError::Device(error) => MachineError::Device(error),
            error => MachineError::Stage(error),
        }
    }
}

impl From<MachineError<ScalesError, DeviceError>> for CurvesError {
    fn from(error: MachineError<ScalesError, DeviceError>) -> Self {
        match error {
            MachineError::Stage(error) => CurvesError::Scales(error),
            MachineError::Backend(error) => CurvesError::Backend(error),
            MachineError::Device(error) => CurvesError::Scales(ScalesError::Device(error)),
            MachineError::Check(difference) => CurvesError::Check(difference),
        }
    }
}

impl From<SlabError<ImageReadError>> for CurvesError {
    fn from(error: SlabError<ImageReadError>) -> Self {
        match error {
            SlabError::Read(error) => CurvesError::Read(error),
            error => CurvesError::Slabs(error),
        }
    }
}

impl ImageCurves {
    /// A computation of curves with this request, in at most `limit` bytes of memory.
    ///
    /// # Errors
    /// [`BinsError`]: the bins of the request are invalid.
    pub fn new(request: &EccRequest, limit: usize, backend: Backend) -> Result<Self, BinsError> {
        request.bins.check()?;
        let directory = std::env::temp_dir();
        Ok(ImageCurves { request: *request, limit, directory, backend, counter: None, prepared: None })
    }

    /// Spills rows that exceed the memory limit to temporary files in this directory instead of the system's, if it is
    /// given.
    #[must_use]
    pub fn spilling_to(self, directory: Option<PathBuf>) -> Self {
        ImageCurves { directory: directory.unwrap_or(self.directory), ..self }
    }

    /// Computes the curve of an image, resuming from the checkpoint of `progress` if it has one.
    ///
    /// # Errors
    /// [`CurvesError`]: the reasons are listed there.
    pub fn curve(
        &mut self,
        source: &CurveSource<'_>,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, CurvesError> {
        interruptible(progress, |progress| self.curve_here(source, progress))
    }

    fn curve_here(
        &mut self,
        source: &CurveSource<'_>,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, CurvesError> {
        let stream = (source.open)()?;
        let (voxels, needs_range, has_many) = with_stream!(&stream, stream => kind(stream, &self.request));
        let (shape, detection) = (stream.shape(), stream.detection());
        let mut decision =
            self.backend.decide(&with_stream!(&stream, stream => estimate_of(stream, &self.request)))?;
        if decision.self_check && source.is_read_once {
            return Err(CurvesError::ReadOnce);
        }
        let passes = if needs_range { 2 } else { 1 };
        let mut stages = vec![Expected { stage: STAGE, dim: None, cost: Cost::Known(1.0) }];
        if has_many {
            // Writing as many rows as there are voxels may take longer than counting the voxels.
            stages.push(Expected { stage: "writing", dim: None, cost: Cost::Unknown });
        }
        progress.expect(&stages);
        progress.begin(STAGE, None, passes * shape.count() as u64);
        let checkpoint = progress.checkpoint();
        let mut state = CurveState::load(checkpoint, voxels, shape)?;
        let stream = match state.range {
            _ if !needs_range => stream,
            Some(_) => {
                progress.advance(shape.count() as u64);
                stream
            }
            None => {
                if source.is_read_once {
                    return Err(CurvesError::Range { voxels });
                }
                state.range = Some(with_stream!(stream, stream => range(stream, progress))?);
                if checkpoint.takes_turn() {
                    state.save(checkpoint, voxels, shape);
                }
                (source.open)()?
            }
        };
        // The CPU cannot take over from the GPU if the image cannot be read again.
        decision.may_fall_back &= !source.is_read_once;
        let stream = Some(stream);
        let rows = decision.run(&mut StreamStage { curves: self, source, stream, state, progress })?;
        let backend = decision.to_string();
        Ok(CurvesFound { rows, shape, voxels, passes, smoothed: Vec::new(), detection, backend })
    }

    /// Computes the curves of an image at several scales. The image is read whole; progress counts voxels once per
    /// scale.
    ///
    /// # Errors
    /// [`CurvesError`]: the reasons are listed there.
    pub fn curves(
        &mut self,
        source: &CurveSource<'_>,
        scales: &Scales,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, CurvesError> {
        interruptible(progress, |progress| {
            let stream = (source.open)()?;
            let detection = stream.detection();
            let image = stream.image()?;
            let found = with_image!(image, image => self.curves_of(&image, scales, progress))?;
            Ok(CurvesFound { detection, ..found })
        })
    }

    fn curves_of<T: KernelVoxel>(
        &self,
        image: &Image<T>,
        scales: &Scales,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, CurvesError> {
        let one = estimate::<T>(image.shape(), &self.request);
        let more = estimate::<f32>(image.shape(), &self.request);
        let smoothed = scales.count.saturating_sub(1) as f64;
        let all = Estimate {
            work: format!("{}, at {} scales", one.work, scales.count),
            cpu: one.cpu + smoothed * more.cpu,
            device: one.device + smoothed * more.device,
        };
        let mut decision = self.backend.decide(&all)?;
        let known = load_scales(progress.checkpoint(), T::NAME, image.shape(), scales.count)?;
        let request = &self.request;
        let found = decision.run(&mut ScalesStage { image, request, scales, known, progress })?;
        let mut found = found.into_iter();
        let rows = VcecRows::Memory(found.next().unwrap_or_default());
        let (shape, voxels, smoothed) = (image.shape(), T::NAME, found.collect());
        let backend = decision.to_string();
        Ok(CurvesFound { rows, shape, voxels, passes: 1, smoothed, detection: None, backend })
    }

    fn on_device<T: KernelVoxel>(
        &mut self,
        gpu: &Gpu,
        mut stream: Stream<T>,
        range: Option<(Value, Value)>,
        progress: &dyn Progress,
    ) -> Result<Vcec, CurvesError> {
        let last = self.prepared.take().and_then(|prepared| prepared.downcast::<Prepared<T>>().ok());
        let prepared = match last {
            Some(prepared) => prepared,
            None => Box::new(Prepared::new(gpu).map_err(DeviceError::from)?),
        };
        let mut request = self.request;
        if let (Bins::Uniform { range: bounds, .. }, Some(found)) = (&mut request.bins, range) {
            *bounds = Some(found);
        }
        let (shape, advance) = (stream.shape(), |voxels| progress.advance(voxels));
        let count = |voxels: Voxels<'_, T, _>| prepared.stream(shape, &request, voxels, &advance);
        let curve = with_voxels(&mut stream, CurvesError::Read, count);
        self.prepared = Some(prepared);
        curve
    }

    fn add_up<T: Voxel>(
        &mut self,
        mut stream: Stream<T>,
        state: &CurveState,
        progress: &dyn Progress,
    ) -> Result<VcecRows, SlabError<ImageReadError>> {
        let last = self.counter.take().and_then(|counter| counter.downcast::<SlabCounter<T>>().ok());
        let mut counter = match last {
            Some(counter) => counter,
            None => {
                let counter = SlabCounter::new(&self.request, self.limit)?;
                Box::new(counter.spilling_to(self.directory.clone()))
            }
        };
        let (shape, checkpoint) = (stream.shape(), progress.checkpoint());
        let (since, range) = (state.partial.as_ref(), state.range);
        let keep = |partial: Option<PartialCurve>| {
            if partial.is_some() {
                CurveState { range, partial }.save(checkpoint, T::NAME, shape);
            }
            check(progress);
        };
        let watch = Watch {
            advance: &|voxels| progress.advance(voxels),
            pauses: &|| checkpoint.takes_turn() || progress.is_interrupted(),
            keep: &keep,
        };
        let count = |voxels: Voxels<'_, T, _>| counter.curve(shape, range, voxels, since, &watch);
        let found = with_voxels(&mut stream, std::convert::identity, count);
        self.counter = Some(counter);
        found
    }

    /// Converts an error of reading spilled rows.
    fn unreadable(&self, error: io::Error) -> SlabError<ImageReadError> {
        SlabError::Spill { directory: self.directory.clone(), limit: self.limit, error }
    }
}

/// Finds the least and the greatest finite value of an image.
fn range<T: Voxel>(
    mut stream: Stream<T>,
    progress: &dyn Progress,
) -> Result<(Value, Value), SlabError<ImageReadError>> {
    let (shape, advance) = (stream.shape(), |voxels| progress.advance(voxels));
    SlabCounter::range(shape, |voxels| stream.read(voxels), &advance)
}

/// Passes the voxels of a stream to `work`; `failed` converts an error of reading them.
fn with_voxels<T: Voxel, E, R>(
    stream: &mut Stream<T>,
    failed: fn(ImageReadError) -> E,
    work: impl FnOnce(Voxels<'_, T, E>) -> R,
) -> R {
    if let Some(places) = stream.anywhere() {
        let read = |first, voxels: &mut [T]| places.read(first, voxels).map_err(failed);
        return work(Voxels::Anywhere(&read));
    }
    work(Voxels::InOrder(&mut |voxels| stream.read(voxels).map_err(failed)))
}

fn estimate_of<T: Voxel>(stream: &Stream<T>, request: &EccRequest) -> Estimate {
    estimate::<T>(stream.shape(), request)
}

/// Returns the name of the voxel type, whether a range of values is needed first, and whether rows may be very many.
fn kind<T: Voxel>(_: &Stream<T>, request: &EccRequest) -> (&'static str, bool, bool) {
    let has_many = request.bins == Bins::Distinct && size_of::<T>() > 2;
    (T::NAME, SlabCounter::<T>::needs_range(request), has_many)
}
