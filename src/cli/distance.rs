//! `lacuna distance`: bottleneck and Wasserstein distances of diagrams.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

use lacuna::Bar;
use lacuna::compare::read::{BarcodeFormat, Loaded, read_path};
use lacuna::compare::{Barcode, Bars};
use lacuna::diagram::distance::{Matching, Metric, Pair, distance, matching};
use lacuna::internals::{FileFormat, name_of};
use lacuna::output::npy;
use lacuna::progress::{Cost, Expected, Progress};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::arguments::machine::ThreadsArguments;
use super::arguments::run::CommonArguments;
use super::error::{Result, only_of, usage};
use super::naming::{OutputFormat, format_or};
use super::notes::Notes;
use super::outputs::open_answer;
use super::parse;
use super::progress::Meter;
use super::{exit_codes, help};

/// Compute bottleneck and Wasserstein distances of persistence diagrams
///
/// Each bar is matched with a bar or with the diagonal, dimension by dimension. Infinite bars match only
/// infinite bars; unequal counts give inf. Reads all formats of bars that `lacuna compare` reads.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::LIMITED))]
#[command(mut_arg("quiet", |arg| arg.help("Print only errors to standard error")))]
#[command(mut_arg("verbose", |arg| arg.hide(true)))]
pub(crate) struct Arguments {
    /// Files A and B, - for standard input; any number of files with --matrix
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,

    /// Kind of distance
    #[arg(long, value_name = "KIND", help_heading = "Distance", default_value = "bottleneck")]
    kind: Kind,

    /// Order of the Wasserstein distance, at least 1 [default: 1]
    #[arg(long, value_name = "P", help_heading = "Distance", value_parser = number, allow_hyphen_values = true)]
    order: Option<f64>,

    /// Norm L^Q of the plane, Q at least 1 or inf [default: inf]
    #[arg(long, value_name = "Q", help_heading = "Distance", value_parser = number, allow_hyphen_values = true)]
    internal_p: Option<f64>,

    /// Only this dimension [default: all dimensions]
    #[arg(long, value_name = "K", help_heading = "Distance",
        value_parser = parse::dimension_of_bars, allow_hyphen_values = true)]
    dim: Option<u32>,

    /// Compute the distances of all pairs of files
    #[arg(long, help_heading = "Distance", conflicts_with = "matching")]
    matrix: bool,

    /// Format: text, csv, json, npy [default: by extension, or text]
    ///
    /// text  one line per dimension; with --matching one line per pair below it
    /// csv   dim,distance; with --matching dim,birth_a,death_a,birth_b,death_b,distance, where
    ///       the diagonal is empty, and an infinite distance, which has no matching, has no
    ///       ends; with --matrix dim and one column per file
    /// json  {"kind", "order", "internal_p", "files",
    ///       "dimensions": [{"dim", "distance", "matching"}]}
    /// npy   with --matrix, the distances of one dimension: array of doubles, one row per file
    #[arg(
        long,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output",
        verbatim_doc_comment
    )]
    output: Option<Format>,

    /// Write the result to OUT, replaced as a whole on success
    #[arg(short, long, value_name = "OUT", help_heading = "Output", value_parser = parse::file())]
    output_file: Option<PathBuf>,

    /// Output an optimal matching too
    #[arg(long, help_heading = "Output")]
    matching: bool,

    #[command(flatten)]
    threads: ThreadsArguments,

    #[command(flatten)]
    common: CommonArguments,

    /// Format: ripser, csv, json, npy, npz, dipha [default: detected from content]
    #[arg(long, help_heading = "Input", value_name = "FORMAT", allow_hyphen_values = true)]
    format: Option<BarcodeFormat>,
}

