//! Readers of barcodes, one per format, and format detection.
//!
//! | format | content | reader |
//! |---|---|---|
//! | `ripser` | the output of Ripser, and of `lacuna rips` as text | `ripser` |
//! | `csv` | one line per bar, `dim,birth,death`; further columns of simplices, or CubicalRipser's coordinates, are ignored | `csv` |
//! | `json` | an object with `bars`, or with `pairs` of cells, as [`crate::output`] writes them | `json` |
//! | `npy` | NumPy array, one row per bar: dim, birth, death; or CubicalRipser's nine or eleven columns | `npy` |
//! | `npz` | archive of NumPy arrays, of which `bars` is one as above, or `pairs` has one row per pair of cells; or one array per dimension, of rows birth, death, whose name ends with the dimension (`arr_0`, `arr_1`: what `numpy.savez(file, *dgms)` writes of ripser.py's and giotto-ph's diagrams) | `npy` |
//! | `dipha` | DIPHA file type 2, persistence diagram | [`phat_formats::dipha`] |
//! | `gudhi` | GUDHI's text: dimension, birth, death, with or without the characteristic in front | `table` |
//! | `perseus` | Perseus' output `name_d.txt`: birth and death in dimension d, death −1 for essential bars | `table` |
//! | `phat-ascii` | PHAT's text: number of pairs, then one line per pair of cells | [`phat_formats::phat::pairs`] |
//! | `phat-binary` | the same as little-endian 64-bit integers | [`phat_formats::phat::pairs`] |
//!
//! Files of every format may be compressed with gzip.
//!
//! Essential bars are written ` [b, )` by Ripser, with the death `inf` in `csv`, `npy` and `npz` (of superlevel sets
//! `-inf`; of CubicalRipser the greatest double), with the death `null` in `json`, and with the dimension −d − 1 by DIPHA. NaN is an error everywhere. A `csv` file of whole numbers can hold
//! bars or pairs of cells: it is compared with either.
//!
//! **Detection.** Without a format, the first rule that holds decides:
//!
//! | the file | is read as |
//! |---|---|
//! | begins with NumPy's magic bytes | `npy` |
//! | has the magic number of zip archives | `npz` |
//! | begins with DIPHA's magic number | `dipha` |
//! | is not text | `phat-binary` |
//! | has only blanks | an error |
//! | begins with `{` | `json` |
//! | has a line that begins with `persistence intervals in dim` | `ripser` |
//! | has a comma in its first non-blank line | `csv` |
//! | has a single number there | `phat-ascii` |
//! | has two numbers there, and a name that ends with a dimension, such as `name_1.txt` | `perseus` |
//! | has three or four numbers there | `gudhi` |
//! | is any other text | an error |

mod csv;
mod detect;
pub(crate) mod json;
mod npy;
mod number;
pub(super) mod ripser;
mod table;

use std::borrow::Cow;
use std::path::Path;

use phat_formats::{FormatError, dipha, phat};

use serde::Serialize;
use strum::VariantArray;

use super::{Barcode, Bars, CellPairs};
use crate::input::text::{lines, plain};
use crate::input::{self, gzip, npz, source};
use crate::names::named;

/// A format of barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BarcodeFormat {
    /// Ripser's text.
    Ripser,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays with an array `bars`.
    Npz,
    /// DIPHA persistence diagram (file type 2).
    Dipha,
    /// GUDHI's text: dimension, birth, death.
    Gudhi,
    /// Perseus' output: birth, death; the name ends with the dimension.
    Perseus,
    /// PHAT's pairs as text.
    PhatAscii,
    /// PHAT's pairs in binary.
    PhatBinary,
}

named!(BarcodeFormat, "format");

impl input::Formats for BarcodeFormat {
    const REMEDY: &'static str = "a format can be given";
}

/// A problem of a barcode file.
pub type Problem = input::Problem;

/// The error of a barcode that cannot be read.
pub type ReadError = input::ReadError<BarcodeFormat>;

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The barcode.
    pub barcode: Barcode,
    /// The format that was read.
    pub format: BarcodeFormat,
    /// The reason for this format, if it was detected.
    pub detection: Option<&'static str>,
    /// Content of the file besides the barcode, which was not read.
    pub left_out: Option<&'static str>,
}

