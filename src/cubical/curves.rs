//! Euler characteristic curves of a sequence of images read from files, reusing buffers and kernels.
//!
//! An image is streamed to the CPU ([`super::ecc::slabs`]) or to a GPU ([`super::ecc::cuda`]), as the backend decides.
//! Only for curves at several scales, and if it has four axes or periodic ones, it is read whole. The caller opens the
//! files ([`CurveSource`]).
//!
//! Several ranks share an image that each of them can stream from any place, and that no GPU is asked for. Of any other
//! image, rank 0 computes the curve alone.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use zerocopy::IntoBytes as _;

use super::ecc::bins::{Bins, BinsError};
use super::ecc::checkpoint::CurveState;
pub use super::ecc::checkpoint::forget;
use super::ecc::cuda::Prepared;
use super::ecc::scales::Scales;
use super::ecc::slabs::{PartialCurve, SlabCounter, Watch, joined, voxels_of};
use super::ecc::{
    EccError, EccRequest, MachineError, STAGE, Values, Vcec, VcecRows, Voxels, compare, curve_by, curves_by,
    estimate,
};
use super::periodic::Periodic;
use super::read::{Detection, ImageReadError, Stream};
use super::shape::Shape;
use super::value::Value;
use super::voxel::VoxelType;
use crate::backend::{Backend, Decision, Stage};
use crate::cuda::Gpu;
use crate::parallel::lock;
use crate::progress::{Cost, Expected, Interrupted, Progress, Resumable, check, interruptible};
use crate::ranks::{Alone, Ranks};
use crate::with_voxels;

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
    periodic: Periodic,
    /// Memory limit in bytes.
    limit: usize,
    /// Directory for rows that exceed the memory limit.
    directory: PathBuf,
    backend: Backend,
    /// Buffers of the last image that the CPU counted.
    counter: Option<SlabCounter>,
    /// Kernels for the last image that a GPU counted.
    prepared: Option<Prepared>,
}

/// Result for one image.
#[derive(Debug)]
#[non_exhaustive]
pub struct CurvesFound {
    /// The Euler characteristic curve.
    pub rows: VcecRows,
    /// The shape of the image.
    pub shape: Shape,
    /// The axes along which the image closes up.
    pub periodic: Periodic,
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

impl ImageCurves {
    /// A computation of curves with this request, in at most `limit` bytes of memory. Rows that exceed this limit go to
    /// temporary files in `directory`, or in that of the system.
    ///
    /// # Errors
    /// [`BinsError`]: the bins of the request are invalid.
    pub fn new(
        request: &EccRequest,
        limit: usize,
        directory: Option<PathBuf>,
        backend: Backend,
    ) -> Result<Self, BinsError> {
        request.bins.check()?;
        let directory = directory.unwrap_or_else(std::env::temp_dir);
        let (request, periodic) = (*request, Periodic::NONE);
        Ok(ImageCurves { request, periodic, limit, directory, backend, counter: None, prepared: None })
    }

    /// Lets the images close up along these axes. Curves at several scales do not take them into account.
    #[must_use]
    pub fn closing_up(self, periodic: Periodic) -> Self {
        ImageCurves { periodic, ..self }
    }

