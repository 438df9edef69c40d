//! Images from files: one reader per format, and format detection.
//!
//! | format | content | axes, as their user indexes them | voxels | reader |
//! |---|---|---|---|---|
//! | `npy` | NumPy array | NumPy's | all ten types, truth values | `npy` |
//! | `png` | PNG, gray | row, column | `u8`, `u16` | `png` |
//! | `tiff` | TIFF or BigTIFF, gray, one page or a stack | row, column; page, row, column | all ten types | `tiff` |
//! | `nifti` | NIfTI-1 or NIfTI-2 in one file, perhaps compressed with gzip | x, y, z | all ten types, scaled ones | `nifti` |
//! | `dipha` | DIPHA file type 1 | x, y, z | `f64` | `dipha`, [`phat_formats::dipha`] |
//! | `perseus` | text, a number a line | x, y, z | `f64` | `perseus` |
//! | `raw` | voxels without a header, little-endian | as given | all ten types | `raw` |
//!
//! Voxels keep the type they have in the file. NaN is an error; infinities are values like others.
//!
//! **In pieces.** An image is read whole ([`read()`]) or as a stream of voxels in memory order ([`open`]). Streams are read from
//! the file as they are asked for, `tiff` by strip or, of tiles, by page; a `png` is decoded whole, and a `tiff` that comes
//! through a pipe is held in memory.
//!
//! **Memory.** Nothing is allocated because a header says so: a file has to be as long as its header says, or, when it is
//! compressed, long enough for what is asked for to come out of it; and where the length is not known, as of a pipe, memory grows
//! with what has come.
//!
//! **Detection.** Without a format, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | comes with shape and type of voxels | `raw` |
//! | is empty | an error |
//! | begins with the magic bytes of NumPy, PNG, TIFF, DIPHA | `npy`, `png`, `tiff`, `dipha` |
//! | has NIfTI's magic bytes, or begins with gzip's | `nifti` |
//! | is called `*.npy`; `*.png`; `*.tif`, `*.tiff`; `*.nii`, `*.gz`; `*.dipha`, `*.complex` | `npy`; `png`; `tiff`; `nifti`; `dipha` (and found wanting) |
//! | begins with lines of a whole number each, as many as the first says and one | `perseus` |
//! | is any other | an error |

mod bytes;
mod detect;
mod dipha;
mod error;
mod format;
mod layout;
mod nifti;
mod npy;
mod options;
mod perseus;
mod png;
mod raw;
mod stream;
mod tiff;
mod voxel;

#[cfg(test)]
mod tests;

pub use error::{Place, Problem, ReadError};
pub use format::{Format, UnknownFormat};
pub use options::{Options, Raw};
pub use stream::{AnyStream, Places, Stream};
pub use voxel::{UnknownType, VoxelType};

use std::path::Path;

use super::AnyImage;
use crate::input;
use bytes::Bytes;
use error::{Context, Fault};
use stream::whole;

/// Reads the image in the file at `path`, or in standard input when it is `-`.
///
/// # Errors
/// The file cannot be read, or its content is not what its format promises.
pub fn read(path: &Path, options: &Options) -> Result<AnyImage, ReadError> {
    image(open(path, options)?)
}

/// Reads the image that a file in memory holds; `name` is used for messages and, without a format, for its extension.
///
/// # Errors
/// As [`read()`].
pub fn read_bytes(name: &str, file: &[u8], options: &Options) -> Result<AnyImage, ReadError> {
    image(open_bytes(name, Bytes::of(file.to_vec()), options)?)
}

/// Opens the image in the file at `path`, or in standard input when it is `-`: its voxels in memory order, as they are asked for,
/// in bounded memory where the table says so.
///
/// # Errors
/// The file cannot be read, or its header is not what its format promises.
pub fn open(path: &Path, options: &Options) -> Result<AnyStream, ReadError> {
    open_bytes(&input::name_of(path), Bytes::open(path), options)
}

fn open_bytes(name: &str, bytes: Result<Bytes, Fault>, options: &Options) -> Result<AnyStream, ReadError> {
    let mut context = Context { file: name.to_owned(), format: options.format, detection: None };
    let opened = bytes.and_then(|bytes| {
        let format = match detect::given(options)? {
            Some(format) => format,
            None => {
                let (format, why) = detect::detect(name, bytes.head())?;
                context.detection = Some(why);
                format
            }
        };
        context.format = Some(format);
        open_as(format, bytes, options, &context)
    });
    opened.map_err(|fault| context.error(fault))
}

fn open_as(format: Format, bytes: Bytes, options: &Options, context: &Context) -> Result<AnyStream, Fault> {
    match format {
        Format::Npy => npy::open(bytes, context),
        Format::Png => png::open(bytes, context),
        Format::Tiff => tiff::open(bytes, context),
        Format::Nifti => nifti::open(bytes, context),
        Format::Dipha => dipha::open(bytes, context),
        Format::Perseus => perseus::open(bytes, context),
        Format::Raw => {
            let raw = options.raw.as_ref().ok_or_else(detect::no_shape)?;
            raw::open(bytes, raw, context)
        }
    }
}

impl AnyStream {
    /// The whole image, of which nothing has been read yet.
    ///
    /// # Errors
    /// As [`read()`].
    pub fn image(self) -> Result<AnyImage, ReadError> {
        image(self)
    }
}

/// All of a stream.
fn image(stream: AnyStream) -> Result<AnyImage, ReadError> {
    Ok(match stream {
        AnyStream::U8(stream) => AnyImage::U8(whole(stream)?),
        AnyStream::I8(stream) => AnyImage::I8(whole(stream)?),
        AnyStream::U16(stream) => AnyImage::U16(whole(stream)?),
        AnyStream::I16(stream) => AnyImage::I16(whole(stream)?),
        AnyStream::U32(stream) => AnyImage::U32(whole(stream)?),
        AnyStream::I32(stream) => AnyImage::I32(whole(stream)?),
        AnyStream::U64(stream) => AnyImage::U64(whole(stream)?),
        AnyStream::I64(stream) => AnyImage::I64(whole(stream)?),
        AnyStream::F32(stream) => AnyImage::F32(whole(stream)?),
        AnyStream::F64(stream) => AnyImage::F64(whole(stream)?),
    })
}
