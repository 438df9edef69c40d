//! `binary`: little-endian `f32`; row i holds the distances of point i to the points before it.

use std::io::{self, Write};

use crate::metric::{DistanceMatrix, Value};

pub(super) fn write<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    for distance in matrix.lower() {
        let distance: f64 = (*distance).into();
        out.write_all(&(distance as f32).to_le_bytes())?;
    }
    Ok(())
}
