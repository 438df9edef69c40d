//! Readers and writers: an input that is written in any format must be read unchanged.

use std::io::Cursor;

use lacuna::cubical::read::{self, ImageOptions, Raw, VoxelType};
use lacuna::cubical::{AnyImage, Image, Key, Order, Voxel, write};
use lacuna::metric::read as metric;
use lacuna::metric::{Distances, Value};
use lacuna::with_image;
use phat_formats::dipha;
use tiff::TiffResult;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffValue};

use super::images::{self, Sample, place_of};
use super::pools::Pools;
use super::spaces::{Space, pairs};
use super::subject::{Subject, same};
use crate::data::images::nifti;
use lacuna::generate::Random;

/// Files.
pub(super) struct Files;

/// Content of a file and its format.
#[derive(Debug, Clone)]
pub(super) enum Case {
    /// An image in a format for its reader.
    Image { image: AnyImage, format: ImageFormat },
    /// An image of bytes in an output format of thinning.
    Written { image: Image<u8>, format: write::ImageFile },
    /// Distances in a format for their reader.
    Space { space: Space, format: metric::DistanceFormat, style: Style },
}

/// Formats that hold images of any voxels, or of doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ImageFormat {
    Npy,
    NpyBigEndian,
    Nifti,
    Raw,
    Dipha,
    Perseus,
    Tiff(Tiff),
}

/// Variant of a TIFF file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tiff {
    /// Whether its offsets have 64 bits.
    big: bool,
    /// None, LZW, PackBits, Deflate.
    compression: usize,
}

const IMAGE_FORMATS: [ImageFormat; 6] = [
    ImageFormat::Npy,
    ImageFormat::NpyBigEndian,
    ImageFormat::Nifti,
    ImageFormat::Raw,
    ImageFormat::Dipha,
    ImageFormat::Perseus,
];

/// Style of a text file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    separator: &'static str,
    end: &'static str,
    /// Whether a comment and a blank line come first.
    comment: bool,
}

impl Style {
    const PLAINEST: Style = Style { separator: " ", end: "\n", comment: false };

    fn draw(random: &mut Random) -> Style {
        Style {
            separator: random.pick(&[" ", "  ", "\t", ",", ", ", ";", " ; "]),
            end: random.pick(&["\n", "\n", "\r\n", "\r"]),
            comment: random.once_in(4),
        }
    }

    /// Lines of numbers; empty lines are omitted.
    fn text<T: Value + std::fmt::Display>(self, lines: impl Iterator<Item = Vec<T>>) -> String {
        let line = |numbers: Vec<T>| {
            let words: Vec<String> = numbers.iter().map(T::to_string).collect();
            words.join(self.separator) + self.end
        };
        let comment = if self.comment { format!("# lengths{0}{0}", self.end) } else { String::new() };
        lines.filter(|numbers| !numbers.is_empty()).fold(comment, |text, numbers| text + &line(numbers))
    }
}

impl Subject for Files {
    type Case = Case;
    const NAME: &'static str = "files";
    const CROSSED: &'static str = "format, voxels, axes, order, byte order, separator, line ends";

    fn draw(random: &mut Random) -> Case {
        let shape = images::shape([20, 7, 4], random);
        match random.below(4) {
            0 | 1 => {
                let tiff = ImageFormat::Tiff(Tiff { big: random.once_in(2), compression: random.below(4) });
                let format = if random.once_in(4) { tiff } else { random.pick(&IMAGE_FORMATS) };
                let doubles = matches!(format, ImageFormat::Dipha | ImageFormat::Perseus);
                let image =
                    if doubles { images::of::<f64>(shape, random) } else { images::draw(shape, random) };
                Case::Image { image, format }
            }
            2 => match images::of::<u8>(shape, random) {
                AnyImage::U8(image) => {
                    Case::Written { image, format: random.pick(&write::ImageFile::ALL[..5]) }
                }
                other => unreachable!("voxels are bytes, found {}", other.voxel_type()),
            },
            _ => {
                let n = 1 + random.below(7);
                let space = Space::draw(n, false, random);
                let of_table = [
                    metric::DistanceFormat::LowerDistance,
                    metric::DistanceFormat::UpperDistance,
                    metric::DistanceFormat::Distance,
                    metric::DistanceFormat::Dipha,
                    metric::DistanceFormat::Binary,
                    metric::DistanceFormat::Npy,
                ];
                let format = match space {
                    Space::Table { .. } => random.pick(&of_table),
                    Space::Cloud { .. } => metric::DistanceFormat::PointCloud,
                    Space::Graph { .. } => {
                        random.pick(&[metric::DistanceFormat::Sparse, metric::DistanceFormat::Dipha])
                    }
                };
                Case::Space { space, format, style: Style::draw(random) }
            }
        }
    }

