//! `lacuna ecc`: Euler characteristic curves of images.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lacuna::cubical::ecc::batch::{Batch, Found};
use lacuna::cubical::ecc::scales::Scales;
use lacuna::cubical::ecc::{Bins, Request, Rows};
use lacuna::input::name_of;
use lacuna::output::curves::Format;
use serde::Serialize;

use super::backend::BackendArguments;
use super::cubical::FiltrationArguments;
use super::directory::files_of;
use super::error::CliError;
use super::image::ImageArguments;
use super::notes::{Notes, counted, described, tell, timing_line};
use super::parse::{self, Bounds};
use super::progress::Meter;
use super::sink::Sink;
use super::{EXIT_CODES, start_threads};

/// Euler characteristic curves of images
///
/// The Euler characteristic of an image's sublevel sets, and how it changes, by value. Images are read as a stream, in memory that does not
/// grow with them. One curve goes to standard output or to a file; those of several images go into a directory, and an image that
/// fails does not stop the others.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image files, `-` for standard input; of a directory, its files
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,

    #[command(flatten)]
    input: ImageArguments,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Rows for N bins of one width, each by the value at which it ends [default: a row for each distinct value]
    ///
    /// A value belongs to the first bin that does not end before it.
    #[arg(long, value_name = "N", help_heading = "Filtration",
        value_parser = parse::bins, allow_hyphen_values = true)]
    bins: Option<usize>,

    /// Where bins begin and end [default: at the least and the greatest finite value, for which floats are read twice]
    ///
    /// What is below, -inf included, is in the first bin; what is above, inf included, in none; of superlevel sets the other way round.
    #[arg(long, value_name = "LOW,HIGH", help_heading = "Filtration", requires = "bins",
        value_parser = parse::bounds, allow_hyphen_values = true)]
    range: Option<Bounds>,

    /// K curves: that of the image, and one for each of K - 1 times that it is smoothed by a Gaussian
    ///
    /// Each row begins with the number of times. The image is read whole, whatever --memory says.
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::bins, allow_hyphen_values = true)]
    scales: Option<usize>,

    /// The standard deviation of the Gaussian, in voxels [default: 1]
    #[arg(long, value_name = "S", help_heading = "Filtration", requires = "scales",
        value_parser = parse::level, allow_hyphen_values = true)]
    sigma: Option<f64>,

    /// Along each axis, voxels that the Gaussian reaches, an odd number [default: 13]
    #[arg(long, value_name = "N", help_heading = "Filtration", requires = "scales",
        value_parser = parse::bins, allow_hyphen_values = true)]
    taps: Option<usize>,

    /// Bytes of memory to use at most, for everything but a GPU's driver, as 64M or 2G
    #[arg(long, value_name = "BYTES", help_heading = "Computation", default_value = "512M",
        value_parser = parse::bytes, allow_hyphen_values = true)]
    memory: u64,

    /// Directory for rows of distinct values that are too many for --memory, in files that go when the run ends [default: the system's]
    #[arg(long, value_name = "DIR", help_heading = "Computation")]
    temp_dir: Option<PathBuf>,

    /// Number of threads [default: one a core]
    #[arg(long, value_name = "N", help_heading = "Computation",
        value_parser = parse::threads, allow_hyphen_values = true)]
    threads: Option<usize>,

    #[command(flatten)]
    machine: BackendArguments,

    /// Format of the curves
    ///
    /// csv   a line a row: value,vcec,ecc
    /// json  {"shape", "voxels", "construction", "superlevel", "rows": [[value, vcec, ecc], ...]}
    /// npy   NumPy array of doubles, a row of value, vcec, ecc
    ///
    /// vcec is how the Euler characteristic changes at the value, ecc what it is from there on.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", default_value = "csv",
        value_parser = parse::curves_format(), hide_possible_values = true, verbatim_doc_comment)]
    output: Format,

    /// Write the curve to FILE; or those of several images into DIR, each by its image's name and the format's
    ///
    /// Files are replaced as a whole, when their curve is known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Write sizes and times to FILE, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    stats: Option<PathBuf>,

    /// Say on standard error what was chosen, and why
    #[arg(long, help_heading = "Messages")]
    explain: bool,

    /// Say nothing on standard error but errors and what was asked for
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Say on standard error how large each image is and how long it took
    #[arg(short, long, help_heading = "Messages")]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  lacuna ecc slice.png
  lacuna ecc --construction v --bins 1000 -o curve.csv volume.nii.gz
  lacuna ecc --output npy -o curves/ scans/
  lacuna ecc --shape 4096,4096,2000 --dtype u8 --memory 256M volume.raw";

