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
    pub(crate) fn sparse(&self) -> Result<Triplets, Problem> {
        let extents = self.array("shape", 1, |array| array.integers())?;
        let (rows, columns) = match extents[..] {
            [rows, columns] if rows >= 0 && columns >= 0 => (rows as usize, columns as usize),
            _ => return Err(wrong("a sparse matrix of two axes", format!("the shape {extents:?}"))),
        };
        let format = self.array("format", 0, |array| Ok(array.text().unwrap_or_default()))?;
        let entries = match format.as_str() {
            "csr" => {
                self.entries(|count| Ok([self.lines(rows, count)?, self.indices("indices", columns, count)?]))
            }
            "csc" => {
                self.entries(|count| Ok([self.indices("indices", rows, count)?, self.lines(columns, count)?]))
            }
            "coo" => self.entries(|count| {
                Ok([self.indices("row", rows, count)?, self.indices("col", columns, count)?])
            }),
            "dia" => self.diagonals(rows, columns),
            _ => {
                let expected = "a sparse matrix of format csr, csc, coo or dia";
                let problem = wrong(expected, format!("format {format:?}"));
                Err(problem.note("save A.tocsc() or A.tocsr() instead of A"))
            }
        }?;
        Ok(Triplets { rows, columns, entries, ..Triplets::default() })
    }

    /// The entries of a matrix whose values are a list; `places` gives the rows and the columns of so many values.
    fn entries(
        &self,
        places: impl Fn(usize) -> Result<[Vec<usize>; 2], Problem>,
    ) -> Result<Vec<Triplet>, Problem> {
        let values = self.array("data", 1, |array| array.numbers())?;
        let [rows, columns] = places(values.len())?;
        let places = rows.into_iter().zip(columns);
        Ok(places.zip(values).map(|((row, column), value)| Triplet { row, column, value }).collect())
    }

    /// The rows or columns, below `extent`, that an array gives of each of `count` entries.
    fn indices(&self, name: &str, extent: usize, count: usize) -> Result<Vec<usize>, Problem> {
        let indices = self.array(name, 1, |array| array.integers())?;
        if indices.len() != count {
            let expected = format!("{count} numbers in {name:?}, as in \"data\"");
            return Err(wrong(&expected, indices.len().to_string()));
        }
        let index = |(at, index): (usize, i64)| {
            let sound = usize::try_from(index).ok().filter(|&index| index < extent);
            let expected = || format!("numbers below {extent} in element {at} of {name:?}");
            sound.ok_or_else(|| wrong(&expected(), index.to_string()))
        };
        indices.into_iter().enumerate().map(index).collect()
    }

    /// The rows or columns of at most `count` entries of a matrix that is compressed to `lines` of them.
    fn lines(&self, lines: usize, count: usize) -> Result<Vec<usize>, Problem> {
        let starts = self.array("indptr", 1, |array| array.integers())?;
        if starts.len().checked_sub(1) != Some(lines) {
            let expected = format!("one number more in \"indptr\" than the {lines} rows or columns");
            return Err(wrong(&expected, starts.len().to_string()));
        }
        if starts[0] != 0 || !starts.is_sorted() || starts[lines] > count as i64 {
            let expected = format!("\"indptr\" that ascends from 0 to at most the {count} entries");
            return Err(wrong(&expected, format!("it from {} to {}", starts[0], starts[lines])));
        }
        let line = |line: usize| std::iter::repeat_n(line, (starts[line + 1] - starts[line]) as usize);
        Ok((0..lines).flat_map(line).collect())
    }

    /// Entries of a matrix stored by diagonals: diagonal k holds at place j the entry of row j − offset, column j.
    fn diagonals(&self, rows: usize, columns: usize) -> Result<Vec<Triplet>, Problem> {
        let offsets = self.array("offsets", 1, |array| array.integers())?;
        let read = |array: &Array<'_>| Ok((array.shape[1] as usize, array.fortran, array.numbers()?));
        let (width, fortran, values) = self.array("data", 2, read)?;
        if Some(values.len()) != offsets.len().checked_mul(width) {
            let expected = format!("{width} numbers in \"data\" for each of \"offsets\"");
            return Err(wrong(&expected, format!("{} for {}", values.len(), offsets.len())));
        }
        let mut entries = Vec::new();
        for (k, &offset) in offsets.iter().enumerate() {
            for column in 0..width.min(columns) {
                let value = values[if fortran { column * offsets.len() + k } else { k * width + column }];
                let row = (column as i64).checked_sub(offset).and_then(|row| usize::try_from(row).ok());
                if let Some(row) = row.filter(|&row| row < rows && value != 0.0) {
                    entries.push(Triplet { row, column, value });
                }
            }
        }
        Ok(entries)
    }

    /// Reads an array with this number of axes. Byte offsets within the decompressed array are not offsets in the file,
    /// so an error has its name instead of a place.
    fn array<T>(
        &self,
        name: &str,
        axes: usize,
        read: fn(&Array<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let file = self.read(name)?;
        let array = Array::parse(&file).and_then(|array| match array.shape.len() == axes {
            true => read(&array),
            false => Err(wrong(&format!("{axes} axes"), format!("the shape {:?}", array.shape))),
        });
        array.map_err(|problem| {
            let expected = format!("{} in array {name:?}", problem.expected);
            Problem { place: Place::Whole, expected, ..problem }
        })
    }
}

fn wrong(expected: &str, found: String) -> Problem {
    Problem::whole(expected, found)
}
