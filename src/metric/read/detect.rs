//! The format of a file, from its content and name.

use super::Format;
use super::error::{Place, Problem};
use super::text::{Table, without_bom};

/// A format and why it was chosen.
pub(super) struct Detected {
    pub(super) format: Format,
    pub(super) why: String,
    /// The numbers, when the content is text and had to be looked at as a whole.
    pub(super) table: Option<Table>,
}

/// The format of the file called `name`.
pub(super) fn detect(_name: &str, bytes: &[u8]) -> Result<Detected, Problem> {
    let text = without_bom(bytes);
    let table = Table::parse(text)?;
    table.check_any(text)?;
    let rows = table.rows();
    let (format, why) = if table.is_square_with_zero_diagonal() {
        (Format::Distance, "as many rows as columns, zeros on the diagonal")
    } else if table.row_lens().eq(1..=rows) {
        (Format::LowerDistance, "rows of 1, 2, 3, … entries")
    } else if table.row_lens().eq((1..=rows).rev()) {
        (Format::UpperDistance, "rows of …, 3, 2, 1 entries")
    } else if table.width().is_some() {
        (Format::PointCloud, "rows of equal length")
    } else {
        return Err(Problem::new(
            Place::Whole,
            "rows that make a matrix, a triangle or points",
            "ragged rows",
        ));
    };
    Ok(Detected { format, why: why.to_owned(), table: Some(table) })
}
