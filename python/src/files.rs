//! Files of all kinds: what they hold, as arrays and from arrays.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lacuna::cells::AnyImageComplex;
use lacuna::compare::read::read_path as read_barcode;
use lacuna::compare::write::BarcodeFile;
use lacuna::compare::{Barcode, Bars, CellPairs, DiagramPoint, Entry};
use lacuna::cubical::geometry::Geometry;
use lacuna::cubical::persistence::PersistenceRequest;
use lacuna::cubical::read::{ImageOptions, Raw, VoxelType, open};
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{AnyImage, Order};
use lacuna::internals::{FileFormat, Kind};
use lacuna::matrix::Index;
use lacuna::matrix::read::{
    AnyComplex, LoadedComplex, MatrixFormat, MatrixReadOptions, read_path as read_matrix,
};
use lacuna::metric::read::{Decimal, DistanceOptions, Input, read_path_exactly};
use lacuna::metric::write::{DistanceFile, chosen};
use lacuna::metric::{Distances as Metric, Value};
use lacuna::progress::Progress;
use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::choices::{choice, named};
use crate::cubical::construction;
use crate::distances::{Distances, symmetrize};
use crate::error::{Failure, in_words_of_python};
use crate::generate::voxels;
use crate::image::image;
use crate::matrix::Parts;
use crate::rips::{collected, rows};
use crate::run::on_threads;

/// The content of a file.
enum Held {
    /// An image, with the place of its voxels in space if its file states it.
    Image(AnyImage, Option<Geometry>),
    Matrix(AnyComplex),
    Distances(Input),
    Diagram(Barcode),
}

/// The content of a file for Python, which takes it once.
#[pyclass(module = "lacuna_tda._lacuna", frozen)]
pub(crate) struct Content(Mutex<Option<Held>>);

/// How a file is read, see `_files.py`.
#[derive(FromPyObject)]
pub(crate) struct Reading {
    key: Option<String>,
    shape: Option<Vec<usize>>,
    dtype: Option<String>,
    order: Option<String>,
    channel: Option<usize>,
    frame: Option<usize>,
    four_axes: bool,
    nan: Option<f64>,
    skip_rows: Option<usize>,
    columns: Option<String>,
    decimal: Option<String>,
    symmetrize: Option<String>,
    max_dim: Option<usize>,
}

/// The options of writing, see `_files.py`.
#[derive(FromPyObject)]
pub(crate) struct Becoming {
    /// The path of the file in the end, whose name tells the format if none is given.
    name: PathBuf,
    kind: Option<String>,
    format: Option<String>,
    threshold: Option<f64>,
    round: bool,
    construction: Option<String>,
    superlevel: bool,
    max_dim: Option<usize>,
}

impl Content {
    fn new(held: Held) -> Content {
        Content(Mutex::new(Some(held)))
    }

    fn take(&self) -> Result<Held, Failure> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        held.ok_or_else(|| {
            Failure::Value("expected the content of a file, found one that has been used up".into())
        })
    }
}

