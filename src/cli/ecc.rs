//! `lacuna ecc`: Euler characteristic curves of images.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ArgMatches;
use lacuna::cubical::Value;
use lacuna::cubical::curves::{self, CurveSource, CurvesFound, ImageCurves};
use lacuna::cubical::ecc::scales::Scales;
use lacuna::cubical::ecc::slabs::memory_plan;
use lacuna::cubical::ecc::{Bins, BinsError, EccError, EccRequest, MachineError, VcecRows};
use lacuna::cubical::read::{self, ImageOptions, is_zarr};
use lacuna::internals::{Alone, Level, Ranks, available, name_of};
use lacuna::output::curves::CurveFormat;
use lacuna::plot::Series;
use lacuna::progress::Resumable;

use super::arguments::filtration::FiltrationArguments;
use super::arguments::image::ImageArguments;
use super::arguments::picture::PictureFileArguments;
use super::arguments::run::RunArguments;
use super::batch::{Task, Tasks};
use super::ending::while_reading;
use super::error::{CliError, Result, with_causes};
use super::frame::Frame;
use super::input_identity;
use super::naming::OutputFormat;
use super::notes::{counted, tell};
use super::parse;
use super::progress::Written;
use super::ranks::ranks;
use super::record::Record;
use super::run::{Run, Setup, Work};
use super::stop_request::keeps_state;
use super::{exit_codes, help};

/// Compute Euler characteristic curves of images
///
/// A curve gives the Euler characteristic of the sublevel sets of an image, and its change, by value.
/// Images are streamed, in memory that does not grow with their size. One curve goes to standard output or
/// to a file; curves of several images go to a directory, and an image that fails does not stop the others.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::BATCH))]
#[command(mut_arg("stats", |arg| arg.help("Write sizes and times to FILE as JSON")))]
#[command(mut_arg("periodic", |arg| arg.long_help(PERIODIC)))]
#[command(mut_arg("memory", |arg| arg.long_help(MEMORY)))]
#[command(mut_arg("verbose", |arg| arg.help("Print the size and the time of each image to standard error")))]
pub(crate) struct Arguments {
    /// Image files; - is standard input, a directory stands for its files
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Count in N bins of equal width [default: one row per distinct value]
    ///
    /// A row is named by the value at which its bin ends. A value belongs to the first bin that does not end
    /// before it.
    #[arg(long, value_name = "N", help_heading = "Filtration",
        value_parser = parse::bins, allow_hyphen_values = true)]
    bins: Option<usize>,

    /// First and last value of the bins [default: range of the finite values]
    ///
    /// Without a range, images of floats are read twice. Values below the range, -inf included, count in the
    /// first bin; values above, inf included, in none; for superlevel sets the other way round.
    #[arg(long, value_name = "LOW,HIGH", help_heading = "Filtration", requires = "bins",
        value_parser = parse::bounds, allow_hyphen_values = true)]
    range: Option<(Value, Value)>,

    /// Compute K curves: of the image and of K - 1 Gaussian smoothings
    ///
    /// Each row begins with the number of smoothings. The whole image is read into memory, whatever --memory
    /// says.
    #[arg(long, value_name = "K", help_heading = "Filtration",
        conflicts_with = "periodic", value_parser = parse::bins, allow_hyphen_values = true)]
    scales: Option<usize>,

    /// Standard deviation of the Gaussian, in voxels [default: 1]
    #[arg(hide_short_help = true, long, value_name = "S", help_heading = "Filtration", requires = "scales",
        value_parser = parse::level, allow_hyphen_values = true)]
    sigma: Option<f64>,

    /// Number of voxels of the Gaussian along each axis, odd [default: 13]
    #[arg(hide_short_help = true, long, value_name = "N", help_heading = "Filtration", requires = "scales",
        value_parser = parse::bins, allow_hyphen_values = true)]
    taps: Option<usize>,

    /// Format: csv, json, npy [default: by extension, or csv]
    ///
    /// csv   one row per line: value,vcec,ecc
    /// json  {"shape", "voxels", "construction", "superlevel", "rows": [[value, vcec, ecc], ...]}, and
    ///       "periodic": [axis, ...] if there are any
    /// npy   NumPy array of doubles, one row per value: value, vcec, ecc
    ///
    /// ecc is the Euler characteristic from the value on, vcec its change at the value.
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<CurveFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<CurveFormat>,

    /// Write the curve to FILE, or one file per image to DIR
    ///
    /// In DIR, each file is named after its image and the format. A file is replaced as a whole when its curve
    /// is known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureFileArguments,

    #[command(flatten)]
    run: RunArguments,

    /// Directory for temporary files [default: that of the system]
    ///
    /// Rows of distinct values that do not fit --memory are stored there. The files are removed when the run
    /// ends.
    #[arg(hide_short_help = true, long, value_name = "DIR", help_heading = "Computation")]
    temp_dir: Option<PathBuf>,

    #[command(flatten)]
    input: ImageArguments,
}

