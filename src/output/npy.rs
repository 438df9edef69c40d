//! A NumPy array: `<f8`, C order, shape (bars, 3), the columns dim, birth, death.

use std::io::{self, Write};

use npyz::{DType, TypeStr, WriterBuilder};

use crate::diagram::Diagram;

/// Writes the array.
///
/// # Errors
/// Errors of `out`.
pub fn write(diagram: &Diagram, out: &mut dyn Write) -> io::Result<()> {
    let rows = diagram.iter().map(|(dim, bar)| Ok([dim as f64, bar.birth, bar.death]));
    write_rows(diagram.iter().count() as u64, rows, out)
}

/// Writes an array of `count` rows.
///
/// # Errors
/// Errors of `out` and `rows`; or the number of rows is not `count`.
pub fn write_rows<const COLUMNS: usize>(
    count: u64,
    mut rows: impl Iterator<Item = io::Result<[f64; COLUMNS]>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let double: TypeStr = "<f8".parse().map_err(io::Error::other)?;
    let options = npyz::WriteOptions::new().dtype(DType::Plain(double)).shape(&[count, COLUMNS as u64]);
    let mut array = options.writer(out).begin_nd()?;
    rows.try_for_each(|row| array.extend(row?))?;
    array.finish()
}

/// Writes a square array of `rows` rows, given row by row.
///
/// # Errors
/// Errors of `out`; or there are more or fewer numbers.
pub fn write_square(rows: u64, numbers: impl Iterator<Item = f64>, out: &mut dyn Write) -> io::Result<()> {
    let double: TypeStr = "<f8".parse().map_err(io::Error::other)?;
    let options = npyz::WriteOptions::new().dtype(DType::Plain(double)).shape(&[rows, rows]);
    let mut array = options.writer(out).begin_nd()?;
    array.extend(numbers)?;
    array.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Bar;

    fn read_back(diagram: &Diagram) -> (Vec<u64>, Vec<f64>) {
        let mut bytes = Vec::new();
        write(diagram, &mut bytes).unwrap();
        let array = npyz::NpyFile::new(bytes.as_slice()).unwrap();
        (array.shape().to_vec(), array.into_vec().unwrap())
    }

    #[test]
    fn rows_of_three_doubles() {
        let bar = |birth, death| Bar { birth, death };
        let diagram = Diagram::new(vec![vec![bar(0.0, f64::INFINITY)], vec![bar(0.1, 0.3)]]);
        let (shape, values) = read_back(&diagram);
        assert_eq!(shape, [2, 3]);
        assert_eq!(values, [0.0, 0.0, f64::INFINITY, 1.0, 0.1, 0.3]);
    }

    #[test]
    fn no_bars_are_an_array_of_no_rows() {
        assert_eq!(read_back(&Diagram::new(vec![vec![]])), (vec![0, 3], vec![]));
    }
}
