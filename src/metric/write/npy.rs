//! `npy`: an array of `f32` or `f64`, in the precision of the input, in C order.

use std::io::{self, Write};

use npyz::WriterBuilder;

use crate::metric::{DistanceMatrix, PointCloud, Precision, Value};

pub(super) fn write_points<T: Value>(points: &PointCloud<T>, out: &mut dyn Write) -> io::Result<()> {
    let numbers = (0..points.len()).flat_map(|i| points.point(i)).copied();
    write([points.len(), points.dimension()], numbers, out)
}

pub(super) fn write_distances<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    let n = matrix.len();
    let at = |(i, j)| if i == j { T::from_f64(0.0) } else { matrix.get(i, j) };
    write([n, n], (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(at), out)
}

fn write<T: Value>(
    shape: [usize; 2],
    numbers: impl Iterator<Item = T>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shape = shape.map(|extent| extent as u64);
    let options = npyz::WriteOptions::new().default_dtype().shape(&shape);
    match T::PRECISION {
        Precision::Single => {
            let mut array = options.writer(out).begin_nd()?;
            array.extend(numbers.map(|number| Into::<f64>::into(number) as f32))?;
            array.finish()
        }
        Precision::Double => {
            let options = npyz::WriteOptions::<f64>::new().default_dtype().shape(&shape);
            let mut array = options.writer(out).begin_nd()?;
            array.extend(numbers.map(Into::<f64>::into))?;
            array.finish()
        }
    }
}
