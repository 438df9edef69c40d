//! Voxels in memory order, a piece at a time.

use std::fmt;

use rayon::prelude::*;

use super::error::{Context, Fault, ImagePlace, ImageProblem, ImageReadError, room};
use super::format::ImageFormat;
use super::voxel::Plain;
use crate::cubical::geometry::Geometry;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::shape::Shape;

/// Voxels that are read and looked at while they are in the nearest caches.
const BLOCK: usize = 256 << 10;

/// Bytes that one of several threads reads at a time.
const PIECE: usize = 1 << 20;

/// Bytes that the system is asked for at a time, of a place that nothing before tells it of: while it fetches one part of them from a disk, it
/// asks for the next.
const REQUEST: usize = 4 << 20;

/// Bytes of an image that are read before whoever waits is told how far it is: enough for many threads at a time.
const TOLD: usize = 64 << 20;

/// Where the voxels of a stream come from.
pub(super) trait Source<T> {
    /// Fills the slice with the next voxels, which the shape promises; fewer are an error.
    fn fill(&mut self, voxels: &mut [T]) -> Result<(), Fault>;

    /// After the last voxel: an error when the file goes on.
    fn finish(&mut self) -> Result<(), Fault>;

    /// Whether the file is known to be as long as its voxels are.
    fn is_measured(&self) -> bool;

    /// All voxels, when they lie in memory and none has been read.
    fn decoded(&mut self) -> Option<Vec<T>> {
        None
    }
}

/// The voxels of a stream at any place, for several threads at a time.
pub(super) trait Anywhere<T>: Send + Sync {
    /// Fills the slice with the voxels from `first` on, which the shape promises; fewer are an error.
    fn fill(&self, first: usize, voxels: &mut [T]) -> Result<(), Fault>;
}

/// What a file was detected to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detection {
    /// Its format.
    pub format: ImageFormat,
    /// Why it is taken for that, such as `begins with NumPy's magic bytes`.
    pub why: String,
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.format, self.why)
    }
}

/// The voxels of an image in memory order. After an error there are no more.
pub struct Stream<T> {
    shape: Shape,
    done: usize,
    source: Box<dyn Source<T> + Send>,
    /// The voxels at any place, where they lie in a file that is as long as they are.
    placed: Option<Box<dyn Anywhere<T>>>,
    geometry: Option<Geometry>,
    /// What voxels become that are not a number; without it they are an error.
    nan: Option<T>,
    context: Context,
}

impl<T> fmt::Debug for Stream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stream { shape, done, context, .. } = self;
        let mut stream = f.debug_struct("Stream");
        stream.field("file", &context.file).field("shape", shape).field("done", done).finish_non_exhaustive()
    }
}

impl<T> Stream<T> {
    pub(super) fn new(shape: Shape, source: Box<dyn Source<T> + Send>, context: Context) -> Self {
        Stream { shape, done: 0, source, placed: None, geometry: None, nan: None, context }
    }

    /// A stream whose voxels can be read at any place. The length of their file has been checked.
    pub(super) fn placed(self, placed: Box<dyn Anywhere<T>>) -> Self {
        Stream { placed: Some(placed), ..self }
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where its file says that the voxels lie in space, if it does.
    pub fn geometry(&self) -> Option<&Geometry> {
        self.geometry.as_ref()
    }

    /// The format that was detected, and why; `None` where it was given.
    pub fn detection(&self) -> Option<Detection> {
        let Context { format, detection, .. } = &self.context;
        Some(Detection { format: (*format)?, why: detection.clone()? })
    }
}

impl<T: Voxel> Stream<T> {
    /// Fills the front of `voxels` with the next ones and says how many that are; fewer than it holds only at the end of
    /// the image. The call that reaches the end also looks for bytes after it. Much of a regular file is read by all threads.
    ///
    /// # Errors
    /// The file cannot be read; it ends before the image does or goes on after it; a voxel is not a number.
    pub fn read(&mut self, voxels: &mut [T]) -> Result<usize, ImageReadError> {
        let left = self.shape.count() - self.done;
        let count = voxels.len().min(left);
        let filled = self.fill(&mut voxels[..count]);
        filled.map(|()| count).map_err(|fault| self.context.error(fault))
    }

    /// The voxels of the image at any place, for several threads at a time; `None` when they come in order alone, as through a pipe.
    pub fn anywhere(&self) -> Option<Places<'_, T>> {
        let &Stream { shape, nan, ref context, .. } = self;
        self.placed.as_deref().map(|placed| Places { shape, placed, nan, context })
    }

    fn fill(&mut self, voxels: &mut [T]) -> Result<(), Fault> {
        if let Some(places) = self.anywhere() {
            places.fill_by_all(self.done, voxels)?;
            self.done += voxels.len();
            return Ok(());
        }
        for block in voxels.chunks_mut(BLOCK / size_of::<T>()) {
            self.source.fill(block)?;
            check_numbers(self.shape, self.done, block, self.nan)?;
            self.done += block.len();
            if self.done == self.shape.count() {
                self.source.finish()?;
            }
        }
        Ok(())
    }
}