const PERIODIC: &str = "\
Let axes close up, so that the last voxel is next to the first: x, y, z, w

x is the first axis of the image, in PNG and TIFF the row, and w the fourth. The whole image is read into memory, whatever --memory says.";

const MEMORY: &str = "\
Memory limit, such as 64M or 2G

auto is 512M, or half of the available memory if that is less; 512M is enough for images of any size. The memory of a GPU driver is not \
counted. A lower limit makes slabs thinner, and rows that do not fit go to temporary files.";

const EXAMPLES: &str = "\
Examples:
  lacuna ecc slice.png
  lacuna ecc --construction v --bins 1000 -o curve.csv volume.nii.gz
  lacuna ecc --output npy -o curves/ scans/
  lacuna ecc --shape 4096,4096,2000 --dtype u8 --memory 256M volume.raw";

/// Smallest memory limit that applies to the whole program. Below it, the program's own memory would take most of the
/// limit.
pub(super) const LEAST_HELD: u64 = 64 << 20;

/// Bytes for streaming where no limit is given; more would not be faster.
const ENOUGH: u64 = 512 << 20;

/// Largest file, in bytes, that one thread processes while other threads process other images.
const SMALL: u64 = 16 << 20;

/// Runs the command: streams the images, sums their curves and writes them.
pub(crate) fn run(arguments: &Arguments, given: &ArgMatches) -> Result<()> {
    let start = Instant::now();
    let Arguments { run: common, picture, .. } = arguments;
    let memory = arguments.memory();
    // A limit beyond the address space is no limit.
    let limit = usize::try_from(memory).unwrap_or(usize::MAX);
    let (options, request, scales) = (arguments.input.options()?, arguments.request(), arguments.scales());
    request.bins.check().map_err(|source| CliError::about("--bins, --range", source))?;
    if let Some(scales) = &scales {
        scales.weights().map_err(|source| CliError::about("--scales, --sigma, --taps", source))?;
    }
    // A requested device opens meanwhile.
    let backend = common.machine.backend();
    let (notes, output) = (common.report.notes, arguments.output_file.as_deref());
    let (tasks, format) = Tasks::plan(
        &arguments.images,
        output,
        arguments.output,
        CurveFormat::Csv,
        notes,
        &|_| None,
        is_zarr,
    )?;
    let setup = Setup {
        inputs: "images",
        content: format.content(),
        is_shared: true,
        is_streamed: true,
        ..Setup::new("ecc", given, common, picture)
    };
    let run = Run::open(start, tasks, setup)?;
    if common.report.explain {
        explanation(limit).iter().for_each(tell);
    }
    // Each worker gets enough memory that a small image is seldom split into slabs.
    let most = if scales.is_some() { 1 } else { limit / usize::try_from(SMALL).unwrap_or(usize::MAX) };
    let workers = run.workers(SMALL).min(most).max(1);
    let job = Job { arguments, request, scales, options, format, limit };
    let curves = |limit| {
        let directory = arguments.temp_dir.clone();
        let curves = ImageCurves::new(&request, limit, directory, backend.clone());
        curves.expect("the bins were checked").closing_up(arguments.filtration.periodic())
    };
    let worker = |workers: usize| -> Work<'_> {
        let (job, mut curves) = (&job, curves(limit / workers));
        Box::new(move |run, task, frame| job.run(run, &mut curves, task, frame))
    };
    run.each(workers, &worker, |record, images| job.sum(record, images, memory))
}

