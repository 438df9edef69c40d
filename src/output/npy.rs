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
