//! The content of data/images/: a plane and a volume in every image format.
//!
//! The headers of NIfTI, DIPHA, NRRD and MetaImage are written here byte by byte. The others are written by the crates
//! for the formats, without compression, so that their next versions write the same bytes.

use std::io::{self, Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use tiff::encoder::{TiffEncoder, colortype};

use super::arrays::{npy, npz};

/// Rows and columns of the plane.
const PLANE: [usize; 2] = [8, 6];

/// Extents of the volume.
const VOLUME: [usize; 3] = [4, 3, 5];

/// A dark ring around a bright middle.
fn plane(i: usize, j: usize) -> u8 {
    let value = match i.min(7 - i).min(j).min(5 - j) {
        0 => 100 + i + j,
        1 => 10 + (i + j) % 3,
        _ => 50 + 4 * i + j,
    };
    value as u8
}

/// A dark shell around a bright inside.
fn volume(i: usize, j: usize, k: usize) -> i16 {
    let inside = (1..3).contains(&i) && j == 1 && (1..4).contains(&k);
    let value = if inside { 20 + i + k } else { (i + 2 * j + 3 * k) % 5 };
    value as i16 - 4
}

/// A committed image.
pub(super) struct Image {
    /// The file name in images/.
    pub(super) file: &'static str,
    /// The format, as an argument of `--format`.
    pub(super) format: &'static str,
    /// Further options that reading it needs.
    pub(super) options: &'static str,
    /// The voxel type.
    pub(super) dtype: &'static str,
    /// Whether it is the plane; otherwise it is the volume.
    pub(super) plane: bool,
    /// The content of the file.
    pub(super) bytes: Vec<u8>,
}

impl Image {
    /// The extents along the axes.
    pub(super) fn shape(&self) -> &'static [usize] {
        if self.plane { &PLANE } else { &VOLUME }
    }
}

/// Every committed image.
///
/// # Errors
/// A format cannot hold the image.
pub(super) fn images() -> io::Result<Vec<Image>> {
    let image = |file, format, dtype, plane, bytes| Image { file, format, options: "", dtype, plane, bytes };
    let raw =
        |file, options, dtype, plane, bytes| Image { file, format: "raw", options, dtype, plane, bytes };
    Ok(vec![
        image("plane.npy", "npy", "u8", true, npy(&PLANE, npyz::Order::C, plane_rows())?),
        image("plane_fortran.npy", "npy", "u8", true, npy(&PLANE, npyz::Order::Fortran, plane_columns())?),
        image("plane.npz", "npz", "u8", true, npz(&[("arr_0", npy(&PLANE, npyz::Order::C, plane_rows())?)])?),
        image("plane.png", "png", "u8", true, png(&plane_rows())?),
        image("plane.pgm", "pgm", "u8", true, [b"P5\n6 8\n255\n", &plane_rows()[..]].concat()),
        image("plane.tif", "tiff", "u8", true, tiff::<colortype::Gray8>(&[plane_rows()], &PLANE)?),
        image("plane.nii", "nifti", "u8", true, nifti(&PLANE, 2, 8, None, plane_columns())),
        image("plane.complex", "dipha", "f64", true, dipha(&PLANE, doubles(&plane_columns()))),
        image("plane.perseus", "perseus", "f64", true, perseus(&PLANE, &plane_columns())),
        image("plane.nrrd", "nrrd", "u8", true, [&nrrd(&PLANE, "uint8")[..], &plane_columns()].concat()),
        raw("plane.u8", "--shape 8,6 --dtype u8", "u8", true, plane_rows()),
        image("volume.npy", "npy", "i16", false, npy(&VOLUME, npyz::Order::C, volume_rows())?),
        image("volume.tif", "tiff", "i16", false, tiff::<colortype::GrayI16>(&volume_pages(), &VOLUME[1..])?),
        image("volume.nii", "nifti", "i16", false, nifti(&VOLUME, 4, 16, None, words(&volume_columns()))),
        image("volume.nii.gz", "nifti", "i16", false, {
            gzip(&nifti(&VOLUME, 4, 16, None, words(&volume_columns())))?
        }),
        image("volume_scaled.nii", "nifti", "f64", false, {
            // Stored as twice the value plus one.
            let stored: Vec<i16> = volume_columns().iter().map(|value| 2 * value + 1).collect();
            nifti(&VOLUME, 4, 16, Some((0.5, -0.5)), words(&stored))
        }),
        image("volume.complex", "dipha", "f64", false, dipha(&VOLUME, doubles(&volume_columns()))),
        image("volume.perseus", "perseus", "f64", false, perseus(&VOLUME, &volume_columns())),
        image("volume.nrrd", "nrrd", "i16", false, {
            [nrrd(&VOLUME, "int16"), words(&volume_columns())].concat()
        }),
        image("volume.mha", "metaimage", "i16", false, [metaimage(), words(&volume_columns())].concat()),
        raw("volume.i16", "--shape 4,3,5 --dtype i16", "i16", false, words(&volume_rows())),
        raw(
            "volume_fortran.i16",
            "--shape 4,3,5 --dtype i16 --order f",
            "i16",
            false,
            words(&volume_columns()),
        ),
    ])
}

