//! The curves of images that are opened to be read, one after another, in the same buffers and with the same kernels.
//!
//! An image comes as a stream, to the processor ([`super::ecc::slabs`]) or to a device ([`super::ecc::cuda`]), whichever the backend decides
//! for. Only for curves at several scales it is read whole. This is where reading ([`super::read`]) and the stage ([`super::ecc`]) meet,
//! neither of which knows the other; files are opened by the caller ([`CurveSource`]).

mod kept;
mod stages;

use std::any::Any;
use std::io;
use std::path::PathBuf;

pub use self::kept::forget;
use self::kept::{Kept, load_scales};
use self::stages::{Failed, ScalesStage, StreamStage};
use super::ecc::bins::{Bins, BinsError};
use super::ecc::cuda::{DeviceError, Prepared};
use super::ecc::scales::{Scales, ScalesError};
use super::ecc::slabs::{PartialCurve, SlabCounter, SlabError, Watch};
use super::ecc::{EccRequest, Vcec, VcecRows, Voxels, estimate};
use super::image::{Image, Voxel};
use super::read::{AnyStream, Detection, ImageReadError, Stream};
use super::shape::Shape;
use super::value::Value;
use crate::backend::{Backend, BackendError, Decision, Difference, Estimate, MachineError};
use crate::cuda::{Gpu, KernelVoxel};
use crate::progress::{Cost, Expected, Interrupted, Progress, check, interruptible};
use crate::snapshot::SnapshotError;
use crate::{with_image, with_stream};

/// The stage as [`Progress`] is told of it, whose units of work are voxels; those that are read twice count twice.
const STAGE: &str = "curve";

/// An image that is opened as often as it is read.
pub struct CurveSource<'a> {
    open: &'a dyn Fn() -> Result<AnyStream, ImageReadError>,
    is_read_once: bool,
}

impl<'a> CurveSource<'a> {
    /// An image that `open` opens from its first voxel on. `is_read_once` says that it can do so but once, as of a pipe.
    pub fn new(open: &'a dyn Fn() -> Result<AnyStream, ImageReadError>, is_read_once: bool) -> Self {
        CurveSource { open, is_read_once }
    }
}

/// Finds the curves of images that are asked the same.
#[derive(Debug)]
pub struct ImageCurves {
    request: EccRequest,
    /// Bytes of memory to use at most.
    limit: usize,
    /// Where rows go that memory has no room for; the system's directory for temporary files when `None`.
    directory: Option<PathBuf>,
    backend: Backend,
    /// A [`SlabCounter`] of the type that the voxels of the last image had.
    counter: Option<Box<dyn Any>>,
    /// [`Prepared`] for that type.
    prepared: Option<Box<dyn Any>>,
}

/// What was found of an image.
#[derive(Debug)]
#[non_exhaustive]
pub struct CurvesFound {
    /// Its curve.
    pub rows: VcecRows,
    /// Its shape.
    pub shape: Shape,
    /// The type of its voxels, as NumPy calls it.
    pub voxels: &'static str,
    /// How often it was read: twice for the range of its bins.
    pub passes: u64,
    /// The curves of the image smoothed once, twice, and so on.
    pub smoothed: Vec<Vcec>,
    /// What it was detected to be; `None` where the format was given.
    pub detection: Option<Detection>,
    /// What found it: `cpu` or `cuda`, and why.
    pub backend: String,
}

impl CurvesFound {
    /// The number of rows of all curves.
    pub fn count(&self) -> u64 {
        self.rows.count() + self.smoothed.iter().map(|curve| curve.changes.len() as u64).sum::<u64>()
    }
}

