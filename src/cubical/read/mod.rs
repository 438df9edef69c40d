//! Images from files: one reader per format, and format detection.
//!
//! | format | content | axes, as the user indexes them | voxels | reader |
//! |---|---|---|---|---|
//! | `npy` | NumPy array | NumPy's | all ten types, truth values, `f16` as `f32` | `npy` |
//! | `npz` | an array of an archive of NumPy arrays | NumPy's | the same | `npz` |
//! | `png` | PNG, gray, also by a palette | row, column | `u8`, `u16` | `png` |
//! | `pgm` | Netpbm graymap or bitmap, as text or bytes | row, column | `u8`, `u16` | `pgm` |
//! | `tiff` | TIFF or BigTIFF, gray, one page or a stack | row, column; page, row, column | all ten types, `f16` as `f32` | `tiff` |
//! | `nifti` | NIfTI-1 or NIfTI-2 in one file | x, y, z | all ten types, scaled ones | `nifti` |
//! | `dipha` | DIPHA file type 1 | x, y, z | `f64` | `dipha`, [`phat_formats::dipha`] |
//! | `perseus` | text, one number per line | x, y, z | `f64` | `perseus` |
//! | `nrrd` | NRRD, header and voxels in one file or several | as in the header | all ten types | `nrrd` |
//! | `metaimage` | MetaImage, header and voxels in one file or several | x, y, z | all ten types | `metaimage` |
//! | `vgi` | volume of VGStudio: voxels and a header in two files | x, y, z | all ten types | `vgi` |
//! | `vol` | volume of DGtal | x, y, z | `u8` | `vol` |
//! | `zarr` | directory of Zarr 2 or 3, or of OME-Zarr | the array's | all ten types, truth values, `f16` as `f32` | `zarr` |
//! | `raw` | voxels without a header, little-endian | as given | all ten types | `raw` |
//!
//! Axes of one voxel do not affect results, but are shown to the user ([`Shape`](super::Shape)). If an image has
//! channels or frames, one of each can be picked, or the frames be read as a fourth axis ([`ImageOptions`]).
//!
//! Every file may be compressed with gzip.
//!
//! Voxels keep the type they have in the file. NaN is an error, or is replaced ([`ImageOptions::nan`]); infinities are
//! ordinary values.
//!
//! **In pieces.** An image is read whole ([`read()`]) or as a stream of voxels in memory order ([`open`]). A stream
//! reads from the file on demand: `tiff` by strip or row of tiles, `png` by row, `zarr` by row of chunks. An interlaced
//! `png`, an `npz`, and the text or bits of a `pgm` are decoded whole, as is text in an `nrrd` or `metaimage`. A `tiff`
//! or `png` that is compressed with gzip or read from a pipe is held in memory.
//!
//! **Memory.** No allocation but one relies on a header alone. A file must be as long as its header says; a compressed
//! file must be long enough to hold the voxels at the greatest compression. If the length is unknown, as for a pipe,
//! memory grows with the data that have been read. Of a `zarr`, whose chunks may be missing, memory is taken for a row
//! of chunks. A whole image for which memory has no room stays in its file, if voxels lie there as in memory
//! ([`Stream::stays_in_file`]).
//!
//! **Detection.** If no format is given, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | is given with shape and type of voxels | `raw` |
//! | is empty | an error |
//! | begins with the magic bytes of NumPy, zip, PNG, TIFF, DIPHA | `npy`, `npz`, `png`, `tiff`, `dipha` |
//! | begins with `P1`, `P2`, `P4` or `P5` and a blank | `pgm` |
//! | has NIfTI's magic bytes | `nifti` |
//! | begins with NRRD's magic bytes | `nrrd` |
//! | begins with a line of a MetaImage, such as `NDims = 3` | `metaimage` |
//! | begins with `{volume` | `vgi` |
//! | is called `*.vol`, and a header `*.vgi` or `*.vol.vgi` is beside it | `vgi`; an error if it begins as DGtal's volumes do |
//! | begins with lines of a volume of DGtal | `vol` |
//! | begins like a file of a known format without a reader | an error that names the format |
//! | is called `*.npy`; `*.npz`; `*.png`; `*.pgm`, `*.pbm`; `*.tif`, `*.tiff`; `*.nii`; `*.dipha`, `*.complex`; `*.nrrd`, `*.nhdr`; `*.mha`, `*.mhd` | `npy`; `npz`; `png`; `pgm`; `tiff`; `nifti`; `dipha`; `nrrd`; `metaimage`, which reports an error if the content differs |
//! | begins with lines of one whole number each, one more than the first says | `perseus` |
//! | is any other | an error |
//!
//! A directory with metadata of Zarr is read as `zarr`.
//!
//! For a file compressed with gzip, these rules apply to its content, and to its name without `.gz`.

