//! `npy`: a NumPy array of bytes, in the image's own order.

use std::io::{self, Write};

use npyz::{DType, TypeStr, WriterBuilder};

use crate::cubical::image::Image;
use crate::cubical::shape::Order;

pub(super) fn write(image: &Image<u8>, out: &mut dyn Write) -> io::Result<()> {
    let shape: Vec<u64> = image.shape().axes().into_iter().map(|extent| extent as u64).collect();
    let byte: TypeStr = "|u1".parse().map_err(io::Error::other)?;
    let order = match image.shape().order() {
        Order::C => npyz::Order::C,
        Order::F => npyz::Order::Fortran,
    };
    let options = npyz::WriteOptions::new().dtype(DType::Plain(byte)).shape(&shape).order(order);
    let mut array = options.writer(out).begin_nd()?;
    array.extend(image.voxels().iter().copied())?;
    array.finish()
}
