//! SciPy's sparse matrices, as written by `scipy.sparse.save_npz`.

use super::Archive;
use crate::input::npy::Array;
use crate::input::triplets::{Triplet, Triplets};
use crate::input::{Place, Problem};

impl Archive<'_> {
    /// Whether the archive is a sparse matrix of SciPy.
    pub(crate) fn is_sparse(&self) -> bool {
        self.contains("format") && self.contains("shape")
    }

    /// Reads the sparse matrix that `scipy.sparse.save_npz` wrote, in the format csr, csc, coo or dia.
    ///
    /// # Errors
    /// There is no sparse matrix, its format is not supported, or its arrays are inconsistent.
    pub(crate) fn sparse(&self) -> Result<Triplets, Problem<Place>> {
        let [rows, columns] = self.shape()?;
        let file = self.read("format")?;
        let format = self.array("format", &file)?.text().unwrap_or_default();
        let entries = match format.as_str() {
            "csr" => {
                self.compressed(rows, columns, "row", |row, column, value| Triplet { row, column, value })
            }
            "csc" => {
                self.compressed(columns, rows, "column", |column, row, value| Triplet { row, column, value })
            }
            "coo" => self.coordinates(rows, columns),
            "dia" => self.diagonals(rows, columns),
            _ => {
                let note = "save A.tocsc() or A.tocsr() instead of A";
                return Err(Problem::new(
                    Place::Whole,
                    "a sparse matrix of format csr, csc, coo or dia",
                    format!("format {format:?}"),
                )
                .note(note));
            }
        }?;
        Ok(Triplets { rows, columns, entries, symmetric: false, lines: Vec::new() })
    }

    fn shape(&self) -> Result<[usize; 2], Problem<Place>> {
        let extents = self.integers("shape")?;
        match extents[..] {
            [rows, columns] if rows >= 0 && columns >= 0 => Ok([rows as usize, columns as usize]),
            _ => Err(Problem::new(
                Place::Whole,
                "a sparse matrix of two axes",
                format!("the shape {extents:?}"),
            )),
        }
    }

    /// Entries of a compressed matrix with `lines` lines; a line is a row or a column, as `line` says.
    fn compressed(
        &self,
        lines: usize,
        width: usize,
        line: &str,
        triplet: impl Fn(usize, usize, f64) -> Triplet,
    ) -> Result<Vec<Triplet>, Problem<Place>> {
        let starts = self.integers("indptr")?;
        let (indices, values) = (self.integers("indices")?, self.numbers("data")?);
        if starts.len().checked_sub(1) != Some(lines) {
            let expected = format!("one number more in \"indptr\" than the {lines} {line}s");
            return Err(Problem::new(Place::Whole, expected, starts.len().to_string()));
        }
        let count = values.len().min(indices.len());
        let sound = starts[0] == 0 && starts.is_sorted() && starts[lines] <= count as i64;
        if !sound {
            let expected = format!("\"indptr\" that ascends from 0 to at most the {count} entries");
            let found = format!("it from {} to {}", starts[0], starts[lines]);
            return Err(Problem::new(Place::Whole, expected, found));
        }
        let mut entries = Vec::with_capacity(starts[lines] as usize);
        for (number, range) in starts.windows(2).enumerate() {
            for at in range[0] as usize..range[1] as usize {
                let index = within(indices[at], width, || format!("\"indices\" of {line} {number}"))?;
                entries.push(triplet(number, index, values[at]));
            }
        }
        Ok(entries)
    }

    fn coordinates(&self, rows: usize, columns: usize) -> Result<Vec<Triplet>, Problem<Place>> {
        let (row, column, data) = (self.integers("row")?, self.integers("col")?, self.numbers("data")?);
        if row.len() != data.len() || column.len() != data.len() {
            let expected = format!("{} numbers in \"row\" and in \"col\", as in \"data\"", data.len());
            return Err(Problem::new(Place::Whole, expected, format!("{} and {}", row.len(), column.len())));
        }
        let entries = row.iter().zip(&column).zip(&data).enumerate();
        let triplet = |(at, ((&row, &column), &value)): (usize, ((&i64, &i64), &f64))| {
            let row = within(row, rows, || format!("element {at} of \"row\""))?;
            let column = within(column, columns, || format!("element {at} of \"col\""))?;
            Ok(Triplet { row, column, value })
        };
        entries.map(triplet).collect()
    }

    /// Entries of a matrix stored by diagonals: diagonal k holds at place j the entry of row j − offset, column j.
    fn diagonals(&self, rows: usize, columns: usize) -> Result<Vec<Triplet>, Problem<Place>> {
        let offsets = self.integers("offsets")?;
        let file = self.read("data")?;
        let array = self.array("data", &file)?;
        let &[count, width] = &array.shape[..] else {
            return Err(self.wrong_shape("data", "two axes", &array));
        };
        if count != offsets.len() as u64 {
            return Err(self.wrong_shape("data", "a row for each of \"offsets\"", &array));
        }
        let width = width as usize;
        let values = array.numbers().map_err(|problem| in_array("data", problem))?;
        let mut entries = Vec::new();
        for (k, &offset) in offsets.iter().enumerate() {
            for column in 0..width.min(columns) {
                let value = values[array.index(k, column)];
                let row = (column as i64).checked_sub(offset).and_then(|row| usize::try_from(row).ok());
                if let Some(row) = row.filter(|&row| row < rows && value != 0.0) {
                    entries.push(Triplet { row, column, value });
                }
            }
        }
        Ok(entries)
    }

    fn array<'f>(&self, name: &str, file: &'f [u8]) -> Result<Array<'f>, Problem<Place>> {
        Array::parse(file).map_err(|problem| in_array(name, problem))
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, Problem<Place>> {
        let file = self.read(name)?;
        self.list(name, &file)?.integers().map_err(|problem| in_array(name, problem))
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, Problem<Place>> {
        let file = self.read(name)?;
        self.list(name, &file)?.numbers().map_err(|problem| in_array(name, problem))
    }

    fn list<'f>(&self, name: &str, file: &'f [u8]) -> Result<Array<'f>, Problem<Place>> {
        let array = self.array(name, file)?;
        if array.shape.len() == 1 { Ok(array) } else { Err(self.wrong_shape(name, "one axis", &array)) }
    }

    fn wrong_shape(&self, name: &str, expected: &str, array: &Array<'_>) -> Problem<Place> {
        let found = format!("the shape {:?}", array.shape);
        Problem::new(Place::Whole, format!("an array {name:?} with {expected}"), found)
    }
}

/// Moves a problem to the array `name`. Byte offsets within the decompressed array are not offsets in the file, so the
/// place is dropped.
fn in_array(name: &str, problem: Problem<Place>) -> Problem<Place> {
    let expected = format!("{} in array {name:?}", problem.expected);
    Problem { place: Place::Whole, expected, ..problem }
}

/// Converts an index that must be less than `extent`.
fn within(index: i64, extent: usize, place: impl FnOnce() -> String) -> Result<usize, Problem<Place>> {
    let found = usize::try_from(index).ok().filter(|&index| index < extent);
    found.ok_or_else(|| {
        Problem::new(Place::Whole, format!("numbers below {extent} in {}", place()), index.to_string())
    })
}
