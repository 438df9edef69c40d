//! `nifti`: a header as described in [`read`](crate::cubical::read), with the geometry of the original file if that was
//! NIfTI, no extensions, then the voxels, x fastest.

use std::io::{self, Write};

use super::axes::bytes_in_order;
use super::raw;
use crate::cubical::geometry::Geometry;
use crate::cubical::image::AnyImage;
use crate::cubical::nifti::{BITPIX, CODES, DATATYPE, DIM, Header, PIXDIM, SCL_SLOPE, VOX_OFFSET};
use crate::cubical::shape::Order;

pub(super) fn write(image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
    let geometry = match geometry {
        Some(Geometry::Nifti(geometry)) => Some(geometry),
        _ => None,
    };
    let (axes, size) = (image.shape().axes(), image.voxel_type().bytes());
    let is_long = axes.iter().any(|&extent| i16::try_from(extent).is_err());
    let mut header = Header::new(is_long || geometry.is_some_and(|geometry| geometry.second));
    let extents = axes.iter().copied().chain([1; 7]).take(7);
    header.put(DIM, [axes.len()].into_iter().chain(extents).map(|extent| extent as f64));
    let code = CODES.into_iter().find(|(_, voxels)| *voxels == image.voxel_type());
    header.put(DATATYPE, code.map(|(code, _)| code.into()));
    header.put(BITPIX, [8.0 * size as f64]);
    header.put(PIXDIM, [1.0; 8]);
    header.put(VOX_OFFSET, [header.bytes.len() as f64]);
    header.put(SCL_SLOPE, [1.0]);
    if let Some(geometry) = geometry {
        header.put_geometry(geometry);
    }
    out.write_all(&header.bytes)?;
    raw::write(&bytes_in_order(image, Order::F), size, out)
}