    fn options(case: &Case) -> String {
        let image_options = |image: &AnyImage| {
            format!("{} {} {:?}", image.voxel_type(), image.shape().dim(), image.shape().order())
        };
        match case {
            Case::Image { image, format } => format!("{format:?} {}", image_options(image)),
            Case::Written { image, format } => format!("{format:?} {}", image_options(&image.clone().into())),
            Case::Space { format, style, .. } => format!("{format:?} {style:?}"),
        }
    }

    fn check(case: &Case, _: &Pools) -> Result<(), String> {
        match case {
            Case::Image { image, format } => image_is_read(image, *format),
            Case::Written { image, format } => image_is_written(image, *format),
            Case::Space { space, format, style } => space_is_read(space, *format, *style),
        }
    }

    fn smaller(case: &Case) -> Vec<Case> {
        match case {
            Case::Image { image, format } => {
                let of = |image| Case::Image { image, format: *format };
                images::smaller(image).into_iter().map(of).collect()
            }
            Case::Written { image, format } => {
                let of = |image| match image {
                    AnyImage::U8(image) => Some(Case::Written { image, format: *format }),
                    _ => None,
                };
                images::smaller(&image.clone().into()).into_iter().filter_map(of).collect()
            }
            Case::Space { space, format, style } => {
                let of = |space| Case::Space { space, format: *format, style: *style };
                let plainest = Case::Space { space: space.clone(), format: *format, style: Style::PLAINEST };
                let plainer = (*style != Style::PLAINEST).then_some(plainest);
                space.smaller().into_iter().map(of).chain(plainer).collect()
            }
        }
    }
}

/// Type, extents of the axes with more than one voxel, and keys of the voxels in the order of coordinates. This is
/// independent of the memory order and of axes with one voxel, which formats add or omit.
fn canonical(image: &AnyImage) -> (VoxelType, Vec<usize>, Vec<u64>) {
    let shape = image.shape();
    let axes: Vec<usize> = shape.axes().into_iter().filter(|&extent| extent > 1).collect();
    let coordinates = lacuna::cubical::Shape::new(&shape.axes(), Order::C).expect("the same voxels");
    let places = (0..shape.count()).map(|at| place_of(shape, &coordinates.coordinates(at)));
    let keys =
        with_image!(image, image => places.map(|place| image.voxels()[place].key().to_u64()).collect());
    (image.voxel_type(), axes, keys)
}

fn image_is_read(image: &AnyImage, format: ImageFormat) -> Result<(), String> {
    let (file, options) = with_image!(image, image => encoded(image, format)?);
    let read = read::read_bytes("image", &file, &options)
        .map_err(|error| format!("{format:?} is not read: {error}"))?;
    same(&format!("the image read from {format:?}"), &canonical(&read), &canonical(image))
}

fn image_is_written(image: &Image<u8>, format: write::ImageFile) -> Result<(), String> {
    let mut file = Vec::new();
    let image: AnyImage = image.clone().into();
    let held = format.holds(image.shape(), image.voxel_type());
    let written = format.write(&image, None, &mut file);
    same(&format!("whether {format} holds the image"), &held.is_ok(), &written.is_ok())?;
    if written.is_err() {
        return Ok(());
    }
    let read = read::read_bytes("image", &file, &ImageOptions::default());
    let read = read.map_err(|error| format!("{format} is not read: {error}"))?;
    same(&format!("the image written as {format}"), &canonical(&read), &canonical(&image))
}

