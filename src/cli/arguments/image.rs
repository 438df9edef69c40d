//! How an image is read: the options of all commands on images.

use lacuna::cubical::Order;
use lacuna::cubical::read::{ImageFormat, ImageOptions, Raw, VoxelType};

use crate::cli::error::{Result, usage};
use crate::cli::parse::{self, Frames};

/// The format of an image and, where its file has no header, what it holds.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ImageArguments {
    /// Image format [default: detected from content and name]
    ///
    /// npy        NumPy array of up to three axes longer than 1, or four with --frame all
    /// npz        array from an archive of NumPy arrays; --key chooses one of several
    /// png        PNG, grey; 1, 2 and 4 bits are scaled to 0 … 255
    /// pgm        PGM or PBM of Netpbm
    /// tiff       TIFF, grey, one page or a stack: page, row, column
    /// nifti      NIfTI-1 or NIfTI-2, .nii or .nii.gz
    /// nrrd       NRRD, .nrrd or .nhdr
    /// metaimage  MetaImage, .mha or .mhd
    /// vgi        VGStudio, .vgi or .vol with a header .vgi beside it
    /// vol        DGtal's volumes
    /// zarr       directory of Zarr 2 or 3 or of OME-Zarr; --key chooses an array of a group
    /// dipha      DIPHA's image data
    /// perseus    text, one number per line: number of axes, extents, values
    /// raw        voxels without a header; requires --shape and --dtype
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true)]
    format: Option<ImageFormat>,

    #[command(flatten)]
    voxels: VoxelsArguments,

    /// Array to read from an .npz archive or a Zarr group that holds several
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    key: Option<String>,
}

impl ImageArguments {
    /// How to read; the errors are those of [`VoxelsArguments::options`].
    pub(crate) fn options(&self) -> Result<ImageOptions> {
        self.voxels.options(self.format, self.key.as_deref())
    }
}

/// Options that describe a raw image, and that choose among the channels and frames of other images.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct VoxelsArguments {
    /// Shape of a raw image, such as 512,512,40
    #[arg(hide_short_help = true, long, value_name = "N,...", value_parser = parse::extents, allow_hyphen_values = true)]
    shape: Option<Box<[usize]>>,

    /// Voxel type of a raw image, little-endian
    #[arg(hide_short_help = true, long, value_name = "TYPE", value_parser = parse::one_of::<VoxelType>())]
    dtype: Option<VoxelType>,

    /// Axis of a raw image that varies fastest: last (c) or first (f) [default: c]
    #[arg(hide_short_help = true, long, value_name = "ORDER", hide_possible_values = true, value_parser = parse::one_of::<Order>())]
    order: Option<Order>,

    /// Channel to read, counted from 0
    ///
    /// Channels are found in TIFF where ImageJ or OME-XML metadata describes them, and in the fifth axis of
    /// NIfTI.
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = parse::count, allow_hyphen_values = true)]
    pub(crate) channel: Option<usize>,

    /// Time frame to read, counted from 0, or all, to take four axes as those of one image
    ///
    /// Frames are found in TIFF where ImageJ or OME-XML metadata describes them, in the fourth axis of NIfTI, and
    /// along the axis t of Zarr. `cubical` and `ecc` take images of four axes, from these and from npy, npz, nrrd,
    /// metaimage, dipha and raw files.
    #[arg(hide_short_help = true, long, value_name = "N|all", value_parser = parse::frames, allow_hyphen_values = true)]
    pub(crate) frame: Option<Frames>,

    /// Replace NaN by X: a number, -inf or inf [default: NaN is an error]
    #[arg(hide_short_help = true, long, value_name = "X", value_parser = parse::in_place_of_nan, allow_hyphen_values = true)]
    pub(crate) nan: Option<f64>,
}

impl VoxelsArguments {
    /// How to read an image, perhaps of a format that is known.
    ///
    /// # Errors
    /// A raw image without shape or type; shape, type or order of an image that is not raw.
    pub(crate) fn options(&self, format: Option<ImageFormat>, key: Option<&str>) -> Result<ImageOptions> {
        let given = [
            ("--shape", self.shape.is_some()),
            ("--dtype", self.dtype.is_some()),
            ("--order", self.order.is_some()),
        ];
        let picked = ImageOptions {
            channel: self.channel,
            frame: self
                .frame
                .and_then(|frames| if let Frames::One(frame) = frames { Some(frame) } else { None }),
            four_axes: self.frame == Some(Frames::All),
            key: key.map(str::to_owned),
            nan: self.nan,
            ..ImageOptions::default()
        };
        let option = given.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option);
        match (format, option, &self.shape, self.dtype) {
            (Some(format), Some(option), _, _) if format != ImageFormat::Raw => {
                Err(usage(format_args!("{option}: expected a raw image, found --format {format}")))
            }
            (None | Some(ImageFormat::Raw), _, Some(shape), Some(dtype)) => {
                let raw = Raw { shape: shape.to_vec(), dtype, order: self.order.unwrap_or_default() };
                Ok(ImageOptions { format: Some(ImageFormat::Raw), raw: Some(raw), ..picked })
            }
            (Some(ImageFormat::Raw), _, shape, _) | (None, Some(_), shape, _) => {
                let missing = if shape.is_none() { "--shape" } else { "--dtype" };
                Err(usage(format_args!("a raw image: expected {missing}, found none")))
            }
            (format, _, _, _) => Ok(ImageOptions { format, ..picked }),
        }
    }

    /// Whether shape or type are given, which raw images alone need.
    pub(crate) fn are_raw(&self) -> bool {
        self.shape.is_some() || self.dtype.is_some() || self.order.is_some()
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

    fn options(line: &str) -> Result<ImageOptions, String> {
        let line = Line::try_parse_from(std::iter::once("test").chain(line.split_whitespace()));
        line.map_err(|error| error.to_string())?.image.options().map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_given_together() {
        let raw = |order| Raw { shape: vec![4, 3, 5], dtype: VoxelType::F32, order };
        assert_eq!(options(""), Ok(ImageOptions::default()));
        for (line, format, raw) in [
            ("--format tiff", ImageFormat::Tiff, None),
            ("--shape 4,3,5 --dtype f32", ImageFormat::Raw, Some(raw(Order::C))),
            ("--format raw --shape 4,3,5 --dtype f32 --order f", ImageFormat::Raw, Some(raw(Order::F))),
        ] {
            assert_eq!(
                options(line),
                Ok(ImageOptions { format: Some(format), raw, ..ImageOptions::default() }),
                "{line}"
            );
        }
        let picked = ImageOptions {
            channel: Some(2),
            frame: Some(0),
            key: Some("a".to_owned()),
            nan: Some(f64::NEG_INFINITY),
            ..ImageOptions::default()
        };
        assert_eq!(options("--channel 2 --frame 0 --key a --nan lowest"), Ok(picked));
        let whole = ImageOptions { four_axes: true, ..ImageOptions::default() };
        assert_eq!(options("--frame all"), Ok(whole));
        assert!(
            options("--frame -1")
                .unwrap_err()
                .contains("expected a whole number, 0 or more, or all, found -1")
        );
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
        for line in ["--shape 3,", "--shape 0", "--shape -1,2", "--shape 1,2,3,4,5", "--shape 3x4"] {
            let error = options(line).unwrap_err();
            assert!(error.contains("expected one to four numbers from 1 on, such as 512,512,40"), "{error}");
        }
        assert!(options("--format bmp").unwrap_err().contains("npy, png, tiff"));
        assert!(options("--dtype f16").unwrap_err().contains("f32"));
    }
}
