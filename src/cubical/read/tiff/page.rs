//! A page of a TIFF file: its size and sample format.

use std::io::ErrorKind;

use ::tiff::decoder::{ChunkType, Decoder, Limits};
use ::tiff::tags::{CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};
use ::tiff::{ColorType, TiffError};

use crate::cubical::key::Coding;
use crate::cubical::read::bytes::Seekable;
use crate::cubical::read::error::{Fault, ImageProblem};
use crate::cubical::read::png::MOST_DEFLATED;
use crate::cubical::voxel::VoxelType;

/// Greatest expansion of LZW: the longest string has 3839 bytes and takes 12 bits.
const MOST_LZW: u64 = 2560;

/// Greatest expansion of PackBits: 128 bytes from two.
const MOST_PACKED: u64 = 64;

/// Decoder of the pages of a file.
pub(super) type Pages = Decoder<Box<dyn Seekable>>;

/// Sample format of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Samples {
    /// Whole-byte samples of a voxel type.
    Plain(VoxelType),
    /// Samples of 1, 2 or 4 bits; each row begins at a byte.
    Bits(u8),
    /// 16-bit floats.
    Halves,
}

impl Samples {
    /// The type of the voxels that the samples become.
    pub(super) fn voxels(self) -> VoxelType {
        match self {
            Samples::Plain(voxels) => voxels,
            Samples::Bits(_) => VoxelType::U8,
            Samples::Halves => VoxelType::F32,
        }
    }

    /// Number of bits of a sample in the file.
    pub(super) fn bits(self) -> u64 {
        match self {
            Samples::Plain(voxels) => 8 * voxels.bytes() as u64,
            Samples::Bits(bits) => bits.into(),
            Samples::Halves => 16,
        }
    }
}

/// Properties shared by all pages of a stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Page {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) samples: Samples,
}

impl Page {
    pub(super) fn described(self) -> String {
        let of = match self.samples {
            Samples::Plain(voxels) => format!("type {voxels}"),
            Samples::Bits(bits) => format!("{bits} bits"),
            Samples::Halves => "type f16".to_owned(),
        };
        format!("{}x{} voxels of {of}", self.rows, self.columns)
    }