/// The plane with the last axis fastest.
fn plane_rows() -> Vec<u8> {
    (0..8).flat_map(|i| (0..6).map(move |j| plane(i, j))).collect()
}

/// The plane with the first axis fastest.
fn plane_columns() -> Vec<u8> {
    (0..6).flat_map(|j| (0..8).map(move |i| plane(i, j))).collect()
}

/// The pages of the volume along its first axis, each with the last axis fastest.
fn volume_pages() -> Vec<Vec<i16>> {
    let page = |i| (0..3).flat_map(move |j| (0..5).map(move |k| volume(i, j, k))).collect();
    (0..4).map(page).collect()
}

/// The volume with the last axis fastest.
fn volume_rows() -> Vec<i16> {
    volume_pages().concat()
}

/// The volume with the first axis fastest.
fn volume_columns() -> Vec<i16> {
    let plane = |k| (0..3).flat_map(move |j| (0..4).map(move |i| volume(i, j, k)));
    (0..5).flat_map(plane).collect()
}

fn words(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn doubles<T: Copy + Into<f64>>(values: &[T]) -> Vec<u8> {
    values.iter().flat_map(|&value| value.into().to_le_bytes()).collect()
}

fn png(rows: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let [height, width] = PLANE.map(|extent| extent as u32);
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::NoCompression);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rows)?;
    writer.finish()?;
    Ok(bytes)
}

fn tiff<C: colortype::ColorType>(pages: &[Vec<C::Inner>], axes: &[usize]) -> io::Result<Vec<u8>>
where
    [C::Inner]: tiff::encoder::TiffValue,
{
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).map_err(io::Error::other)?;
    for page in pages {
        encoder.write_image::<C>(axes[1] as u32, axes[0] as u32, page).map_err(io::Error::other)?;
    }
    Ok(bytes.into_inner())
}

/// A NIfTI-1 file: header, no extension, voxels.
pub(crate) fn nifti(
    axes: &[usize],
    code: i16,
    bits: i16,
    scaling: Option<(f32, f32)>,
    voxels: Vec<u8>,
) -> Vec<u8> {
    let mut header = [0; 352];
    let mut put = |place: usize, bytes: &[u8]| header[place..place + bytes.len()].copy_from_slice(bytes);
    put(0, &348_i32.to_le_bytes());
    put(40, &(axes.len() as i16).to_le_bytes());
    for k in 0..7 {
        let extent = axes.get(k).map_or(1, |&extent| extent as i16);
        put(42 + 2 * k, &extent.to_le_bytes());
        put(80 + 4 * k, &1_f32.to_le_bytes());
    }
    put(70, &code.to_le_bytes());
    put(72, &bits.to_le_bytes());
    put(76, &1_f32.to_le_bytes());
    put(108, &352_f32.to_le_bytes());
    let (slope, inter) = scaling.unwrap_or((1.0, 0.0));
    put(112, &slope.to_le_bytes());
    put(116, &inter.to_le_bytes());
    put(344, b"n+1\0");
    [header.to_vec(), voxels].concat()
}

/// The header of an NRRD file.
fn nrrd(axes: &[usize], numbers: &str) -> Vec<u8> {
    let sizes: Vec<String> = axes.iter().map(usize::to_string).collect();
    let (count, sizes) = (axes.len(), sizes.join(" "));
    let header =
        format!("type: {numbers}\ndimension: {count}\nsizes: {sizes}\nendian: little\nencoding: raw\n\n");
    [b"NRRD0004\n", header.as_bytes()].concat()
}

/// The header of the volume as a MetaImage.
fn metaimage() -> Vec<u8> {
    let [x, y, z] = VOLUME;
    let header = format!(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n\
         DimSize = {x} {y} {z}\nElementType = MET_SHORT\nElementDataFile = LOCAL\n"
    );
    header.into_bytes()
}

pub(super) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// DIPHA's image: magic number, file type 1, the number of values, the axes, the values.
fn dipha(axes: &[usize], values: Vec<u8>) -> Vec<u8> {
    let count: usize = axes.iter().product();
    let mut header = vec![8_067_171_840, 1, count as i64, axes.len() as i64];
    header.extend(axes.iter().map(|&extent| extent as i64));
    let header = header.iter().flat_map(|number| number.to_le_bytes());
    header.chain(values).collect()
}

/// Perseus' image, one number per line: the number of axes, the extents, the values.
fn perseus<T: ToString>(axes: &[usize], values: &[T]) -> Vec<u8> {
    let header = [axes.len()].into_iter().chain(axes.iter().copied()).map(|number| number.to_string());
    let lines: Vec<String> = header.chain(values.iter().map(T::to_string)).collect();
    (lines.join("\n") + "\n").into_bytes()
}