/// Settings shared by all images of a run.
struct Job<'a> {
    arguments: &'a Arguments,
    request: EccRequest,
    scales: Option<Scales>,
    options: ImageOptions,
    format: CurveFormat,
    /// Memory limit in bytes.
    limit: usize,
}

impl Job<'_> {
    fn run(&self, run: &Run<'_>, curves: &mut ImageCurves, task: &Task, frame: &mut Frame<'_>) -> Result<()> {
        if self.arguments.run.checkpoint.is_asked_for() {
            input_identity::check_one_file(&task.input, &self.options)?;
        }
        run.begin(&|| input_identity::of_ends(&task.input))?;
        let input = task.input.as_path();
        // A pipe can be read only once: to open it again would block for ever.
        let is_read_once = input == Path::new("-") || fs::metadata(input).is_ok_and(|found| !found.is_file());
        let open = || read::open(input, &self.options);
        let source = CurveSource::new(&open, is_read_once);
        let progress = Resumable { progress: &frame.meter, checkpoint: frame.checkpoint };
        // Of several images, each rank takes some; it shares a single one with the others.
        let ranks: &dyn Ranks = if frame.batch.is_some() { &Alone } else { ranks() };
        let mut find = || {
            let found = curves.curves_on(ranks, &source, self.scales.as_ref(), &progress);
            found.map_err(|error| no_curve(&name_of(input), error))
        };
        // Reading and counting are one: there is nothing to be lost if no state is saved.
        let is_all_read = frame.is_alone() && !keeps_state();
        let find = || if is_all_read { while_reading(&mut find)? } else { find() };
        let Some(found) = frame.record.timed("curve", find)? else { return Ok(()) };
        frame.detected(found.detection.as_ref());
        let explain = self.arguments.run.report.explain;
        let backend = format!("{:<13} {}", "backend", found.backend);
        if explain || frame.notes.verbose && ranks.size() > 1 {
            frame.tell(&backend);
        }
        let written = match self.format {
            CurveFormat::Csv | CurveFormat::Json => Written::Lines(found.count()),
            CurveFormat::Npy => Written::Bytes(3 * 8 * found.count()),
        };
        let (format, request) = (self.format, &self.request);
        frame.write(|meter, out| meter.writing(written, out, |out| format.write(&found, request, out)))?;
        self.fill(&found, frame);
        frame.show(
            |name| {
                let series = Series::of_found_curves(name, &found);
                series.map_err(|source| CliError::write("--plot, --report", &source))
            },
            |page| {
                let sets = if request.superlevel { "superlevel" } else { "sublevel" };
                page.fact("image", found.shape.described(found.voxels));
                page.fact("filtration", format_args!("{sets} sets, {}-construction", request.construction));
                if !found.periodic.is_none() {
                    page.fact("axes", found.periodic);
                }
                page.fact("rows", found.count()).fact("passes over the image", found.passes);
                page.plan([&explanation(self.limit)[..], &[backend]].concat().join("\n"));
            },
        )?;
        if frame.batch.is_some() {
            // An image that is read whole has one scale at least.
            curves::forget(frame.checkpoint, self.arguments.scales.unwrap_or(1));
        }
        Ok(())
    }

    /// Fills in the statistics of an image, and prints them if verbose.
    fn fill(&self, found: &CurvesFound, frame: &mut Frame<'_>) {
        let record = &mut frame.record;
        record.set("shape", found.shape.axes()).set("voxels", found.voxels).set("passes", found.passes);
        record.set("rows", found.count()).set("backend", &found.backend);
        if frame.notes.verbose {
            let (image, rows) = (found.shape.described(found.voxels), counted(found.count() as usize, "row"));
            let rate = found.shape.count() as f64 / frame.record.seconds("curve") / 1e6;
            frame.record.comment("curve", format!(", {rate:.0} million voxels a second"));
            frame.tell(format!("{}: {image}, {rows}", frame.name));
            if matches!(found.rows, VcecRows::Disk(_)) {
                frame.tell(
                    "rows beyond the memory limit were stored in temporary files (--memory, --temp-dir)",
                );
            }
        }
    }

    /// Adds to the statistics of the run, whose keys are:
    ///
    /// | key | value |
    /// |---|---|
    /// | `version` | of the program |
    /// | `ranks`, `traffic` | how many processes took part, and what process 0 exchanged with them ([`Traffic`](lacuna::internals::Traffic)), if there were several |
    /// | `construction`, `superlevel`, `periodic` | the filtration |
    /// | `threads`, `memory` | how many threads added up, in how many bytes at most |
    /// | `images` | of each image: `file`, `shape`, type of `voxels`, `passes` over it, `rows`, the `backend` and why, `curve_seconds` from opening it to its curve, `write_seconds`, `total_seconds` |
    /// | `failed` | images without a curve |
    /// | `voxels`, `voxels_per_second` | of all images, and by their `curve_seconds` |
    /// | `total_seconds` | the whole run, up to this file |
    /// | `peak_memory` | bytes, the most that was in use; `null` where the system does not tell |
    fn sum(&self, record: &mut Record, images: &[Record], memory: u64) {
        let EccRequest { construction, superlevel, .. } = self.request;
        let shapes = images.iter().filter_map(|image| image.get::<Vec<usize>>("shape"));
        let voxels: usize = shapes.map(|axes| axes.iter().product::<usize>()).sum();
        let seconds: f64 = images.iter().map(|image| image.seconds("curve")).sum();
        record.set("construction", construction.to_string()).set("superlevel", superlevel);
        record.set("periodic", self.arguments.filtration.periodic().axes().collect::<Vec<_>>());
        record.set("threads", rayon::current_num_threads()).set("memory", memory).set("voxels", voxels);
        record.set("voxels_per_second", (seconds > 0.0).then(|| voxels as f64 / seconds));
        record.set("peak_memory", peak_memory());
    }
}