#[pymethods]
impl Content {
    /// The content of an image file with these voxels.
    #[staticmethod]
    fn of_image(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Content> {
        let (make, _) = image(array)?;
        on_threads(py, None, None, |_| Ok(Content::new(Held::Image(make()?, None))))
    }

    /// The content of a file of these points or distances, which are taken.
    #[staticmethod]
    fn of_distances(distances: &Distances) -> PyResult<Content> {
        Ok(Content::new(Held::Distances(distances.take()?)))
    }

    /// The content of a file of this boundary matrix, compressed by columns.
    #[staticmethod]
    fn of_matrix(
        shape: (usize, usize),
        starts: PyReadonlyArray1<'_, i64>,
        cells: PyReadonlyArray1<'_, i64>,
        entries: PyReadonlyArray1<'_, f64>,
        dims: Option<PyReadonlyArray1<'_, u8>>,
        values: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Content> {
        let dims = dims.map(|dims| dims.as_array().to_vec());
        let values = values.map(|values| values.as_array().to_vec());
        let (starts, cells, entries) = (starts.as_slice()?, cells.as_slice()?, entries.as_slice()?);
        let mut complex = (Parts { shape, starts, cells, entries, dims }).complex()?;
        match &mut complex {
            AnyComplex::Narrow(complex) => complex.values = values,
            AnyComplex::Wide(complex) => complex.values = values,
        }
        Ok(Content::new(Held::Matrix(complex)))
    }

    /// The content of a file of bars: for each dimension an array of shape (n, 2) without NaN.
    #[staticmethod]
    fn of_bars(bars: Vec<PyReadonlyArray2<'_, f64>>) -> Content {
        let mut points = Vec::new();
        for (dim, bars) in (0..).zip(&bars) {
            let point =
                |birth, death: f64| DiagramPoint { dim, birth, death, essential: death.is_infinite() };
            points.extend(bars.as_array().rows().into_iter().map(|row| point(row[0], row[1])));
        }
        let max_dim = bars.len().checked_sub(1).map(|dim| dim as u32);
        Content::new(Held::Diagram(Barcode::Bars(Bars { max_dim, ..Bars::new(points) })))
    }

    /// The content of a file of pairs of cells, of shape (n, 2), with the cells of essential classes if they are known.
    #[staticmethod]
    fn of_pairs(pairs: PyReadonlyArray2<'_, u64>, essential: Option<PyReadonlyArray1<'_, u64>>) -> Content {
        let pairs = pairs.as_array().rows().into_iter().map(|pair| (pair[0], pair[1])).collect();
        let essential = essential.map(|cells| cells.as_array().to_vec());
        Content::new(Held::Diagram(Barcode::CellPairs(CellPairs { pairs, essential })))
    }

    /// Reads the file at `path`, and returns its content with what its reader has to say.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        kind: &str,
        format: Option<&str>,
        reading: Reading,
    ) -> PyResult<(Content, Vec<String>)> {
        let kind = named("kind", &Kind::ALL, kind)?;
        on_threads(py, None, None, |_| {
            let (held, notes) = reading.read(&path, kind, format)?;
            Ok((Content::new(held), notes.iter().map(|note| in_words_of_python(note)).collect()))
        })
    }

    /// Converts the content to arrays, of which the first word says what they are, see `_files.py`.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.take()? {
            Held::Image(image, _) => {
                let shape = image.shape();
                let order = if shape.order() == Order::F { "F" } else { "C" };
                ("image", voxels(py, image), PyTuple::new(py, shape.axes())?, order).into_pyobject(py)
            }
            Held::Matrix(AnyComplex::Narrow(complex)) => matrix(py, complex),
            Held::Matrix(AnyComplex::Wide(complex)) => matrix(py, complex),
            Held::Distances(Input::Single(distances)) => metric(py, &distances),
            Held::Distances(Input::Double(distances)) => metric(py, &distances),
            Held::Diagram(Barcode::Bars(bars)) => {
                let known = bars.dims.last().copied().max(bars.max_dim).map_or(0, |dim| u64::from(dim) + 1);
                let numbers = bars.bars.iter().flat_map(row);
                let numbers = py.detach(|| collected(3 * bars.bars.len(), numbers))?;
                ("bars", rows(py, 3, numbers)?, known).into_pyobject(py)
            }
            Held::Diagram(Barcode::CellPairs(CellPairs { pairs, essential })) => {
                let numbers = pairs.iter().flat_map(|&(birth, death)| [birth as i64, death as i64]);
                let numbers = py.detach(|| collected(2 * pairs.len(), numbers))?;
                let essential = essential.map(|cells| cells.into_iter().map(|cell| cell as i64));
                let essential = essential.map(|cells| PyArray1::from_iter(py, cells));
                ("pairs", rows::<i64>(py, 2, numbers)?, essential).into_pyobject(py)
            }
        }
    }

    /// Writes the content to the file at `path`, and returns what is lost.
    fn write(&self, py: Python<'_>, path: PathBuf, becoming: Becoming) -> PyResult<Vec<String>> {
        let held = self.take()?;
        on_threads(py, None, None, |progress| becoming.write(held, &path, progress))
    }

    /// Compares two contents, called `names`: whether they are the same, their sizes, the number of matched bars or
    /// pairs, the others of each, and a text.
    #[staticmethod]
    fn compare<'py>(
        py: Python<'py>,
        contents: [PyRef<'py, Content>; 2],
        names: [String; 2],
        tolerance: f64,
        show: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let barcode = |content: &PyRef<'_, Content>| match content.take()? {
            Held::Diagram(barcode) => Ok(barcode),
            _ => Err(Failure::Value("expected bars or pairs of cells".into())),
        };
        let (a, b) = (barcode(&contents[0])?, barcode(&contents[1])?);
        let found = on_threads(py, None, None, |_| Ok(lacuna::compare::compare(&a, &b, tolerance)?))?;
        let mut text = Vec::new();
        found.write([&names[0], &names[1]], show, &mut text)?;
        let [only_a, only_b] = found.only.each_ref().map(|entries| entries_of(py, entries));
        let text = String::from_utf8_lossy(&text).into_owned();
        (found.is_same(), found.sizes, found.matched, only_a?, only_b?, text).into_pyobject(py)
    }
}