    /// Computes the curve of an image, or its curves at several scales, resuming from the checkpoint of `progress` if
    /// it has one. For several scales, and if it has four axes or periodic ones, the image is read whole; progress
    /// counts voxels once per scale.
    ///
    /// # Errors
    /// [`MachineError`]: the reasons are listed there and at [`EccError`].
    pub fn curves(
        &mut self,
        source: &CurveSource<'_>,
        scales: Option<&Scales>,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, MachineError> {
        interruptible(progress, |progress| {
            let stream = (source.open)().map_err(EccError::from)?;
            self.curves_of(source, stream, scales, progress)
        })
    }

    /// Like [`curves`](ImageCurves::curves), but by `ranks` together, which have the same request and see the same
    /// files. Rank 0 returns the curve, the others `None`. Progress is that of this rank's part. An image that several
    /// ranks share is not resumed from a checkpoint.
    ///
    /// # Errors
    /// The errors of [`curves`](ImageCurves::curves), on a rank that fails; the others may wait for it until it is
    /// ended.
    pub fn curves_on(
        &mut self,
        ranks: &dyn Ranks,
        source: &CurveSource<'_>,
        scales: Option<&Scales>,
        progress: &dyn Progress,
    ) -> Result<Option<CurvesFound>, MachineError> {
        if ranks.size() == 1 {
            return self.curves(source, scales, progress).map(Some);
        }
        interruptible(progress, |progress| {
            // Rank 0 says which image the ranks share, or nothing if it goes on alone.
            let (mut opened, mut shared) = (None, Vec::new());
            if ranks.rank() == 0 {
                let stream = (source.open)().map_err(EccError::from)?;
                if let Some(why) = self.hindrance(&stream, scales) {
                    ranks.broadcast(&mut shared);
                    let mut found = self.curves_of(source, stream, scales, progress)?;
                    found.backend = format!("{}; by rank 0 alone, as {why}", found.backend);
                    return Ok(Some(found));
                }
                shared = described(&stream).into_bytes();
                opened = Some(stream);
            }
            ranks.broadcast(&mut shared);
            if shared.is_empty() {
                return Ok(None);
            }
            let stream = opened.map_or_else(source.open, Ok).map_err(EccError::from)?;
            let (expected, found) = (String::from_utf8_lossy(&shared).into_owned(), described(&stream));
            if found != expected {
                return Err(EccError::OtherImage { expected, found }.into());
            }
            // A state holds the first slices of the whole image, which are none of a rank's part.
            let progress = Resumable { progress, checkpoint: &() };
            let found = self.streamed(source, stream, ranks, &progress)?;
            Ok((ranks.rank() == 0).then_some(found))
        })
    }

    /// Reason for which ranks cannot share an image; `None` if they can.
    fn hindrance(&self, stream: &Stream, scales: Option<&Scales>) -> Option<&'static str> {
        if scales.is_some() {
            Some("smoothing takes the whole image")
        } else if stream.shape().dim() > 3 || !self.periodic.is_none() {
            Some("an image of four axes, or of periodic ones, is read whole")
        } else if self.backend.insists_on_devices() {
            Some("a GPU was asked for")
        } else if stream.anywhere().is_none() {
            Some(
                "the image can be read only from its first voxel to its last, as from a pipe or if it is compressed",
            )
        } else {
            None
        }
    }