    /// Number of voxels of a page.
    pub(super) fn count(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

/// Whether the decoder's current page is not part of the stack: a reduced copy or a transparency mask.
pub(super) fn is_reduced(decoder: &mut Pages, number: usize) -> Result<bool, Fault> {
    let kind = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType).map_err(|error| fault(number, error))?;
    Ok(kind.unwrap_or(0) & 0b101 != 0)
}

/// Greatest number of bytes for the values of one tag, for example the offsets of all strips.
pub(super) const MOST_OF_A_TAG: u64 = 1 << 30;

/// Decoder limits for a file of this length. A tag has at most as many values as the file has bytes, and the decoder
/// uses 32 bytes per value. Pages and strips are decoded into memory that this reader allocates.
pub(super) fn limits(length: u64) -> Limits {
    let tag = usize::try_from(length.saturating_mul(32).min(MOST_OF_A_TAG)).unwrap_or(usize::MAX);
    let mut limits = Limits::unlimited();
    limits.ifd_value_size = tag;
    limits.decoding_buffer_size = tag;
    limits
}

/// Reads the properties of the decoder's current page and checks that it is gray and that the file can hold it.
pub(super) fn page(decoder: &mut Pages, number: usize, length: u64) -> Result<Page, Fault> {
    let failed = |error| fault(number, error);
    let (columns, rows) = decoder.dimensions().map_err(failed)?;
    let bits = gray_bits(decoder, number)?;
    let format = decoder.find_tag_unsigned_vec(Tag::SampleFormat).map_err(failed)?;
    let format = format.and_then(|formats| formats.first().copied()).map(SampleFormat::from_u16_exhaustive);
    let samples = samples(format.unwrap_or(SampleFormat::Uint), bits, number)?;
    let page = Page { rows, columns, samples };
    check_size(decoder, number, length, page)?;
    Ok(page)
}

/// Bits per sample of the decoder's current page, which must be gray with 0 for black.
fn gray_bits(decoder: &mut Pages, number: usize) -> Result<u8, Fault> {
    let failed = |error| fault(number, error);
    let photometric = decoder.find_tag_unsigned(Tag::PhotometricInterpretation).map_err(failed)?;
    let photometric = photometric.and_then(PhotometricInterpretation::from_u16);
    let (expected, found, note) = match (decoder.colortype(), photometric) {
        (Ok(ColorType::Gray(bits)), Some(PhotometricInterpretation::BlackIsZero)) => return Ok(bits),
        (_, Some(PhotometricInterpretation::WhiteIsZero)) => {
            ("gray with 0 for black", "gray with 0 for white".to_owned(), WHITE_IS_ZERO)
        }
        (Ok(ColorType::Multiband { num_samples, .. }), _) => {
            ("one sample a pixel", num_samples.to_string(), "save one of them alone")
        }
        (_, Some(PhotometricInterpretation::RGBPalette)) => ("gray", "a palette".to_owned(), PALETTE),
        (_, Some(found)) => ("gray", format!("{found:?}"), "convert it to gray first"),
        (_, None) => ("gray", "no interpretation".to_owned(), "convert it to gray first"),
    };
    Err(ImageProblem::page(number, expected, found).note(note).into())
}

/// The sample format for a TIFF format and number of bits.
fn samples(format: SampleFormat, bits: u8, number: usize) -> Result<Samples, ImageProblem> {
    let plain = |coding| VoxelType::of(coding, usize::from(bits) / 8).filter(|_| bits.is_multiple_of(8));
    let samples = match (format, bits) {
        // An unknown format is taken as unsigned integers.
        (SampleFormat::Uint | SampleFormat::Void, 1 | 2 | 4) => Some(Samples::Bits(bits)),
        (SampleFormat::Uint | SampleFormat::Void, _) => plain(Coding::Unsigned).map(Samples::Plain),
        (SampleFormat::Int, _) => plain(Coding::Signed).map(Samples::Plain),
        (SampleFormat::IEEEFP, 16) => Some(Samples::Halves),
        (SampleFormat::IEEEFP, _) => plain(Coding::Float).map(Samples::Plain),
        _ => None,
    };
    samples.ok_or_else(|| {
        let expected = "whole numbers of 1, 2, 4, 8, 16, 32 or 64 bits or floats of 16, 32 or 64";
        ImageProblem::page(number, expected, format!("{bits} bits of format {format:?}"))
    })
}

/// Returns an error if a page or one of its tiles is larger than a file of this length can hold.
fn check_size(decoder: &mut Pages, number: usize, length: u64, page: Page) -> Result<(), Fault> {
    let failed = |error| fault(number, error);
    let compression = decoder.find_tag_unsigned(Tag::Compression).map_err(failed)?;
    let most = match compression.map_or(CompressionMethod::None, CompressionMethod::from_u16_exhaustive) {
        CompressionMethod::None => 1,
        CompressionMethod::LZW => MOST_LZW,
        CompressionMethod::Deflate | CompressionMethod::OldDeflate => MOST_DEFLATED,
        CompressionMethod::PackBits => MOST_PACKED,
        found => {
            let expected = "no compression, LZW, Deflate or PackBits";
            let problem = ImageProblem::page(number, expected, format!("{found:?}"));
            return Err(problem.note("rewrite it, as with `tiffcp -c zip IN OUT`").into());
        }
    };
    let (columns, rows) = decoder.chunk_dimensions();
    let voxels = match decoder.get_chunk_type() {
        ChunkType::Tile => page.count().max(u64::from(columns) * u64::from(rows)),
        ChunkType::Strip => page.count(),
    };
    let size = voxels.checked_mul(page.samples.bits()).map(|bits| bits.div_ceil(8));
    if size.is_none_or(|size| size > length.saturating_mul(most)) {
        let expected = format!("data for {voxels} voxels of type {}", page.samples.voxels());
        let found = format!("a file of {length} bytes, which cannot hold as many");
        return Err(ImageProblem::page(number, expected, found).into());
    }
    Ok(())
}

/// Remedy for an image whose least value is white.
const WHITE_IS_ZERO: &str = "some programs invert such images and some do not: convert it first, in ImageJ with Image > Lookup Tables > Grays";

/// Remedy for an image with a palette.
const PALETTE: &str = "convert it to gray first, in ImageJ with Image > Lookup Tables > Grays";

/// The error of decoding a page.
pub(super) fn fault(page: usize, error: TiffError) -> Fault {
    let found = match error {
        TiffError::IoError(error) => match error.kind() {
            ErrorKind::UnexpectedEof => "the end of the file or of a strip".to_owned(),
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => error.to_string(),
            _ => return error.into(),
        },
        error => error.to_string(),
    };
    ImageProblem::page(page, "a sound page of TIFF", found).into()
}
