//! The inputs of `lacuna cubical`, and the runs whose bars are committed.

use std::io;

use lacuna::cubical::persistence::{Limits, PersistenceRequest, plain};
use lacuna::cubical::{AnyImage, Construction, Image, Order, Periodic, Shape, ShapeError, Value, Voxel};
use lacuna::output::images::{Barcode, ImageBarsFormat};
use lacuna::with_image;
use npyz::WriterBuilder as _;

use lacuna::generate::Random;

/// A committed image.
pub(super) struct Input {
    /// The file name.
    pub(super) file: &'static str,
    /// The call that generates the image.
    generator: &'static str,
    /// The seed of its random numbers, if it has any.
    seed: Option<u64>,
    /// A description of the image and of its bars.
    shows: &'static str,
    image: AnyImage,
}

/// A run whose output is committed.
pub(super) struct Case {
    /// The input's file name.
    pub(super) file: &'static str,
    request: PersistenceRequest,
    threshold: Option<f64>,
    output: ImageBarsFormat,
    /// The path of its output below `expected/`.
    pub(super) expected: &'static str,
}

impl Case {
    const fn new(
        file: &'static str,
        construction: Construction,
        output: ImageBarsFormat,
        expected: &'static str,
    ) -> Self {
        let request =
            PersistenceRequest { construction, superlevel: false, max_dim: None, periodic: Periodic::NONE };
        Case { file, request, threshold: None, output, expected }
    }

    const fn superlevel(mut self) -> Self {
        self.request.superlevel = true;
        self
    }

    const fn max_dim(mut self, max_dim: usize) -> Self {
        self.request.max_dim = Some(max_dim);
        self
    }

    const fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = Some(threshold);
        self
    }

    /// The arguments of the program.
    pub(super) fn arguments(&self) -> String {
        let PersistenceRequest { construction, superlevel, max_dim, .. } = self.request;
        let construction = construction.to_string().to_lowercase();
        let superlevel = if superlevel { " --superlevel" } else { "" };
        let max_dim = max_dim.map(|max_dim| format!(" --max-dim {max_dim}")).unwrap_or_default();
        let threshold =
            self.threshold.map(|threshold| format!(" --threshold {threshold}")).unwrap_or_default();
        format!("--construction {construction}{superlevel}{max_dim}{threshold} --output {}", self.output)
    }

    /// The expected output.
    pub(super) fn answer(&self, input: &Input) -> io::Result<Vec<u8>> {
        let Case { ref request, threshold, .. } = *self;
        let mut bytes = Vec::new();
        let image = &input.image;
        let mut classes = with_image!(image, image => plain::persistence(image, request));
        let limits = Limits::up_to(threshold.map(Value::from));
        classes = classes.cut(image, request, limits);
        self.output.write(
            &Barcode { image, classes: &classes, request, limits, representatives: None },
            &mut bytes,
        )?;
        Ok(bytes)
    }
}

use Construction::{T, V};
use ImageBarsFormat::{Cripser, Csv, Dipha, Json, Text};

/// Every run with a committed answer.
pub(super) const CASES: [Case; 20] = [
    Case::new("cubical/signal.npy", T, Csv, "signal_t.csv"),
    Case::new("cubical/signal.npy", V, Csv, "signal_v.csv"),
    Case::new("cubical/signal.npy", T, Text, "signal_superlevel.txt").superlevel(),
    Case::new("cubical/waves.npy", T, Csv, "waves_t.csv"),
    Case::new("cubical/waves.npy", V, Csv, "waves_v.csv"),
    Case::new("cubical/waves.npy", V, Text, "waves_v.txt"),
    Case::new("cubical/waves.npy", T, Cripser, "waves_t.cripser"),
    Case::new("cubical/waves.npy", V, Json, "waves_cut.json").threshold(0.25),
    Case::new("cubical/levels.npy", T, Csv, "levels_t.csv"),
    Case::new("cubical/levels.npy", V, Csv, "levels_v.csv"),
    Case::new("cubical/levels.npy", V, Cripser, "levels_superlevel.cripser").superlevel(),
    Case::new("cubical/shell.npy", T, Text, "shell_t.txt"),
    Case::new("cubical/shell.npy", V, Text, "shell_v.txt"),
    Case::new("cubical/shell.npy", T, Dipha, "shell.diagram"),
    Case::new("cubical/noise.npy", T, Csv, "noise_t.csv"),
    Case::new("cubical/noise.npy", V, Cripser, "noise_v.cripser"),
    Case::new("cubical/noise.npy", V, Dipha, "noise_superlevel.diagram").superlevel(),
    Case::new("cubical/ties.npy", T, Csv, "ties_t.csv"),
    Case::new("cubical/ties.npy", V, Csv, "ties_v.csv"),
    Case::new("cubical/ties.npy", V, Csv, "ties_cut.csv").superlevel().max_dim(1).threshold(-1.0),
];