/// Why an image has no curve.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ImageReadError),
    /// It cannot be read twice, and the range of its bins is not known.
    #[error("expected the range of the bins of {voxels} voxels beforehand, found none")]
    Range {
        /// The type of the voxels.
        voxels: &'static str,
    },
    /// A GPU was asked for, and there is none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails.
    #[error("backend cuda")]
    Device(#[source] DeviceError),
    /// The device finds another curve than the processor.
    #[error("self-check")]
    Check(#[from] Difference),
    /// It cannot be read twice, by the device and by the processor that checks it.
    #[error("expected a regular file, which can be read by processor and device both, for a self-check")]
    ReadOnce,
    /// It cannot be smoothed.
    #[error(transparent)]
    Scales(#[from] ScalesError),
    /// It is read, but cannot be added up.
    #[error(transparent)]
    Slabs(SlabError<ImageReadError>),
    /// What is kept of the curve cannot be gone on from.
    #[error(transparent)]
    Checkpoint(Box<SnapshotError>),
    /// The run was ended early, as its [`Progress`] wanted.
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
    /// Curves of images of which this is asked, in so many bytes of memory.
    ///
    /// # Errors
    /// [`BinsError`]: there are no such bins.
    pub fn new(request: &EccRequest, limit: usize, backend: Backend) -> Result<Self, BinsError> {
        request.bins.check()?;
        let directory = None;
        Ok(ImageCurves { request: *request, limit, directory, backend, counter: None, prepared: None })
    }

    /// Keeps rows that memory has no room for in files of this directory.
    #[must_use]
    pub fn spilling_to(self, directory: Option<PathBuf>) -> Self {
        ImageCurves { directory, ..self }
    }

    /// The curve of an image. What is kept of it in the progress' checkpoint is gone on from.
    ///
    /// # Errors
    /// [`CurvesError`].
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
            // To write as many rows as there are voxels may take longer than to count these.
            stages.push(Expected { stage: "writing", dim: None, cost: Cost::Unknown });
        }
        progress.expect(&stages);
        progress.begin(STAGE, None, passes * shape.count() as u64);
        let checkpoint = progress.checkpoint();
        let mut kept = Kept::load(checkpoint, voxels, shape)?;
        let stream = match kept.range {
            _ if !needs_range => stream,
            Some(_) => {
                progress.advance(shape.count() as u64);
                stream
            }
            None => {
                if source.is_read_once {
                    return Err(CurvesError::Range { voxels });
                }
                kept.range = Some(self.range(stream, progress)?);
                if checkpoint.takes_turn() {
                    kept.save(checkpoint, voxels, shape);
                }
                (source.open)()?
            }
        };
        let rows = self.rows(source, stream, kept, &mut decision, progress)?;
        let backend = decision.to_string();
        Ok(CurvesFound { rows, shape, voxels, passes, smoothed: Vec::new(), detection, backend })
    }

    /// The rows of the curve, by what was decided on.
    fn rows(
        &mut self,
        source: &CurveSource<'_>,
        stream: AnyStream,
        kept: Kept,
        decision: &mut Decision,
        progress: &dyn Progress,
    ) -> Result<VcecRows, CurvesError> {
        // The processor cannot take a device's place where the image is gone.
        decision.may_fall_back &= !source.is_read_once;
        let stream = Some(stream);
        Ok(decision.run(&mut StreamStage { curves: self, source, stream, kept, progress })?)
    }

    /// The curves of an image at several scales; it is read whole, and its voxels count at each scale.
    ///
    /// # Errors
    /// [`CurvesError`].
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
    ) -> Result<Vcec, Failed> {
        let kept = self.prepared.take().and_then(|kept| kept.downcast::<Prepared<T>>().ok());
        let prepared = match kept {
            Some(prepared) => prepared,
            None => Box::new(Prepared::new(gpu).map_err(DeviceError::from)?),
        };
        let mut request = self.request;
        if let (Bins::Uniform { range: bounds, .. }, Some(found)) = (&mut request.bins, range) {
            *bounds = Some(found);
        }
        let (shape, advance) = (stream.shape(), |voxels| progress.advance(voxels));
        let curve = if let Some(places) = stream.anywhere() {
            let read = |first, room: &mut [T]| places.read(first, room).map_err(Failed::Read);
            prepared.stream(shape, &request, Voxels::Anywhere(&read), &advance)
        } else {
            let mut read = |room: &mut [T]| stream.read(room).map_err(Failed::Read);
            prepared.stream(shape, &request, Voxels::InOrder(&mut read), &advance)
        };
        self.prepared = Some(prepared);
        curve
    }

    fn range(
        &mut self,
        stream: AnyStream,
        progress: &dyn Progress,
    ) -> Result<(Value, Value), SlabError<ImageReadError>> {
        let advance = |voxels| progress.advance(voxels);
        with_stream!(stream, stream => self.with_counter(stream, |counter, stream| {
            counter.range(stream.shape(), |voxels| stream.read(voxels), &advance)
        }))
    }

    fn add_up<T: Voxel>(
        &mut self,
        stream: Stream<T>,
        kept: &Kept,
        progress: &dyn Progress,
    ) -> Result<VcecRows, SlabError<ImageReadError>> {
        self.with_counter(stream, |counter, stream| {
            let (shape, checkpoint) = (stream.shape(), progress.checkpoint());
            let (since, range) = (kept.partial.as_ref(), kept.range);
            let keep = |partial: Option<PartialCurve>| {
                if partial.is_some() {
                    Kept { range, partial }.save(checkpoint, T::NAME, shape);
                }
                check(progress);
            };
            let watch = Watch {
                advance: &|voxels| progress.advance(voxels),
                pauses: &|| checkpoint.takes_turn() || progress.is_interrupted(),
                keep: &keep,
            };
            if let Some(places) = stream.anywhere() {
                let read = |first, voxels: &mut [T]| places.read(first, voxels);
                return counter.curve_anywhere_since(since, shape, range, &read, &watch);
            }
            counter.curve_since(since, shape, range, |voxels| stream.read(voxels), &watch)
        })
    }

    /// Why rows that are in a file cannot be read.
    fn unreadable(&self, error: io::Error) -> SlabError<ImageReadError> {
        let directory = self.directory.clone().unwrap_or_else(std::env::temp_dir);
        SlabError::Spill { directory, limit: self.limit, error }
    }

    fn with_counter<T: Voxel, R>(
        &mut self,
        mut stream: Stream<T>,
        work: impl FnOnce(&mut SlabCounter<T>, &mut Stream<T>) -> Result<R, SlabError<ImageReadError>>,
    ) -> Result<R, SlabError<ImageReadError>> {
        let kept = self.counter.take().and_then(|kept| kept.downcast::<SlabCounter<T>>().ok());
        let mut counter = match kept {
            Some(counter) => counter,
            None => {
                let counter = SlabCounter::new(&self.request, self.limit)?;
                Box::new(match &self.directory {
                    Some(directory) => counter.spilling_to(directory.clone()),
                    None => counter,
                })
            }
        };
        let found = work(&mut counter, &mut stream);
        self.counter = Some(counter);
        found
    }
}

fn estimate_of<T: Voxel>(stream: &Stream<T>, request: &EccRequest) -> Estimate {
    estimate::<T>(stream.shape(), request)
}

/// Its voxels' type, whether their range must be known before they are added up, and whether there may be very many rows.
fn kind<T: Voxel>(_: &Stream<T>, request: &EccRequest) -> (&'static str, bool, bool) {
    let has_many = request.bins == Bins::Distinct && size_of::<T>() > 2;
    (T::NAME, SlabCounter::<T>::needs_range(request), has_many)
}