/// The kind of the file at `path`, which becomes one of the kind `to`, or else one of a format or a name.
#[pyfunction]
pub(crate) fn kind_of_file(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    to: Option<&str>,
    output: Option<&str>,
    out: Option<PathBuf>,
) -> PyResult<&'static str> {
    let to = to.map(|name| named("to", &Kind::ALL, name)).transpose()?;
    let suits = |kind: Kind| out.as_ref().is_none_or(|out| kind.becomes(to, output, out));
    let found = py.detach(|| Kind::of_input(&path, format, &suits));
    Ok(found.map_err(|kinds| several(&path, &kinds))?.into())
}

/// The kinds of which a file may be that is written in this format, or else has this name.
#[pyfunction]
pub(crate) fn kinds_written(path: PathBuf, format: Option<&str>) -> Vec<&'static str> {
    Kind::ALL.into_iter().filter(|kind| kind.writes(format, &path)).map(Kind::into).collect()
}

fn several(path: &Path, kinds: &[Kind]) -> Failure {
    let kinds: Vec<String> = kinds.iter().map(Kind::to_string).collect();
    let (path, kinds) = (path.display(), kinds.join(" or "));
    Failure::Value(format!(
        "{path}: expected a file of one kind, found {kinds} possible; choose one with kind"
    ))
}

impl Reading {
    fn image(&self, format: Option<&str>) -> Result<ImageOptions, Failure> {
        let orders = [("C", Order::C), ("F", Order::F)];
        let order = self.order.as_deref().map(|name| choice("order", &orders, name)).transpose()?;
        let dtype = self.dtype.as_deref().map(|name| named("dtype", &VoxelType::ALL, name)).transpose()?;
        let raw = self.shape.clone().zip(dtype);
        let raw = raw.map(|(shape, dtype)| Raw { shape, dtype, order: order.unwrap_or_default() });
        let format = format.map(str::parse).transpose()?;
        let (channel, frame, key, nan) = (self.channel, self.frame, self.key.clone(), self.nan);
        Ok(ImageOptions { format, raw, channel, frame, four_axes: self.four_axes, key, nan })
    }

    /// The content of a file of a kind, and what its reader has to say.
    fn read(&self, path: &Path, kind: Kind, format: Option<&str>) -> Result<(Held, Vec<String>), Failure> {
        Ok(match kind {
            Kind::Image => {
                let stream = open(path, &self.image(format)?)?;
                let geometry = stream.geometry().cloned();
                (Held::Image(stream.image()?, geometry), Vec::new())
            }
            Kind::Matrix => {
                let format = format.map(str::parse).transpose()?;
                let upper_dim = self.max_dim.map(|dim| dim.saturating_add(1));
                let loaded = read_matrix(path, &MatrixReadOptions { format, upper_dim })?;
                (Held::Matrix(loaded.input), loaded.warning.into_iter().collect())
            }
            Kind::Distances => {
                let options = DistanceOptions {
                    format: format.map(str::parse).transpose()?,
                    skip_rows: self.skip_rows,
                    columns: self.columns.as_deref().map(str::parse).transpose()?,
                    decimal: self.decimal.as_deref().map(decimal).transpose()?,
                    symmetrize: self.symmetrize.as_deref().map(symmetrize).transpose()?,
                    key: self.key.clone(),
                    ..DistanceOptions::default()
                };
                let loaded = read_path_exactly(path, options)?;
                (Held::Distances(loaded.input), loaded.notes)
            }
            Kind::Diagram => {
                let loaded = read_barcode(path, format.map(str::parse).transpose()?)?;
                let mut notes: Vec<String> =
                    loaded.left_out.iter().map(|what| format!("{what} are left out")).collect();
                if let Barcode::Bars(bars) = &loaded.barcode {
                    let unfinished = bars.unfinished.iter();
                    notes.extend(
                        unfinished
                            .map(|dim| format!("dimension {dim} is unfinished: its run was ended before")),
                    );
                }
                (Held::Diagram(loaded.barcode), notes)
            }
        })
    }
}

