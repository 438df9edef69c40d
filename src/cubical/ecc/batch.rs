//! The curves of files, one after another, in the same buffers and with the same kernels.
//!
//! A file is a stream, to the processor ([`super::stream`]) or to a device ([`super::cuda`]), whichever its backend decides for. Only for
//! curves at several scales it is read whole.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};

use super::cuda::{DeviceError, Prepared, Voxels};
use super::machine::compare;
use super::scales::{Scales, ScalesError, curves, curves_device};
use super::stream::{StreamError, Streamer};
use super::{Bins, BinsError, Curve, Request, Rows, estimate};
use crate::backend::{Backend, BackendError, Decision, Difference, Estimate};
use crate::cubical::read::{self, AnyStream, Detection, Options, ReadError, Stream};
use crate::cubical::{Image, Shape, Value, Voxel};
use crate::cuda::{Gpu, KernelVoxel};
use crate::input::name_of;
use crate::{with_image, with_stream};

/// Is told how far an image is.
pub trait Watch {
    /// Of so many voxels; those that are read twice count twice.
    fn begin(&self, voxels: u64);
    /// So many more.
    fn advance(&self, voxels: u64);
}

/// Nobody.
impl Watch for () {
    fn begin(&self, _voxels: u64) {}

    fn advance(&self, _voxels: u64) {}
}

/// What every file is asked.
#[derive(Debug)]
pub struct Batch {
    request: Request,
    options: Options,
    limit: usize,
    /// Where rows go that memory has no room for; the system's directory for temporary files when `None`.
    directory: Option<PathBuf>,
    backend: Backend,
    /// A [`Streamer`] of the type that the voxels of the last image had.
    kept: Option<Box<dyn Any>>,
    /// [`Prepared`] for that type.
    prepared: Option<Box<dyn Any>>,
}

/// What was found of an image.
#[derive(Debug)]
pub struct Found {
    /// Its curve.
    pub curve: Rows,
    /// Its shape.
    pub shape: Shape,
    /// The type of its voxels, as NumPy calls it.
    pub voxels: &'static str,
    /// How often it was read: twice for the range of its bins.
    pub passes: u64,
    /// The curves of the image smoothed once, twice, and so on.
    pub smoothed: Vec<Curve>,
    /// What its file was detected to be; `None` where the format was given.
    pub detection: Option<Detection>,
    /// What found it: `cpu` or `cuda`, and why.
    pub backend: String,
}

impl Found {
    /// How many rows there are, of all curves.
    pub fn rows(&self) -> u64 {
        self.curve.count() + self.smoothed.iter().map(|curve| curve.changes.len() as u64).sum::<u64>()
    }
}

/// Why an image has no curve.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Standard input or a pipe cannot be read twice.
    #[error("{file}: expected the range of the bins of {voxels} voxels beforehand, found none (--range)")]
    Range {
        /// The file.
        file: String,
        /// The type of the voxels.
        voxels: &'static str,
    },
    /// A GPU was asked for, and there is none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device fails.
    #[error("{file}: backend cuda")]
    Device {
        /// The file.
        file: String,
        /// How.
        #[source]
        error: DeviceError,
    },
    /// The device finds another curve than the processor.
    #[error("{file}: self-check")]
    Check {
        /// The file.
        file: String,
        /// Where.
        #[source]
        difference: Difference,
    },
    /// Standard input or a pipe cannot be read again.
    #[error(
        "{file}: expected a regular file, which can be read by processor and device both, for a self-check"
    )]
    Twice {
        /// The file.
        file: String,
    },
    /// It cannot be smoothed.
    #[error("{file}")]
    Scales {
        /// The file.
        file: String,
        /// Why.
        #[source]
        error: ScalesError,
    },
    /// It is read, but cannot be added up.
    #[error("{file}: {error}")]
    Stream {
        /// The file.
        file: String,
        /// Why.
        error: StreamError<ReadError>,
    },
}

impl Batch {
    /// Of files that are read so, in so many bytes of memory.
    ///
    /// # Errors
    /// [`BinsError`]: there are no such bins.
    pub fn new(
        request: &Request,
        options: Options,
        limit: usize,
        backend: Backend,
    ) -> Result<Self, BinsError> {
        request.bins.check()?;
        let directory = None;
        Ok(Batch { request: *request, options, limit, directory, backend, kept: None, prepared: None })
    }

    /// With rows that memory has no room for in files of this directory.
    #[must_use]
    pub fn spilling_to(self, directory: Option<PathBuf>) -> Self {
        Batch { directory, ..self }
    }

