//! A NumPy array: `<f8`, C order, shape (bars, 3), the columns dim, birth, death.

use std::io::{self, Write};

use super::table::BarTable;
pub use crate::input::npy::write_rows;

/// Writes the array.
///
/// # Errors
/// Errors of `out`; an error of which [`Inexact`](crate::cubical::value::Inexact) is the source.
pub(crate) fn write(table: &BarTable<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = table.doubles().map(|row| row.map_err(io::Error::other));
    write_rows(&[table.len(), 3], rows, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::{Bar, Diagram};

    fn read_back(diagram: &Diagram) -> (Vec<u64>, Vec<f64>) {
        let mut bytes = Vec::new();
        write(&BarTable::of_diagram(diagram), &mut bytes).unwrap();
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
