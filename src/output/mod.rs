//! Writers of Vietoris–Rips barcodes, one per output format. Writers of persistence pairs are in [`pairs`], those of
//! the bars of images in [`images`], those of drawn cycles in [`geometry`], and those of the graphs of skeletons in
//! [`skeletons`].
//!
//! | format | module | content |
//! |---|---|---|
//! | `text` | [`text`] | the output of Ripser 1.2.1, byte for byte |
//! | `csv` | [`csv`] | one line per bar: `dim,birth,death` |
//! | `json` | [`json`] | an object: the bars and the statistics of the run |
//! | `npy` | [`npy`] | a NumPy array of doubles, one row per bar: dim, birth, death |
//! | `npz` | [`npz`] | an archive of NumPy arrays: the bars, and the simplices of their representatives |
//!
//! All formats hold the same bars in the same order: by dimension, then as in [`Diagram`]. Text rounds to six
//! significant digits; the others hold exact doubles (a single-precision distance is exact as a double).
//!
//! # Text
//! Header lines that depend on the input, then for each dimension the line `persistence intervals in dim k:` and one
//! line per bar, ` [birth,death)`, or ` [birth, )` for an essential one. See [`text`] for the headers.
//!
//! # CSV
//! ```text
//! dim,birth,death
//! 0,0.0,1.5
//! 0,0.0,inf
//! ```
//! With representatives there are two more columns, `birth_simplex` and `death_simplex`: the vertices of each,
//! ascending, separated by blanks; empty if a bar is essential or not chosen. Lines end with `\n`; an essential bar
//! dies at `inf`; numbers are the shortest that read back as the same double.
//!
//! # JSON
//! ```text
//! {"points":2,"modulus":2,"threshold":1.5,"max_dim":0,"bars":[
//! {"dim":0,"birth":0.0,"death":1.5},
//! {"dim":0,"birth":0.0,"death":null}
//! ]}
//! ```
//! | key | value |
//! |---|---|
//! | `points` | number of points |
//! | `modulus` | p, the coefficients are Z/p |
//! | `threshold` | the greatest diameter of the filtration, `null` for infinity |
//! | `max_dim` | the highest dimension computed |
//! | `unfinished` | only if the run reached its time limit: the dimensions that were requested but not computed |
//! | `landmarks`, `covering_radius` | only if landmarks were chosen: their numbers among all points, and the greatest distance of a point to its nearest landmark |
//! | `bars` | the bars; the `death` of an essential one is `null` |
//! | `representatives` | only if representatives were requested: an object for each chosen bar, in the order of `bars`, with the keys below |
//!
//! | key of a representative | value |
//! |---|---|
//! | `dim`, `index` | the dimension of the bar, and its index among the bars of that dimension, from 0 |
//! | `birth`, `death` | as in `bars` |
//! | `birth_simplex`, `death_simplex` | the vertices of the simplices with which the class is born and dies, ascending; `null` for the death of an essential bar |
//! | `birth_edge`, `death_edge` | the longest edge of each, whose length is the birth or the death; `null` for the birth in dimension 0 and for the death of an essential bar |
//!
//! # NPY
//! Version 1.0, dtype `<f8`, C order, shape (bars, 3); an essential bar dies at infinity.
//!
//! # NPZ
//! | array | content |
//! |---|---|
//! | `bars` | as in NPY |
//! | `index_d` | int64, m: the indices of the m chosen bars of dimension d among the bars of that dimension, from 0 |
//! | `birth_simplices_d` | int64, m × (d + 1): the vertices of their birth simplices, ascending |
//! | `death_simplices_d` | int64, m × (d + 2): the vertices of their death simplices; a row of −1 for an essential bar |
//! | `birth_edges_d` | int64, m × 2: the longest edges of their birth simplices; absent in dimension 0 |
//! | `death_edges_d` | int64, m × 2: the longest edges of their death simplices; a row of −1 for an essential bar |
//!
//! All arrays but `bars` exist only if representatives were requested, for each computed dimension d.

pub mod csv;
pub mod curves;
pub mod geometry;
pub mod images;
pub mod json;
mod lines;
pub(crate) mod naming;
pub mod npy;
pub mod npz;
pub mod number;
pub mod pairs;
pub mod skeletons;
mod table;
pub mod text;
pub mod vectors;

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use crate::diagram::Diagram;
use crate::names::named;
use crate::rips::{Landmarks, Representatives, Summary};

pub use table::{BarTable, Row};

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputFormat {
    /// Ripser's text.
    #[default]
    Text,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays.
    Npz,
}

/// A barcode with the other data that the formats store.
#[derive(Debug, Clone, Copy)]
pub struct Barcode<'a> {
    /// The bars.
    pub diagram: &'a Diagram,
    /// Statistics of the input.
    pub summary: &'a Summary,
    /// The prime p of the coefficient field Z/p.
    pub modulus: u16,
    /// The landmarks, if not all points were used.
    pub landmarks: Option<&'a Landmarks>,
    /// Representatives of the diagram's bars, for the formats that [hold](OutputFormat::holds_representatives) them.
    pub representatives: Option<&'a Representatives>,
    /// The requested dimensions that are missing because the run was ended early.
    pub unfinished: &'a [usize],
}

impl OutputFormat {
    /// Whether the format can hold representatives.
    pub fn holds_representatives(self) -> bool {
        matches!(self, OutputFormat::Csv | OutputFormat::Json | OutputFormat::Npz)
    }

    /// Writes `barcode` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(self, barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            OutputFormat::Text => text::write(barcode, out),
            OutputFormat::Csv => {
                let table = BarTable::of_diagram(barcode.diagram);
                csv::write(&table, csv::push_without_plus, barcode.representatives, out)
            }
            OutputFormat::Json => json::write(barcode, out),
            OutputFormat::Npy => npy::write(&BarTable::of_diagram(barcode.diagram), out),
            OutputFormat::Npz => npz::write(barcode, out),
        }
    }
}

named!(OutputFormat);
