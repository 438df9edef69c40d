//! Voxels in memory order, a piece at a time.

use std::cell::OnceCell;
use std::fmt;
use std::io::{Cursor, ErrorKind, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use zerocopy::{FromBytes as _, IntoBytes as _};

use super::error::{Context, Fault, ImageProblem, ImageReadError, Place, room};
use super::format::ImageFormat;
use super::layout::Placed;
use crate::cubical::geometry::Geometry;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::key::Coding;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::input::mapped::Mapped;
use crate::memory;
use crate::parallel::{self, lock};
use crate::with_voxels;

/// Bytes of voxels that are read and checked while they are in the nearest caches.
const BLOCK: usize = 256 << 10;

/// Bytes that each of several threads reads at a time.
const PIECE: usize = 1 << 20;

/// Greatest number of bytes that the system is asked for at a time. While it fetches one part of a request from a disk,
/// it asks for the next, although nothing before told it of the place.
const REQUEST: usize = 4 << 20;

/// Bytes of an image that are read between two reports of progress: enough for many threads at a time.
const REPORTED: usize = 64 << 20;

/// Fills the bytes of some voxels, aligned as these, with the next ones. It is never asked for more voxels than the
/// shape has; a file with fewer is an error. With the last voxel it checks that the file ends.
pub(super) type Source = Box<dyn FnMut(&mut [u8], Stop<'_>) -> Result<(), Fault> + Send>;

/// Whether reading is to end, with the fault of [`stopped`]. It is asked after each part that may take long, and may
/// unwind instead.
pub(in crate::cubical) type Stop<'a> = &'a dyn Fn() -> bool;

/// The fault that reading was to end.
pub(super) fn stopped() -> Fault {
    ErrorKind::Interrupted.into()
}

/// A source of voxels in memory.
pub(super) fn in_memory(voxels: Vec<u8>) -> Source {
    let mut voxels = Cursor::new(voxels);
    Box::new(move |filled, _| Ok(voxels.read_exact(filled)?))
}

/// A source of voxels that are decoded some at a time. `next` replaces the voxels of its argument by the next ones.
pub(super) fn in_pieces(
    mut next: impl FnMut(&mut Vec<u8>, Stop<'_>) -> Result<(), Fault> + Send + 'static,
) -> Source {
    let (mut piece, mut at) = (Vec::new(), 0);
    Box::new(move |mut voxels, stop| {
        while !voxels.is_empty() {
            if at == piece.len() {
                next(&mut piece, stop)?;
                at = 0;
            }
            let (front, rest) = voxels.split_at_mut((piece.len() - at).min(voxels.len()));
            front.copy_from_slice(&piece[at..][..front.len()]);
            at += front.len();
            voxels = rest;
        }
        Ok(())
    })
}

/// The detected format of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detection {
    /// The format of the image.
    pub format: ImageFormat,
    /// The reason, such as `begins with NumPy's magic bytes`.
    pub why: String,
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.format, self.why)
    }
}

/// The voxels of an image in memory order. After an error there are no more.
pub struct Stream {
    pub(super) shape: Shape,
    pub(super) voxels: VoxelType,
    /// Number of voxels that have been read.
    pub(super) done: usize,
    pub(super) source: Source,
    /// Whether the file is known to be as long as its voxels.
    pub(super) is_measured: bool,
    /// The voxels at any place, if they lie in a file whose length has been checked.
    pub(super) placed: Option<Placed>,
    /// Whether memory has room for the voxels, when it has been asked.
    pub(super) fits: OnceCell<bool>,
    pub(super) geometry: Option<Geometry>,
    /// The other files of the image, if it is not in one file.
    pub(super) others: Vec<PathBuf>,
    /// Value that replaces NaN; without it NaN is an error.
    pub(super) nan: Option<f64>,
    pub(super) context: Context,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stream { shape, voxels, done, context, .. } = self;
        let mut stream = f.debug_struct("Stream");
        stream.field("file", &context.file).field("shape", shape).field("voxels", voxels).field("done", done);
        stream.finish_non_exhaustive()
    }
}

impl Stream {
    /// A stream of voxels that come in order only.
    pub(super) fn new(shape: Shape, voxels: VoxelType, source: Source) -> Self {
        Stream {
            shape,
            voxels,
            done: 0,
            source,
            is_measured: true,
            placed: None,
            fits: OnceCell::new(),
            geometry: None,
            others: Vec::new(),
            nan: None,
            context: Context::default(),
        }
    }