    /// The curve of the image in a file, or in standard input when it is `-`.
    ///
    /// # Errors
    /// [`BatchError`].
    pub fn curve(&mut self, path: &Path, watch: &dyn Watch) -> Result<Found, BatchError> {
        // What has been read of a pipe is gone; to open it again would wait for ever.
        let is_read_once =
            path == Path::new("-") || std::fs::metadata(path).is_ok_and(|found| !found.is_file());
        let mut stream = read::open(path, &self.options)?;
        let (voxels, needs_range) = with_stream!(&stream, stream => kind(stream, &self.request));
        let (shape, detection) = (stream.shape(), stream.detection());
        let mut decision =
            self.backend.decide(&with_stream!(&stream, stream => estimate_of(stream, &self.request)))?;
        if decision.self_check && is_read_once {
            return Err(BatchError::Twice { file: name_of(path) });
        }
        watch.begin(if needs_range { 2 } else { 1 } * shape.count() as u64);
        let mut range = None;
        if needs_range {
            if is_read_once {
                return Err(BatchError::Range { file: name_of(path), voxels });
            }
            range = Some(self.range(stream, watch).map_err(|error| failed(path, error))?);
            stream = read::open(path, &self.options)?;
        }
        let passes = if needs_range { 2 } else { 1 };
        let found = |curve, decision: &Decision| Found {
            curve,
            shape,
            voxels,
            passes,
            smoothed: Vec::new(),
            detection: detection.clone(),
            backend: decision.to_string(),
        };
        // The processor cannot take a device's place where the image is gone.
        decision.may_fall_back &= !is_read_once;
        let mut device = None;
        if !decision.gpus.is_empty() {
            let on_device = decision.on_device(|gpu| {
                match with_stream!(stream, stream => self.on_device(gpu, stream, range, watch)) {
                    Ok(curve) => Ok(Ok(curve)),
                    // What cannot be read is no failure of the device.
                    Err(Failed::Read(error)) => Ok(Err(error)),
                    Err(Failed::Device(error)) => Err(error),
                }
            });
            device =
                on_device.map_err(|error| BatchError::Device { file: name_of(path), error })?.transpose()?;
            if let Some(curve) = device.take_if(|_| !decision.self_check) {
                return Ok(found(Rows::Memory(curve), &decision));
            }
            stream = read::open(path, &self.options)?;
        }
        let rows = with_stream!(stream, stream => self.add_up(stream, range, watch));
        let mut rows = rows.map_err(|error| failed(path, error))?;
        if device.is_some() {
            let unreadable = |error| failed(path, self.unreadable(error));
            let curve = rows.into_curve().map_err(unreadable)?;
            check(path, device.as_slice(), std::slice::from_ref(&curve))?;
            rows = Rows::Memory(curve);
        }
        Ok(found(rows, &decision))
    }

    /// The curves of the image in a file at several scales; the image is read whole, and its voxels count at each scale.
    ///
    /// # Errors
    /// [`BatchError`].
    pub fn curves(&mut self, path: &Path, scales: &Scales, watch: &dyn Watch) -> Result<Found, BatchError> {
        let stream = read::open(path, &self.options)?;
        let detection = stream.detection();
        let image = stream.image()?;
        let found = with_image!(image, image => self.curves_of(path, &image, scales, watch))?;
        Ok(Found { detection, ..found })
    }

    fn curves_of<T: KernelVoxel>(
        &self,
        path: &Path,
        image: &Image<T>,
        scales: &Scales,
        watch: &dyn Watch,
    ) -> Result<Found, BatchError> {
        let one = estimate::<T>(image.shape(), &self.request);
        let more = estimate::<f32>(image.shape(), &self.request);
        let smoothed = scales.count.saturating_sub(1) as f64;
        let all = Estimate {
            work: format!("{}, at {} scales", one.work, scales.count),
            cpu: one.cpu + smoothed * more.cpu,
            device: one.device + smoothed * more.device,
        };
        let mut decision = self.backend.decide(&all)?;
        let failed = |error| BatchError::Scales { file: name_of(path), error };
        let begin = || watch.begin(image.shape().count() as u64 * scales.count as u64);
        let advance = |voxels| watch.advance(voxels);
        begin();
        let on_device =
            decision.on_device(|gpu| match curves_device(gpu, image, &self.request, scales, &advance) {
                Err(ScalesError::Device(error)) => Err(error),
                answer => Ok(answer),
            });
        let on_device = on_device.map_err(|error| failed(error.into()))?;
        let device = on_device.transpose().map_err(failed)?;
        let found = match device {
            Some(curves) if !decision.self_check => curves,
            device => {
                begin();
                let curves = curves(image, &self.request, scales, &advance).map_err(failed)?;
                check(path, device.as_deref().unwrap_or_default(), &curves)?;
                curves
            }
        };
        let mut found = found.into_iter();
        let curve = Rows::Memory(found.next().unwrap_or_default());
        let (shape, voxels, smoothed) = (image.shape(), T::NAME, found.collect());
        let backend = decision.to_string();
        Ok(Found { curve, shape, voxels, passes: 1, smoothed, detection: None, backend })
    }

