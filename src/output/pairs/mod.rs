//! Writers of persistence pairs, one per format.
//!
//! | format | module | content |
//! |---|---|---|
//! | `phat-ascii`, `phat-binary` | [`phat_formats::phat::pairs`] | pairs of cells, as PHAT writes them, byte for byte |
//! | `dipha` | [`phat_formats::dipha`] | a persistence diagram, as DIPHA writes it |
//! | `csv` | [`crate::output::csv`] | one line per class: `dim,birth,death` |
//! | `json` | [`json`] | an object: pairs and essential classes, or bars; and cycles |
//! | `npz` | [`npz`] | an archive of NumPy arrays with the same content |
//!
//! `dipha`, `csv`, `json` and `npz` hold filtration values if the input has them, and otherwise the numbers of cells,
//! from 0. With values, classes that die at their birth value are left out, and so are essential classes of the
//! greatest dimension if the filtration was cut above it, since the cells that would kill them are missing. The rest
//! is the barcode.
//!
//! # DIPHA
//! Sorted by (dim, birth, death), where an essential class has dimension −dim − 1 and dies at the greatest value of
//! the filtration. Essential classes of the greatest dimension are never written, as in DIPHA, whether the filtration
//! was cut or not.
//!
//! # CSV
//! ```text
//! dim,birth,death
//! 0,1,3
//! 0,0,inf
//! ```
//! Without values: pairs by birth, then essential classes by birth. With values: by dimension, then by (birth,
//! death).
//!
//! # JSON
//! Without values, and then with values:
//! ```text
//! {"cells":4,"pairs":[
//! [1,3]
//! ],"essential":[0,2]}
//! ```
//! ```text
//! {"cells":4,"bars":[
//! {"dim":0,"birth":0.0,"death":1.5},
//! {"dim":0,"birth":0.0,"death":null}
//! ]}
//! ```
//! | key | value |
//! |---|---|
//! | `cells` | the number of cells |
//! | `pairs` | the pairs \[birth, death\], by birth |
//! | `essential` | the cells in no pair, ascending |
//! | `bars` | the barcode; the `death` of an essential bar is `null`, any other infinite value the string `inf` or `-inf` |
//! | `representatives` | only if cycles were requested: an object for each chosen class, pairs by birth, then essential classes by birth |
//!
//! | key of a representative | value |
//! |---|---|
//! | `dim` | the dimension of the class |
//! | `birth`, `death` | with values only: the values of the next two cells, as in `bars` |
//! | `birth_cell`, `death_cell` | the cells that create and destroy the class; `null` for the death of an essential class |
//! | `cycle` | the cells of the cycle, ascending: columns of the file, counted from 0 |
//!
//! # NPZ
//! | array | content |
//! |---|---|
//! | `pairs`, `essential` | int64, m × 2 and k: as in JSON |
//! | `bars` | with values, instead of the previous row: doubles, one row per bar: dim, birth, death; an essential bar dies at infinity |
//! | `dims`, `births`, `deaths` | int64, c: the dimension of each chosen class, the cell that creates it and the one that destroys it, −1 for an essential class |
//! | `cells` | int64: the concatenated cells of all cycles, ascending in each |
//! | `offsets` | int64, c + 1: the start of each cycle in `cells`, and then the number of all cells |
//!
//! All arrays but those of the first two rows exist only if cycles were requested.

pub mod json;
pub mod npz;
mod solution;

use std::io::{self, Write};

use phat_formats::{dipha, phat};
use serde::Serialize;
use strum::VariantArray;

use crate::matrix::Index;
use crate::matrix::any::{AnyReduced, Reduced};
use crate::matrix::read::LoadedComplex;
use crate::names::named;
use crate::output::csv;

pub use solution::Solution;

/// A format of persistence pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PairsFormat {
    /// PHAT's text.
    #[default]
    PhatAscii,
    /// PHAT's binary file.
    PhatBinary,
    /// A DIPHA persistence diagram.
    Dipha,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// An archive of NumPy arrays.
    Npz,
}

impl PairsFormat {
    /// Whether the format can hold cycles.
    pub fn holds_cycles(self) -> bool {
        matches!(self, PairsFormat::Json | PairsFormat::Npz)
    }

    /// Writes `solution` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write<I: Index>(self, solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
        let mut out = out;
        match self {
            PairsFormat::PhatAscii => phat::pairs::write_ascii(&mut out, solution.cell_pairs()),
            PairsFormat::PhatBinary => phat::pairs::write_binary(&mut out, solution.cell_pairs()),
            PairsFormat::Dipha => dipha::write_diagram(&mut out, solution.dipha_points().into_iter()),
            PairsFormat::Csv => csv::write(&solution.table(), csv::push_without_plus, None, out),
            PairsFormat::Json => json::write(solution, out),
            PairsFormat::Npz => npz::write(solution, out),
        }
    }

    /// Like [`PairsFormat::write`], for a matrix of either index width.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_any(self, reduced: &AnyReduced<'_>, out: &mut dyn Write) -> io::Result<()> {
        match reduced {
            AnyReduced::Narrow(reduced) => self.write(&solution_of(reduced), out),
            AnyReduced::Wide(reduced) => self.write(&solution_of(reduced), out),
        }
    }
}

named!(PairsFormat);

/// Converts a reduced matrix for the writers.
pub(crate) fn solution_of<'a, I>(reduced: &'a Reduced<'a, I>) -> Solution<'a, I> {
    let &LoadedComplex { ref matrix, ref values, max_dim, cut } = reduced.cells;
    let cycles = reduced.cycles.as_ref();
    Solution { matrix, pairs: &reduced.pairs, values: values.as_deref(), max_dim, cut, cycles }
}

#[cfg(test)]
mod tests;
