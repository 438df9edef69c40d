//! `lacuna compare`: whether two files hold the same bars.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lacuna::compare::read::{BarcodeFormat, Loaded, read_path};
use lacuna::compare::{Barcode, Comparison, compare};
use lacuna::internals::name_of;

use super::error::{CliError, UsageError};
use super::exit_codes::EXIT_CODES;
use super::notes::Notes;
use super::parse;
use super::progress::Meter;
use super::sink::{Content, Sink};
use super::threads;

/// The exit code for files that differ.
const DIFFERENT: u8 = 1;

/// Whether two files hold the same bars, or the same persistence pairs, in any order
///
/// Bars are compared dimension by dimension, births and deaths within the tolerance; pairs of cells are compared exactly. Prints
/// the first differences and a line of counts.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file, `-` for standard input
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The file to compare it with, `-` for standard input
    #[arg(value_name = "B")]
    b: PathBuf,

    /// How much births and deaths may differ, each; text of six digits needs some 1e-5 times the greatest value
    #[arg(long, value_name = "T", default_value = "0", value_parser = parse::threshold, allow_hyphen_values = true)]
    tolerance: f64,

    /// Format of A [default: detected from its content]
    ///
    /// ripser       text that Ripser or lacuna rips prints
    /// csv          a line a bar: dim,birth,death
    /// json         {"bars": [{"dim", "birth", "death"}, ...]}, or {"pairs": [[birth, death], ...]}
    /// npy          NumPy array of floats, a row a bar: dim, birth, death
    /// npz          archive of NumPy arrays, of which bars is such a one
    /// dipha        DIPHA's persistence diagram
    /// phat-ascii   PHAT's persistence pairs as text
    /// phat-binary  PHAT's persistence pairs in binary
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true)]
    format_a: Option<BarcodeFormat>,

    /// Format of B, likewise
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true)]
    format_b: Option<BarcodeFormat>,

    /// How many differences to print
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse::dimension, allow_hyphen_values = true)]
    show: usize,

    /// Say nothing on standard error but errors
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  lacuna compare ripser.txt bars.csv --tolerance 1e-5
  lacuna compare phat.pairs ours.pairs
  lacuna rips points.txt | lacuna compare - expected.txt";

/// Reads, compares, says what differs. No failure has the exit code that says that the files differ.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, CliError> {
    same(arguments).map_err(CliError::into_input_error)
}

fn same(arguments: &Arguments) -> Result<ExitCode, CliError> {
    let notes = Notes { quiet: arguments.quiet, verbose: false };
    threads::start(None, notes)?;
    let names = [&arguments.a, &arguments.b].map(|path| name_of(path));
    if arguments.a == arguments.b && arguments.a == Path::new("-") {
        return Err(UsageError::TwiceStandardInput.into());
    }
    let read = |path: &Path, format, name: &str| -> Result<Barcode, CliError> {
        let Loaded { barcode, format, detection, .. } = read_path(path, format)?;
        if let Some(why) = detection {
            notes.note(format_args!("{name}: {format} ({why})"));
        }
        Ok(barcode)
    };
    let meter = Meter::new(notes.wants_progress());
    meter.stage("reading");
    let a = read(&arguments.a, arguments.format_a, &names[0])?;
    let b = read(&arguments.b, arguments.format_b, &names[1])?;
    let names = names.each_ref().map(String::as_str);
    meter.stage("comparing");
    let comparison =
        compare(&a, &b, arguments.tolerance).map_err(|source| CliError::about(names.join(", "), source))?;
    drop(meter);
    Sink::open(None, Content::Text)?.fill(|out| write(&comparison, names, arguments.show, out))?;
    Ok(if comparison.is_same() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

fn write(comparison: &Comparison, names: [&str; 2], show: usize, out: &mut dyn Write) -> io::Result<()> {
    for note in &comparison.notes {
        writeln!(out, "note: {}", note.text(names))?;
    }
    let differences = comparison.differences();
    for (side, entry) in differences.iter().take(show) {
        writeln!(out, "only in {}: {entry}", names[*side])?;
    }
    if let Some(more @ 1..) = differences.len().checked_sub(show) {
        writeln!(out, "and {more} more")?;
    }
    let [size_a, size_b] = comparison.sizes;
    let verdict = if comparison.is_same() { "same" } else { "different" };
    write!(out, "{verdict}: {size_a} in {}, {size_b} in {}, ", names[0], names[1])?;
    writeln!(out, "{} matched", comparison.matched)
}