/// Reads the file at `path`, or standard input if it is `-`. Without a format, the content decides.
///
/// # Errors
/// The file cannot be read, or its content violates its format.
pub fn read_path(path: &Path, format: Option<BarcodeFormat>) -> Result<Loaded, ReadError> {
    let name = source::name_of(path);
    let bytes = source::read_all(path).map_err(|error| ReadError::Io { file: name.clone(), error })?;
    read_bytes(&name, &bytes, format)
}

/// Reads the content of a file; `name` is used in messages.
///
/// # Errors
/// The content violates its format.
pub fn read_bytes(name: &str, bytes: &[u8], format: Option<BarcodeFormat>) -> Result<Loaded, ReadError> {
    let malformed = |format, detection: Option<&str>, problem| {
        ReadError::of(name.to_owned(), format, detection.map(str::to_owned), problem)
    };
    let bytes = &*unpacked(bytes).map_err(|problem| malformed(format, None, problem))?;
    let (format, detection) = match format {
        Some(format) => (format, None),
        None => {
            let found = detect::detect(name, bytes).map_err(|problem| malformed(None, None, problem))?;
            (found.0, Some(found.1))
        }
    };
    let barcode =
        read_as(name, bytes, format).map_err(|problem| malformed(Some(format), detection, problem))?;
    Ok(Loaded { barcode, format, detection, left_out: left_out(bytes, format) })
}

/// The content of a file that may be compressed with gzip. The number of pairs of a binary file of PHAT may have the
/// bytes with which compressed files begin; the file then has the length that this number implies.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Problem> {
    let pairs = bytes.first_chunk().map(|&word| u64::from_le_bytes(word));
    let length = pairs.and_then(|pairs| pairs.checked_mul(16)?.checked_add(8));
    if length == Some(bytes.len() as u64) {
        return Ok(Cow::Borrowed(bytes));
    }
    gzip::unpacked(bytes)
}

/// Description of the content of a valid file besides the barcode.
fn left_out(bytes: &[u8], format: BarcodeFormat) -> Option<&'static str> {
    let is_there = match format {
        BarcodeFormat::Csv => {
            let text = plain(bytes);
            let first = lines(&text).map(|line| &text[line]).find(|line| !line.trim_ascii().is_empty());
            first.is_some_and(|line| line.iter().filter(|&&byte| byte == b',').count() > 2)
        }
        BarcodeFormat::Json => memchr::memmem::find(bytes, b"\"representatives\"").is_some(),
        BarcodeFormat::Npz => {
            let read = |name: &str| matches!(name, "bars" | "pairs" | "essential");
            let names = npz::arrays_of_archive(bytes);
            names.iter().any(|name| read(name)) && names.iter().any(|name| !read(name))
        }
        _ => false,
    };
    is_there.then_some("the simplices or cycles of the file")
}

fn read_as(name: &str, bytes: &[u8], format: BarcodeFormat) -> Result<Barcode, Problem> {
    let text = || plain(bytes);
    match format {
        BarcodeFormat::Ripser => ripser::read(&text()).map(Barcode::Bars),
        BarcodeFormat::Csv => csv::read(&text()).map(Barcode::Bars),
        BarcodeFormat::Json => json::read(&text()),
        BarcodeFormat::Npy => npy::read(bytes).map(Barcode::Bars),
        BarcodeFormat::Npz => npy::read_archive(&npz::Archive::open(bytes)?),
        BarcodeFormat::Dipha => read_dipha(bytes).map(Barcode::Bars),
        BarcodeFormat::Gudhi => table::read(&text(), name, false).map(Barcode::Bars),
        BarcodeFormat::Perseus => table::read(&text(), name, true).map(Barcode::Bars),
        BarcodeFormat::PhatAscii => cell_pairs(phat::pairs::read_ascii(&text())),
        BarcodeFormat::PhatBinary => cell_pairs(phat::pairs::read_binary(bytes)),
    }
}

fn read_dipha(bytes: &[u8]) -> Result<Bars, Problem> {
    let points = dipha::read_diagram(bytes)?;
    Ok(Bars { ends: true, tells_essential: true, ..Bars::new(points) })
}

fn cell_pairs(pairs: Result<Vec<(u64, u64)>, FormatError>) -> Result<Barcode, Problem> {
    Ok(Barcode::CellPairs(CellPairs { pairs: pairs?, essential: None }))
}

#[cfg(test)]
mod tests;
