//! `lacuna ect`: the Euler characteristic transform of an image, of points or of a mesh.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lacuna::cubical::Construction;
use lacuna::cubical::read::ImageFormat;
use lacuna::ect::{Center, Directions, Ect, EctRequest, EmbeddedComplex, memory_plan, of_complex, of_image};
use lacuna::internals::{Kind, Level, name_of};
use lacuna::metric::read::{DistanceFormat, DistanceOptions, Input, Problem, read_mesh, read_path};
use lacuna::metric::{Distances, PointCloud, Value};
use lacuna::output::vectors::VectorFormat;

use super::arguments::image::VoxelsArguments;
use super::arguments::limits::DeadlineArguments;
use super::arguments::machine::ThreadsArguments;
use super::arguments::memory::MemoryArguments;
use super::arguments::run::ReportArguments;
use super::error::{CliError, Result, check_options, usage};
use super::frame::Frame;
use super::image_file::{open_image, read_image};
use super::naming::{OutputFormat, format_or};
use super::notes::counted;
use super::outputs::Files;
use super::parse;
use super::{exit_codes, help};

/// Compute the Euler characteristic transform of an image, points or a mesh
///
/// Each direction gives a row: the Euler characteristics of the parts of the shape up to heights in this
/// direction, at samples evenly spaced from -R to R.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::LIMITED))]
pub(crate) struct Arguments {
    /// Image, points or mesh, - for standard input
    ///
    /// The shape of an image is its voxels that are not 0. Faces of OFF, OBJ and PLY count with their sides,
    /// lines of OBJ and edges of PLY as edges; other points have none.
    #[arg(value_name = "INPUT")]
    file: PathBuf,

    /// Number of directions, or file of them: one vector per row
    ///
    /// A number of directions is spread evenly: on the circle from the first axis towards the second, on the
    /// sphere by the Fibonacci lattice. Files are read as points are: text in single precision, .npy in its
    /// own. Only the directions of the vectors count.
    #[arg(
        long,
        value_name = "N|FILE",
        help_heading = "Transform",
        default_value = "100",
        allow_hyphen_values = true
    )]
    directions: String,

    /// Number of samples of each direction
    #[arg(long, value_name = "N", help_heading = "Transform", default_value = "100",
        value_parser = parse::bins, allow_hyphen_values = true)]
    bins: usize,

    /// Radius R of the samples [default: greatest distance of a vertex from the center]
    ///
    /// Parts of the shape above R are in no sample.
    #[arg(long, value_name = "R", help_heading = "Transform",
        value_parser = parse::exponent, allow_hyphen_values = true)]
    radius: Option<f64>,

    /// Point from which heights are measured: origin, mean, box [default: origin]
    ///
    /// origin  origin of the coordinates; for images, center of the grid
    /// mean    mean of the vertices
    /// box     center of the bounding box of the vertices
    #[arg(long, value_name = "WHICH", help_heading = "Transform",
        value_parser = parse::one_of::<Center>(), hide_possible_values = true, verbatim_doc_comment)]
    center: Option<Center>,

    /// Compute the smooth transform: sums of the deviations from the mean of the row
    #[arg(long, help_heading = "Transform")]
    smooth: bool,

    /// Count cells of an image by the greatest value of their voxels
    #[arg(long, help_heading = "Transform")]
    weighted: bool,

    /// Voxels are vertices (v) or top-dimensional cells (t) [default: v]
    ///
    /// v  vertices, connected along the axes
    /// t  closed squares or cubes, connected across corners
    #[arg(long, value_name = "WHICH", help_heading = "Transform",
        value_parser = parse::one_of::<Construction>(), hide_possible_values = true, verbatim_doc_comment)]
    construction: Option<Construction>,

    /// Format: csv, npy [default: by extension, or csv]
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<VectorFormat>(), hide_possible_values = true)]
    output: Option<VectorFormat>,

    /// Write the transform to FILE, replaced as a whole on success
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadsArguments,

    #[command(flatten)]
    memory: MemoryArguments,

    #[command(flatten)]
    deadline: DeadlineArguments,

    #[command(flatten)]
    report: ReportArguments,

    /// Format of the input [default: detected from content and name]
    ///
    /// images  npy, npz, png, pgm, tiff, nifti, nrrd, metaimage, vgi, vol, zarr,
    ///         dipha, perseus, raw
    /// points  point-cloud, also of .npy; xyz
    /// meshes  off, obj, ply
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Input",
        verbatim_doc_comment,
        allow_hyphen_values = true
    )]
    format: Option<String>,

    /// Array to read from an .npz archive or a Zarr group that holds several
    #[arg(hide_short_help = true, long, value_name = "NAME", help_heading = "Input")]
    key: Option<String>,

    #[command(flatten)]
    voxels: VoxelsArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna ect --directions 64 --bins 50 leaf.png
  lacuna ect --construction t --weighted -o transform.npy volume.nii.gz
  lacuna ect --center mean --smooth -o bunny.csv bunny.off
  lacuna ect --directions vectors.npy --radius 1 --format point-cloud points.npy";

