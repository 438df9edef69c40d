//! `lacuna convert`: a file in another format of its kind, and images as boundary matrices.
//!
//! | module | what it holds |
//! |---|---|
//! | `image`, `matrix`, `distances`, `diagram` | a file of one kind as another of it; an image as its boundary matrix |

mod diagram;
mod distances;
mod image;
mod matrix;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::ValueEnum;
use lacuna::cubical::read::ImageFormat;
use lacuna::cubical::write::ImageFile;
use lacuna::internals::{Kind, name_of};
use lacuna::matrix::read::MatrixFormat;
use lacuna::metric::read::Problem;

use super::arguments::dimensions::DimensionArguments;
use super::arguments::distances::TableArguments;
use super::arguments::filtration::FiltrationArguments;
use super::arguments::image::VoxelsArguments;
use super::arguments::machine::ThreadsArguments;
use super::arguments::run::CommonArguments;
use super::error::{CliError, Result, check_options, only_of, usage};
use super::frame::Frame;
use super::naming::{OutputFormat, endings, format_of, has_other_ending, names, unknown_ending};
use super::outputs::Files;
use super::parse;
use super::progress::Written;
use super::{exit_codes, help};

/// Convert images, boundary matrices, distances and diagrams between formats
///
/// An image can also become its boundary matrix. Conversion keeps every value: one that the output format
/// cannot hold is an error, or is reported where the format rounds by definition. The columns of the
/// boundary matrix of an image are all cells, ordered by owner, the voxel that gives a cell its value: all
/// results of `lacuna cubical` follow from it, at the cost of about 2^d cells per voxel.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::LIMITED))]
#[command(mut_arg("max_dim", |arg| arg.help("Highest homology dimension of a resulting matrix [default: all]")))]
#[command(mut_arg("quiet", |arg| arg.help("Print only errors to standard error")))]
#[command(mut_arg("verbose", |arg| arg.help("Print what was converted and the time of each stage to standard error")))]
pub(crate) struct Arguments {
    /// Input file, - for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,

    /// Output file, replaced as a whole on success; - for standard output
    #[arg(value_name = "OUT")]
    out: PathBuf,

    /// Kind of the output: image, matrix, distances, diagram
    ///
    /// An image can become an image or a matrix, and points can become distances.
    #[arg(long, value_name = "KIND", help_heading = "Output", hide_possible_values = true, value_parser = parse::one_of::<Kind>())]
    to: Option<Kind>,

    /// Output format [default: by the extension of OUT]
    ///
    /// images     npy, png, tiff, nifti, nifti-gz, nrrd, metaimage (.mha), perseus (.perseus), raw; dipha with --to image
    /// matrices   phat-ascii (.txt, .dat), phat-binary (.bin; for images also a name without
    ///            extension), dipha (.complex, .dipha), npz, matrix-market (.mtx)
    /// distances  lower-distance (.lower), condensed (.upper, .condensed), distance (.dist),
    ///            point-cloud (.pts), sparse, binary (.bin), dipha, npy, matrix-market (.mtx)
    /// diagrams   text (.txt), csv, json, npy, npz, dipha (.diagram, .dipha); for pairs of cells
    ///            phat-ascii (.dat), phat-binary (.bin)
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Output",
        verbatim_doc_comment,
        allow_hyphen_values = true
    )]
    output: Option<String>,

    /// Omit pairs of points farther apart than T
    #[arg(long, value_name = "T", help_heading = "Output", value_parser = parse::threshold, allow_hyphen_values = true)]
    threshold: Option<f64>,

    /// Round numbers that the format cannot hold exactly [default: error]
    #[arg(long, help_heading = "Output")]
    round: bool,

    #[command(flatten)]
    filtration: FiltrationArguments,

    #[command(flatten, next_help_heading = "Filtration")]
    dimension: DimensionArguments,

    #[command(flatten)]
    threads: ThreadsArguments,

    #[command(flatten)]
    common: CommonArguments,

    /// Kind of the input: image, matrix, distances, diagram [default: detected]
    #[arg(long, value_name = "KIND", help_heading = "Input", hide_possible_values = true, value_parser = parse::one_of::<Kind>())]
    from: Option<Kind>,

    /// Input format [default: detected from content and name]
    ///
    /// images     npy, npz, png, pgm, tiff, nifti, nrrd, metaimage, vgi, vol, zarr, dipha, perseus, raw
    /// matrices   phat-ascii, phat-binary, dipha, npz, matrix-market
    /// distances  lower-distance, upper-distance, condensed, distance, point-cloud, sparse,
    ///            binary, dipha, npy, npz, matrix-market, off, obj, ply, xyz
    /// diagrams   ripser, csv, json, npy, npz, dipha, phat-ascii, phat-binary and others
    ///            of `lacuna compare`
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        verbatim_doc_comment,
        allow_hyphen_values = true
    )]
    format: Option<String>,

    /// Array to read from an .npz archive that holds several
    #[arg(hide_short_help = true, long, value_name = "NAME", help_heading = "Input")]
    key: Option<String>,

    #[command(flatten)]
    voxels: VoxelsArguments,

    #[command(flatten)]
    table: TableArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna convert slice.png slice.bin
  lacuna convert --construction v --max-dim 1 volume.nii volume.complex
  lacuna convert stack.tif stack.npy
  lacuna convert matrix.npz matrix.bin
  lacuna convert --to distances points.csv points.lower
  lacuna convert bars.npy bars.csv
  lacuna convert --output phat-ascii image.npy - | lacuna reduce -";

