//! `nifti`: a header as described in [`read`](crate::cubical::read), with the geometry of the original file if that was
//! NIfTI, no extensions, then the voxels, x fastest.

use std::io::{self, Write};

use super::axes::in_order;
use super::voxel::{Written, little_endian};
use crate::cubical::geometry::NiftiGeometry;
use crate::cubical::image::Image;
use crate::cubical::shape::Order;

pub(super) fn write<T: Written>(
    image: &Image<T>,
    geometry: Option<&NiftiGeometry>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let axes = image.shape().axes();
    let short: Result<Vec<i16>, _> = axes.iter().map(|&extent| i16::try_from(extent)).collect();
    let header = match short {
        Ok(short) if !geometry.is_some_and(|geometry| geometry.second) => header_1::<T>(&short, geometry),
        _ => header_2::<T>(&axes, geometry),
    };
    out.write_all(&header)?;
    little_endian(&in_order(image, Order::F), out)
}

#[cfg(feature = "codecs")]
pub(super) fn write_compressed<T: Written>(
    image: &Image<T>,
    geometry: Option<&NiftiGeometry>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
    write(image, geometry, &mut encoder)?;
    encoder.finish()?;
    Ok(())
}

/// Writes consecutive fields into a header from a byte offset.
fn put<const N: usize>(header: &mut [u8], place: usize, fields: impl IntoIterator<Item = [u8; N]>) {
    for (bytes, field) in header[place..].chunks_exact_mut(N).zip(fields) {
        bytes.copy_from_slice(&field);
    }
}

/// A NIfTI-1 header of 348 bytes, and four bytes stating that there is no extension.
fn header_1<T: Written>(axes: &[i16], geometry: Option<&NiftiGeometry>) -> Vec<u8> {
    let mut header = vec![0; 352];
    put(&mut header, 0, [348_i32.to_le_bytes()]);
    let dim = [axes.len() as i16].into_iter().chain(axes.iter().copied());
    put(&mut header, 40, dim.chain([1; 7]).take(8).map(i16::to_le_bytes));
    put(&mut header, 70, [T::NIFTI, 8 * size_of::<T>() as i16].map(i16::to_le_bytes));
    put(&mut header, 76, [1.0_f32; 8].map(f32::to_le_bytes));
    put(&mut header, 108, [352.0_f32, 1.0, 0.0].map(f32::to_le_bytes));
    put(&mut header, 344, [*b"n+1\0"]);
    if let Some(geometry) = geometry {
        // Values read from a NIfTI-1 header fit its fields.
        let float = |&x: &f64| (x as f32).to_le_bytes();
        header[39] = geometry.dim_info;
        header[123] = geometry.xyzt_units as u8;
        put(&mut header, 76, geometry.pixdim.iter().map(float));
        put(
            &mut header,
            252,
            [geometry.qform_code, geometry.sform_code].map(|code| (code as i16).to_le_bytes()),
        );
        put(&mut header, 256, geometry.quaternion.iter().map(float));
        put(&mut header, 280, geometry.srows.iter().map(float));
    }
    header
}

/// A NIfTI-2 header of 540 bytes, and four bytes stating that there is no extension.
fn header_2<T: Written>(axes: &[usize], geometry: Option<&NiftiGeometry>) -> Vec<u8> {
    let mut header = vec![0; 544];
    put(&mut header, 0, [540_i32.to_le_bytes()]);
    put(&mut header, 4, [*b"n+2\0\r\n\x1a\n"]);
    put(&mut header, 12, [T::NIFTI, 8 * size_of::<T>() as i16].map(i16::to_le_bytes));
    let dim = [axes.len() as i64].into_iter().chain(axes.iter().map(|&extent| extent as i64));
    put(&mut header, 16, dim.chain([1; 7]).take(8).map(i64::to_le_bytes));
    put(&mut header, 104, [1.0_f64; 8].map(f64::to_le_bytes));
    put(&mut header, 168, [544_i64.to_le_bytes()]);
    put(&mut header, 176, [1.0_f64, 0.0].map(f64::to_le_bytes));
    if let Some(geometry) = geometry {
        header[524] = geometry.dim_info;
        put(&mut header, 500, [geometry.xyzt_units.to_le_bytes()]);
        put(&mut header, 104, geometry.pixdim.map(f64::to_le_bytes));
        put(&mut header, 344, [geometry.qform_code, geometry.sform_code].map(i32::to_le_bytes));
        put(&mut header, 352, geometry.quaternion.map(f64::to_le_bytes));
        put(&mut header, 400, geometry.srows.map(f64::to_le_bytes));
    }
    header
}