    /// Computes the curve of an image that has been opened, or its curves at several scales.
    fn curves_of(
        &mut self,
        source: &CurveSource<'_>,
        stream: Stream,
        scales: Option<&Scales>,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, MachineError> {
        if scales.is_none() && stream.shape().dim() < 4 && self.periodic.is_none() {
            return self.streamed(source, stream, &Alone, progress);
        }
        let (shape, voxels, detection) = (stream.shape(), stream.voxel_type().name(), stream.detection());
        // An image that lacks such an axis is refused before it is read.
        self.periodic.check(shape)?;
        let image = stream.image()?;
        let (found, decision) = match scales {
            Some(scales) => curves_by(&image, &self.request, scales, &self.backend, progress)?,
            None => {
                let (curve, by) = curve_by(&image, self.periodic, &self.request, &self.backend, progress)?;
                (vec![curve], by)
            }
        };
        let mut found = found.into_iter();
        let rows = VcecRows::Memory(found.next().unwrap_or_default());
        let (smoothed, backend) = (found.collect(), decision.to_string());
        let periodic = self.periodic;
        Ok(CurvesFound { rows, shape, periodic, voxels, passes: 1, smoothed, detection, backend })
    }

    /// Computes the curve of a streamed image; its rows are there on rank 0 only.
    fn streamed(
        &mut self,
        source: &CurveSource<'_>,
        mut stream: Stream,
        ranks: &dyn Ranks,
        progress: &dyn Progress,
    ) -> Result<CurvesFound, MachineError> {
        let (shape, voxels, detection) = (stream.shape(), stream.voxel_type(), stream.detection());
        let needs_range = self.request.needs_range(voxels);
        let mut decision = match ranks.size() {
            1 => self.backend.decide(&estimate(shape, voxels, &self.request))?,
            size => Decision::processor(format!("{size} ranks share the image")),
        };
        let part = voxels_of(shape, ranks);
        if decision.self_check && source.is_read_once {
            return Err(EccError::ReadOnce.into());
        }
        let passes = if needs_range { 2 } else { 1 };
        let mut stages = vec![Expected::of(STAGE, Cost::Known(1.0))];
        if self.request.bins == Bins::Distinct && voxels.bytes() > 2 {
            // Writing as many rows as there are voxels may take longer than counting the voxels.
            stages.push(Expected::of("writing", Cost::Unknown));
        }
        progress.expect(&stages);
        progress.begin(STAGE, None, passes * part.len() as u64);
        let checkpoint = progress.checkpoint();
        let mut state = CurveState::load(checkpoint, voxels, shape)?;
        if needs_range && state.range.is_some() {
            progress.advance(part.len() as u64);
        } else if needs_range {
            if source.is_read_once {
                return Err(EccError::Range(voxels.name()).into());
            }
            state.range = Some(range_of(&mut stream, part, ranks, progress)?);
            if checkpoint.takes_turn() {
                state.save(checkpoint, voxels, shape);
            }
            stream = (source.open)()?;
        }
        // The CPU cannot take over from the GPU if the image cannot be read again.
        decision.may_fall_back &= !source.is_read_once;
        let stream = Some(stream);
        let rows = decision.run(&mut StreamStage { curves: self, source, stream, state, ranks, progress })?;
        let (backend, voxels) = (decision.to_string(), voxels.name());
        let (periodic, smoothed) = (Periodic::NONE, Vec::new());
        Ok(CurvesFound { rows, shape, periodic, voxels, passes, smoothed, detection, backend })
    }

    /// The counter for this voxel type, with the buffers of the last image if that had the same type.
    fn counter(&mut self, voxels: VoxelType) -> Result<&mut SlabCounter, BinsError> {
        let counter = match self.counter.take() {
            Some(counter) if counter.voxels() == voxels => counter,
            _ => SlabCounter::new(&self.request, voxels, self.limit)?.spilling_to(self.directory.clone()),
        };
        Ok(self.counter.insert(counter))
    }
}

/// The image of a stream in words, which ranks compare.
fn described(stream: &Stream) -> String {
    stream.shape().described(stream.voxel_type().name())
}

/// Finds the least and the greatest finite value of an image, of which each rank reads the voxels `part`.
fn range_of(
    stream: &mut Stream,
    part: Range<usize>,
    ranks: &dyn Ranks,
    progress: &dyn Progress,
) -> Result<(Value, Value), EccError> {
    let advance = |voxels| progress.advance(voxels);
    if ranks.size() > 1 {
        stream.go_to(part.start);
    }
    let own = with_voxels!(stream.voxel_type(), T => {
        SlabCounter::range(part.len(), |voxels: &mut [T]| read(stream, voxels.as_mut_bytes(), progress), &advance)
    })?;
    // Both ends are voxels, so they have one type.
    let own = own.map(|(low, high)| Values::from_iter([low, high]));
    let encode = |values: &Option<Values>| serde_json::to_vec(values).expect("finite numbers are JSON");
    let ends = |bytes: &[u8]| {
        let values = serde_json::from_slice::<Option<Values>>(bytes).ok().flatten()?;
        Some((values.iter().next()?, values.iter().nth(1)?))
    };
    let mut bytes = encode(&own);
    let all = ranks.gather(bytes.clone())?.iter().fold(None, |all, bytes| joined(all, ends(bytes)));
    if ranks.rank() == 0 {
        bytes = encode(&all.map(|(low, high)| Values::from_iter([low, high])));
    }
    ranks.broadcast(&mut bytes);
    Ok(ends(&bytes).ok_or(BinsError::NoneFinite)?)
}

/// Reads the next voxels, unless the run is to end.
fn read(stream: &mut Stream, voxels: &mut [u8], progress: &dyn Progress) -> Result<(), EccError> {
    match stream.read_bytes(voxels, &|| progress.is_interrupted()) {
        Err(_) if progress.is_interrupted() => Err(Interrupted::default().into()),
        read => Ok(read.map(drop)?),
    }
}

/// Passes the voxels of a stream to `work`.
fn with_voxels_of<R>(stream: Stream, progress: &dyn Progress, work: impl FnOnce(Voxels<'_>) -> R) -> R {
    if let Some(places) = stream.anywhere() {
        return work(Voxels::anywhere(&|first, voxels| Ok(places.read_bytes(first, voxels)?)));
    }
    let stream = Mutex::new(stream);
    work(Voxels { read: &|_, voxels| read(&mut lock(&stream), voxels, progress), is_sequential: true })
}

/// The curve of a streamed image, as a stage.
struct StreamStage<'a, 's> {
    curves: &'a mut ImageCurves,
    source: &'a CurveSource<'s>,
    /// The image at its first voxel; taken by the first device that reads it.
    stream: Option<Stream>,
    /// State loaded from the checkpoint.
    state: CurveState,
    ranks: &'a dyn Ranks,
    progress: &'a dyn Progress,
}

impl StreamStage<'_, '_> {
    /// Returns the image at its first voxel, opening it again if it was read.
    fn stream(&mut self) -> Result<Stream, ImageReadError> {
        self.stream.take().map_or_else(self.source.open, Ok)
    }
}

impl Stage for StreamStage<'_, '_> {
    type Found = VcecRows;
    type Error = EccError;

    fn on_device(&mut self, gpu: &Gpu) -> Result<VcecRows, MachineError> {
        let stream = self.stream()?;
        let (shape, voxels) = (stream.shape(), stream.voxel_type());
        // After an error the kernels are loaded again.
        let prepared = match self.curves.prepared.take() {
            Some(prepared) if prepared.voxels() == voxels => prepared,
            _ => Prepared::new(gpu, voxels)?,
        };
        let request = self.curves.request.with_range(self.state.range);
        let advance = |voxels| self.progress.advance(voxels);
        let curve = with_voxels_of(stream, self.progress, |voxels| {
            prepared.stream(shape, &request, voxels, &advance)
        });
        self.curves.prepared = Some(prepared);
        Ok(VcecRows::Memory(curve?))
    }

    fn on_processor(&mut self) -> Result<VcecRows, EccError> {
        let stream = self.stream()?;
        let (shape, voxel_type, progress) = (stream.shape(), stream.voxel_type(), self.progress);
        let checkpoint = progress.checkpoint();
        let CurveState { range, partial: ref since } = self.state;
        let keep = |partial: Option<PartialCurve>| {
            if partial.is_some() {
                CurveState { range, partial }.save(checkpoint, voxel_type, shape);
            }
            check(progress);
        };
        let watch = Watch {
            advance: &|voxels| progress.advance(voxels),
            pauses: &|| checkpoint.takes_turn() || progress.is_interrupted(),
            keep: &keep,
        };
        let (ranks, counter) = (self.ranks, self.curves.counter(voxel_type)?);
        with_voxels_of(stream, progress, |voxels| {
            counter.curve_on(ranks, shape, range, voxels, since.as_ref(), &watch)
        })
    }

    fn check(&mut self, found: &VcecRows) -> Result<(), MachineError> {
        let (directory, limit) = (self.curves.directory.clone(), self.curves.limit);
        let expected = self.on_processor()?.into_vcec();
        let expected = expected.map_err(|error| EccError::Spill { directory, limit, error })?;
        match found {
            VcecRows::Memory(found) => Ok(compare(found, &expected)?),
            VcecRows::Disk(_) => unreachable!("a device keeps its curve in memory"),
        }
    }
}