    /// This stream with a value for voxels that are NaN.
    ///
    /// # Errors
    /// The value is outside the range of the voxels.
    pub(super) fn with_nan(self, value: f64) -> Result<Self, ImageProblem> {
        // Integers are all numbers.
        if self.voxels == VoxelType::F32 && (value as f32).is_infinite() && value.is_finite() {
            let expected = format!("a value for NaN that voxels of type {} have", self.voxels);
            return Err(ImageProblem::whole(expected, value));
        }
        Ok(Stream { nan: Some(value), ..self })
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The type of the voxels.
    pub fn voxel_type(&self) -> VoxelType {
        self.voxels
    }

    /// Position and size of the voxels in space, if the file states them.
    pub fn geometry(&self) -> Option<&Geometry> {
        self.geometry.as_ref()
    }

    /// The format that was detected, and why; `None` if it was given.
    pub fn detection(&self) -> Option<Detection> {
        let Context { format, detection, .. } = &self.context;
        Some(Detection { format: (*format)?, why: detection.clone()? })
    }

    /// Number of bytes of all voxels in memory.
    pub fn bytes(&self) -> u64 {
        (self.shape.count() as u64).saturating_mul(self.voxels.bytes() as u64)
    }

    /// Fills the front of `voxels` with the next ones and returns their number, which is less than its length only at
    /// the end of the image. The call that reaches the end also checks that the file ends there. Large parts of a
    /// regular file are read by all threads.
    ///
    /// # Errors
    /// The file cannot be read; it ends before the image does or goes on after it; a voxel is not a number.
    ///
    /// # Panics
    /// `T` is not the type of the voxels.
    pub fn read<T: Voxel>(&mut self, voxels: &mut [T]) -> Result<usize, ImageReadError> {
        assert_eq!(T::TYPE, self.voxels, "the type of the voxels");
        self.read_bytes(voxels.as_mut_bytes(), &|| false)
    }

    /// Like [`Stream::read`], but fills the bytes of whole voxels, which are aligned as these, and ends with an error
    /// if it is to stop.
    pub(in crate::cubical) fn read_bytes(
        &mut self,
        bytes: &mut [u8],
        stop: Stop<'_>,
    ) -> Result<usize, ImageReadError> {
        let size = self.voxels.bytes();
        let count = (bytes.len() / size).min(self.shape.count() - self.done);
        let filled = self.fill(&mut bytes[..count * size], stop);
        filled.map(|()| count).map_err(|fault| self.context.error(fault))
    }

    /// Goes on with the voxel at this place, if voxels can be read at any.
    ///
    /// # Panics
    /// Voxels come in order only.
    pub(in crate::cubical) fn go_to(&mut self, place: usize) {
        assert!(self.placed.is_some(), "voxels at any place");
        self.done = place;
    }

    fn fill(&mut self, bytes: &mut [u8], stop: Stop<'_>) -> Result<(), Fault> {
        let size = self.voxels.bytes();
        if let Some(places) = self.anywhere() {
            places.fill_by_all(self.done, bytes)?;
            self.done += bytes.len() / size;
            return Ok(());
        }
        for block in bytes.chunks_mut(BLOCK) {
            (self.source)(block, stop)?;
            if stop() {
                return Err(stopped());
            }
            check_numbers(self.shape, self.voxels, self.done, block, self.nan)?;
            self.done += block.len() / size;
        }
        Ok(())
    }

    /// The voxels of the image at any place, for several threads at a time; `None` if they come in order only, as
    /// through a pipe.
    pub fn anywhere(&self) -> Option<Places<'_>> {
        let &Stream { shape, voxels, nan, ref context, .. } = self;
        self.placed.as_ref().map(|placed| Places { shape, voxels, placed, nan, context })
    }

    /// The whole image, of a stream from which nothing has been read.
    ///
    /// # Errors
    /// The errors of [`Stream::read`]; memory does not suffice.
    pub fn image(self) -> Result<AnyImage, ImageReadError> {
        self.image_watched(&|_| ())
    }

    /// Like [`Stream::image`]; `advance` receives the numbers of voxels read, and often 0, so that it can unwind.
    ///
    /// # Errors
    /// The errors of [`Stream::image`].
    pub fn image_watched(mut self, advance: &dyn Fn(u64)) -> Result<AnyImage, ImageReadError> {
        let shape = self.shape;
        let image = with_voxels!(self.voxels, T => match self.mapped::<T>() {
            Some(voxels) => {
                self.check_all(advance)?;
                Image::shared(shape, Arc::new(voxels)).map(AnyImage::from)
            }
            None => Image::<T>::new(shape, self.all(advance)?).map(AnyImage::from),
        });
        Ok(image.expect("a voxel for each place"))
    }

    /// Whether the voxels of the image stay in their file: memory has no room for them, and they lie there as they
    /// would in memory. The file must not change then as long as the image is used.
    pub fn stays_in_file(&self) -> bool {
        with_voxels!(self.voxels, T => self.mapped::<T>().is_some())
    }

    fn mapped<T: Voxel>(&self) -> Option<Mapped<T>> {
        let placed = self.placed.as_ref().filter(|placed| !placed.swap && self.nan.is_none())?;
        // Memory is asked once, so that what was told stays true.
        if *self.fits.get_or_init(|| memory::probe(self.bytes()).is_ok()) {
            return None;
        }
        Mapped::new(&placed.file, placed.start, self.shape.count()).ok()
    }

    /// Checks that all voxels are numbers.
    fn check_all(&mut self, advance: &dyn Fn(u64)) -> Result<(), ImageReadError> {
        if self.voxels.coding() == Coding::Float {
            let mut part = vec![0_u64; REQUEST / size_of::<u64>()];
            while self.done < self.shape.count() {
                advance(self.read_bytes(part.as_mut_bytes(), &|| false)? as u64);
            }
        }
        Ok(())
    }

