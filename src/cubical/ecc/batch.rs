//! The curves of files, one after another, in the same buffers.

use std::any::Any;
use std::path::Path;

use super::stream::{StreamError, Streamer};
use super::{BinsError, Curve, Request};
use crate::cubical::read::{self, AnyStream, Options, ReadError, Stream};
use crate::cubical::{Shape, Voxel};
use crate::input::name_of;
use crate::with_stream;

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
    /// A [`Streamer`] of the type that the voxels of the last image had.
    kept: Option<Box<dyn Any>>,
}

/// What was found of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its curve.
    pub curve: Curve,
    /// Its shape.
    pub shape: Shape,
    /// The type of its voxels, as NumPy calls it.
    pub voxels: &'static str,
    /// How often it was read: twice for the range of its bins.
    pub passes: u64,
}

/// Why an image has no curve.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Standard input cannot be read twice.
    #[error(
        "standard input: expected the range of the bins of {voxels} voxels beforehand, found none (--range)"
    )]
    Range {
        /// The type of the voxels.
        voxels: &'static str,
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
    pub fn new(request: &Request, options: Options, limit: usize) -> Result<Self, BinsError> {
        request.bins.check()?;
        Ok(Batch { request: *request, options, limit, kept: None })
    }

    /// The curve of the image in a file, or in standard input when it is `-`.
    ///
    /// # Errors
    /// [`BatchError`].
    pub fn curve(&mut self, path: &Path, watch: &dyn Watch) -> Result<Found, BatchError> {
        let mut stream = read::open(path, &self.options)?;
        let (voxels, needs_range) = with_stream!(&stream, stream => kind(stream, &self.request));
        let count = stream.shape().count() as u64;
        watch.begin(if needs_range { 2 * count } else { count });
        let mut range = None;
        if needs_range {
            if path == Path::new("-") {
                return Err(BatchError::Range { voxels });
            }
            range = Some(self.range(stream, watch).map_err(|error| failed(path, error))?);
            stream = read::open(path, &self.options)?;
        }
        let shape = stream.shape();
        let curve = with_stream!(stream, stream => self.add_up(stream, range, watch));
        let curve = curve.map_err(|error| failed(path, error))?;
        Ok(Found { curve, shape, voxels, passes: if needs_range { 2 } else { 1 } })
    }

    fn range(&mut self, stream: AnyStream, watch: &dyn Watch) -> Result<(f64, f64), StreamError<ReadError>> {
        with_stream!(stream, stream => self.with_streamer(stream, |streamer, stream| {
            streamer.range(stream.shape(), |voxels| stream.read(voxels), &|voxels| watch.advance(voxels))
        }))
    }

    fn add_up<T: Voxel>(
        &mut self,
        stream: Stream<T>,
        range: Option<(f64, f64)>,
        watch: &dyn Watch,
    ) -> Result<Curve, StreamError<ReadError>> {
        self.with_streamer(stream, |streamer, stream| {
            let advance = |voxels| watch.advance(voxels);
            streamer.curve(stream.shape(), range, |voxels| stream.read(voxels), &advance)
        })
    }

    fn with_streamer<T: Voxel, R>(
        &mut self,
        mut stream: Stream<T>,
        work: impl FnOnce(&mut Streamer<T>, &mut Stream<T>) -> Result<R, StreamError<ReadError>>,
    ) -> Result<R, StreamError<ReadError>> {
        let kept = self.kept.take().and_then(|kept| kept.downcast::<Streamer<T>>().ok());
        let mut streamer = match kept {
            Some(streamer) => streamer,
            None => Box::new(Streamer::new(&self.request, self.limit)?),
        };
        let found = work(&mut streamer, &mut stream);
        self.kept = Some(streamer);
        found
    }
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
