//! `lacuna convert`: the boundary matrix of an image.

use std::path::PathBuf;
use std::time::Instant;

use lacuna::cells::{AnyImageComplex, MatrixFile};
use lacuna::cubical::AnyImage;
use lacuna::internals::name_of;

use super::arguments::filtration::FiltrationArguments;
use super::arguments::image::ImageArguments;
use super::arguments::machine::ThreadsArguments;
use super::arguments::messages::VerbosityArguments;
use super::error::CliError;
use super::exit_codes::EXIT_CODES;
use super::image_file::{open_image, read_image};
use super::naming::{OutputFormat, format_of};
use super::notes::{counted, tell, timing_line};
use super::outputs::{Inputs, Outputs};
use super::parse;
use super::progress::{Meter, Written};
use super::timing::timed;

/// Boundary matrix of an image, as a file for `lacuna reduce`, PHAT or DIPHA
///
/// Its columns are all cells of the image in the order of their owners, the voxels that give them their values. All that
/// `lacuna cubical` says follows from it, at the cost of some 2^d cells a voxel.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
#[command(mut_arg("quiet", |arg| arg.help("Say nothing on standard error but errors")))]
#[command(mut_arg("verbose", |arg| arg.help("Say on standard error how many cells there are and how long each stage took")))]
pub(crate) struct Arguments {
    /// Image file, `-` for standard input
    #[arg(value_name = "IMAGE")]
    file: PathBuf,

    /// Matrix file, replaced as a whole when the run has succeeded; `-` for standard output
    #[arg(value_name = "OUT")]
    out: PathBuf,

    #[command(flatten)]
    input: ImageArguments,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Highest homology dimension that the cells are to have [default: all]
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// The same as DIPHA counts: the highest dimension of cells, which is K + 1
    #[arg(long, value_name = "U", help_heading = "Filtration", conflicts_with = "max_dim",
        value_parser = parse::dimension, allow_hyphen_values = true)]
    upper_dim: Option<usize>,

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
    let options = arguments.input.options()?;
    let format = format_of(arguments.output, Some(&arguments.out))?.unwrap_or(MatrixFile::PhatBinary);
    let inputs = Inputs::of([&arguments.file]);
    let outputs = Outputs::open(Some(&arguments.out), format.content(), None, &inputs)?;
    let notes = arguments.verbosity.notes();
    arguments.threads.start(notes)?;
    let meter = Meter::new(notes.wants_progress());
    let (image, read) = timed(|| {
        let stream = open_image(&arguments.file, &options, notes, &meter)?;
        read_image(stream, &meter)
    });
    let job = Job { arguments, format, meter, outputs };
    let sizes = job.run(&image?)?;
    if arguments.verbosity.verbose {
        tell(format_args!("{}: {}", name_of(&arguments.file), sizes.what));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("build", sizes.build));
        tell(timing_line("write", sizes.write));
        tell(timing_line("total", start.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// A conversion of an image that is read.
struct Job<'a> {
    arguments: &'a Arguments,
    format: MatrixFile,
    meter: Meter,
    outputs: Outputs,
}

/// What was written, and how many seconds it took.
struct Done {
    what: String,
    build: f64,
    write: f64,
}

impl Job<'_> {
    fn run(mut self, image: &AnyImage) -> Result<Done, CliError> {
        let FiltrationArguments { construction, superlevel } = self.arguments.filtration;
        let upper_dim = self.arguments.upper_dim();
        let (complex, build) =
            timed(|| AnyImageComplex::new(image, construction, superlevel, upper_dim, &self.meter));
        let file = || name_of(&self.arguments.file);
        let complex = complex.map_err(|source| CliError::about(file(), source))?;
        let (cells, entries) = (complex.cells(), complex.entries());
        let (meter, format, size) = (&self.meter, self.format, written(self.format, cells, entries));
        let (filled, write) = timed(|| {
            self.outputs
                .fill(|out| meter.writing(size, out, |out| complex.write(format, image, superlevel, out)))
        });
        filled?;
        self.outputs.commit(|_| Ok(()))?;
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

impl Arguments {
    /// The greatest dimension of the cells: homology of a dimension takes the cells one above it.
    fn upper_dim(&self) -> Option<usize> {
        self.upper_dim.or(self.max_dim.map(|dim| dim.saturating_add(1)))
    }
}
