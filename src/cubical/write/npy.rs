//! `npy`: a NumPy array of the voxel type, in the image's own order.

use std::io::{self, Write};

use npyz::{AutoSerialize as _, WriterBuilder};

use crate::cubical::image::AnyImage;
use crate::cubical::shape::Order;
use crate::with_voxels;

pub(super) fn write(image: &AnyImage, out: &mut dyn Write) -> io::Result<()> {
    let shape: Vec<u64> = image.shape().axes().into_iter().map(|extent| extent as u64).collect();
    let order = match image.shape().order() {
        Order::C => npyz::Order::C,
        Order::F => npyz::Order::Fortran,
    };
    let dtype = with_voxels!(image.voxel_type(), T => T::default_dtype());
    let header = npyz::WriteOptions::new_header_only().dtype(dtype).shape(&shape).order(order);
    header.writer(out).write_header_only()?.write_all(image.bytes())
}