/// Detects the kind of the input and converts it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let kind = arguments.kind_of_input()?;
    arguments.check_options(kind)?;
    match kind {
        Kind::Image => {
            // An unknown input format is reported before any other error.
            arguments.input_format::<ImageFormat>(kind)?;
            if arguments.image_becomes()? == Kind::Image {
                arguments.check_options_of_image()?;
                return arguments.convert(kind, None, image::convert);
            }
            if arguments.round {
                return Err(only_of("--round", "--to image", "--to matrix"));
            }
            let is_named = arguments.output.is_some() || has_other_ending(&arguments.out);
            let is_unnamed = arguments.to.is_none() && !is_named;
            let named = || arguments.output_format(Kind::Matrix);
            let format = if is_unnamed { MatrixFormat::PhatBinary } else { named()? };
            arguments.convert(kind, Some(format), matrix::of_image)
        }
        Kind::Matrix => arguments.convert(kind, None, matrix::convert),
        Kind::Distances => arguments.convert(kind, None, distances::convert),
        Kind::Diagram => arguments.convert(kind, None, diagram::convert),
    }
}

/// Writes a result to an open output.
type WriteTo = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// A converted input, ready to be written.
struct Converted {
    /// The format and what is in it, for messages.
    format: String,
    kind: &'static str,
    /// The size of the input, for messages.
    size: String,
    /// Length of the file, if it is known.
    length: Option<Written>,
    /// The options with which the output is to be read, if it does not state its shape.
    hint: Option<String>,
    write: WriteTo,
}

impl Arguments {
    /// The kind of the input: `--from`, or an image if it is raw, or what the file and the output tell.
    fn kind_of_input(&self) -> Result<Kind> {
        if let Some(kind) = self.from {
            return Ok(kind);
        }
        if self.voxels.are_raw() {
            return Ok(Kind::Image);
        }
        let suits = |kind: Kind| kind.becomes(self.to, self.output.as_deref(), &self.out);
        Kind::of_input(&self.input, self.format.as_deref(), &suits)
            .map_err(|kinds| several_kinds(&self.input, &kinds))
    }

