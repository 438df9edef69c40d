//! `lacuna generate`: point clouds and images of known shapes, by seed.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::ValueEnum;
use lacuna::cubical::write::ImageFile;
use lacuna::generate::{Cloud, Field, Scene, Space};
use lacuna::metric::Distances;
use lacuna::metric::write::DistanceFile;

use super::arguments::machine::ThreadsArguments;
use super::arguments::run::CommonArguments;
use super::error::{CliError, Result, check_options, usage};
use super::naming::{OutputFormat, format_or, names};
use super::notes::counted;
use super::parse;
use super::progress::Meter;
use super::sink::{Content, Sink};
use super::{exit_codes, help};

/// Generate a point cloud or an image of a known shape
///
/// A seed gives the same bytes on every machine.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = format!("{SHAPES}\n\n{}", help::after(EXAMPLES, exit_codes::LIMITED)))]
#[command(mut_arg("verbose", |arg| arg.hide(true)))]
pub(crate) struct Arguments {
    /// Shape: a space of points or a scene of voxels
    #[arg(value_name = "NAME", value_parser = parse::one_of::<Name>())]
    name: Name,

    /// Number of points
    #[arg(long, value_name = "N", help_heading = "Points", value_parser = parse::count, allow_hyphen_values = true)]
    points: Option<usize>,

    /// Standard deviation of Gaussian noise on every coordinate
    #[arg(long, value_name = "SIGMA", help_heading = "Points", allow_hyphen_values = true)]
    noise: Option<f64>,

    /// Dimension of sphere [default: 2], cube or clustered [default: 3]
    #[arg(long, value_name = "K", help_heading = "Points", value_parser = parse::count, allow_hyphen_values = true)]
    dimension: Option<usize>,

    /// Number of clusters [default: 5]
    #[arg(long, value_name = "K", help_heading = "Points", value_parser = parse::count, allow_hyphen_values = true)]
    clusters: Option<usize>,

    /// Voxels along each axis, such as 512,512,40; the last varies fastest
    #[arg(long, value_name = "N,...", help_heading = "Images", value_parser = parse::extents, allow_hyphen_values = true)]
    shape: Option<Box<[usize]>>,

    /// Smoothing in voxels, or greatest radius of vessels [default: 4]
    ///
    /// For field and blobs, it is the standard deviation of the Gaussian.
    #[arg(long, value_name = "S", help_heading = "Images", allow_hyphen_values = true)]
    scale: Option<f64>,

    /// Fraction of foreground [default: 0.5 for blobs, about 0.05 for vessels]
    #[arg(long, value_name = "P", help_heading = "Images", allow_hyphen_values = true)]
    density: Option<f64>,

    /// Seed of the random numbers
    #[arg(
        long,
        help_heading = "Random numbers",
        value_name = "S",
        default_value = "0",
        allow_hyphen_values = true
    )]
    seed: u64,

    /// Write to FILE [default: standard output]
    #[arg(short, long = "output-file", value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    out: Option<PathBuf>,

    /// Format, as of lacuna convert [default: by extension]
    ///
    /// Without an extension, points are written as point-cloud and images as npy.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", allow_hyphen_values = true)]
    output: Option<String>,

    #[command(flatten)]
    threads: ThreadsArguments,

    #[command(flatten)]
    common: CommonArguments,
}

/// The shape of the points or of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Points.
    Space(Space),
    /// Voxels.
    Scene(Scene),
}

impl ValueEnum for Name {
    fn value_variants<'a>() -> &'a [Self] {
        static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
            let spaces = Space::value_variants().iter().copied().map(Name::Space);
            spaces.chain(Scene::value_variants().iter().copied().map(Name::Scene)).collect()
        });
        &NAMES
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            Name::Space(space) => space.to_possible_value(),
            Name::Scene(scene) => scene.to_possible_value(),
        }
    }
}

const SHAPES: &str = "\
Points, in single precision:
  circle            (cos a, sin a), a uniform
  sphere            the unit sphere of dimension K, uniform
  torus             ((2 + cos a) cos b, (2 + cos a) sin b, sin a), uniform by area
  klein-bottle      ((2 + cos a) cos b, (2 + cos a) sin b, sin a cos b/2, sin a sin b/2),
                    uniform by area
  projective-plane  (x², y², z², √2 xy, √2 xz, √2 yz) of uniform points of the unit sphere
  swiss-roll        (t cos t, h, t sin t), t uniform from 3π/2 to 9π/2, h from 0 to 21
  clustered         Gaussian with σ = 0.02 around centres that are uniform in the unit cube of
                    dimension K
  cube              uniform in the unit cube of dimension K

