//! `lacuna plot`: pictures of results.

use std::path::{Path, PathBuf};

use lacuna::compare::read::BarcodeFormat;
use lacuna::internals::name_of;
use lacuna::plot::read::{LoadedSeries, read_path};
use lacuna::plot::{Plot, PlotFormat, PlotKind, Series};

use super::arguments::run::CommonArguments;
use super::error::Result;
use super::naming::{self, OutputFormat};
use super::notes::Notes;
use super::outputs::open_answer;
use super::parse;
use super::progress::Meter;
use super::{exit_codes, help};

/// Draw barcodes or Euler characteristic curves
///
/// Reads the output of rips, reduce, cubical and ecc, and the formats of other programs that `lacuna
/// compare` reads. Several results are drawn in one picture: colours distinguish dimensions, marks and
/// dashes files. Very many bars are drawn as a density.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::LIMITED))]
#[command(mut_arg("verbose", |arg| arg.help("Print the number of bars of each file to standard error")))]
pub(crate) struct Arguments {
    /// Files of bars or curves, - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Picture: diagram, barcode, betti, landscape, ecc [default: ecc for curves, else diagram]
    ///
    /// diagram    one mark per bar, birth against death
    /// barcode    one line per bar, from birth to death
    /// betti      number of bars of each dimension alive at each value
    /// landscape  persistence landscape of each dimension, of finite bars
    /// ecc        Euler characteristic at each value, of curves or of bars
    #[arg(long, value_name = "KIND", help_heading = "Picture",
        value_parser = parse::one_of::<PlotKind>(), hide_possible_values = true, verbatim_doc_comment)]
    kind: Option<PlotKind>,

    /// Only these dimensions
    #[arg(long, value_name = "K,...", value_delimiter = ',', help_heading = "Picture",
        value_parser = parse::dimension_of_bars, allow_hyphen_values = true)]
    dim: Vec<u32>,

    /// Title above the picture
    #[arg(long, value_name = "TEXT", help_heading = "Picture", allow_hyphen_values = true)]
    title: Option<String>,

    /// Width and height in pixels [default: by kind]
    ///
    /// A pixel is 1/96 inch; PNG has two dots per pixel.
    #[arg(long, value_name = "WxH", help_heading = "Picture", value_parser = parse::size, allow_hyphen_values = true)]
    size: Option<(u32, u32)>,

    /// Format: svg, png, pdf [default: by extension, or svg]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<PlotFormat>(), hide_possible_values = true)]
    output: Option<PlotFormat>,

    /// Write the picture to FILE, replaced as a whole on success
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,

    /// Format of the files of bars [default: detected from content]
    #[arg(long, value_name = "FORMAT", help_heading = "Input", allow_hyphen_values = true)]
    format: Option<BarcodeFormat>,
}

const EXAMPLES: &str = "\
Examples:
  lacuna plot bars.csv -o diagram.svg
  lacuna plot --kind barcode --dim 1,2 --title Torus bars.json -o barcode.pdf
  lacuna plot monday.npy tuesday.npy -o both.png
  lacuna ecc volume.npy | lacuna plot - -o curve.svg";

/// Reads the results, draws the picture and writes it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let notes = arguments.common.notes;
    let answer = arguments.output_file.as_deref();
    let named = answer.filter(|path| *path != Path::new("-"));
    let format = match (arguments.output, named) {
        (None, Some(path)) => naming::format_named("a picture", path)?,
        (given, path) => naming::format_of(given, path)?.unwrap_or(PlotFormat::Svg),
    };
    let mut sink = open_answer(&arguments.files, answer, format.content())?;
    let meter = Meter::new(notes);
    meter.stage("reading");
    let mut series: Vec<Series> = Vec::new();
    for path in &arguments.files {
        let is_drawn = |dim| arguments.dim.is_empty() || arguments.dim.contains(&dim);
        let read = read_series(path, arguments.format, notes, is_drawn)?;
        if notes.verbose {
            notes.note(format_args!("{}: {}", name_of(path), read.description()));
        }
        series.push(read);
    }
    meter.stage("drawing");
    let canvas = arguments.plot(&series).draw(&series)?;
    drop(meter);
    sink.fill(|out| format.write(&canvas, out))?;
    sink.commit()
}

/// Reads a file, reports its detected format, and warns of unfinished dimensions that `are_used`.
pub(crate) fn read_series(
    path: &Path,
    format: Option<BarcodeFormat>,
    notes: Notes,
    are_used: impl Fn(u32) -> bool,
) -> Result<Series> {
    let name = name_of(path);
    let LoadedSeries { series, detection, unfinished, .. } = read_path(path, format)?;
    notes.warn_of_unfinished(&name, &unfinished, are_used);
    if let Some(detection) = detection {
        notes.note(format_args!("{name}: {detection}"));
    }
    Ok(series)
}

impl Arguments {
    fn plot(&self, series: &[Series]) -> Plot {
        let are_curves = series.iter().all(Series::is_curve);
        let default = if are_curves { PlotKind::Ecc } else { PlotKind::Diagram };
        Plot {
            kind: self.kind.unwrap_or(default),
            size: self.size,
            title: self.title.clone(),
            dims: self.dim.iter().copied().collect(),
        }
    }
}