/// A file, and the options to read it.
fn encoded<T: Sample>(image: &Image<T>, format: ImageFormat) -> Result<(Vec<u8>, ImageOptions), String>
where
    [T]: TiffValue,
{
    let shape = image.shape();
    let fastest_first = match shape.order() {
        Order::F => image.clone(),
        Order::C => images::turned(image),
    };
    let bytes = |image: &Image<T>| image.voxels().iter().flat_map(|voxel| voxel.bytes()).collect::<Vec<_>>();
    let doubles = || fastest_first.voxels().iter().map(|voxel| voxel.value());
    let dtype = VoxelType::ALL.into_iter().find(|dtype| numpy_name(*dtype) == numpy::<T>());
    let dtype = dtype.ok_or("no such type of voxels")?;
    let file = match format {
        ImageFormat::Npy => npy::<T>(image, '<', bytes(image)),
        ImageFormat::NpyBigEndian => {
            let swapped =
                bytes(image).chunks(dtype.bytes()).flat_map(|voxel| voxel.iter().rev().copied()).collect();
            npy::<T>(image, '>', swapped)
        }
        ImageFormat::Nifti => {
            let bits = 8 * dtype.bytes() as i16;
            nifti(&shape.axes(), nifti_code(dtype), bits, None, bytes(&fastest_first))
        }
        ImageFormat::Tiff(style) => {
            let slowest_first = match shape.order() {
                Order::C => image.clone(),
                Order::F => images::turned(image),
            };
            tiff(&shape.axes(), slowest_first.voxels(), style).map_err(|error| error.to_string())?
        }
        ImageFormat::Raw => bytes(image),
        ImageFormat::Dipha => {
            let mut file = Vec::new();
            let values: Vec<f64> = doubles().collect();
            dipha::write_image(&mut file, &shape.axes(), values.into_iter())
                .map_err(|error| error.to_string())?;
            file
        }
        ImageFormat::Perseus => {
            let axes = shape.axes();
            let head: String = [axes.len()].iter().chain(&axes).map(|number| format!("{number}\n")).collect();
            (head + &doubles().map(|value| format!("{value:e}\n")).collect::<String>()).into_bytes()
        }
    };
    let raw = Raw { shape: shape.axes(), dtype, order: shape.order() };
    let options =
        ImageOptions { raw: (format == ImageFormat::Raw).then_some(raw), ..ImageOptions::default() };
    Ok((file, options))
}

/// Type in NumPy's headers: kind and size.
fn numpy<T: Voxel>() -> String {
    let kind = match T::NAME.as_bytes()[0] {
        b'u' => 'u',
        b'i' => 'i',
        _ => 'f',
    };
    format!("{kind}{}", size_of::<T>())
}

fn numpy_name(dtype: VoxelType) -> String {
    format!("{}{}", &dtype.to_string()[..1], dtype.bytes())
}

/// A file of version 1.0 of NumPy's format.
fn npy<T: Voxel>(image: &Image<T>, byte_order: char, voxels: Vec<u8>) -> Vec<u8> {
    let shape = image.shape();
    let axes: String = shape.axes().iter().map(|extent| format!("{extent},")).collect();
    let fortran = if shape.order() == Order::F { "True" } else { "False" };
    let descr = numpy::<T>();
    let head = format!("{{'descr': '{byte_order}{descr}', 'fortran_order': {fortran}, 'shape': ({axes}), }}");
    let length = (10 + head.len() + 1).next_multiple_of(64) - 10;
    let head = format!("{head:<width$}\n", width = length - 1);
    [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], head.as_bytes(), &voxels].concat()
}

/// Code of a type in NIfTI's headers.
fn nifti_code(dtype: VoxelType) -> i16 {
    match dtype {
        VoxelType::U8 => 2,
        VoxelType::I16 => 4,
        VoxelType::I32 => 8,
        VoxelType::F32 => 16,
        VoxelType::F64 => 64,
        VoxelType::I8 => 256,
        VoxelType::U16 => 512,
        VoxelType::U32 => 768,
        VoxelType::I64 => 1024,
        VoxelType::U64 => 1280,
    }
}

/// A page for each plane, with rows along the last axis.
fn tiff<T: Sample>(axes: &[usize], voxels: &[T], style: Tiff) -> TiffResult<Vec<u8>>
where
    [T]: TiffValue,
{
    let [planes, rows, columns] =
        std::array::from_fn(|axis| (axis + axes.len()).checked_sub(3).map_or(1, |at| axes[at]));
    let compression = [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Packbits,
        Compression::Deflate(DeflateLevel::Fast),
    ][style.compression];
    let mut file = Cursor::new(Vec::new());
    let pages = voxels.chunks(voxels.len() / planes);
    if style.big {
        let mut encoder = TiffEncoder::new_big(&mut file)?.with_compression(compression);
        pages
            .into_iter()
            .try_for_each(|page| encoder.write_image::<T::Gray>(columns as u32, rows as u32, page))?;
    } else {
        let mut encoder = TiffEncoder::new(&mut file)?.with_compression(compression);
        pages
            .into_iter()
            .try_for_each(|page| encoder.write_image::<T::Gray>(columns as u32, rows as u32, page))?;
    }
    Ok(file.into_inner())
}

