//! How an image is read: the options of all commands on images.

use std::path::Path;

use lacuna::cubical::read::{
    AnyStream, ImageFormat as Format, ImageOptions as Options, ImageReadError as ReadError, Raw, VoxelType,
};
use lacuna::cubical::{AnyImage, Order};
use lacuna::input::name_of;
use lacuna::progress::Progress;

use super::error::CliError;
use super::notes::Notes;
use super::parse::{self, Extents};
use super::progress::{Meter, VoxelMeter};

/// The format of an image and, where its file has no header, what it holds.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ImageArguments {
    /// Format of the image [default: detected from its content and name]
    ///
    /// npy      NumPy array of up to three axes longer than 1
    /// npz      array of an archive of NumPy arrays; of several, --key says which
    /// png      PNG, gray; 1, 2 and 4 bits are spread over 0 … 255
    /// pgm      PGM or PBM of Netpbm
    /// tiff     TIFF, gray, one page or a stack: page, row, column
    /// nifti    NIfTI-1 or NIfTI-2, .nii or .nii.gz
    /// dipha    DIPHA's image data
    /// perseus  text, a number a line: axes, extents, values
    /// raw      voxels without a header; needs --shape and --dtype
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        verbatim_doc_comment,
        allow_hyphen_values = true
    )]
    format: Option<Format>,

    /// Of a raw image, the number of voxels along each axis, such as 512,512,40
    #[arg(long, value_name = "N,...", help_heading = "Input",
        value_parser = parse::extents, allow_hyphen_values = true)]
    shape: Option<Extents>,

    /// Of a raw image, the type of the voxels, little-endian
    #[arg(long, value_name = "TYPE", help_heading = "Input", value_parser = parse::voxels())]
    dtype: Option<VoxelType>,

    /// Of a raw image, whether its last axis varies fastest (c, the default) or its first (f)
    #[arg(long, value_name = "ORDER", help_heading = "Input", value_parser = parse::order())]
    order: Option<Order>,

    /// Of an image with channels, take the one with this number, counted from 0
    ///
    /// TIFF has channels where ImageJ or OME-XML says so, NIfTI where it has a fifth axis.
    #[arg(long, value_name = "N", help_heading = "Input",
        value_parser = parse::count, allow_hyphen_values = true)]
    channel: Option<usize>,

    /// Of an image that changes in time, take the frame with this number, counted from 0
    ///
    /// TIFF has frames where ImageJ or OME-XML says so, NIfTI where it has a fourth axis.
    #[arg(long, value_name = "N", help_heading = "Input",
        value_parser = parse::count, allow_hyphen_values = true)]
    frame: Option<usize>,

    /// Of an archive of several arrays, take the one of this name
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    key: Option<String>,
}

impl ImageArguments {
    /// How to read.
    ///
    /// # Errors
    /// A raw image without shape or type; shape, type or order of an image that is not raw.
    pub(crate) fn options(&self) -> Result<Options, CliError> {
        let given = [
            ("--shape", self.shape.is_some()),
            ("--dtype", self.dtype.is_some()),
            ("--order", self.order.is_some()),
        ];
        let picked =
            Options { channel: self.channel, frame: self.frame, key: self.key.clone(), ..Options::default() };
        let option = given.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option);
        match (self.format, option, &self.shape, self.dtype) {
            (Some(format), Some(option), _, _) if format != Format::Raw => {
                Err(CliError::OnlyRaw { option, format })
            }
            (None | Some(Format::Raw), _, Some(Extents(shape)), Some(dtype)) => {
                let raw = Raw { shape: shape.clone(), dtype, order: self.order.unwrap_or_default() };
                Ok(Options { format: Some(Format::Raw), raw: Some(raw), ..picked })
            }
            (Some(Format::Raw), _, shape, _) | (None, Some(_), shape, _) => {
                let missing = if shape.is_none() { "--shape" } else { "--dtype" };
                Err(CliError::RawNeeds { missing })
            }
            (format, _, _, _) => Ok(Options { format, ..picked }),
        }
    }
}

/// The image of a stream; `meter` shows how much of it has been read.
pub(crate) fn read_image(stream: AnyStream, meter: &Meter) -> Result<AnyImage, ReadError> {
    meter.stage("reading");
    let meter = VoxelMeter(meter);
    meter.begin("reading", None, stream.shape().count() as u64);
    stream.image_watched(&|voxels| meter.advance(voxels))
}

/// Says what the image in `file` was detected to be, while `meter` may be seen.
pub(crate) fn tell_detection(file: &Path, stream: &AnyStream, notes: Notes, meter: &Meter) {
    if let Some(detection) = stream.detection() {
        meter.aside(|| notes.note(format_args!("{}: {detection}", name_of(file))));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        image: ImageArguments,
    }

    fn options(line: &str) -> Result<Options, String> {
        let line = Line::try_parse_from(std::iter::once("test").chain(line.split_whitespace()));
        line.map_err(|error| error.to_string())?.image.options().map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_given_together() {
        let raw = |order| Raw { shape: vec![4, 3, 5], dtype: VoxelType::F32, order };
        assert_eq!(options(""), Ok(Options::default()));
        for (line, format, raw) in [
            ("--format tiff", Format::Tiff, None),
            ("--shape 4,3,5 --dtype f32", Format::Raw, Some(raw(Order::C))),
            ("--format raw --shape 4,3,5 --dtype f32 --order f", Format::Raw, Some(raw(Order::F))),
        ] {
            assert_eq!(
                options(line),
                Ok(Options { format: Some(format), raw, ..Options::default() }),
                "{line}"
            );
        }
        let picked =
            Options { channel: Some(2), frame: Some(0), key: Some("a".to_owned()), ..Options::default() };
        assert_eq!(options("--channel 2 --frame 0 --key a"), Ok(picked));
    }

    #[test]
    fn what_does_not_go_together() {
        for (line, message) in [
            ("--format raw", "a raw image: expected --shape, found none"),
            ("--dtype u8", "a raw image: expected --shape, found none"),
            ("--order f", "a raw image: expected --shape, found none"),
            ("--shape 3 --order c", "a raw image: expected --dtype, found none"),
            ("--format npy --shape 3 --dtype u8", "--shape: expected a raw image, found --format npy"),
            ("--format png --order c", "--order: expected a raw image, found --format png"),
        ] {
            assert_eq!(options(line), Err(message.to_owned()), "{line}");
        }
        for line in ["--shape 3,", "--shape 0", "--shape -1,2", "--shape 1,2,3,4", "--shape 3x4"] {
            let error = options(line).unwrap_err();
            assert!(error.contains("expected one to three numbers from 1 on, such as 512,512,40"), "{error}");
        }
        assert!(options("--format bmp").unwrap_err().contains("npy, png, tiff"));
        assert!(options("--dtype f16").unwrap_err().contains("f32"));
    }
}