/// The voxels of a [`Stream`] at any place.
pub struct Places<'a, T> {
    shape: Shape,
    placed: &'a dyn Anywhere<T>,
    nan: Option<T>,
    context: &'a Context,
}

impl<T> fmt::Debug for Places<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Places { shape, context, .. } = self;
        f.debug_struct("Places").field("file", &context.file).field("shape", shape).finish_non_exhaustive()
    }
}

impl<T: Voxel> Places<'_, T> {
    /// Fills the slice with the voxels from the one that is `first` in memory order.
    ///
    /// # Errors
    /// The file cannot be read; it has become shorter than the image; a voxel is not a number.
    ///
    /// # Panics
    /// The image ends before the slice does.
    pub fn read(&self, first: usize, voxels: &mut [T]) -> Result<(), ImageReadError> {
        assert!(voxels.len() <= self.shape.count().saturating_sub(first), "{} from {first}", voxels.len());
        self.fill(first, voxels).map_err(|fault| self.context.error(fault))
    }

    fn fill(&self, first: usize, voxels: &mut [T]) -> Result<(), Fault> {
        let length = REQUEST / size_of::<T>();
        for (k, part) in voxels.chunks_mut(length).enumerate() {
            self.placed.fill(first + k * length, part)?;
            check_numbers(self.shape, first + k * length, part, self.nan)?;
        }
        Ok(())
    }

    /// Like [`Places::fill`], by all threads. The first fault in memory order counts.
    fn fill_by_all(&self, first: usize, voxels: &mut [T]) -> Result<(), Fault> {
        let length = PIECE / size_of::<T>();
        if voxels.len() <= length {
            return self.fill(first, voxels);
        }
        let pieces = voxels.par_chunks_mut(length).enumerate();
        let faults = pieces.map(|(k, piece)| self.fill(first + k * length, piece));
        faults.find_map_first(Result::err).map_or(Ok(()), Err)
    }
}

/// Replaces voxels that are not a number, or refuses the first of them where nothing takes their place. The first of the block lies at `place`
/// in memory.
fn check_numbers<T: Voxel>(
    shape: Shape,
    place: usize,
    block: &mut [T],
    nan: Option<T>,
) -> Result<(), ImageProblem> {
    // Without a branch, so that it is done in vectors.
    if block.iter().fold(true, |all, voxel| all & voxel.is_number()) {
        return Ok(());
    }
    if let Some(nan) = nan {
        block.iter_mut().filter(|voxel| !voxel.is_number()).for_each(|voxel| *voxel = nan);
        return Ok(());
    }
    let first = block.iter().position(|voxel| !voxel.is_number()).unwrap_or(0);
    let coordinates = ImagePlace::Voxel(shape.coordinates(place + first));
    let problem = ImageProblem::new(coordinates, "a number", block[first].to_string());
    Err(problem.note("--nan X replaces such voxels by X, a number, lowest or highest"))
}

/// All of an image, of a stream that nothing has been read of. `advance` is told how many voxels have been read.
fn whole<T: Plain>(mut stream: Stream<T>, advance: &dyn Fn(u64)) -> Result<Image<T>, ImageReadError> {
    let (shape, count) = (stream.shape, stream.shape.count());
    let mut voxels = Vec::new();
    if let Some(mut decoded) = stream.source.decoded() {
        check_numbers(shape, 0, &mut decoded, stream.nan)
            .map_err(|problem| stream.context.error(problem.into()))?;
        voxels = decoded;
        advance(count as u64);
    } else if stream.source.is_measured() {
        room(&voxels, count).map_err(|fault| stream.context.error(fault))?;
        voxels = vec![T::ZERO; count];
        for part in voxels.chunks_mut(TOLD / size_of::<T>()) {
            stream.read(part)?;
            advance(part.len() as u64);
        }
    }
    // A length that only a header promises is not believed: memory grows with what there is.
    while voxels.len() < count {
        let start = voxels.len();
        let end = count.min(2 * start.max(BLOCK));
        room(&voxels, end).map_err(|fault| stream.context.error(fault))?;
        voxels.resize(end, T::ZERO);
        stream.read(&mut voxels[start..])?;
        advance((end - start) as u64);
    }
    Ok(Image::new(shape, voxels).expect("a voxel for each place"))
}

/// Voxels in memory.
pub(super) struct Decoded<T> {
    voxels: Vec<T>,
    /// How many have been read.
    at: usize,
}

impl<T> Decoded<T> {
    pub(super) fn new(voxels: Vec<T>) -> Self {
        Decoded { voxels, at: 0 }
    }
}