fn space_is_read(space: &Space, format: metric::DistanceFormat, style: Style) -> Result<(), String> {
    let distances = space.distances::<f32>();
    let n = distances.len();
    let Some(file) = encoded_space(&distances, format, style)? else { return Ok(()) };
    let loaded = metric::read_bytes("distances", &file, Some(format))
        .map_err(|error| format!("{format} is not read: {error}"))?;
    let what = format!("distances read from {format}");
    match (loaded.input, distances) {
        (metric::Input::Single(Distances::Sparse(read)), Distances::Sparse(graph)) => {
            // A list of edges does not give the number of points.
            same(&what, &read.edges(), &graph.edges())
        }
        (metric::Input::Single(read), distances) => same(&what, &read, &distances),
        (metric::Input::Double(Distances::Matrix(read)), Distances::Matrix(matrix)) => {
            let all = |f: &dyn Fn(usize, usize) -> f64| pairs(n).map(|(i, j)| f(i, j)).collect::<Vec<_>>();
            same(&what, &all(&|i, j| read.get(i, j)), &all(&|i, j| matrix.get(i, j).into()))
        }
        (read, _) => Err(format!("{what}\n  found {read:?}")),
    }
}

/// A file of distances; `None` if the format cannot represent them.
fn encoded_space(
    distances: &Distances<f32>,
    format: metric::DistanceFormat,
    style: Style,
) -> Result<Option<Vec<u8>>, String> {
    use metric::DistanceFormat;
    let n = distances.len();
    let file = match (distances, format) {
        (Distances::Points(points), _) => style.text((0..n).map(|i| points.point(i).to_vec())).into_bytes(),
        (Distances::Sparse(graph), DistanceFormat::Dipha) => {
            let mut rows = vec![Vec::new(); n];
            for edge in graph.edges() {
                rows[edge.i as usize].push((edge.j as usize, f64::from(edge.distance)));
                rows[edge.j as usize].push((edge.i as usize, f64::from(edge.distance)));
            }
            let mut file = Vec::new();
            dipha::write_sparse_distance_matrix(&mut file, &rows).map_err(|error| error.to_string())?;
            file
        }
        (Distances::Sparse(graph), _) if graph.edges().is_empty() => return Ok(None),
        (Distances::Sparse(graph), _) => {
            let edge = |edge: &lacuna::metric::Edge| vec![edge.i as f32, edge.j as f32, edge.distance];
            style.text(graph.edges().iter().map(edge)).into_bytes()
        }
        (
            Distances::Matrix(_),
            DistanceFormat::LowerDistance | DistanceFormat::UpperDistance | DistanceFormat::Binary,
        ) if n < 2 => {
            return Ok(None);
        }
        (Distances::Matrix(matrix), DistanceFormat::LowerDistance) => {
            style.text((1..n).map(|i| (0..i).map(|j| matrix.get(i, j)).collect())).into_bytes()
        }
        (Distances::Matrix(matrix), DistanceFormat::UpperDistance) => {
            style.text((0..n).map(|i| (i + 1..n).map(|j| matrix.get(i, j)).collect())).into_bytes()
        }
        (Distances::Matrix(matrix), DistanceFormat::Distance) => {
            style.text((0..n).map(|i| (0..n).map(|j| matrix.get(i, j)).collect())).into_bytes()
        }
        (Distances::Matrix(matrix), DistanceFormat::Binary) => {
            matrix.lower().iter().flat_map(|distance| distance.to_le_bytes()).collect()
        }
        (Distances::Matrix(matrix), DistanceFormat::Dipha) => {
            let mut file = Vec::new();
            dipha::write_distance_matrix(&mut file, n, |i, j| matrix.get(i, j).into())
                .map_err(|error| error.to_string())?;
            file
        }
        (Distances::Matrix(matrix), _) => {
            let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {n}), }}");
            let length = (10 + head.len() + 1).next_multiple_of(64) - 10;
            let head = format!("{head:<width$}\n", width = length - 1);
            let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let numbers = all.flat_map(|(i, j)| f64::from(matrix.get(i, j)).to_le_bytes());
            let start = [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], head.as_bytes()].concat();
            start.into_iter().chain(numbers).collect()
        }
    };
    Ok(Some(file))
}