fn decimal(name: &str) -> Result<Decimal, Failure> {
    choice("decimal", &[("point", Decimal::Point), ("comma", Decimal::Comma)], name)
}

impl Becoming {
    /// The format of the file of a kind.
    fn format<F: FileFormat>(&self, kind: Kind) -> Result<F, Failure> {
        let formats: Vec<String> = F::VARIANTS.iter().map(ToString::to_string).collect();
        let (formats, named, shown) = (formats.join(", "), F::of_file(&self.name), self.name.display());
        let Some(name) = &self.format else {
            let found = named.and_then(|formats| formats.first().copied());
            return found.ok_or_else(|| {
                let expected = format!("the name of a file of kind {kind}, or its format, one of {formats}");
                Failure::Value(format!("{shown}: expected {expected}, found neither"))
            });
        };
        let format = F::of_name(name).ok_or_else(|| {
            Failure::Value(format!("format: expected one of kind {kind}, one of {formats}, found {name:?}"))
        })?;
        match named.filter(|named| !named.contains(&format)) {
            None => Ok(format),
            Some(named) => Err(Failure::Value(format!(
                "{shown}: expected another name of a file of format {format}, found that of one of format {}",
                named[0]
            ))),
        }
    }

    /// Writes the content to the file at `path`, and returns what is lost.
    fn write(&self, held: Held, path: &Path, progress: &dyn Progress) -> Result<Vec<String>, Failure> {
        let to = self.kind.as_deref().map(|name| named("to", &Kind::ALL, name)).transpose()?;
        match held {
            Held::Image(image, geometry) => {
                let is_matrix = Kind::Matrix.writes(self.format.as_deref(), &self.name);
                if to == Some(Kind::Matrix) || (to.is_none() && is_matrix) {
                    return self.write_matrix_of(&image, path, progress);
                }
                if self.construction.is_some() || self.superlevel || self.max_dim.is_some() {
                    let options = "construction, superlevel, max_dim";
                    return Err(Failure::Value(format!(
                        "{options}: expected beside the boundary matrix of an image only"
                    )));
                }
                let format: ImageFile = self.format(Kind::Image)?;
                format.holds(image.shape(), image.voxel_type())?;
                let image = match format.holds_values(&image) {
                    Ok(()) => image,
                    Err(_) if self.round => image.in_doubles(),
                    Err(inexact) => {
                        return Err(Failure::Value(format!(
                            "{inexact}; round=True takes the nearest double"
                        )));
                    }
                };
                self.fill(path, |out| format.write(&image, geometry.as_ref(), out))?;
                Ok(Vec::new())
            }
            Held::Matrix(complex) => {
                let format: MatrixFormat = self.format(Kind::Matrix)?;
                complex.check_dimensions(format)?;
                let lost = complex.loses_values(format);
                self.fill(path, |out| complex.write(format, out))?;
                let note =
                    || format!("the values of the cells are left out, which {format} cannot hold; dipha can");
                Ok(lost.then(note).into_iter().collect())
            }
            Held::Distances(Input::Single(distances)) => self.write_distances(distances, to, path),
            Held::Distances(Input::Double(distances)) => self.write_distances(distances, to, path),
            Held::Diagram(barcode) => {
                let format: BarcodeFile = self.format(Kind::Diagram)?;
                let format = if self.format.is_none() { format.of_content(&barcode) } else { format };
                format.holds(&barcode)?;
                self.fill(path, |out| format.write(&barcode, out))?;
                let note =
                    || format!("the cells of essential classes are left out, which {format} cannot hold");
                Ok(format.loses_essential(&barcode).then(note).into_iter().collect())
            }
        }
    }