/// An image and where its curve goes.
struct Task {
    image: PathBuf,
    /// None: standard output.
    output: Option<PathBuf>,
}

/// Reads, adds up, writes, image by image.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let start = Instant::now();
    let request = arguments.request();
    // More than can be addressed is no limit.
    let limit = usize::try_from(arguments.memory).unwrap_or(usize::MAX);
    let batch = Batch::new(&request, arguments.input.options()?, limit, arguments.machine.backend())?
        .spilling_to(arguments.temp_dir.clone());
    if let Some(scales) = arguments.scales() {
        scales.weights()?;
    }
    let notes = Notes { quiet: arguments.quiet, verbose: arguments.verbose };
    let (tasks, is_batch) = arguments.tasks(notes)?;
    let stats = arguments.stats.as_deref().map(|path| Sink::open(Some(path))).transpose()?;
    start_threads(arguments.threads)?;
    if arguments.explain {
        explain(limit);
    }
    let mut job = Job { arguments, request, batch, notes, stats_file: stats.as_ref().and_then(Sink::file) };
    let mut records = Vec::new();
    let mut failed = 0;
    for task in &tasks {
        match job.run(task) {
            Ok(record) => records.push(record),
            Err(error) if is_batch && error.is_of_one_image() => {
                super::report(&error);
                failed += 1;
            }
            Err(error) => return Err(error),
        }
    }
    let record = Record::new(records, failed, &request, arguments.memory, start);
    if let Some(mut stats) = stats {
        stats.fill(|out| record.write(out))?;
        stats.commit()?;
    }
    if arguments.verbose && is_batch {
        let (images, voxels) = (counted(record.images.len(), "image"), counted(record.voxels, "voxel"));
        tell(format_args!("{images}, {voxels}"));
        tell(timing_line("total", record.total_seconds));
    }
    if failed > 0 { Err(CliError::Images { failed, all: tasks.len() }) } else { Ok(()) }
}

/// What all images share.
struct Job<'a> {
    arguments: &'a Arguments,
    request: Request,
    batch: Batch,
    notes: Notes,
    stats_file: Option<&'a Path>,
}

impl Job<'_> {
    fn run(&mut self, task: &Task) -> Result<ImageRecord, CliError> {
        let start = Instant::now();
        let mut sink = Sink::open(task.output.as_deref())?;
        if let Some(path) = sink.file().filter(|&path| Some(path) == self.stats_file) {
            return Err(CliError::SameFile { path: path.to_path_buf() });
        }
        let meter = Meter::new(self.notes.wants_progress());
        meter.name(&name_of(&task.image));
        let found = match self.arguments.scales() {
            Some(scales) => self.batch.curves(&task.image, &scales, &meter)?,
            None => self.batch.curve(&task.image, &meter)?,
        };
        drop(meter);
        let curve_seconds = start.elapsed().as_secs_f64();
        sink.fill(|out| self.arguments.output.write(&found, &self.request, out))?;
        sink.commit()?;
        if self.arguments.explain {
            tell(format_args!("{:<13} {}", "backend", found.backend));
        }
        let record = ImageRecord::new(&task.image, &found, curve_seconds, start);
        if self.notes.verbose {
            record.tell(&found);
        }
        Ok(record)
    }
}

fn explain(limit: usize) {
    let threads = rayon::current_num_threads();
    tell(format_args!("{:<13} {}", "vectors", lacuna::simd::Level::detect().name()));
    tell(format_args!("{:<13} {threads} that add up, others that read", "threads"));
    tell(format_args!("{:<13} {limit} bytes at most", "memory"));
}

impl Arguments {
    fn request(&self) -> Request {
        let FiltrationArguments { construction, superlevel } = self.filtration;
        let range = self.range.map(|Bounds(low, high)| (low, high));
        let bins = self.bins.map_or(Bins::Distinct, |count| Bins::Uniform { count, range });
        Request { construction, superlevel, bins }
    }

    fn scales(&self) -> Option<Scales> {
        let Scales { sigma, taps, .. } = Scales::default();
        let of =
            |count| Scales { count, sigma: self.sigma.unwrap_or(sigma), taps: self.taps.unwrap_or(taps) };
        self.scales.map(of)
    }