    /// Opens the output, starts the threads, converts and writes. What was written is reported unless `--output` named
    /// the format: the name of OUT may imply an unintended one.
    fn convert<I: FromStr<Err = Problem>, F: OutputFormat>(
        &self,
        kind: Kind,
        format: Option<F>,
        convert: fn(&Arguments, Option<I>, F, &mut Frame<'_>) -> Result<Converted>,
    ) -> Result<()> {
        let input = self.input_format(kind)?;
        let format = format.map_or_else(|| self.output_format(kind), Ok)?;
        let files = Files { answer: Some(&self.out), content: format.content(), ..Files::default() };
        let mut frame = Frame::open(Instant::now(), &self.input, files, self.common.notes)?;
        self.threads.start(frame.notes)?;
        let Converted { format, kind, size, length, hint, write } = convert(self, input, format, &mut frame)?;
        frame.write(|meter, out| match length {
            Some(length) => meter.writing(length, out, write),
            None => write(out),
        })?;
        frame.commit_answer()?;
        if self.output.is_none() {
            let is_piped = self.out == Path::new("-");
            let out = if is_piped { "standard output".into() } else { self.out.display().to_string() };
            frame.note(format_args!("{out}: written as {format}, {kind}"));
        }
        if let Some(hint) = hint {
            frame.note(format_args!("{hint}"));
        }
        if frame.notes.verbose {
            frame.tell(format!("{}: {size}", frame.name));
        }
        frame.tell_times();
        Ok(())
    }

    /// Rejects options that apply to other kinds.
    fn check_options(&self, kind: Kind) -> Result<()> {
        match (kind, self.to) {
            (Kind::Image, None | Some(Kind::Image | Kind::Matrix)) => {}
            (_, Some(to)) if to != kind => {
                return Err(usage(format_args!(
                    "--to {to}: expected a kind that an input of kind {kind} can become; \
                     --from KIND overrides the detected kind"
                )));
            }
            _ => {}
        }
        let [is_image, is_matrix, is_distances] =
            [Kind::Image, Kind::Matrix, Kind::Distances].map(|other| other == kind);
        let has_dimension = self.dimension.of_cells().is_some();
        let is_picked = self.voxels.channel.is_some() || self.voxels.frame.is_some();
        let (image, image_or_distances) = ("an image", "an image or distances");
        check_options(
            kind,
            &[
                ("--superlevel", self.filtration.superlevel && !is_image, image),
                ("--construction", self.filtration.construction.is_some() && !is_image, image),
                ("--periodic", !self.filtration.periodic.is_empty() && !is_image, image),
                ("--shape, --dtype or --order", self.voxels.are_raw() && !is_image, image),
                ("--channel or --frame", is_picked && !is_image, image),
                ("--nan", self.voxels.nan.is_some() && !is_image, image),
                ("--threshold", self.threshold.is_some() && !is_distances, "distances"),
                ("--round", self.round && !is_image && !is_distances, image_or_distances),
                (
                    "--shortest-paths, --skip-rows, --columns, --decimal or --symmetrize",
                    self.table.is_given() && !is_distances,
                    "distances",
                ),
                ("--key", self.key.is_some() && !is_image && !is_distances, image_or_distances),
                ("--max-dim", has_dimension && !is_image && !is_matrix, "an image or a matrix"),
            ],
        )
    }

    /// Rejects options of matrices for an image that becomes an image.
    fn check_options_of_image(&self) -> Result<()> {
        let matrix = "--to matrix";
        check_options(
            "--to image",
            &[
                ("--superlevel", self.filtration.superlevel, matrix),
                ("--construction", self.filtration.construction.is_some(), matrix),
                ("--periodic", !self.filtration.periodic.is_empty(), matrix),
                ("--max-dim", self.dimension.of_cells().is_some(), matrix),
            ],
        )
    }

    /// Parses `--format` as an input format.
    fn input_format<F: FromStr<Err = Problem>>(&self, kind: Kind) -> Result<Option<F>> {
        let parse = |name: &String| {
            name.parse().map_err(|problem: Problem| unknown_format("--format", kind, &problem.expected, name))
        };
        self.format.as_ref().map(parse).transpose()
    }

    /// The output format, from `--output` or the name of OUT.
    fn output_format<F: OutputFormat + ValueEnum>(&self, kind: Kind) -> Result<F> {
        let names = names::<F>();
        let unknown = |found: &str| unknown_format("--output", kind, &format!("one of {names}"), found);
        let given = self.output.as_deref().map(|name| F::from_str(name, true).map_err(|_| unknown(name)));
        format_of(given.transpose()?, Some(&self.out))?.ok_or_else(|| {
            usage(format_args!(
                "{}: expected --output, or a name with the extension of a format of kind {kind}, one of {names}",
                self.out.display()
            ))
        })
    }

    /// The kind of the result of converting an image: a matrix if `--to` or the format says so, or if nothing decides.
    fn image_becomes(&self) -> Result<Kind> {
        let is_of = |kind: Kind| kind.writes(self.output.as_deref(), &self.out);
        match self.to {
            Some(to) => Ok(to),
            None if is_of(Kind::Matrix) => Ok(Kind::Matrix),
            None if is_of(Kind::Image) => Ok(Kind::Image),
            None if self.output.is_none() && has_other_ending(&self.out) => {
                let known = endings::<ImageFile>().chain(endings::<MatrixFormat>());
                let mut known: Vec<&str> = known.collect();
                // Some endings belong to both kinds.
                known.sort_unstable();
                known.dedup();
                Err(unknown_ending(&self.out, &known))
            }
            None => Ok(Kind::Matrix),
        }
    }
}

fn unknown_format(option: &str, kind: Kind, expected: &str, found: &str) -> CliError {
    usage(format_args!(
        "{option} {found}: expected a format of kind {kind}, {expected}; --from and --to choose the kinds"
    ))
}

/// The error of a file that may be of several kinds.
pub(super) fn several_kinds(input: &Path, kinds: &[Kind]) -> CliError {
    let names: Vec<&str> = kinds.iter().map(|&kind| kind.into()).collect();
    let (input, kinds) = (name_of(input), names.join(" or "));
    usage(format_args!("{input}: expected a file of one kind, found {kinds} possible; choose with --from"))
}