    fn on_device<T: KernelVoxel>(
        &mut self,
        gpu: &Gpu,
        mut stream: Stream<T>,
        range: Option<(Value, Value)>,
        watch: &dyn Watch,
    ) -> Result<Curve, Failed> {
        let kept = self.prepared.take().and_then(|kept| kept.downcast::<Prepared<T>>().ok());
        let prepared = match kept {
            Some(prepared) => prepared,
            None => Box::new(Prepared::new(gpu).map_err(DeviceError::from)?),
        };
        let mut request = self.request;
        if let (Bins::Uniform { range: bounds, .. }, Some(found)) = (&mut request.bins, range) {
            *bounds = Some(found);
        }
        let (shape, advance) = (stream.shape(), |voxels| watch.advance(voxels));
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
        watch: &dyn Watch,
    ) -> Result<(Value, Value), StreamError<ReadError>> {
        with_stream!(stream, stream => self.with_streamer(stream, |streamer, stream| {
            streamer.range(stream.shape(), |voxels| stream.read(voxels), &|voxels| watch.advance(voxels))
        }))
    }

    fn add_up<T: Voxel>(
        &mut self,
        stream: Stream<T>,
        range: Option<(Value, Value)>,
        watch: &dyn Watch,
    ) -> Result<Rows, StreamError<ReadError>> {
        self.with_streamer(stream, |streamer, stream| {
            let (shape, advance) = (stream.shape(), |voxels| watch.advance(voxels));
            if let Some(places) = stream.anywhere() {
                let read = |first, voxels: &mut [T]| places.read(first, voxels);
                return streamer.curve_anywhere(shape, range, &read, &advance);
            }
            streamer.curve(shape, range, |voxels| stream.read(voxels), &advance)
        })
    }

    /// Why rows that are in a file cannot be read.
    fn unreadable(&self, error: io::Error) -> StreamError<ReadError> {
        let directory = self.directory.clone().unwrap_or_else(std::env::temp_dir);
        StreamError::Spill { directory, limit: self.limit, error }
    }

    fn with_streamer<T: Voxel, R>(
        &mut self,
        mut stream: Stream<T>,
        work: impl FnOnce(&mut Streamer<T>, &mut Stream<T>) -> Result<R, StreamError<ReadError>>,
    ) -> Result<R, StreamError<ReadError>> {
        let kept = self.kept.take().and_then(|kept| kept.downcast::<Streamer<T>>().ok());
        let mut streamer = match kept {
            Some(streamer) => streamer,
            None => {
                let streamer = Streamer::new(&self.request, self.limit)?;
                Box::new(match &self.directory {
                    Some(directory) => streamer.spilling_to(directory.clone()),
                    None => streamer,
                })
            }
        };
        let found = work(&mut streamer, &mut stream);
        self.kept = Some(streamer);
        found
    }
}

/// Why a device has no curve.
enum Failed {
    Read(ReadError),
    Device(DeviceError),
}

impl From<DeviceError> for Failed {
    fn from(error: DeviceError) -> Self {
        Failed::Device(error)
    }
}

/// Compares what a device found, if it did, with what the processor found.
fn check(path: &Path, device: &[Curve], processor: &[Curve]) -> Result<(), BatchError> {
    for (found, expected) in device.iter().zip(processor) {
        let differs = |difference| BatchError::Check { file: name_of(path), difference };
        compare(found, expected).map_err(differs)?;
    }
    Ok(())
}

fn estimate_of<T: Voxel>(stream: &Stream<T>, request: &Request) -> Estimate {
    estimate::<T>(stream.shape(), request)
}

/// Its voxels' type, and whether their range must be known before they are added up.
fn kind<T: Voxel>(_: &Stream<T>, request: &Request) -> (&'static str, bool) {
    (T::NAME, Streamer::<T>::needs_range(request))
}

/// A reader's error names the file itself.
fn failed(path: &Path, error: StreamError<ReadError>) -> BatchError {
    match error {
        StreamError::Read(error) => BatchError::Read(error),
        error => BatchError::Stream { file: name_of(path), error },
    }
}