/// Every committed image.
///
/// # Errors
/// This does not happen: the generators fill their shapes.
pub(super) fn inputs() -> Result<Vec<Input>, ShapeError> {
    let random = |seed, count, between: (i32, i32)| {
        let mut random = Random::new(seed);
        let (low, high) = between;
        let draw = move |_| (random.uniform() * f64::from(high - low)) as i32 + low;
        (0..count).map(draw).collect::<Vec<i32>>()
    };
    Ok(vec![
        Input {
            file: "cubical/signal.npy",
            generator: "signal(48)",
            seed: Some(11),
            shows: "the sums of random steps from −9 to 9: bars in dimension 0 alone, a bar a local minimum; in both \
                    constructions the same",
            image: AnyImage::I32(image(&[48], signal(&random(11, 48, (-9, 10))))?),
        },
        Input {
            file: "cubical/waves.npy",
            generator: "waves(12, 18)",
            seed: None,
            shows: "a product of two cosines, all values distinct but for symmetry: a chequerboard of hills and hollows",
            image: AnyImage::F64(image(&[12, 18], waves(12, 18))?),
        },
        Input {
            file: "cubical/levels.npy",
            generator: "levels(9, 11, 4)",
            seed: Some(12),
            shows: "random pixels of four values: ties everywhere, and the two constructions disagree",
            image: AnyImage::U8(image(&[9, 11], random(12, 99, (0, 4)).iter().map(|&v| v as u8).collect())?),
        },
        Input {
            file: "cubical/shell.npy",
            generator: "shell()",
            seed: None,
            shows: "a box with walls of 1 and a cavity of 9 in a room of 5: one bar [1,9) in dimension 2",
            image: AnyImage::U16(image(&[7, 6, 5], shell())?),
        },
        Input {
            file: "cubical/noise.npy",
            generator: "noise(5, 6, 4)",
            seed: Some(13),
            shows: "uniform random voxels in single precision",
            image: AnyImage::F32(image(&[5, 6, 4], noise(13, 120))?),
        },
        Input {
            file: "cubical/ties.npy",
            generator: "ties(6, 4, 5, 5)",
            seed: Some(14),
            shows: "random voxels of five values from −2 to 2",
            image: AnyImage::I16(image(
                &[6, 4, 5],
                random(14, 120, (-2, 3)).iter().map(|&v| v as i16).collect(),
            )?),
        },
    ])
}

fn image<T>(axes: &[usize], voxels: Vec<T>) -> Result<Image<T>, ShapeError> {
    Image::new(Shape::new(axes, Order::C)?, voxels)
}

fn signal(steps: &[i32]) -> Vec<i32> {
    let sum = |sum: &mut i32, step: &i32| {
        *sum += step;
        Some(*sum)
    };
    steps.iter().scan(0, sum).collect()
}

/// A wave, rounded to six decimals.
fn waves(rows: usize, columns: usize) -> Vec<f64> {
    let wave = |row: usize, column: usize| {
        let value = libm::cos(0.9 * row as f64 + 0.1) * libm::cos(0.7 * column as f64) + 0.01 * row as f64;
        (value * 1e6).round() / 1e6
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| wave(row, column))).collect()
}

fn shell() -> Vec<u16> {
    let depth = |at: usize, extent: usize| at.min(extent - 1 - at);
    let voxel = |place: usize| {
        let (z, y, x) = (place / 30, place / 5 % 6, place % 5);
        match depth(z, 7).min(depth(y, 6)).min(depth(x, 5)) {
            0 => 5,
            1 => 1,
            _ => 9,
        }
    };
    (0..7 * 6 * 5).map(voxel).collect()
}

fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.uniform() as f32).collect()
}

impl Input {
    /// Encodes the image as its file.
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        with_image!(&self.image, image => npy(image))
    }

    /// The row of the image in README.md.
    pub(super) fn row(&self) -> String {
        let Input { file, generator, seed, shows, image } = self;
        let seed = seed.map_or("–".to_owned(), |seed| seed.to_string());
        let shape = image.shape();
        let voxels = with_image!(image, image => name_of(image));
        format!("| `{file}` | {voxels} | {shape} | `{generator}` | {seed} | {shows} |\n")
    }
}

fn name_of<T: Voxel>(_: &Image<T>) -> &'static str {
    T::NAME
}

fn npy<T: npyz::AutoSerialize + Copy>(image: &Image<T>) -> io::Result<Vec<u8>> {
    let shape: Vec<u64> = image.shape().axes().iter().map(|&axis| axis as u64).collect();
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(&mut bytes).begin_nd()?;
    writer.extend(image.voxels().iter().copied())?;
    writer.finish()?;
    Ok(bytes)
}