/// Advice for an image that is too large.
const HELPS: &str = "fewer --directions or --bins take less";

/// Computes the transform and writes it.
///
/// The statistics are:
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `threads` | the input, and the number of threads |
/// | `shape` or `vertices`, `cells` | voxels along the axes of an image; the size of another complex |
/// | `directions`, `bins`, `radius`, `center` | what was sampled |
/// | `read_seconds`, `transform_seconds`, `write_seconds` | the parts of the run |
/// | `total_seconds` | the whole run, up to this file |
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let Arguments { file, report, .. } = arguments;
    let kind = arguments.kind()?;
    arguments.check_options(kind)?;
    let answer = arguments.output_file.as_deref();
    let format = format_or(VectorFormat::default(), arguments.output, answer)?;
    let files =
        Files { answer, content: format.content(), stats: report.stats.as_deref(), ..Files::default() };
    let mut frame = Frame::open(start, file, files, report.notes)?;
    let threads = arguments.threads.start(frame.notes)?;
    let request = arguments.request()?;
    if report.explain {
        frame.tell(format_args!("{:<13} {}", "vectors", Level::detect().name()));
    }
    let found = match kind {
        Kind::Image => arguments.of_image(&request, &mut frame)?,
        _ => arguments.of_complex(&request, &mut frame)?,
    };
    frame.write(|_, out| format.write((0..found.count()).map(|direction| found.row(direction)), out))?;
    let record = &mut frame.record;
    record.set("threads", threads).set("directions", found.count()).set("bins", found.bins);
    record.set("radius", found.radius).set("center", &found.center);
    frame.tell_times();
    frame.finish()?;
    Ok(())
}

impl Arguments {
    /// Whether the input is an image or holds points.
    fn kind(&self) -> Result<Kind> {
        if self.voxels.are_raw() {
            return Ok(Kind::Image);
        }
        let suits = |kind: Kind| matches!(kind, Kind::Image | Kind::Distances);
        let kind =
            Kind::of_input(&self.file, self.format.as_deref(), &suits).ok().filter(|&kind| suits(kind));
        kind.ok_or_else(|| {
            usage(format_args!(
                "{}: expected an image, points or a mesh, found another file",
                name_of(&self.file)
            ))
        })
    }

    /// Rejects options of images for points.
    fn check_options(&self, kind: Kind) -> Result<()> {
        let is_image = kind == Kind::Image;
        let is_picked = self.voxels.channel.is_some() || self.voxels.frame.is_some();
        check_options(
            if is_image { "an image" } else { "points" },
            &[
                ("--weighted", self.weighted && !is_image, "an image"),
                ("--construction", self.construction.is_some() && !is_image, "an image"),
                ("--channel or --frame", is_picked && !is_image, "an image"),
                ("--nan", self.voxels.nan.is_some() && !is_image, "an image"),
            ],
        )
    }

