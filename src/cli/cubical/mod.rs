//! `lacuna cubical`: the barcode of an image.

mod job;
mod representatives;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ArgMatches;
use lacuna::cubical::persistence::{PersistenceError, PersistenceRequest as Request, footprint};
use lacuna::cubical::read::{self, ImageOptions, count_frames, is_zarr};
use lacuna::cubical::thinning::Rule;
use lacuna::cubical::value::Threshold;
use lacuna::cubical::{Construction, Mask, Shape, Value, VoxelType};
use lacuna::memory::MemoryPlan;
use lacuna::output::images::ImageBarsFormat;

use crate::cli::arguments::filtration::FiltrationArguments;
use crate::cli::arguments::image::ImageArguments;
use crate::cli::arguments::picture::PictureArguments;
use crate::cli::arguments::run::RunArguments;
use crate::cli::batch::Tasks;
use crate::cli::error::{CliError, Result, usage};
use crate::cli::naming::OutputFormat;
use crate::cli::parse;
use crate::cli::parse::OrAuto;
use crate::cli::run::{Run, Setup};
use crate::cli::{exit_codes, help};
use job::Job;
use representatives::RepresentativesArguments;

/// Compute the barcode of an image by its voxel values
///
/// Bars go to standard output, everything else to standard error. Bars of several images go to a directory,
/// and an image that fails does not stop the others. Coefficients are in Z/2.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::CUBICAL))]
#[command(mut_arg("verbose", |arg| arg.help("Print the number of bars and the time of each stage to standard error")))]
pub(crate) struct Arguments {
    /// Image files; - is standard input, a directory stands for its files, unless it is of Zarr
    ///
    /// Each frame of an image of four axes is an input of its own, unless --frame says otherwise.
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,

    #[command(flatten)]
    filtration: FiltrationArguments,

    /// Highest homology dimension [default: number of axes minus 1]
    #[arg(long, value_name = "K", help_heading = "Filtration",
        value_parser = parse::count, allow_hyphen_values = true)]
    max_dim: Option<usize>,

    /// End the filtration at X; classes alive there are essential
    ///
    /// Voxels are compared with the exact number given, including 64-bit integers.
    #[arg(long, value_name = "X", help_heading = "Filtration",
        value_parser = parse::exact_level, allow_hyphen_values = true)]
    threshold: Option<Threshold>,

    /// Compute the bars of the part of the image where the image FILE is not zero
    ///
    /// With --construction v, cells are in this part if all their voxels are, with t, if one of their voxels is.
    #[arg(long, value_name = "FILE", help_heading = "Filtration", value_parser = parse::file())]
    mask: Option<PathBuf>,

    /// Thin the binary image first
    ///
    /// RULE is auto (by the number of axes, the default), guo-hall, zhang-suen, kashani, kashani-safe or
    /// subfields; see `lacuna thin --help`. The bars do not change, except with kashani and zhang-suen, which
    /// lose some.
    #[arg(long, value_name = "RULE", help_heading = "Filtration", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["periodic", "mask"], default_missing_value = "auto",
        value_parser = parse::auto_or_one_of::<Rule>(), hide_possible_values = true)]
    thin: Option<OrAuto<Rule>>,

    /// Format: text, csv, json, npy, npz, dipha, cripser [default: by extension, or text]
    ///
    /// text     as `lacuna rips` and Ripser print bars
    /// csv      one bar per line: dim,birth,death; essential bars die at inf, for superlevel sets
    ///          at -inf
    /// json     {"shape", "voxels", "construction", "superlevel", "threshold", "max_dim",
    ///          "bars": [...]}; a bar is {"dim", "birth", "death"}; essential bars die at null,
    ///          infinite voxels are "inf" and "-inf"; with cycles "representatives": [...]
    /// npy      NumPy array of doubles, one bar per row: dim, birth, death
    /// dipha    DIPHA's persistence diagram; for superlevel sets that of the negated image
    /// cripser  CubicalRipser's columns: dim,birth,death,x1,y1,z1,x2,y2,z2, of four axes w1, w2 too, the voxels at
    ///          which the class is born and dies
    /// npz      archive of NumPy arrays: "bars" as in npy, and with cycles for each dimension d
    ///          "index_d", "birth_voxels_d", "death_voxels_d", "cycle_cells_d",
    ///          "cycle_offsets_d", "cycle_voxels_d", "cycle_voxel_offsets_d"
    ///
    /// Extensions: .txt, .csv, .json, .npy, .npz, .diagram
    #[arg(long, value_name = "FORMAT", help_heading = "Output",
        value_parser = parse::one_of::<ImageBarsFormat>(), hide_possible_values = true, verbatim_doc_comment)]
    output: Option<ImageBarsFormat>,

    /// Write the bars to FILE, or one file per image to DIR
    ///
    /// In DIR, each file is named after its image and the format. A file is replaced as a whole when its bars
    /// are known.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureArguments,

    #[command(flatten)]
    representatives: RepresentativesArguments,

    /// Method: gradient or matrix [default: gradient]
    ///
    /// gradient  discrete gradient of the image, which lists critical cells only
    /// matrix    boundary matrix of all cells, as with `convert` and `reduce`; for checking, and the default for
    ///           cycles of images of four axes or with periodic ones
    #[arg(hide_short_help = true, long, value_name = "WAY", help_heading = "Computation",
        value_parser = parse::one_of::<Way>(), hide_possible_values = true, verbatim_doc_comment)]
    via: Option<Way>,

    /// Check the bars against the Euler characteristic curve, which is computed from the cells
    ///
    /// At every value, the alternating sum of the bars alive has to be the Euler characteristic. Bars that contradict
    /// it are not written.
    #[arg(hide_short_help = true, long, help_heading = "Computation")]
    verify: bool,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    input: ImageArguments,
}

