//! Pairs of cells in NumPy arrays of whole numbers: `pairs` with one row (birth, death) per pair, and `essential`.

use super::Problem;
use crate::compare::CellPairs;
use crate::input::Place;
use crate::input::npy::Array;

/// Reads the pairs of the `npy` file `pairs`, and the essential cells of the file `essential`, if there is one.
pub(super) fn read(pairs: &[u8], essential: Option<&[u8]>) -> Result<CellPairs, Problem> {
    let pairs = Array::parse(pairs)?;
    let &[rows, 2] = &pairs.shape[..] else { return Err(shape("2 columns: birth, death", &pairs.shape)) };
    let (rows, cells) = (rows as usize, numbers(&pairs)?);
    let at =
        |row: usize, column: usize| cells[if pairs.fortran { column * rows + row } else { 2 * row + column }];
    let pairs = (0..rows).map(|row| (at(row, 0), at(row, 1))).collect();
    let essential = essential.map(|bytes| {
        let essential = Array::parse(bytes)?;
        if essential.shape.len() == 1 {
            numbers(&essential)
        } else {
            Err(shape("one axis", &essential.shape))
        }
    });
    Ok(CellPairs { pairs, essential: essential.transpose()? })
}

/// The numbers of cells in the order of the file.
fn numbers(array: &Array<'_>) -> Result<Vec<u64>, Problem> {
    let number = |cell: i64| {
        u64::try_from(cell)
            .map_err(|_| Problem::new(Place::Whole, "numbers of cells, from 0", cell.to_string()))
    };
    array.integers()?.into_iter().map(number).collect()
}

fn shape(expected: &str, found: &[u64]) -> Problem {
    Problem::new(Place::Whole, format!("an array of {expected}"), format!("shape {found:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::npy::tests::file;

    /// A file of 64-bit integers.
    fn integers(shape: &str, values: &[i64]) -> Vec<u8> {
        file("<i8", shape, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn rows_are_pairs() {
        let essential = integers("(1,)", &[0]);
        let found = read(&integers("(2, 2)", &[1, 3, 2, 4]), Some(&essential)).unwrap();
        assert_eq!(found, CellPairs { pairs: vec![(1, 3), (2, 4)], essential: Some(vec![0]) });
        assert_eq!(read(&integers("(0, 2)", &[]), None).unwrap(), CellPairs::default());
    }

    #[test]
    fn what_is_no_pair_of_cells_is_refused() {
        let error = |pairs: &[u8], essential: Option<&[u8]>| read(pairs, essential).unwrap_err();
        let wide = error(&integers("(1, 3)", &[1, 2, 3]), None);
        assert_eq!(
            (wide.expected.as_str(), wide.found.as_str()),
            ("an array of 2 columns: birth, death", "shape [1, 3]")
        );
        assert_eq!(error(&integers("(1, 2)", &[-1, 3]), None).found, "-1");
        let pairs = integers("(1, 2)", &[1, 3]);
        assert_eq!(error(&pairs, Some(&integers("(1, 1)", &[0]))).expected, "an array of one axis");
        let doubles = file("<f8", "(1, 2)", &[0; 16]);
        assert!(error(&doubles, None).expected.contains("whole numbers"));
    }
}
