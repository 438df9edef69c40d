//! Writers of boundary matrices to files that [`read`](super::read) reads back.
//!
//! | format | writer | what it cannot hold |
//! |---|---|---|
//! | `phat-ascii`, `phat-binary` | [`phat_formats::phat::matrix`] | values of cells |
//! | `dipha` | [`phat_formats::dipha::write_boundary_matrix`] | |
//! | `npz` | `npz` | values of cells |
//! | `matrix-market` | `matrix_market` | values of cells; dimensions that do not follow from the columns |
//!
//! A file of DIPHA must have values. If a matrix has none, the place of each cell in the filtration becomes its
//! value; the pairs are the same.

mod matrix_market;
mod npz;

use std::io::{self, Write};

use phat_formats::dipha::{Flavour, WeightedBoundaryMatrix, write_boundary_matrix};
use phat_formats::{BoundaryMatrix, Dimension, Index, phat};

use super::index::of_either;
use super::read::{AnyComplex, LoadedComplex, MatrixFormat};
use crate::cells::{AnyImageComplex, ImageComplex};
use crate::cubical::AnyImage;
use crate::cubical::value::Inexact;
use crate::parallel;

/// A cell whose dimension does not follow from its column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "format matrix-market: expected cells whose dimension is one above that of their boundary, or 0 without one, found cell {cell} of dimension {dim}; npz, phat-binary and dipha hold dimensions"
)]
#[non_exhaustive]
pub struct UntoldDimension {
    /// The cell, counted from 0.
    pub cell: usize,
    /// Dimension of the cell.
    pub dim: Dimension,
}

impl AnyComplex {
    /// The complex of an image for a file of this format, with values if the file holds them. `image` and `superlevel`
    /// must be those from which the complex was built.
    ///
    /// # Errors
    /// [`Inexact`]: the file holds values as doubles, and an integer value is not exact as a double.
    pub fn of_image(
        complex: AnyImageComplex,
        image: &AnyImage,
        superlevel: bool,
        format: MatrixFormat,
    ) -> Result<Self, Inexact> {
        Ok(match complex {
            AnyImageComplex::Narrow(complex) => {
                AnyComplex::Narrow(complex_of_image(complex, image, superlevel, format)?)
            }
            AnyImageComplex::Wide(complex) => {
                AnyComplex::Wide(complex_of_image(complex, image, superlevel, format)?)
            }
        })
    }

    /// Checks that a format can hold the dimensions of all cells.
    ///
    /// # Errors
    /// [`UntoldDimension`]: the first cell whose dimension is lost.
    pub fn check_dimensions(&self, format: MatrixFormat) -> Result<(), UntoldDimension> {
        match format {
            MatrixFormat::MatrixMarket => {
                of_either!(AnyComplex, self, complex => check_dimensions(&complex.matrix))
            }
            _ => Ok(()),
        }
    }

    /// Whether the cells have values that a format cannot hold.
    pub fn loses_values(&self, format: MatrixFormat) -> bool {
        self.has_values() && format != MatrixFormat::Dipha
    }

    /// Whether the cells have values.
    pub fn has_values(&self) -> bool {
        of_either!(AnyComplex, self, complex => complex.values.is_some())
    }

    /// Writes the boundary matrix to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; an error of which [`UntoldDimension`] is the source.
    pub fn write(self, format: MatrixFormat, out: &mut dyn Write) -> io::Result<()> {
        self.check_dimensions(format).map_err(io::Error::other)?;
        of_either!(AnyComplex, self, complex => write_complex(complex, format, out))
    }
}

/// The values of a file of DIPHA ascend: those of superlevel sets are negated.
fn complex_of_image<I: Index>(
    complex: ImageComplex<I>,
    image: &AnyImage,
    superlevel: bool,
    format: MatrixFormat,
) -> Result<LoadedComplex<I>, Inexact> {
    let ImageComplex { matrix, owners, max_dim, .. } = complex;
    let value = |owner: &I| {
        let x = image.exact(owner.to_usize()).exact_double()?;
        // Adding zero turns −0 into 0.
        Ok(if superlevel { 0.0 - x } else { x + 0.0 })
    };
    let mut loaded = LoadedComplex { max_dim, ..LoadedComplex::of(matrix) };
    if format == MatrixFormat::Dipha {
        let parts: Vec<&[I]> = owners.chunks(1 << 13).collect();
        let parts = parallel::map(parts.len(), &|part| parts[part].iter().map(value).collect());
        loaded.values = Some(parts.into_iter().collect::<Result<Vec<Vec<f64>>, Inexact>>()?.concat());
    }
    Ok(loaded)
}