const EXAMPLES: &str = "\
Examples:
  lacuna cubical slice.png
  lacuna cubical --construction v --max-dim 1 --output csv -o bars.csv volume.nii.gz
  lacuna cubical --representatives cycles --longest 10 -o loops.npz volume.nii.gz
  lacuna cubical --geometry shells.vtk --longest 10 volume.nii.gz
  lacuna cubical --output csv -o bars/ scans/
  lacuna cubical --superlevel --threshold 128 --output cripser scan.tif
  lacuna cubical --shape 512,512,300 --dtype u16 --output npy -o bars.npy volume.raw";

/// The way in which bars are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    /// A discrete gradient of the image, without a list of cells.
    Gradient,
    /// The boundary matrix of all cells.
    Matrix,
}

/// Runs the command: reads, computes and writes one image after another.
pub(crate) fn run(arguments: &Arguments, given: &ArgMatches) -> Result<()> {
    let start = Instant::now();
    let Arguments { run: common, picture, representatives, .. } = arguments;
    let options = arguments.input.options()?;
    // A requested device opens meanwhile.
    let backend = common.machine.backend();
    if arguments.thin.is_some() && arguments.filtration.construction() == Construction::V {
        return Err(usage(
            "--thin: expected --construction t, as skeletons are connected across corners, found v",
        ));
    }
    let (answer, text) = (arguments.output_file.as_deref(), ImageBarsFormat::Text);
    let (notes, frames) = (common.report.notes, |file: &Path| count_frames(file, &options));
    let (tasks, format) =
        Tasks::plan(&arguments.images, answer, arguments.output, text, notes, &frames, is_zarr)?;
    representatives.check(format)?;
    let drawing = representatives.drawing()?;
    let setup = Setup {
        inputs: "images",
        plot_kind: picture.plot_kind,
        content: format.content(),
        drawing,
        mask: arguments.mask.as_deref(),
        ..Setup::new("cubical", given, common, &picture.file)
    };
    let run = Run::open(start, tasks, setup)?;
    let mask = arguments.mask.as_deref().map(read_mask).transpose()?;
    let job = Job { arguments, options: &options, backend, mask, format, drawing };
    run.each(1, &|_| Box::new(|run, task, frame| job.run(run, task, frame)), |_, _| ())
}

/// Reads a mask.
fn read_mask(file: &Path) -> Result<Mask> {
    // A mask of another shape than the image is refused later.
    let options = ImageOptions { four_axes: true, ..ImageOptions::default() };
    let image = read::open(file, &options)?.image()?;
    Mask::new(&image).map_err(|source| CliError::about(file.display(), PersistenceError::from(source)))
}

impl Arguments {
    /// The last value of the filtration.
    fn threshold(&self) -> Option<Value> {
        self.threshold.map(|threshold| threshold.side(self.filtration.superlevel))
    }

    /// The memory plan for an image of this shape, type and size in bytes.
    fn memory_plan(&self, shape: Shape, voxels: VoxelType, image: u64) -> MemoryPlan {
        if self.via == Some(Way::Matrix) {
            return footprint::memory_plan_of_matrix(shape, &self.request(), image);
        }
        let are_traced = self.representatives.selection().is_some();
        footprint::memory_plan(shape, &self.request(), voxels, image, are_traced)
    }

    /// How the bars of an image of this shape are found.
    fn way(&self, shape: Shape) -> Result<Way> {
        let has_cycles = self.representatives.selection().is_some();
        let needs_matrix = has_cycles && self.request().cycles_need_all_cells(shape);
        match self.via {
            Some(Way::Gradient) if needs_matrix => Err(usage(
                "--via gradient: expected matrix, which finds cycles of images of four axes or with periodic ones, \
                 found gradient",
            )),
            Some(way) => Ok(way),
            None => Ok(if needs_matrix { Way::Matrix } else { Way::Gradient }),
        }
    }

    fn request(&self) -> Request {
        Request { max_dim: self.max_dim, ..self.filtration.request() }
    }
}
