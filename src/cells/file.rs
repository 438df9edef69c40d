//! Writes the complex of an image to a file of its boundary matrix, for any width of cell numbers.

use std::io::{self, Write};

use phat_formats::Index;
use phat_formats::dipha::WeightedBoundaryMatrix;
use rayon::prelude::*;
use serde::Serialize;
use strum::VariantArray;

use super::{ComplexError, ImageComplex, image_complex};
use crate::cubical::value::Inexact;
use crate::cubical::{AnyImage, Construction};
use crate::matrix::write::{write_plain, write_weighted};
use crate::names::named;
use crate::progress::Progress;

/// A file format for boundary matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MatrixFile {
    /// PHAT's text.
    PhatAscii,
    /// PHAT's binary file.
    PhatBinary,
    /// DIPHA's weighted boundary matrix (file type 0), which holds the values as well.
    Dipha,
    /// SciPy's sparse matrix, compressed columns, with the dimensions of the cells.
    Npz,
    /// Matrix Market's text.
    MatrixMarket,
}

named!(MatrixFile);

/// The complex of an image with cell numbers of sufficient width.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyImageComplex {
    /// Cells are numbered by 32 bits.
    Narrow(ImageComplex<u32>),
    /// Cells are numbered by 64 bits.
    Wide(ImageComplex<u64>),
}

impl AnyImageComplex {
    /// Like [`super::image_complex`], with the smallest width that numbers all cells and entries.
    ///
    /// # Errors
    /// There are more cells or entries than 64 bits can number; or there is not enough memory.
    pub fn new(
        image: &AnyImage,
        construction: Construction,
        superlevel: bool,
        upper_dim: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Self, ComplexError> {
        match image_complex(image, construction, superlevel, upper_dim, progress) {
            Err(ComplexError::TooLarge { .. }) => {
                image_complex(image, construction, superlevel, upper_dim, progress).map(AnyImageComplex::Wide)
            }
            complex => complex.map(AnyImageComplex::Narrow),
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        match self {
            AnyImageComplex::Narrow(complex) => complex.matrix.len(),
            AnyImageComplex::Wide(complex) => complex.matrix.len(),
        }
    }

    /// Number of ones of the boundary matrix.
    pub fn entries(&self) -> usize {
        match self {
            AnyImageComplex::Narrow(complex) => complex.matrix.entries(),
            AnyImageComplex::Wide(complex) => complex.matrix.entries(),
        }
    }

    /// Writes the boundary matrix to `out`, unbuffered: pass a buffered writer. `image` and `superlevel` must be
    /// those from which the complex was built.
    ///
    /// # Errors
    /// Errors of `out`; an error of which [`Inexact`] is the source, if the file holds values as doubles and an
    /// integer value is not exact as a double.
    pub fn write(
        self,
        format: MatrixFile,
        image: &AnyImage,
        superlevel: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            AnyImageComplex::Narrow(complex) => write(complex, format, image, superlevel, out),
            AnyImageComplex::Wide(complex) => write(complex, format, image, superlevel, out),
        }
    }
}

fn write<I: Index>(
    complex: ImageComplex<I>,
    format: MatrixFile,
    image: &AnyImage,
    superlevel: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        MatrixFile::Dipha => write_dipha(complex, image, superlevel, out),
        _ => write_plain(&complex.matrix, format, out),
    }
}

/// Writes a DIPHA file, in which values must ascend: those of superlevel sets are negated.
fn write_dipha<I: Index>(
    complex: ImageComplex<I>,
    image: &AnyImage,
    superlevel: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ImageComplex { matrix, owners, max_dim } = complex;
    let values = owners.par_iter().map(|owner| {
        let x = image.exact(owner.to_usize()).exact_double()?;
        // Adding zero turns −0 into 0.
        Ok::<_, Inexact>(if superlevel { 0.0 - x } else { x + 0.0 })
    });
    let values = values.collect::<Result<_, _>>().map_err(io::Error::other)?;
    write_weighted(WeightedBoundaryMatrix { matrix, values, max_dim }, out)
}