Images:
  noise    uniform in [0, 1), f32
  field    Gaussian random field of mean 0 and variance 1, periodic, f32
  blobs    255 where such a field is low, else 0, u8
  vessels  255 in tubes around random walks, else 0, u8";

const EXAMPLES: &str = "\
Examples:
  lacuna generate torus --points 10000 --seed 1 -o torus.npy
  lacuna generate sphere --dimension 3 --points 500 --noise 0.05 | lacuna rips --max-dim 2 -
  lacuna generate field --shape 256,256,256 --scale 3 -o field.npy";

/// A description of the generated data, and the function that writes them.
type Drawn = (String, Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>);

/// Generates the data and writes it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match arguments.name {
        Name::Space(space) => {
            let format = arguments.format("points", DistanceFile::PointCloud)?;
            arguments.generate(format, || arguments.points(space, format))
        }
        Name::Scene(scene) => {
            let format = arguments.format("image", ImageFile::Npy)?;
            arguments.generate(format, || arguments.image(scene, format))
        }
    }
}

impl Arguments {
    fn format<F: OutputFormat + ValueEnum>(&self, kind: &str, default: F) -> Result<F> {
        let parse = |found: &String| {
            F::from_str(found, true).map_err(|_| {
                let names = names::<F>();
                usage(format_args!("--output {found}: expected a format of {kind}, one of {names}"))
            })
        };
        let given = self.output.as_ref().map(parse).transpose()?;
        format_or(default, given, self.out.as_deref())
    }

    /// Opens the output, draws and writes.
    fn generate<F: OutputFormat>(&self, format: F, draw: impl FnOnce() -> Result<Drawn>) -> Result<()> {
        let notes = self.common.notes;
        let mut sink = Sink::open(self.out.as_deref(), format.content())?;
        self.threads.start(notes)?;
        let meter = Meter::new(notes);
        meter.stage("drawing");
        let (described, write) = draw()?;
        meter.stage("writing");
        sink.fill(write)?;
        sink.commit()?;
        drop(meter);
        notes.note(described);
        Ok(())
    }

    fn points(&self, space: Space, format: DistanceFile) -> Result<Drawn> {
        let image = "an image";
        let is_vain = self.dimension.is_some() && !space.has_dimension();
        check_options(
            space,
            &[
                ("--shape", self.shape.is_some(), image),
                ("--scale", self.scale.is_some(), image),
                ("--density", self.density.is_some(), image),
                ("--dimension", is_vain, "sphere, cube or clustered"),
                ("--clusters", self.clusters.is_some() && space != Space::Clustered, "clustered"),
            ],
        )?;
        let needed = || usage(format_args!("{space}: expected --points, found none"));
        let cloud = Cloud::new(space, self.points.ok_or_else(needed)?);
        let cloud = Cloud {
            seed: self.seed,
            noise: self.noise.unwrap_or(0.0),
            dimension: self.dimension,
            clusters: self.clusters.unwrap_or(cloud.clusters),
            ..cloud
        };
        let drawn = cloud.draw()?;
        let dimension = drawn.dimension();
        let points = Distances::from(drawn);
        if format.content() == Content::Text {
            format.holds(&points).map_err(CliError::from)?;
        }
        let described = format!("{} in R^{dimension}", counted(points.len(), "point"));
        Ok((described, Box::new(move |out| format.write(&points, out))))
    }

    fn image(&self, scene: Scene, format: ImageFile) -> Result<Drawn> {
        let points = "points";
        let has_density = matches!(scene, Scene::Blobs | Scene::Vessels);
        check_options(
            scene,
            &[
                ("--points", self.points.is_some(), points),
                ("--noise", self.noise.is_some(), points),
                ("--dimension", self.dimension.is_some(), points),
                ("--clusters", self.clusters.is_some(), points),
                ("--scale", self.scale.is_some() && scene == Scene::Noise, "field, blobs or vessels"),
                ("--density", self.density.is_some() && !has_density, "blobs or vessels"),
            ],
        )?;
        let needed = || usage(format_args!("{scene}: expected --shape, found none"));
        let shape = self.shape.as_ref().ok_or_else(needed)?;
        let field = Field::new(scene, shape);
        let (scale, density) = (self.scale.unwrap_or(field.scale), self.density.unwrap_or(field.density));
        let drawn = Field { seed: self.seed, scale, density, ..field }.draw()?;
        format.holds(drawn.shape(), drawn.voxel_type())?;
        let described = drawn.shape().described(drawn.voxel_type());
        Ok((described, Box::new(move |out| format.write(&drawn, None, out))))
    }
}
