//! One writer per format of persistence pairs.
//!
//! | format | module | what it holds |
//! |---|---|---|
//! | `phat-ascii`, `phat-binary` | [`phat_formats::phat::pairs`] | pairs of cells, as PHAT writes them, byte for byte |
//! | `dipha` | [`phat_formats::dipha`] | a persistence diagram, as DIPHA writes it |
//! | `csv` | [`csv`] | a line a class: `dim,birth,death` |
//! | `json` | [`json`] | an object: pairs and essential classes, or bars |
//!
//! `dipha`, `csv` and `json` hold filtration values where the input has them, and else the numbers of cells, from 0.
//! With values, classes that are killed where they are born are left out, and essential classes of the greatest dimension are
//! where the filtration was cut off above it: there the cells that would kill them are missing. What is left is the
//! barcode.
//!
//! # DIPHA
//! Sorted by (dim, birth, death), where an essential class has dimension −dim − 1 and dies at the greatest value of the
//! filtration. Essential classes of the greatest dimension are never written, cut off or not: DIPHA does not.
//!
//! # CSV
//! ```text
//! dim,birth,death
//! 0,1,3
//! 0,0,inf
//! ```
//! LoadedComplex: pairs by birth, then essential classes by birth. Values: by dimension, then by (birth, death).
//!
//! # JSON
//! LoadedComplex, and then values:
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

pub mod csv;
pub mod json;
mod solution;

use std::io::{self, Write};

use phat_formats::{dipha, phat};
use serde::Serialize;

use crate::matrix::any::{AnyReduced, Reduced};
use crate::matrix::read::LoadedComplex;
use crate::matrix::{Index, Pairs};
use crate::names::named;

pub use solution::{Class, Solution, ValuedClass};

/// A format of persistence pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
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
}

impl PairsFormat {
    /// Every format.
    pub const ALL: [PairsFormat; 5] = [
        PairsFormat::PhatAscii,
        PairsFormat::PhatBinary,
        PairsFormat::Dipha,
        PairsFormat::Csv,
        PairsFormat::Json,
    ];

    /// Writes `solution` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write<I: Index>(self, solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
        let mut out = out;
        match self {
            PairsFormat::PhatAscii => phat::pairs::write_ascii(&mut out, solution.cell_pairs()),
            PairsFormat::PhatBinary => phat::pairs::write_binary(&mut out, solution.cell_pairs()),
            PairsFormat::Dipha => dipha::write_diagram(&mut out, solution.dipha_points().into_iter()),
            PairsFormat::Csv => csv::write(solution, out),
            PairsFormat::Json => json::write(solution, out),
        }
    }

    /// Like [`PairsFormat::write`], of a matrix of either index width.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write_any(self, reduced: &AnyReduced<'_>, out: &mut dyn Write) -> io::Result<()> {
        match reduced {
            AnyReduced::Narrow(Reduced { cells, pairs }) => self.write(&solution_of(cells, pairs), out),
            AnyReduced::Wide(Reduced { cells, pairs }) => self.write(&solution_of(cells, pairs), out),
        }
    }
}

named!(PairsFormat);

fn solution_of<'a, I>(cells: &'a LoadedComplex<I>, pairs: &'a Pairs<I>) -> Solution<'a, I> {
    let &LoadedComplex { ref matrix, ref values, max_dim, cut } = cells;
    Solution { matrix, pairs, values: values.as_deref(), max_dim, cut }
}

#[cfg(test)]
mod tests;