mod bytes;
mod data_file;
mod detect;
mod dipha;
mod error;
mod fields;
mod format;
mod layout;
mod metaimage;
mod nifti;
mod npy;
mod npz;
mod nrrd;
mod options;
mod perseus;
mod pgm;
#[cfg(feature = "codecs")]
mod png;
mod raw;
pub mod stream;
#[cfg(feature = "codecs")]
mod tiff;
mod vgi;
mod vol;
#[cfg(feature = "codecs")]
mod zarr;

#[cfg(all(test, feature = "codecs"))]
mod tests;

pub(super) use layout::swap;
pub(super) use metaimage::TYPES as METAIMAGE_TYPES;
pub(super) use nrrd::TYPES as NRRD_TYPES;

pub use error::{ImageProblem, ImageReadError, Place};
pub use format::ImageFormat;
pub use options::{ImageOptions, Raw};
pub use stream::{Detection, Places, Stream};

pub use super::voxel::VoxelType;

use std::path::{Path, PathBuf};

use crate::cubical::image::AnyImage;
use crate::input::{gzip, source};
use bytes::Bytes;
use error::{Context, Fault};
use options::pick;

/// Reads the image in the file at `path`, or in standard input if the path is `-`.
///
/// # Errors
/// The file cannot be read, or its content does not conform to its format.
pub fn read(path: &Path, options: &ImageOptions) -> Result<AnyImage, ImageReadError> {
    open(path, options)?.image()
}

/// The number of frames of the image in the file at `path`, if all frames together have too many axes and `options`
/// pick none. Returns `None` for other images, for files that are not regular, and for files that cannot be read, whose
/// error the reader reports.
pub fn count_frames(path: &Path, options: &ImageOptions) -> Option<usize> {
    if options.frame.is_some() || options.four_axes {
        return None;
    }
    match looked_at(path, options)? {
        (ImageFormat::Nifti, bytes) => nifti::frames(bytes, options),
        #[cfg(feature = "codecs")]
        (ImageFormat::Tiff, bytes) => tiff::frames(bytes, options),
        _ => None,
    }
}