/// The error of a file that has no curve: the file, the reason, and options that help.
pub(crate) fn no_curve(file: &str, error: MachineError) -> CliError {
    use EccError::{Bins, Checkpoint, Interrupted, Range, Read, Slabs, Spill};
    let option = match &error {
        // The errors of the reader and the backend are complete.
        MachineError::Stage(Read(_) | Checkpoint(_) | Interrupted(_)) | MachineError::Backend(_) => {
            return error.into();
        }
        MachineError::Stage(Spill { directory, limit, error: source }) => {
            let what = format!(
                "{file}: {}: cannot keep rows that {limit} bytes of memory have no room for (--temp-dir, --memory): {source}",
                directory.display()
            );
            return CliError::from(error).saying(what);
        }
        MachineError::Stage(Bins(BinsError::NoneFinite) | Range(_)) => " (--range)",
        MachineError::Stage(Slabs { .. }) => " (--memory)",
        _ => "",
    };
    let message = format!("{}{option}", with_causes(format!("{file}: {error}"), error.source()));
    CliError::from(error).saying(message)
}

/// The lines of `--explain`.
fn explanation(limit: usize) -> [String; 3] {
    let threads = rayon::current_num_threads();
    [
        format!("{:<13} {}", "vectors", Level::detect().name()),
        format!("{:<13} {threads} that add up, others that read", "threads"),
        memory_plan(limit).to_string(),
    ]
}

/// Peak resident memory in bytes, from a line like `VmHWM:  12345 kB` of Linux.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

impl Arguments {
    /// Memory budget for streaming, in bytes.
    fn memory(&self) -> u64 {
        let enough = || available().map_or(ENOUGH, |available| ENOUGH.min(available / 2));
        self.run.machine.memory.given().unwrap_or_else(enough)
    }

    fn request(&self) -> EccRequest {
        let (construction, superlevel) = (self.filtration.construction(), self.filtration.superlevel);
        let bins = self.bins.map_or(Bins::Distinct, |count| Bins::Uniform { count, range: self.range });
        EccRequest { construction, superlevel, bins }
    }

    fn scales(&self) -> Option<Scales> {
        let Scales { sigma, taps, .. } = Scales::default();
        let of =
            |count| Scales { count, sigma: self.sigma.unwrap_or(sigma), taps: self.taps.unwrap_or(taps) };
        self.scales.map(of)
    }
}
