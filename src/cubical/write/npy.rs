//! `npy`: a NumPy array of the voxel type, in the image's own order.

use std::io::{self, Write};

use npyz::WriterBuilder;

use crate::cubical::image::{Image, Voxel};
use crate::cubical::shape::Order;

pub(super) fn write<T: Voxel>(image: &Image<T>, out: &mut dyn Write) -> io::Result<()> {
    let shape: Vec<u64> = image.shape().axes().into_iter().map(|extent| extent as u64).collect();
    let order = match image.shape().order() {
        Order::C => npyz::Order::C,
        Order::F => npyz::Order::Fortran,
    };
    let options = npyz::WriteOptions::new().default_dtype().shape(&shape).order(order);
    let mut array = options.writer(out).begin_nd()?;
    array.extend(image.voxels().iter().copied())?;
    array.finish()
}