    /// What is to be done, and whether it is more than one image could be.
    fn tasks(&self, notes: Notes) -> Result<(Vec<Task>, bool), CliError> {
        let mut images = Vec::new();
        for path in &self.images {
            if path.is_dir() { images.extend(files_of(path, notes)?) } else { images.push(path.clone()) }
        }
        let is_batch = self.images.len() > 1 || self.images[0].is_dir();
        if images.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            return Err(CliError::TwiceStandardInput);
        }
        let into = self.output_file.as_deref().filter(|path| is_batch || path.is_dir());
        match (into, &self.output_file) {
            (Some(into), _) => {
                if !into.is_dir() {
                    let failed = |source| CliError::Open { path: into.to_path_buf(), source };
                    fs::create_dir(into).map_err(failed)?;
                }
                Ok((self.beside_each_other(images, into)?, is_batch))
            }
            (None, None) if is_batch => Err(CliError::NeedsDirectory),
            (None, output) => {
                let task = |image| Task { image, output: output.clone() };
                Ok((images.into_iter().map(task).collect(), is_batch))
            }
        }
    }

    fn beside_each_other(&self, images: Vec<PathBuf>, into: &Path) -> Result<Vec<Task>, CliError> {
        let mut taken = HashSet::new();
        let task = |image: PathBuf| {
            // Standard input has no name; a path without one cannot be read either, and its reader says so.
            let mut name = match image.file_name() {
                Some(name) if image != Path::new("-") => name.to_owned(),
                _ => "stdin".into(),
            };
            name.push(".");
            name.push(self.output.name());
            let output = into.join(name);
            if !taken.insert(output.clone()) {
                return Err(CliError::SameOutput { image, output });
            }
            Ok(Task { image, output: Some(output) })
        };
        images.into_iter().map(task).collect()
    }
}

/// What `--stats FILE` writes, as a JSON object.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `construction`, `superlevel` | the filtration |
/// | `threads`, `memory` | how many threads added up, in how many bytes at most |
/// | `images` | of each image: `file`, `shape`, type of `voxels`, `passes` over it, `rows`, the `backend` and why, `curve_seconds` from opening it to its curve, `write_seconds` |
/// | `failed` | images without a curve |
/// | `voxels`, `voxels_per_second` | of all images, and by their `curve_seconds` |
/// | `total_seconds` | the whole run, up to this file |
/// | `peak_memory` | bytes, the most that was in use; `null` where the system does not tell |
#[derive(Debug, Serialize)]
struct Record {
    version: &'static str,
    construction: String,
    superlevel: bool,
    threads: usize,
    memory: u64,
    images: Vec<ImageRecord>,
    failed: usize,
    voxels: usize,
    voxels_per_second: Option<f64>,
    total_seconds: f64,
    peak_memory: Option<u64>,
}

#[derive(Debug, Serialize)]
struct ImageRecord {
    file: String,
    shape: Vec<usize>,
    voxels: &'static str,
    passes: u64,
    rows: u64,
    backend: String,
    curve_seconds: f64,
    write_seconds: f64,
}

/// What Linux says in a line like `VmHWM:     12345 kB`.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

impl Record {
    fn new(images: Vec<ImageRecord>, failed: usize, request: &Request, memory: u64, start: Instant) -> Self {
        let voxels = images.iter().map(|image| image.shape.iter().product::<usize>()).sum();
        let seconds: f64 = images.iter().map(|image| image.curve_seconds).sum();
        Record {
            version: env!("CARGO_PKG_VERSION"),
            construction: request.construction.to_string(),
            superlevel: request.superlevel,
            threads: rayon::current_num_threads(),
            memory,
            failed,
            voxels,
            voxels_per_second: (!images.is_empty()).then(|| voxels as f64 / seconds),
            images,
            total_seconds: start.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

impl ImageRecord {
    fn new(image: &Path, found: &Found, curve_seconds: f64, start: Instant) -> Self {
        ImageRecord {
            file: image.display().to_string(),
            shape: found.shape.axes(),
            voxels: found.voxels,
            passes: found.passes,
            rows: found.rows(),
            backend: found.backend.clone(),
            curve_seconds,
            write_seconds: start.elapsed().as_secs_f64() - curve_seconds,
        }
    }

    /// The lines of `-v`.
    fn tell(&self, found: &Found) {
        let name = name_of(Path::new(&self.file));
        let (image, rows) = (described(found.shape, self.voxels), counted(self.rows as usize, "row"));
        tell(format_args!("{name}: {image}, {rows}"));
        if matches!(found.curve, Rows::Disk(_)) {
            tell("rows that memory had no room for were kept in temporary files (--memory, --temp-dir)");
        }
        let rate = found.shape.count() as f64 / self.curve_seconds / 1e6;
        tell(format_args!("{}, {rate:.0} million voxels a second", timing_line("curve", self.curve_seconds)));
        tell(timing_line("write", self.write_seconds));
    }
}
