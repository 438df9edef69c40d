//! `lacuna compare`: compares the bars of two files, or those of another program with ours.

mod reference;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lacuna::compare::read::{BarcodeFormat, Loaded, read_path};
use lacuna::compare::{Barcode, Comparison, compare};
use lacuna::internals::name_of;

use super::arguments::run::CommonArguments;
use super::error::{CliError, Result, twice_standard_input, usage};
use super::notes::{Notes, printable};
use super::parse;
use super::progress::Meter;
use super::sink::{Content, Sink};
use super::threads;
use super::{exit_codes, help};
use reference::{Reference, ReferenceArguments};

/// The exit code for files that differ.
const DIFFERENT: u8 = 1;

/// Check whether two files hold the same bars or persistence pairs, in any order
///
/// Bars are compared dimension by dimension, births and deaths within the tolerance; pairs of cells are
/// compared exactly. The first differences and a line of counts are printed.
///
/// With --run, another program, which has to be installed, and lacuna run on the same input, and their
/// results are compared. Their versions, commands and times are printed too.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::COMPARE))]
#[command(mut_arg("quiet", |arg| arg.help("Print only errors to standard error")))]
#[command(mut_arg("verbose", |arg| arg.hide(true)))]
pub(crate) struct Arguments {
    /// First file, - for standard input; with --run the input of both programs
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Second file, - for standard input
    #[arg(value_name = "B", required_unless_present = "run", conflicts_with = "run")]
    b: Option<PathBuf>,

    /// Largest allowed difference of values [default: 0; by program with --run]
    ///
    /// Births are compared with births and deaths with deaths. Text of six digits needs about 1e-5 times the
    /// greatest value. With --run, the default follows from the precision of the other program.
    #[arg(long, help_heading = "Comparison", value_name = "T", value_parser = parse::threshold, allow_hyphen_values = true)]
    tolerance: Option<f64>,

    /// Number of differences to print
    #[arg(long, help_heading = "Comparison", value_name = "N", default_value = "10", value_parser = parse::count, allow_hyphen_values = true)]
    show: usize,

    #[command(flatten)]
    reference: ReferenceArguments,

    #[command(flatten)]
    common: CommonArguments,

    /// Format of A [default: detected from content]
    ///
    /// ripser       text of Ripser or lacuna rips
    /// csv          one bar per line: dim,birth,death
    /// json         {"bars": [{"dim", "birth", "death"}, ...]} or
    ///              {"pairs": [[birth, death], ...]}
    /// npy          NumPy array of floats, one bar per row: dim, birth, death
    /// npz          archive of NumPy arrays with an array "bars" as in npy
    /// dipha        DIPHA's persistence diagram
    /// gudhi        GUDHI's text, one bar per line: dim birth death
    /// perseus      Perseus' name_d.txt, one bar per line: birth death
    /// phat-ascii   PHAT's persistence pairs as text
    /// phat-binary  PHAT's persistence pairs in binary
    #[arg(
        long,
        help_heading = "Input",
        value_name = "FORMAT",
        verbatim_doc_comment,
        conflicts_with = "run",
        allow_hyphen_values = true
    )]
    format_a: Option<BarcodeFormat>,

    /// Format of B [default: detected from content]
    #[arg(
        long,
        help_heading = "Input",
        value_name = "FORMAT",
        conflicts_with = "run",
        allow_hyphen_values = true
    )]
    format_b: Option<BarcodeFormat>,
}

const EXAMPLES: &str = "\
Examples:
  lacuna compare ripser.txt bars.csv --tolerance 1e-5
  lacuna compare phat.pairs ours.pairs
  lacuna rips points.txt | lacuna compare - expected.txt
  lacuna compare --run ripser --max-dim 2 distances.txt
  lacuna compare --run gudhi --python venv/bin/python --from image volume.npy";

/// Reads, compares and prints the differences.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let notes = arguments.common.notes;
    threads::start(None, notes)?;
    match (arguments.reference.run, &arguments.b) {
        (Some(reference), _) => with_reference(arguments, reference, notes),
        (None, Some(b)) => files(arguments, b, notes),
        // The parser requires one of the two.
        (None, None) => Err(twice_standard_input()),
    }
}

/// Compares two files.
fn files(arguments: &Arguments, b: &Path, notes: Notes) -> Result<ExitCode> {
    let names = [&*arguments.a, b].map(name_of);
    if arguments.a == b && b == Path::new("-") {
        return Err(twice_standard_input());
    }
    let read = |path: &Path, format, name: &str| -> Result<Barcode> {
        let Loaded { barcode, format, detection, .. } = read_path(path, format)?;
        if let Some(why) = detection {
            notes.note(format_args!("{name}: {format} ({why})"));
        }
        Ok(barcode)
    };
    let meter = Meter::new(notes);
    meter.stage("reading");
    let a = read(&arguments.a, arguments.format_a, &names[0])?;
    let b = read(b, arguments.format_b, &names[1])?;
    meter.stage("comparing");
    let tolerance = arguments.tolerance.unwrap_or(0.0);
    let names = names.each_ref().map(String::as_str);
    let comparison =
        compare(&a, &b, tolerance).map_err(|source| CliError::about(names.join(", "), source))?;
    drop(meter);
    tell(&comparison, names, arguments.show, "")
}

/// Compares the result of another program with ours.
fn with_reference(arguments: &Arguments, reference: Reference, notes: Notes) -> Result<ExitCode> {
    if arguments.a == Path::new("-") {
        return Err(usage("--run: expected a file, which both programs can read, found standard input"));
    }
    let meter = Meter::new(notes);
    meter.stage("running both programs");
    let ([ours, theirs], part) = reference::run(reference, &arguments.a, &arguments.reference)?;
    drop(meter);
    let tolerance = arguments.tolerance.unwrap_or(part * greatest(&ours.barcode));
    let names = [&*ours.who, &*theirs.who];
    let comparison = compare(&ours.barcode, &theirs.barcode, tolerance)
        .map_err(|source| CliError::about(names.join(", "), source))?;
    let mut told = String::new();
    for ran in [&ours, &theirs] {
        let computation = ran.computation.map(|seconds| format!(", {seconds:.3} s of it the computation"));
        let computation = computation.unwrap_or_default();
        told += &format!("{}: {:.3} s{computation}\n  {}\n", ran.who, ran.seconds, ran.command);
    }
    if tolerance > 0.0 {
        told += &format!("births and deaths may differ by {tolerance:.3e}\n");
    }
    tell(&comparison, names, arguments.show, &told)
}

/// Largest finite absolute value.
fn greatest(barcode: &Barcode) -> f64 {
    match barcode {
        Barcode::Bars(bars) => {
            let values = bars.bars.iter().flat_map(|bar| [bar.birth.abs(), bar.death.abs()]);
            values.filter(|value| value.is_finite()).fold(0.0, f64::max)
        }
        Barcode::CellPairs(_) => 0.0,
    }
}

/// Prints `before`, then the comparison.
fn tell(comparison: &Comparison, names: [&str; 2], show: usize, before: &str) -> Result<ExitCode> {
    let names = names.map(printable);
    Sink::open(None, Content::Text)?.fill(|out| {
        out.write_all(printable(before).as_bytes())?;
        comparison.write([&names[0], &names[1]], show, out)
    })?;
    Ok(if comparison.is_same() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}