    /// Writes the file at `path`, which the package moves to its place.
    fn fill(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let filled = File::create(path).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            write(&mut out)?;
            out.flush()
        });
        filled.map_err(|error| Failure::File(error.kind(), format!("{}: {error}", self.name.display())))
    }

    /// Writes the boundary matrix of an image.
    fn write_matrix_of(
        &self,
        image: &AnyImage,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<String>, Failure> {
        let format: MatrixFormat = self.format(Kind::Matrix)?;
        if self.round {
            return Err(Failure::Value(
                "round: expected beside images and distances only, found a matrix".into(),
            ));
        }
        let construction = construction(self.construction.as_deref().unwrap_or("T"))?;
        let upper_dim = self.max_dim.map(|dim| dim.saturating_add(1));
        let request =
            PersistenceRequest { construction, superlevel: self.superlevel, ..PersistenceRequest::default() };
        let complex = AnyImageComplex::new(image, &request, upper_dim, progress)?;
        let complex = AnyComplex::of_image(complex, image, self.superlevel, format)?;
        self.fill(path, |out| complex.write(format, out))?;
        Ok(Vec::new())
    }

    fn write_distances<T: Value>(
        &self,
        distances: Metric<T>,
        to: Option<Kind>,
        path: &Path,
    ) -> Result<Vec<String>, Failure> {
        let format: DistanceFile = self.format(Kind::Distances)?;
        let distances = chosen(distances, self.threshold, to == Some(Kind::Distances))?;
        format.holds(&distances)?;
        if format == DistanceFile::Binary
            && !self.round
            && let Some(loss) = format.loses(&distances)
        {
            return Err(Failure::Value(format!("{loss}; round=True takes the nearest")));
        }
        self.fill(path, |out| format.write(&distances, out))?;
        Ok(Vec::new())
    }
}

/// The dimensions, column starts, rows and values of a boundary matrix.
fn matrix<I: Index + Element>(py: Python<'_>, complex: LoadedComplex<I>) -> PyResult<Bound<'_, PyTuple>> {
    let (dims, starts, cells) = complex.matrix.into_parts();
    let values = complex.values.map(|values| PyArray1::from_vec(py, values));
    let [starts, cells] = [starts, cells].map(|numbers| PyArray1::from_vec(py, numbers));
    ("matrix", PyArray1::from_vec(py, dims), starts, cells, values).into_pyobject(py)
}

/// Points, all distances as a square, or edges with their lengths.
fn metric<'py, T: Value + Element>(py: Python<'py>, distances: &Metric<T>) -> PyResult<Bound<'py, PyTuple>> {
    let n = distances.len();
    match distances {
        Metric::Points(cloud) => {
            let coordinates = (0..n).flat_map(|point| cloud.point(point)).copied();
            let coordinates = py.detach(|| collected(n.saturating_mul(cloud.dimension()), coordinates))?;
            ("points", rows::<T>(py, cloud.dimension(), coordinates)?).into_pyobject(py)
        }
        Metric::Matrix(matrix) => {
            let entries = (0..n).flat_map(|i| (0..n).map(move |j| matrix.get(i, j)));
            let entries = py.detach(|| collected(n.saturating_mul(n), entries))?;
            ("distances", rows::<T>(py, n, entries)?).into_pyobject(py)
        }
        Metric::Sparse(graph) => {
            let end = |of: fn(&lacuna::metric::Edge<T>) -> u32| {
                PyArray1::from_iter(py, graph.edges().iter().map(|edge| i64::from(of(edge))))
            };
            let lengths = PyArray1::from_iter(py, graph.edges().iter().map(|edge| edge.distance));
            ("edges", n, end(|edge| edge.i), end(|edge| edge.j), lengths).into_pyobject(py)
        }
    }
}

/// Dimension, birth and death of a bar; an essential one dies at infinity with its sign.
fn row(bar: &DiagramPoint) -> [f64; 3] {
    let is_finite = bar.essential && bar.death.is_finite();
    [f64::from(bar.dim), bar.birth, if is_finite { f64::INFINITY } else { bar.death }]
}

/// Bars as rows of dimension, birth and death; pairs of cells as rows of both, −1 for those of essential classes.
fn entries_of<'py>(py: Python<'py>, entries: &[Entry]) -> PyResult<Bound<'py, PyAny>> {
    let cells = |entry: &Entry| match *entry {
        Entry::Pair { birth, death } => Some([birth as i64, death as i64]),
        Entry::EssentialCell { birth } => Some([birth as i64, -1]),
        Entry::Bar(_) => None,
    };
    let pairs: Vec<i64> = entries.iter().filter_map(cells).flatten().collect();
    if !pairs.is_empty() {
        return Ok(rows(py, 2, pairs)?.into_any());
    }
    let bar = |entry: &Entry| match entry {
        Entry::Bar(bar) => Some(row(bar)),
        _ => None,
    };
    Ok(rows::<f64>(py, 3, entries.iter().filter_map(bar).flatten().collect())?.into_any())
}
