//! Euler characteristic curves of a sequence of images read from files, reusing buffers and kernels.
//!
//! An image is streamed to the CPU ([`super::ecc::slabs`]) or to a GPU ([`super::ecc::cuda`]), as the backend decides.
//! Only for curves at several scales it is read whole. This module connects reading ([`super::read`]) and the stage
//! ([`super::ecc`]), which do not depend on each other; the caller opens the files ([`CurveSource`]).

mod checkpoint;
mod stages;

use std::io;
use std::path::PathBuf;

pub use self::checkpoint::forget;
use self::checkpoint::{CurveState, load_scales};
use self::stages::{Reused, ScalesStage, StreamStage, StreamedCurves};
use super::ecc::bins::{Bins, BinsError};
use super::ecc::cuda::DeviceError;
use super::ecc::scales::{Scales, ScalesError};
use super::ecc::slabs::{SlabCounter, SlabError};
use super::ecc::{EccRequest, Vcec, VcecRows, estimate};
use super::image::Image;
use super::read::{Detection, ImageReadError, Stream};
use super::shape::Shape;
use super::voxel::VoxelType;
use crate::backend::{Backend, BackendError, Difference, Estimate, MachineError};
use crate::cuda::KernelVoxel;
use crate::progress::{Cost, Expected, Interrupted, Progress, interruptible};
use crate::snapshot::SnapshotError;
use crate::{with_image, with_voxels};

/// Name of the stage for [`Progress`]. The unit of work is a voxel; voxels that are read twice count twice.
const STAGE: &str = "curve";

/// An image that can be opened for reading, once or several times.
pub struct CurveSource<'a> {
    open: &'a dyn Fn() -> Result<Stream, ImageReadError>,
    is_read_once: bool,
}

impl<'a> CurveSource<'a> {
    /// An image that `open` opens at its first voxel; only once if `is_read_once`, as for a pipe.
    pub fn new(open: &'a dyn Fn() -> Result<Stream, ImageReadError>, is_read_once: bool) -> Self {
        CurveSource { open, is_read_once }
    }
}

/// Computes the curves of images, all with the same request.
pub struct ImageCurves {
    request: EccRequest,
    /// Memory limit in bytes.
    limit: usize,
    /// Directory for rows that exceed the memory limit.
    directory: PathBuf,
    backend: Backend,
    /// Buffers and kernels of the last image, for that image's voxel type.
    reused: Option<(VoxelType, Box<dyn StreamedCurves>)>,
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

impl CurvesError {
    /// The error of a run on a chosen device, from the errors of the stage and of the device.
    fn of_run<E>(
        error: MachineError<E, DeviceError>,
        of_stage: fn(E) -> CurvesError,
        of_device: fn(DeviceError) -> CurvesError,
    ) -> Self {
        match error {
            MachineError::Stage(error) => of_stage(error),
            MachineError::Device(error) => of_device(error),
            MachineError::Backend(error) => CurvesError::Backend(error),
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
        Ok(ImageCurves { request: *request, limit, directory, backend, reused: None })
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
        let mut stream = (source.open)()?;
        let (shape, voxels, detection) = (stream.shape(), stream.voxel_type(), stream.detection());
        let (needs_range, estimate) = with_voxels!(voxels, T => {
            (SlabCounter::<T>::needs_range(&self.request), estimate::<T>(shape, &self.request))
        });
        let mut decision = self.backend.decide(&estimate)?;
        if decision.self_check && source.is_read_once {
            return Err(CurvesError::ReadOnce);
        }
        let passes = if needs_range { 2 } else { 1 };
        let mut stages = vec![Expected { stage: STAGE, dim: None, cost: Cost::Known(1.0) }];
        if self.request.bins == Bins::Distinct && voxels.bytes() > 2 {
            // Writing as many rows as there are voxels may take longer than counting the voxels.
            stages.push(Expected { stage: "writing", dim: None, cost: Cost::Unknown });
        }
        progress.expect(&stages);
        progress.begin(STAGE, None, passes * shape.count() as u64);
        let checkpoint = progress.checkpoint();
        let mut state = CurveState::load(checkpoint, voxels, shape)?;
        if needs_range && state.range.is_some() {
            progress.advance(shape.count() as u64);
        } else if needs_range {
            if source.is_read_once {
                return Err(CurvesError::Range { voxels: voxels.name() });
            }
            state.range = Some(self.of_type(voxels)?.range(stream, progress)?);
            if checkpoint.takes_turn() {
                state.save(checkpoint, voxels, shape);
            }
            stream = (source.open)()?;
        }
        // The CPU cannot take over from the GPU if the image cannot be read again.
        decision.may_fall_back &= !source.is_read_once;
        let stream = Some(stream);
        let rows = decision.run(&mut StreamStage { curves: self, source, stream, state, progress });
        let rows = rows.map_err(|error| CurvesError::of_run(error, |error| error, CurvesError::Device))?;
        let (backend, voxels) = (decision.to_string(), voxels.name());
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
        let known = load_scales(progress.checkpoint(), T::TYPE, image.shape(), scales.count)?;
        let request = &self.request;
        let found = decision.run(&mut ScalesStage { image, request, scales, known, progress });
        let of_device = |error| CurvesError::Scales(ScalesError::Device(error));
        let found = found.map_err(|error| CurvesError::of_run(error, CurvesError::Scales, of_device))?;
        let mut found = found.into_iter();
        let rows = VcecRows::Memory(found.next().unwrap_or_default());
        let (shape, voxels, smoothed) = (image.shape(), T::NAME, found.collect());
        let backend = decision.to_string();
        Ok(CurvesFound { rows, shape, voxels, passes: 1, smoothed, detection: None, backend })
    }

    /// The computation for this voxel type, with the buffers and kernels of the last image if that had the same type.
    fn of_type(&mut self, voxels: VoxelType) -> Result<&mut dyn StreamedCurves, CurvesError> {
        let reused = match self.reused.take() {
            Some((of, reused)) if of == voxels => reused,
            _ => with_voxels!(voxels, T => {
                let counter = SlabCounter::<T>::new(&self.request, self.limit).map_err(SlabError::Bins)?;
                let counter = counter.spilling_to(self.directory.clone());
                Box::new(Reused { request: self.request, counter, prepared: None }) as Box<dyn StreamedCurves>
            }),
        };
        Ok(&mut *self.reused.insert((voxels, reused)).1)
    }

    /// Converts an error of reading spilled rows.
    fn unreadable(&self, error: io::Error) -> SlabError<ImageReadError> {
        SlabError::Spill { directory: self.directory.clone(), limit: self.limit, error }
    }
}