fn write_complex<I: Index>(
    complex: LoadedComplex<I>,
    format: MatrixFormat,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let LoadedComplex { matrix, values, max_dim, .. } = complex;
    match format {
        MatrixFormat::PhatAscii => phat::matrix::write_ascii(&mut out, &matrix),
        MatrixFormat::PhatBinary => phat::matrix::write_binary(&mut out, &matrix),
        MatrixFormat::Npz => npz::write(&matrix, out),
        MatrixFormat::MatrixMarket => matrix_market::write(&matrix, out),
        MatrixFormat::Dipha => {
            let values = values.unwrap_or_else(|| (0..matrix.len()).map(|cell| cell as f64).collect());
            let complex = WeightedBoundaryMatrix { matrix, values, max_dim };
            write_boundary_matrix(&mut out, &complex, Flavour::Boundary)
        }
    }
}

fn check_dimensions<I: Index>(matrix: &BoundaryMatrix<I>) -> Result<(), UntoldDimension> {
    let follows = |cell: usize| match matrix.column(cell) {
        [] => 0,
        [row, ..] => u32::from(matrix.dim(row.to_usize())) + 1,
    };
    match (0..matrix.len()).find(|&cell| u32::from(matrix.dim(cell)) != follows(cell)) {
        Some(cell) => Err(UntoldDimension { cell, dim: matrix.dim(cell) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::read::{MatrixReadOptions, read_source};

    /// A triangle with its faces; and optionally a circle glued to a vertex, which is a cell of dimension 1 without
    /// boundary.
    fn complex(with_circle: bool) -> AnyComplex {
        let mut matrix = BoundaryMatrix::<u32>::new();
        for (dim, rows) in
            [(0, &[][..]), (0, &[]), (0, &[]), (1, &[0, 1]), (1, &[0, 2]), (1, &[1, 2]), (2, &[3, 4, 5])]
        {
            matrix.push(dim, rows).unwrap();
        }
        if with_circle {
            matrix.push(1, &[]).unwrap();
        }
        AnyComplex::Narrow(LoadedComplex { matrix, values: None, max_dim: 2, cut: false })
    }

    fn cells(complex: &AnyComplex) -> Vec<(Dimension, Vec<u32>)> {
        let AnyComplex::Narrow(complex) = complex else { panic!("wide") };
        let matrix = &complex.matrix;
        (0..matrix.len()).map(|cell| (matrix.dim(cell), matrix.column(cell).to_vec())).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for format in MatrixFormat::ALL {
            for with_circle in [false, true] {
                let complex = complex(with_circle);
                let mut file = Vec::new();
                let written = complex.clone().write(format, &mut file);
                if with_circle && format == MatrixFormat::MatrixMarket {
                    assert!(written.unwrap_err().to_string().contains("found cell 7 of dimension 1"));
                    continue;
                }
                written.unwrap();
                let read = read_source("file", &file[..], &MatrixReadOptions::default()).unwrap();
                assert_eq!(cells(&read.input), cells(&complex), "{format}");
                assert_eq!(read.format.to_string(), format.to_string());
            }
        }
    }

    #[test]
    fn values_are_those_of_the_file_or_places() {
        let mut file = Vec::new();
        complex(false).write(MatrixFormat::Dipha, &mut file).unwrap();
        let AnyComplex::Narrow(read) =
            read_source("file", &file[..], &MatrixReadOptions::default()).unwrap().input
        else {
            panic!("wide")
        };
        assert_eq!(read.values, Some(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let read = AnyComplex::Narrow(read);
        assert!(read.loses_values(MatrixFormat::Npz) && !read.loses_values(MatrixFormat::Dipha));
        assert!(!complex(false).loses_values(MatrixFormat::PhatAscii));
    }
}
