//! `npy`: an array of `f32` or `f64`, in the precision of the input, in C order.

use std::io::{self, Write};

use crate::metric::{DistanceMatrix, PointCloud, Precision, Value};
use crate::output::npy::write_rows;

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
    let doubles = numbers.map(Into::<f64>::into);
    match T::PRECISION {
        Precision::Single => write_rows(&shape, [Ok(doubles.map(|number| number as f32))], out),
        Precision::Double => write_rows(&shape, [Ok(doubles)], out),
    }
}