    /// Reads all voxels.
    fn all<T: Voxel>(&mut self, advance: &dyn Fn(u64)) -> Result<Vec<T>, ImageReadError> {
        let count = self.shape.count();
        let mut voxels = Vec::new();
        let look = || {
            advance(0);
            false
        };
        if self.is_measured {
            room(&voxels, count).map_err(|fault| self.context.error(fault))?;
            voxels = vec![T::default(); count];
            for part in voxels.chunks_mut(REPORTED / size_of::<T>()) {
                self.read_bytes(part.as_mut_bytes(), &look)?;
                advance(part.len() as u64);
            }
        }
        // A length that only a header promises is not relied on: memory grows with the voxels that have come.
        while voxels.len() < count {
            let start = voxels.len();
            let end = count.min(2 * start.max(BLOCK));
            room(&voxels, end).map_err(|fault| self.context.error(fault))?;
            voxels.resize(end, T::default());
            self.read_bytes(voxels[start..].as_mut_bytes(), &look)?;
            advance((end - start) as u64);
        }
        Ok(voxels)
    }
}

/// The voxels of a [`Stream`] at any place.
pub struct Places<'a> {
    shape: Shape,
    voxels: VoxelType,
    placed: &'a Placed,
    nan: Option<f64>,
    context: &'a Context,
}

impl fmt::Debug for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Places { shape, context, .. } = self;
        f.debug_struct("Places").field("file", &context.file).field("shape", shape).finish_non_exhaustive()
    }
}

impl Places<'_> {
    /// Fills the slice with voxels, beginning with number `first` in memory order.
    ///
    /// # Errors
    /// The file cannot be read; it has become shorter than the image; a voxel is not a number.
    ///
    /// # Panics
    /// The image ends before the slice does; `T` is not the type of the voxels.
    pub fn read<T: Voxel>(&self, first: usize, voxels: &mut [T]) -> Result<(), ImageReadError> {
        assert_eq!(T::TYPE, self.voxels, "the type of the voxels");
        self.read_bytes(first, voxels.as_mut_bytes())
    }

    /// Like [`Places::read`], but fills the bytes of whole voxels, which are aligned as these.
    pub(in crate::cubical) fn read_bytes(
        &self,
        first: usize,
        bytes: &mut [u8],
    ) -> Result<(), ImageReadError> {
        let count = bytes.len() / self.voxels.bytes();
        assert!(count <= self.shape.count().saturating_sub(first), "{count} from {first}");
        self.fill(first, bytes).map_err(|fault| self.context.error(fault))
    }

    fn fill(&self, first: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        let size = self.voxels.bytes();
        for (k, part) in bytes.chunks_mut(REQUEST).enumerate() {
            let first = first + k * (REQUEST / size);
            self.placed.fill(first, part, size)?;
            check_numbers(self.shape, self.voxels, first, part, self.nan)?;
        }
        Ok(())
    }

    /// Like [`Places::fill`], by all threads. If several reads fail, the first in memory order is reported.
    fn fill_by_all(&self, first: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        if bytes.len() <= PIECE {
            return self.fill(first, bytes);
        }
        let pieces: Vec<_> = bytes.chunks_mut(PIECE).map(Mutex::new).collect();
        let size = PIECE / self.voxels.bytes();
        let filled = parallel::map(pieces.len(), &|k| self.fill(first + k * size, &mut lock(&pieces[k])));
        filled.into_iter().collect()
    }
}

/// Replaces NaN by `nan`; without such a value, returns an error for the first NaN. The first voxel of the block, which
/// is given as bytes, is number `place` in memory order.
fn check_numbers(
    shape: Shape,
    voxels: VoxelType,
    place: usize,
    block: &mut [u8],
    nan: Option<f64>,
) -> Result<(), ImageProblem> {
    const WHOLE: &str = "whole voxels, aligned";
    match voxels {
        VoxelType::F32 => check_floats(shape, place, <[f32]>::mut_from_bytes(block).expect(WHOLE), nan),
        VoxelType::F64 => check_floats(shape, place, <[f64]>::mut_from_bytes(block).expect(WHOLE), nan),
        // Integers are all numbers.
        _ => Ok(()),
    }
}

fn check_floats<T: Voxel>(
    shape: Shape,
    place: usize,
    block: &mut [T],
    nan: Option<f64>,
) -> Result<(), ImageProblem> {
    // Without a branch, so that the loop is vectorised.
    if block.iter().fold(true, |all, voxel| all & voxel.is_number()) {
        return Ok(());
    }
    if let Some(nan) = nan.map(T::nearest) {
        block.iter_mut().filter(|voxel| !voxel.is_number()).for_each(|voxel| *voxel = nan);
        return Ok(());
    }
    let first = block.iter().position(|voxel| !voxel.is_number()).unwrap_or(0);
    let problem = ImageProblem::new(Place::Voxel(shape.coordinates(place + first)), "a number", block[first]);
    Err(problem.note("--nan X replaces such voxels by X, a number, lowest or highest"))
}