/// The other files from which the image in the file at `path` is read: those that its header names, or the header
/// beside its voxels. There are none for an image in one file, for a file that is not regular, and for one that cannot
/// be read, whose error the reader reports.
pub fn other_files(path: &Path, options: &ImageOptions) -> Vec<PathBuf> {
    match looked_at(path, options) {
        Some((format @ (ImageFormat::Nrrd | ImageFormat::Metaimage | ImageFormat::Vgi), bytes)) => {
            open_as(format, bytes, options).map(|stream| stream.others).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The format of a regular file and its bytes; `None` if these are not to be had.
fn looked_at(path: &Path, options: &ImageOptions) -> Option<(ImageFormat, Bytes)> {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let bytes = unpacked(Bytes::open(path).ok()?, options).ok()?;
    let detected = || Some(detect::detect(&source::name_of(path), bytes.head(), bytes.path()).ok()?.0);
    Some((detect::given(options).ok()?.or_else(detected)?, bytes))
}

/// Reads an image from the bytes of a file. `name` is used in messages, and its extension for format detection.
///
/// # Errors
/// The errors of [`read()`].
pub fn read_bytes(name: &str, file: &[u8], options: &ImageOptions) -> Result<AnyImage, ImageReadError> {
    open_bytes(name, Bytes::of(file.to_vec()), options)?.image()
}

/// Opens the image in the file at `path`, or in standard input if the path is `-`, as a stream of its voxels in memory
/// order.
///
/// # Errors
/// The file cannot be read, or its header does not conform to its format.
pub fn open(path: &Path, options: &ImageOptions) -> Result<Stream, ImageReadError> {
    let name = source::name_of(path);
    if options.format == Some(ImageFormat::Zarr) || (options.format.is_none() && is_zarr(path)) {
        return open_store(path, name, options);
    }
    open_bytes(&name, Bytes::open(path), options)
}

/// Whether a path is a directory of Zarr, which is read as an image.
pub fn is_zarr(path: &Path) -> bool {
    ["zarr.json", ".zarray", ".zgroup"].iter().any(|name| path.join(name).is_file())
}

/// The error that something is not a directory of Zarr.
fn no_store() -> ImageProblem {
    ImageProblem::whole("a directory of Zarr, in which there is a file zarr.json, .zarray or .zgroup", "none")
}

fn open_store(path: &Path, name: String, options: &ImageOptions) -> Result<Stream, ImageReadError> {
    let detection = options.format.is_none().then(|| "a directory with metadata of Zarr".to_owned());
    let context = Context { file: name, format: Some(ImageFormat::Zarr), detection };
    #[cfg(feature = "codecs")]
    let opened = detect::given(options).map_err(Fault::from).and_then(|_| zarr::open(path, options));
    #[cfg(not(feature = "codecs"))]
    let opened = Err(crate::input::codecs::unreadable(&format!("the Zarr {}", path.display())).into());
    finished(opened, context, options)
}

/// The stream that was opened with what the options say of NaN, or the error with its context.
fn finished(
    opened: Result<Stream, Fault>,
    context: Context,
    options: &ImageOptions,
) -> Result<Stream, ImageReadError> {
    let with_nan = |stream: Stream| match options.nan {
        Some(value) => Ok(stream.with_nan(value)?),
        None => Ok(stream),
    };
    match opened.and_then(with_nan) {
        Ok(stream) => Ok(Stream { context, ..stream }),
        Err(fault) => Err(context.error(fault)),
    }
}

fn open_bytes(
    name: &str,
    bytes: Result<Bytes, Fault>,
    options: &ImageOptions,
) -> Result<Stream, ImageReadError> {
    let mut context = Context { file: name.to_owned(), format: options.format, detection: None };
    let opened = bytes.and_then(|bytes| {
        let bytes = unpacked(bytes, options)?;
        let format = match detect::given(options)? {
            Some(format) => format,
            None => {
                let (format, why) = detect::detect(name, bytes.head(), bytes.path())?;
                context.detection = Some(why);
                format
            }
        };
        context.format = Some(format);
        open_as(format, bytes, options)
    });
    finished(opened, context, options)
}

/// The bytes of a file, decompressed if it is compressed with gzip. A raw image that is exactly as long as its voxels,
/// and one with a header in another file, may begin with any bytes.
fn unpacked(bytes: Bytes, options: &ImageOptions) -> Result<Bytes, Fault> {
    let is_raw = |raw: &Raw| raw.bytes().is_some_and(|length| bytes.length() == Some(length));
    let has_header = || bytes.path().is_some_and(detect::has_header);
    if !bytes.head().starts_with(gzip::MAGIC) || options.raw.as_ref().is_some_and(is_raw) || has_header() {
        return Ok(bytes);
    }
    bytes.unpack()
}

fn open_as(format: ImageFormat, bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    if !matches!(format, ImageFormat::Tiff | ImageFormat::Nifti) {
        // Images of other formats have one channel and one frame.
        pick("channel", options.channel, 1)?;
        pick("frame", options.frame, 1)?;
    }
    if let Some(key) = options.key.as_ref().filter(|_| format != ImageFormat::Npz) {
        let expected = format!("an npz file, of which to take the array {key:?}");
        return Err(Fault::of(expected, format!("a file of format {format}")));
    }
    match format {
        ImageFormat::Npy => npy::open(bytes, options),
        ImageFormat::Npz => npz::open(bytes, options),
        #[cfg(feature = "codecs")]
        ImageFormat::Png => png::open(bytes),
        ImageFormat::Pgm => pgm::open(bytes),
        #[cfg(feature = "codecs")]
        ImageFormat::Tiff => tiff::open(bytes, options),
        #[cfg(not(feature = "codecs"))]
        ImageFormat::Png | ImageFormat::Tiff => {
            Err(crate::input::codecs::unreadable(&format!("an image of format {format}")).into())
        }
        ImageFormat::Nifti => nifti::open(bytes, options),
        ImageFormat::Dipha => dipha::open(bytes, options),
        ImageFormat::Nrrd => nrrd::open(bytes, options),
        ImageFormat::Metaimage => metaimage::open(bytes, options),
        ImageFormat::Vgi => vgi::open(bytes, options),
        ImageFormat::Vol => vol::open(bytes),
        ImageFormat::Zarr => Err(no_store().into()),
        ImageFormat::Perseus => perseus::open(bytes),
        ImageFormat::Raw => {
            let raw = options.raw.as_ref().ok_or_else(detect::no_shape)?;
            raw::open(bytes, raw, options)
        }
    }
}
