//! `lacuna convert`: the boundary matrix of an image.

use std::path::PathBuf;
use std::time::Instant;

use lacuna::cells::{AnyImageComplex, MatrixFile};
use lacuna::cubical::AnyImage;

use super::arguments::dimensions::DimensionArguments;
use super::arguments::filtration::FiltrationArguments;
use super::arguments::image::ImageFileArguments;
use super::arguments::machine::ThreadsArguments;
use super::arguments::messages::VerbosityArguments;
use super::error::CliError;
use super::exit_codes::EXIT_CODES;
use super::frame::{Files, Frame};
use super::image_file::{open_image, read_image};
use super::naming::{OutputFormat, format_of};
use super::notes::{counted, tell, timing_line};
use super::parse;
use super::progress::Written;
use super::timing::timed;

/// Boundary matrix of an image, as a file for `lacuna reduce`, PHAT or DIPHA
///
/// Its columns are all cells of the image in the order of their owners, the voxels that give them their values. All that
/// `lacuna cubical` says follows from it, at the cost of some 2^d cells a voxel.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
#[command(mut_arg("max_dim", |arg| arg.help("Highest homology dimension that the cells are to have [default: all]")))]
#[command(mut_arg("quiet", |arg| arg.help("Say nothing on standard error but errors")))]
#[command(mut_arg("verbose", |arg| arg.help("Say on standard error how many cells there are and how long each stage took")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    image: ImageFileArguments,

    // The heading of the image's options would go on here.
    /// Matrix file, replaced as a whole when the run has succeeded; `-` for standard output
    #[arg(value_name = "OUT", help_heading = None)]
    out: PathBuf,

    #[command(flatten)]
    filtration: FiltrationArguments,

    #[command(flatten, next_help_heading = "Filtration")]
    dimension: DimensionArguments,

    #[command(flatten)]
    threads: ThreadsArguments,

    /// Format of the matrix [default: by the name of OUT: .txt and .dat phat-ascii, .complex and .dipha dipha, others phat-binary]
    ///
    /// phat-ascii   text, a cell a line: its dimension, then the cells of its boundary
    /// phat-binary  64-bit integers: the number of cells, then of each its dimension,
    ///              the size of its boundary and the cells of its boundary
    /// dipha        DIPHA's weighted boundary matrix, which holds the values as well; of superlevel
    ///              sets those of the negated image
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<MatrixFile>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<MatrixFile>,

    #[command(flatten)]
    verbosity: VerbosityArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna convert slice.png slice.bin
  lacuna convert --construction v --max-dim 1 volume.nii volume.complex
  lacuna convert --output phat-ascii image.npy - | lacuna reduce -";

/// Reads, builds, writes.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let options = arguments.image.options()?;
    let format = format_of(arguments.output, Some(&arguments.out))?.unwrap_or(MatrixFile::PhatBinary);
    let files = Files {
        input: &arguments.image.file,
        answer: Some(&arguments.out),
        content: format.content(),
        stats: None,
    };
    let mut frame = Frame::open(start, &files, arguments.verbosity.notes())?;
    arguments.threads.start(frame.notes)?;
    let (image, read) = timed(|| {
        let stream = open_image(&arguments.image.file, &options, &frame)?;
        read_image(stream, &frame.meter)
    });
    let done = arguments.convert(&image?, format, &mut frame)?;
    if arguments.verbosity.verbose {
        tell(format_args!("{}: {}", arguments.image.name(), done.what));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("build", done.build));
        tell(timing_line("write", done.write));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}

/// What was written, and how many seconds it took.
struct Done {
    what: String,
    build: f64,
    write: f64,
}

impl Arguments {
    /// Builds the matrix and puts its file in place.
    fn convert(&self, image: &AnyImage, format: MatrixFile, frame: &mut Frame) -> Result<Done, CliError> {
        let FiltrationArguments { construction, superlevel } = self.filtration;
        let upper_dim = self.dimension.of_cells();
        let (complex, build) =
            timed(|| AnyImageComplex::new(image, construction, superlevel, upper_dim, &frame.meter));
        let complex = complex.map_err(|source| CliError::about(self.image.name(), source))?;
        let (cells, entries) = (complex.cells(), complex.entries());
        let size = written(format, cells, entries);
        let write = frame.write(|meter, out| {
            meter.writing(size, out, |out| complex.write(format, image, superlevel, out))
        })?;
        frame.commit_answer()?;
        let image = image.shape().described(image.voxel_type());
        let what = format!("{image}, {}, {}", counted(cells, "cell"), entries_of(entries));
        Ok(Done { what, build: build.as_secs_f64(), write: write.as_secs_f64() })
    }
}

/// The length of a file.
fn written(format: MatrixFile, cells: usize, entries: usize) -> Written {
    let (cells, entries) = (cells as u64, entries as u64);
    match format {
        MatrixFile::PhatAscii => Written::Lines(cells),
        // Words: the number of cells; of each its dimension and the size of its boundary; the boundaries.
        MatrixFile::PhatBinary => Written::Bytes(8 * (1 + 2 * cells + entries)),
        // Words: the header; of each cell its dimension, its value and where its boundary begins; the boundaries.
        MatrixFile::Dipha => Written::Bytes(8 * (6 + 3 * cells + entries)),
    }
}

fn entries_of(entries: usize) -> String {
    format!("{entries} entr{}", if entries == 1 { "y" } else { "ies" })
}