impl<T: Copy> Source<T> for Decoded<T> {
    fn fill(&mut self, voxels: &mut [T]) -> Result<(), Fault> {
        voxels.copy_from_slice(&self.voxels[self.at..][..voxels.len()]);
        self.at += voxels.len();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn is_measured(&self) -> bool {
        true
    }

    fn decoded(&mut self) -> Option<Vec<T>> {
        Some(std::mem::take(&mut self.voxels))
    }
}

/// A stream of voxels that have the type they have in their file.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AnyStream {
    U8(Stream<u8>),
    I8(Stream<i8>),
    U16(Stream<u16>),
    I16(Stream<i16>),
    U32(Stream<u32>),
    I32(Stream<i32>),
    U64(Stream<u64>),
    I64(Stream<i64>),
    F32(Stream<f32>),
    F64(Stream<f64>),
}

macro_rules! any_stream {
    ($($t:ident $variant:ident),*) => {$(
        impl From<Stream<$t>> for AnyStream {
            fn from(stream: Stream<$t>) -> Self {
                AnyStream::$variant(stream)
            }
        }
    )*};
}

any_stream!(u8 U8, i8 I8, u16 U16, i16 I16, u32 U32, i32 I32, u64 U64, i64 I64, f32 F32, f64 F64);

/// Runs an expression with an [`AnyStream`]'s stream bound to a name.
#[macro_export]
macro_rules! with_stream {
    ($any:expr, $stream:ident => $body:expr) => {
        match $any {
            $crate::cubical::read::stream::AnyStream::U8($stream) => $body,
            $crate::cubical::read::stream::AnyStream::I8($stream) => $body,
            $crate::cubical::read::stream::AnyStream::U16($stream) => $body,
            $crate::cubical::read::stream::AnyStream::I16($stream) => $body,
            $crate::cubical::read::stream::AnyStream::U32($stream) => $body,
            $crate::cubical::read::stream::AnyStream::I32($stream) => $body,
            $crate::cubical::read::stream::AnyStream::U64($stream) => $body,
            $crate::cubical::read::stream::AnyStream::I64($stream) => $body,
            $crate::cubical::read::stream::AnyStream::F32($stream) => $body,
            $crate::cubical::read::stream::AnyStream::F64($stream) => $body,
        }
    };
}

impl AnyStream {
    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        with_stream!(self, stream => stream.shape())
    }

    /// Where its file says that the voxels lie in space, if it does.
    pub fn geometry(&self) -> Option<&Geometry> {
        with_stream!(self, stream => stream.geometry())
    }

    /// The format that was detected, and why; `None` where it was given.
    pub fn detection(&self) -> Option<Detection> {
        with_stream!(self, stream => stream.detection())
    }

    /// Bytes that the voxels of the image take in memory.
    pub fn bytes(&self) -> u64 {
        fn of_voxel<T>(_: &Stream<T>) -> usize {
            size_of::<T>()
        }
        let voxel = with_stream!(self, stream => of_voxel(stream));
        (self.shape().count() as u64).saturating_mul(voxel as u64)
    }

    /// This stream with the place of its voxels in space.
    pub(super) fn with_geometry(self, geometry: Geometry) -> AnyStream {
        with_stream!(self, stream => Stream { geometry: Some(geometry), ..stream }.into())
    }

    /// This stream with a value for voxels that are not a number.
    ///
    /// # Errors
    /// It is past the range of the voxels' type.
    pub(super) fn with_nan(self, value: f64) -> Result<AnyStream, ImageProblem> {
        fn replaced<T: Plain>(stream: Stream<T>, value: f64) -> Result<Stream<T>, ImageProblem> {
            let nan = T::nearest(value);
            // Integers are all numbers.
            if nan.value().is_infinite() && value.is_finite() {
                let expected = format!("a value for NaN that voxels of type {} have", T::NAME);
                return Err(ImageProblem::new(ImagePlace::Whole, expected, value.to_string()));
            }
            Ok(Stream { nan: Some(nan), ..stream })
        }
        Ok(with_stream!(self, stream => replaced(stream, value)?.into()))
    }

    /// All of the image, of a stream that nothing has been read of.
    ///
    /// # Errors
    /// As [`Stream::read`]; there is not memory enough.
    pub fn image(self) -> Result<AnyImage, ImageReadError> {
        self.image_watched(&|_| ())
    }

    /// Like [`AnyStream::image`]; `advance` is told how many more voxels have been read.
    ///
    /// # Errors
    /// As there.
    pub fn image_watched(self, advance: &dyn Fn(u64)) -> Result<AnyImage, ImageReadError> {
        fn image<T: Plain>(stream: Stream<T>, advance: &dyn Fn(u64)) -> Result<AnyImage, ImageReadError> {
            Ok(Voxel::any(whole(stream, advance)?))
        }
        with_stream!(self, stream => image(stream, advance))
    }
}