const EXAMPLES: &str = "\
Examples:
  lacuna distance a.csv b.csv
  lacuna distance a.json b.txt --kind wasserstein --order 2 --internal-p 2 --dim 1 --matching
  lacuna distance --matrix --dim 1 bars/*.csv -o distances.npy";

/// The distance between diagrams that is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Greatest distance of a matched pair
    Bottleneck,
    /// Root of the sum of the powers of the distances of all matched pairs
    Wasserstein,
}

/// Output formats of the distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
enum Format {
    Text,
    Csv,
    Json,
    Npy,
}

impl FileFormat for Format {
    const EXTENSIONS: &'static str = "txt=text csv json npy";
}

/// Parses a number ≥ 1, or infinity.
fn number(found: &str) -> Result<f64, String> {
    let number = found.parse().ok().filter(|&number: &f64| number >= 1.0);
    number.ok_or_else(|| format!("expected a number from 1 up, or inf, found {found}"))
}

/// Distances between files in one homology dimension.
struct Dimension {
    dim: u32,
    /// Distance matrix in row-major order; a single distance if no matrix was requested.
    distances: Vec<f64>,
    /// The optimal matching, if requested; an infinite distance has none.
    pairs: Option<Vec<Matched>>,
}

/// Two matched bars, or a bar and the diagonal, and their distance.
type Matched = ([Option<Bar>; 2], f64);

/// Reads the diagrams, computes the distances and writes them.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let metric = arguments.metric()?;
    let format = arguments.output_format()?;
    let notes = arguments.common.notes;
    let answer = arguments.output_file.as_deref();
    let mut sink = open_answer(&arguments.files, answer, format.content())?;
    arguments.threads.start(notes)?;
    let meter = Meter::new(notes);
    meter.stage("reading");
    let read = |path: &PathBuf| arguments.read(path, notes);
    let diagrams = arguments.files.iter().map(read).collect::<Result<Vec<Bars>>>()?;
    let all: BTreeSet<u32> = match arguments.dim {
        Some(dim) => BTreeSet::from([dim]),
        None => diagrams.iter().flat_map(|bars| bars.dims.iter().copied()).collect(),
    };
    if let Some(dim) = arguments.dim
        && diagrams.iter().all(|bars| of_dimension(bars, dim).is_empty())
    {
        meter.aside(|| notes.note(format_args!("no file has bars of dimension {dim}: all distances are 0")));
    }
    meter.expect(&arguments.stages(&diagrams, &all));
    let found = all.into_iter().map(|dim| arguments.measure(&diagrams, dim, &metric, &meter));
    let found = found.collect::<Result<Vec<Dimension>>>()?;
    drop(meter);
    sink.fill(|out| arguments.write(format, &found, out))?;
    sink.commit()
}

/// Name of the stage in progress output.
const STAGE: &str = "matching";

/// Index pairs `a < b` of `count` diagrams.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// Estimated cost of comparing two diagrams of `a` and `b` bars, in arbitrary units; it grows faster than linearly.
fn work(a: usize, b: usize) -> u64 {
    ((a + b) as f64).powf(1.5) as u64 + 1
}

impl Arguments {
    fn metric(&self) -> Result<Metric> {
        if !self.matrix && self.files.len() != 2 {
            return Err(usage(format_args!(
                "expected two files, A and B, found {}; use --matrix for any number",
                self.files.len()
            )));
        }
        match self.kind {
            Kind::Bottleneck if self.order.is_some() || self.internal_p.is_some() => {
                let option = if self.order.is_some() { "--order" } else { "--internal-p" };
                Err(only_of(option, "--kind wasserstein", "bottleneck"))
            }
            Kind::Bottleneck => Ok(Metric::Bottleneck),
            Kind::Wasserstein if self.order == Some(f64::INFINITY) => Err(usage(
                "--order: expected a finite number, found inf; --kind bottleneck is the distance of order infinity",
            )),
            Kind::Wasserstein => Ok(Metric::Wasserstein {
                order: self.order.unwrap_or(1.0),
                internal_p: self.internal_p.unwrap_or(f64::INFINITY),
            }),
        }
    }

    fn output_format(&self) -> Result<Format> {
        let format = format_or(Format::Text, self.output, self.output_file.as_deref())?;
        if format == Format::Npy && !(self.matrix && self.dim.is_some()) {
            return Err(usage(
                "--output npy: expected --matrix and --dim, as an array holds the distances of one dimension",
            ));
        }
        Ok(format)
    }

    fn read(&self, path: &Path, notes: Notes) -> Result<Bars> {
        let Loaded { barcode, format, detection, .. } = read_path(path, self.format)?;
        if let Some(why) = detection {
            notes.note(format_args!("{}: {format} ({why})", name_of(path)));
        }
        match barcode {
            Barcode::Bars(bars) => {
                let is_measured = |dim| self.dim.is_none_or(|asked| asked == dim);
                notes.warn_of_unfinished(&name_of(path), &bars.unfinished, is_measured);
                Ok(bars)
            }
            Barcode::CellPairs(_) => {
                let path = path.display();
                Err(usage(format_args!("{path}: expected bars with values, found pairs of cells")))
            }
        }
    }

    /// Stages of a distance matrix, one per dimension. For a single distance no forecast is made.
    fn stages(&self, diagrams: &[Bars], dims: &BTreeSet<u32>) -> Vec<Expected> {
        let stage = |&dim: &u32| {
            let counts: Vec<usize> =
                diagrams.iter().map(|diagram| of_dimension(diagram, dim).len()).collect();
            let cost = pairs(counts.len()).map(|(a, b)| work(counts[a], counts[b])).sum::<u64>();
            let cost = if self.matrix { Cost::Known(cost as f64) } else { Cost::Unknown };
            Expected { stage: STAGE, dim: Some(dim as usize), cost }
        };
        dims.iter().map(stage).collect()
    }

    fn measure(&self, diagrams: &[Bars], dim: u32, metric: &Metric, meter: &Meter) -> Result<Dimension> {
        let bars: Vec<Vec<Bar>> = diagrams.iter().map(|diagram| of_dimension(diagram, dim)).collect();
        if self.matrix {
            let count = bars.len();
            let work = |(a, b): (usize, usize)| work(bars[a].len(), bars[b].len());
            meter.begin(STAGE, Some(dim as usize), pairs(count).map(work).sum());
            let pairs: Vec<(usize, usize)> = pairs(count).collect();
            let measure = |&(a, b): &(usize, usize)| {
                let found = distance(&bars[a], &bars[b], metric, &());
                meter.advance(work((a, b)));
                found
            };
            let measured = pairs.par_iter().with_max_len(1).map(measure);
            let measured = measured.collect::<Result<Vec<f64>, _>>()?;
            let mut distances = vec![0.0; count * count];
            for ((a, b), distance) in pairs.into_iter().zip(measured) {
                distances[a * count + b] = distance;
                distances[b * count + a] = distance;
            }
            return Ok(Dimension { dim, distances, pairs: None });
        }
        meter.begin(STAGE, Some(dim as usize), 1);
        if self.matching {
            let Matching { distance, pairs, .. } = matching(&bars[0], &bars[1], metric, &())?;
            let matched = |Pair { a, b, distance }: Pair| -> Matched {
                ([a.map(|place| bars[0][place]), b.map(|place| bars[1][place])], distance)
            };
            let pairs = pairs.map(|pairs| pairs.into_iter().map(matched).collect());
            return Ok(Dimension { dim, distances: vec![distance], pairs });
        }
        Ok(Dimension { dim, distances: vec![distance(&bars[0], &bars[1], metric, &())?], pairs: None })
    }

    fn write(&self, format: Format, found: &[Dimension], out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => self.write_text(found, out),
            Format::Csv => self.write_csv(found, out),
            Format::Json => self.write_json(found, out),
            Format::Npy => {
                let distances = found.iter().flat_map(|dimension| dimension.distances.iter().copied());
                npy::write_rows(&[self.files.len(); 2], [Ok(distances)], out)
            }
        }
    }

    /// The rows of the matrix of a dimension, or its only distance.
    fn rows<'a>(&self, distances: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
        distances.chunks(if self.matrix { self.files.len() } else { 1 })
    }

    fn write_text(&self, found: &[Dimension], out: &mut dyn Write) -> io::Result<()> {
        for Dimension { dim, distances, pairs } in found {
            let after = if self.matrix { "\n" } else { " " };
            write!(out, "dim {dim}:{after}")?;
            for row in self.rows(distances) {
                writeln!(out, "{}", joined(row, " "))?;
            }
            let end = |bar: &Option<Bar>| {
                bar.map_or("diagonal".to_owned(), |bar| format!("[{:?},{:?})", bar.birth, bar.death))
            };
            for ([a, b], distance) in pairs.iter().flatten() {
                writeln!(out, " {} {} {distance:?}", end(a), end(b))?;
            }
        }
        Ok(())
    }

    fn write_csv(&self, found: &[Dimension], out: &mut dyn Write) -> io::Result<()> {
        if self.matrix {
            let names = self.files.iter().map(|path| name_of(path));
            let mut header = csv::Writer::from_writer(Vec::new());
            header.write_record(iter::once("dim".to_owned()).chain(names))?;
            out.write_all(&header.into_inner().map_err(csv::IntoInnerError::into_error)?)?;
        } else {
            let columns = if self.matching { "birth_a,death_a,birth_b,death_b," } else { "" };
            writeln!(out, "dim,{columns}distance")?;
        }
        for Dimension { dim, distances, pairs } in found {
            let end = |bar: &Option<Bar>| {
                bar.map_or(",".to_owned(), |bar| format!("{:?},{:?}", bar.birth, bar.death))
            };
            for ([a, b], distance) in pairs.iter().flatten() {
                writeln!(out, "{dim},{},{},{distance:?}", end(a), end(b))?;
            }
            if pairs.is_none() {
                let empty = if self.matching { ",,,," } else { "" };
                for row in self.rows(distances) {
                    writeln!(out, "{dim},{empty}{}", joined(row, ","))?;
                }
            }
        }
        Ok(())
    }

    fn write_json(&self, found: &[Dimension], out: &mut dyn Write) -> io::Result<()> {
        let row = |row: &[f64]| -> Vec<Value> { row.iter().map(|&distance| value(distance)).collect() };
        let dimension = |Dimension { dim, distances, pairs }: &Dimension| {
            if self.matrix {
                return json!({"dim": dim, "distances": self.rows(distances).map(row).collect::<Vec<_>>()});
            }
            let mut object = json!({"dim": dim, "distance": value(distances[0])});
            if self.matching {
                let end = |bar: Option<Bar>| bar.map(|bar| [value(bar.birth), value(bar.death)]);
                let pair = |&([a, b], distance): &Matched| json!({"a": end(a), "b": end(b), "distance": value(distance)});
                let pairs = pairs.as_ref().map(|pairs| pairs.iter().map(pair).collect::<Vec<Value>>());
                object["matching"] = json!(pairs);
            }
            object
        };
        let mut object = json!({
            "kind": if self.kind == Kind::Bottleneck { "bottleneck" } else { "wasserstein" },
            "files": self.files.iter().map(|path| name_of(path)).collect::<Vec<String>>(),
            "dimensions": found.iter().map(dimension).collect::<Vec<Value>>(),
        });
        if self.kind == Kind::Wasserstein {
            object["order"] = value(self.order.unwrap_or(1.0));
            object["internal_p"] = value(self.internal_p.unwrap_or(f64::INFINITY));
        }
        serde_json::to_writer_pretty(&mut *out, &object)?;
        out.write_all(b"\n")
    }
}

/// The bars of a dimension. An essential bar dies at infinity, wherever the file says that the filtration ends, or at
/// −∞ in a superlevel filtration, which a birth at +∞ reveals.
fn of_dimension(bars: &Bars, dim: u32) -> Vec<Bar> {
    let bars = bars.bars.iter().filter(|bar| bar.dim == dim);
    let death = |birth: f64| if birth == f64::INFINITY { f64::NEG_INFINITY } else { f64::INFINITY };
    bars.map(|bar| Bar { birth: bar.birth, death: if bar.essential { death(bar.birth) } else { bar.death } })
        .collect()
}

/// The shortest decimals that read back as the same doubles.
fn joined(row: &[f64], separator: &str) -> String {
    row.iter().map(|distance| format!("{distance:?}")).collect::<Vec<_>>().join(separator)
}

/// JSON number, or a string for an infinite one.
fn value(number: f64) -> Value {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}