    fn request(&self) -> Result<EctRequest> {
        let directions = match self.directions.parse() {
            Ok(count) => Directions::Even(count),
            Err(_) => vectors(Path::new(&self.directions))?,
        };
        Ok(EctRequest {
            directions,
            bins: self.bins,
            radius: self.radius,
            center: self.center.unwrap_or_default(),
            smooth: self.smooth,
            weighted: self.weighted,
            construction: self.construction.unwrap_or(Construction::V),
        })
    }

    /// Parses `--format` as a format of images or of points.
    fn format<F: std::str::FromStr<Err = Problem>>(&self) -> Result<Option<F>> {
        let parse = |name: &String| {
            name.parse().map_err(|problem: Problem| {
                usage(format_args!("--format {name}: expected {}", problem.expected))
            })
        };
        self.format.as_ref().map(parse).transpose()
    }

    fn of_image(&self, request: &EctRequest, frame: &mut Frame<'_>) -> Result<Ect> {
        let options = self.voxels.options(self.format::<ImageFormat>()?, self.key.as_deref())?;
        let stream = open_image(&self.file, &options, frame)?;
        let (shape, name) = (stream.shape(), frame.name.clone());
        let plan = memory_plan(shape, stream.bytes(), request);
        let plan = plan.map_err(|source| CliError::about("--directions", source))?;
        plan.check(0, HELPS).map_err(|source| CliError::about(&name, source))?;
        if self.report.explain {
            frame.tell(&plan);
        }
        let image = read_image(stream, frame)?;
        let found = frame.record.timed("transform", || of_image(&image, request, &frame.meter));
        frame.record.set("shape", shape.axes());
        frame.note(format_args!("{name}: {}", shape.described(image.voxel_type().name())));
        found.map_err(|source| CliError::about(&name, source))
    }

    fn of_complex(&self, request: &EctRequest, frame: &mut Frame<'_>) -> Result<Ect> {
        let name = frame.name.clone();
        let options =
            DistanceOptions { format: self.format()?, key: self.key.clone(), ..DistanceOptions::default() };
        let (loaded, polygons) = frame.read(|_| read_mesh(&self.file, &options))??;
        frame.detected(loaded.detection.as_ref().map(|why| format!("{} ({why})", loaded.format)));
        loaded.notes.iter().for_each(|note| frame.note(format_args!("{name}: {note}")));
        let (dimension, coordinates) = points(loaded.input, &name)?;
        let complex = EmbeddedComplex::of_mesh(dimension, coordinates, &polygons);
        let complex = complex.map_err(|source| CliError::about(&name, source))?;
        frame.note(format_args!(
            "{name}: {} in dimension {dimension}, with {}",
            counted(complex.len(), "point"),
            counted(complex.cells(), "cell")
        ));
        let plan = complex.memory_plan(request);
        let plan = plan.map_err(|source| CliError::about("--directions", source))?;
        plan.check(complex.bytes(), HELPS).map_err(|source| CliError::about(&name, source))?;
        if self.report.explain {
            frame.tell(&plan);
        }
        frame.record.set("vertices", complex.len()).set("cells", complex.cells());
        let found = frame.record.timed("transform", || of_complex(&complex, request, &frame.meter));
        found.map_err(|source| CliError::about(&name, source))
    }
}

/// Reads the vectors of directions.
fn vectors(path: &Path) -> Result<Directions> {
    let loaded = read_path(path, DistanceFormat::PointCloud)?;
    let (dimension, components) = points(loaded.input, &name_of(path))?;
    Ok(Directions::Given { dimension, components })
}

/// The dimension and the coordinates of points.
fn points(input: Input, name: &str) -> Result<(usize, Vec<f64>)> {
    fn of<T: Value>(cloud: &PointCloud<T>) -> (usize, Vec<f64>) {
        let coordinates = (0..cloud.len()).flat_map(|k| cloud.point(k).iter().map(|&x| x.into()));
        (cloud.dimension(), coordinates.collect())
    }
    match &input {
        Input::Single(Distances::Points(cloud)) => Ok(of(cloud)),
        Input::Double(Distances::Points(cloud)) => Ok(of(cloud)),
        _ => Err(usage(format_args!(
            "{name}: expected points, found distances; --format point-cloud reads a table as points"
        ))),
    }
}
