//! `lacuna vectorize`: barcodes as vectors.

use std::path::PathBuf;

use lacuna::compare::read::BarcodeFormat;
use lacuna::diagram::vectors::{VectorKind, Vectors};
use lacuna::internals::name_of;
use lacuna::output::vectors::VectorFormat;

use super::arguments::run::CommonArguments;
use super::error::{CliError, Result, check_options, usage};
use super::naming::{OutputFormat, format_or};
use super::notes::counted;
use super::outputs::open_answer;
use super::parse;
use super::plot::read_series;
use super::progress::Meter;
use super::{exit_codes, help, threads};

/// Turn barcodes into vectors of equal length for statistics and machine learning
///
/// Each file gives one row. The vectors are those of gudhi.representations with its default settings,
/// computed from the finite bars of one dimension; Betti curves count infinite bars too. All files share
/// one range.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::LIMITED))]
#[command(mut_arg("verbose", |arg| arg.help("Print the number of bars of each file to standard error")))]
pub(crate) struct Arguments {
    /// Files of bars, in any format that lacuna compare reads; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Vector: image, landscape, betti, silhouette, entropy, entropy-summary, lengths
    ///
    /// image            Gaussian around each point (birth, persistence), sampled on a grid
    /// landscape        first functions of the persistence landscape, concatenated, times √2
    /// betti            Betti curve
    /// silhouette       weighted mean of the tents of all bars, times √2
    /// entropy          persistence entropy, one number
    /// entropy-summary  entropy of the bars alive at each value
    /// lengths          greatest persistences
    #[arg(long, value_name = "KIND", help_heading = "Vectors", default_value = "image",
        value_parser = parse::one_of::<VectorKind>(), hide_possible_values = true, verbatim_doc_comment)]
    kind: VectorKind,

    /// Dimension of the bars
    #[arg(long, value_name = "K", help_heading = "Vectors", default_value = "1",
        value_parser = parse::count, allow_hyphen_values = true)]
    dim: usize,

    /// Grid points; for images births x persistences [default: 100; 20x20]
    #[arg(long, value_name = "N|NxM", help_heading = "Vectors", value_parser = parse::grid_size, allow_hyphen_values = true)]
    resolution: Option<(usize, Option<usize>)>,

    /// Ends of the grid [default: range of the bars of all files]
    ///
    /// For images, the range of births, then that of persistences.
    #[arg(long, value_name = "LOW,HIGH[,LOW,HIGH]", help_heading = "Vectors",
        value_parser = parse::grid_range, allow_hyphen_values = true)]
    range: Option<[Option<(f64, f64)>; 2]>,

    /// Standard deviation of the Gaussian of images [default: 1]
    #[arg(long, value_name = "S", help_heading = "Vectors", value_parser = parse::exponent, allow_hyphen_values = true)]
    bandwidth: Option<f64>,

    /// Weight of a bar in images and silhouettes: persistence^P [default: 0]
    #[arg(long, value_name = "P", help_heading = "Vectors", value_parser = parse::power, allow_hyphen_values = true)]
    weight: Option<f64>,

    /// Number of landscape functions or of lengths [default: 5]
    #[arg(long, value_name = "N", help_heading = "Vectors", value_parser = parse::length, allow_hyphen_values = true)]
    count: Option<usize>,

    /// Format: csv, npy [default: by extension, or csv]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<VectorFormat>(), hide_possible_values = true)]
    output: Option<VectorFormat>,

    /// Write the vectors to FILE, replaced as a whole on success
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
  lacuna vectorize --bandwidth 0.1 -o images.npy monday.csv tuesday.csv
  lacuna vectorize --kind landscape --dim 0 --count 3 bars.json
  lacuna vectorize --kind betti --resolution 50 --range 0,2 -o curves.csv *.npy";

/// Reads the bars, computes the vectors and writes them.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let notes = arguments.common.notes;
    let vectors = arguments.vectors()?;
    let answer = arguments.output_file.as_deref();
    let format = format_or(VectorFormat::default(), arguments.output, answer)?;
    let mut sink = open_answer(&arguments.files, answer, format.content())?;
    threads::start(None, notes)?;
    let meter = Meter::new(notes);
    meter.stage("reading");
    let mut diagrams = Vec::new();
    for path in &arguments.files {
        let name = name_of(path);
        let is_used = |dim| dim as usize == arguments.dim;
        let series = read_series(path, arguments.format, notes, is_used)?;
        let bars = series.bars_of(arguments.dim).map_err(|error| CliError::about(name.as_str(), error))?;
        let infinite = bars.iter().filter(|(birth, death)| (death - birth).is_infinite()).count();
        if infinite > 0 && vectors.kind != VectorKind::Betti {
            notes.note(format_args!("{name}: {} left out", counted(infinite, "infinite bar")));
        }
        if notes.verbose {
            notes.note(format_args!("{name}: {} of dimension {}", counted(bars.len(), "bar"), arguments.dim));
        }
        diagrams.push(bars);
    }
    meter.stage("vectors");
    let found = vectors.of(&diagrams);
    drop(meter);
    sink.fill(|out| format.write(found.iter().map(Vec::as_slice), out))?;
    sink.commit()
}

impl Arguments {
    fn vectors(&self) -> Result<Vectors> {
        self.check_options()?;
        let is_image = self.kind == VectorKind::Image;
        let of_images =
            |option: &str| usage(format_args!("{option} applies only to --kind image, which has two axes"));
        match (self.resolution, self.range) {
            (Some((_, Some(_))), _) if !is_image => return Err(of_images("--resolution NxM")),
            (_, Some([_, Some(_)])) if !is_image => return Err(of_images("--range with four numbers")),
            _ => {}
        }
        let usual = Vectors::new(self.kind);
        Ok(Vectors {
            resolution: self.resolution.map(|(across, up)| (across, up.unwrap_or(across))),
            range: self.range.unwrap_or_default(),
            bandwidth: self.bandwidth.unwrap_or(usual.bandwidth),
            weight: self.weight.unwrap_or(usual.weight),
            count: self.count.unwrap_or(usual.count),
            ..usual
        })
    }

    /// Rejects options that do not apply to this kind of vector.
    fn check_options(&self) -> Result<()> {
        use VectorKind::{Betti, EntropySummary, Image, Landscape, Lengths, Silhouette};
        let on_grids: &[VectorKind] = &[Image, Landscape, Betti, Silhouette, EntropySummary];
        let named_grids = "--kind image, landscape, betti, silhouette or entropy-summary";
        let is_idle = |is_given, kinds: &[VectorKind]| is_given && !kinds.contains(&self.kind);
        let weighted = is_idle(self.weight.is_some(), &[Image, Silhouette]);
        let counted = is_idle(self.count.is_some(), &[Landscape, Lengths]);
        check_options(
            self.kind,
            &[
                ("--resolution", is_idle(self.resolution.is_some(), on_grids), named_grids),
                ("--range", is_idle(self.range.is_some(), on_grids), named_grids),
                ("--bandwidth", is_idle(self.bandwidth.is_some(), &[Image]), "--kind image"),
                ("--weight", weighted, "--kind image or silhouette"),
                ("--count", counted, "--kind landscape or lengths"),
            ],
        )
    }
}
