//! Writers of barcodes and pairs to files that [`read`](super::read) reads back.
//!
//! | format | bars | pairs of cells |
//! |---|---|---|
//! | `text` | Ripser's lines, for superlevel sets after a header that says so, with the fewest digits that read back as the same double | |
//! | `csv` | one line per bar, `dim,birth,death`, with essential deaths `inf` | |
//! | `json` | `{"bars": [{"dim", "birth", "death"}, …]}`, for superlevel sets with `"superlevel": true` | `{"pairs": [[birth, death], …], "essential": [cell, …]}` |
//! | `npy` | one row per bar: dim, birth, death | |
//! | `npz` | an array `bars`, as in `npy` | arrays `pairs` and `essential` |
//! | `dipha` | DIPHA's persistence diagram | |
//! | `phat-ascii`, `phat-binary` | | PHAT's pairs, without the cells of essential classes |
//!
//! Bars keep their order except in `text`, which groups them by dimension, and in `dipha`, which has DIPHA's order.
//! In `dipha`, essential bars die at the end of the filtration, or at the greatest finite value of the bars if that
//! is unknown; in other formats at infinity, or at `-inf` for superlevel sets.

use std::collections::BTreeSet;
use std::io::{self, Write};

use phat_formats::dipha::{DiagramPoint, write_diagram};
use phat_formats::phat;
use serde::Serialize;
use strum::VariantArray;

use crate::compare::read::Problem;
use crate::compare::read::ripser::SUPERLEVEL;
use crate::compare::{Barcode, Bars, CellPairs, Kind};
use crate::cubical::Value;
use crate::input::Place;
use crate::names::named;
use crate::output::json::Object;
use crate::output::npz::Archive;
use crate::output::text::{self, Digits};
use crate::output::{BarTable, Row, csv, npy};

/// The formats to which barcodes can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BarcodeFile {
    /// Ripser's text, with all digits.
    Text,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays.
    Npz,
    /// DIPHA's persistence diagram.
    Dipha,
    /// PHAT's pairs as text.
    PhatAscii,
    /// PHAT's pairs in binary.
    PhatBinary,
}

named!(BarcodeFile);

impl BarcodeFile {
    /// Whether the format can hold barcodes of a kind.
    pub fn holds_kind(self, kind: Kind) -> bool {
        match self {
            BarcodeFile::Json | BarcodeFile::Npz => true,
            BarcodeFile::PhatAscii | BarcodeFile::PhatBinary => kind == Kind::CellPairs,
            BarcodeFile::Text | BarcodeFile::Csv | BarcodeFile::Npy | BarcodeFile::Dipha => {
                kind == Kind::Bars
            }
        }
    }

    /// The format of a file for a barcode whose name stands for this one: text is the format of bars and of pairs alike.
    pub fn of_content(self, barcode: &Barcode) -> BarcodeFile {
        match (self, barcode) {
            (BarcodeFile::Text, Barcode::CellPairs(_)) => BarcodeFile::PhatAscii,
            _ => self,
        }
    }

    /// Whether the format omits the essential classes of a barcode.
    pub fn loses_essential(self, barcode: &Barcode) -> bool {
        let leaves_out = matches!(self, BarcodeFile::PhatAscii | BarcodeFile::PhatBinary);
        matches!(barcode, Barcode::CellPairs(CellPairs { essential: Some(cells), .. }) if leaves_out && !cells.is_empty())
    }

    /// Checks that the format can hold a barcode.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn holds(self, barcode: &Barcode) -> Result<(), Problem> {
        let refused = |expected: &str, found: String| {
            Err(Problem::new(Place::Named(format!("format {self}")), expected, found))
        };
        if !self.holds_kind(barcode.kind()) {
            let expected = if barcode.kind() == Kind::Bars { Kind::CellPairs } else { Kind::Bars };
            return refused(&expected.to_string(), barcode.kind().to_string());
        }
        match barcode {
            Barcode::Bars(bars) if !matches!(self, BarcodeFile::Json | BarcodeFile::Dipha) => {
                let untold = |bar: &&DiagramPoint| !bar.essential && bar.death.is_infinite();
                let Some(DiagramPoint { dim, .. }) = bars.bars.iter().find(untold) else { return Ok(()) };
                let found =
                    format!("a bar of dimension {dim} that does and is none; json and dipha tell them apart");
                refused("essential bars alone to die at infinity", found)
            }
            Barcode::Bars(_) => Ok(()),
            Barcode::CellPairs(pairs) => match cells(pairs).find(|&cell| i64::try_from(cell).is_err()) {
                Some(cell) => refused("numbers of cells below 2^63", cell.to_string()),
                None => Ok(()),
            },
        }
    }

    /// Writes a barcode that the format [can hold](BarcodeFile::holds) to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; the format cannot hold the barcode.
    pub fn write(self, barcode: &Barcode, mut out: &mut dyn Write) -> io::Result<()> {
        self.holds(barcode).map_err(io::Error::other)?;
        match (self, barcode) {
            (BarcodeFile::Text, Barcode::Bars(bars)) => write_text(bars, out),
            (BarcodeFile::Csv, Barcode::Bars(bars)) => csv::write(&table(bars), Value::push, None, out),
            (BarcodeFile::Json, Barcode::Bars(bars)) => write_json(bars, out),
            (BarcodeFile::Json, Barcode::CellPairs(pairs)) => {
                let object = PairsObject { pairs: &pairs.pairs, essential: pairs.essential.as_deref() };
                serde_json::to_writer(&mut out, &object)?;
                out.write_all(b"\n")
            }
            (BarcodeFile::Npy, Barcode::Bars(bars)) => npy::write(&table(bars), out),
            (BarcodeFile::Npz, Barcode::Bars(bars)) => {
                let mut archive = Archive::new(out);
                archive.bars(&table(bars))?;
                archive.finish()
            }
            (BarcodeFile::Npz, Barcode::CellPairs(CellPairs { pairs, essential })) => {
                let mut archive = Archive::new(out);
                let essential = essential.as_ref().map(|cells| cells.iter().copied());
                archive.pairs(pairs.iter().copied(), essential)?;
                archive.finish()
            }
            (BarcodeFile::Dipha, Barcode::Bars(bars)) => write_diagram(&mut out, points(bars).into_iter()),
            (BarcodeFile::PhatAscii, Barcode::CellPairs(pairs)) => {
                phat::pairs::write_ascii(&mut out, pairs.pairs.iter().copied())
            }
            (BarcodeFile::PhatBinary, Barcode::CellPairs(pairs)) => {
                phat::pairs::write_binary(&mut out, pairs.pairs.iter().copied())
            }
            // `holds` has refused these combinations.
            _ => Err(io::Error::other("expected a barcode of the kind that the format has")),
        }
    }
}

fn cells(pairs: &CellPairs) -> impl Iterator<Item = u64> + '_ {
    let named = pairs.pairs.iter().flat_map(|&(birth, death)| [birth, death]);
    named.chain(pairs.essential.iter().flatten().copied())
}

/// The row of a bar; an essential one dies at infinity with its sign.
fn row(bar: &DiagramPoint) -> Row {
    let end = if bar.death == f64::NEG_INFINITY { bar.death } else { f64::INFINITY };
    let death = if bar.essential { end } else { bar.death };
    Row { dim: bar.dim, birth: bar.birth.into(), death: death.into(), is_essential: bar.essential }
}

/// The bars in their order.
fn table(bars: &Bars) -> BarTable<'_> {
    BarTable::new(vec![(0, bars.bars.len())], move |_, range| bars.bars[range].iter().map(row).collect())
}

fn write_text(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    let known = bars.dims.iter().copied().chain(bars.max_dim.into_iter().flat_map(|most| 0..=most));
    let mut dims: BTreeSet<u32> = known.filter(|dim| !bars.unfinished.contains(dim)).collect();
    dims.extend(bars.bars.iter().map(|bar| bar.dim));
    if dims.is_empty() {
        // A file without a heading would be no barcode: every barcode has dimension 0.
        dims.insert(0);
    }
    if bars.goes_down() {
        writeln!(out, "{SUPERLEVEL}")?;
    }
    let mut rows: Vec<Row> = bars.bars.iter().map(row).collect();
    rows.sort_by_key(|row| row.dim);
    text::write_bars(&BarTable::of_rows(rows, dims.into_iter()), Digits::All, out)
}

#[derive(Serialize)]
struct Head<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_dim: Option<u32>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    unfinished: &'a BTreeSet<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superlevel: Option<bool>,
}

fn write_json(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    let superlevel = bars.goes_down().then_some(true);
    let head = Head { max_dim: bars.max_dim, unfinished: &bars.unfinished, superlevel };
    let mut object = Object::begin(serde_json::to_string(&head)?, out)?;
    object.bars(&table(bars))?;
    object.end()
}

#[derive(Serialize)]
struct PairsObject<'a> {
    pairs: &'a [(u64, u64)],
    #[serde(skip_serializing_if = "Option::is_none")]
    essential: Option<&'a [u64]>,
}

/// The bars as DIPHA's points in its order: by stored dimension, birth and death.
fn points(bars: &Bars) -> Vec<DiagramPoint> {
    let finite = |bar: &DiagramPoint| [Some(bar.birth), (!bar.essential).then_some(bar.death)];
    let last = bars.bars.iter().flat_map(finite).flatten().filter(|value| value.is_finite());
    let last = last.fold(f64::NEG_INFINITY, f64::max);
    let end = |bar: &DiagramPoint| match bar.essential && !bars.ends && bar.death.is_infinite() {
        true if last == f64::NEG_INFINITY => bar.birth,
        true => last,
        false => bar.death,
    };
    let mut points: Vec<_> = bars.bars.iter().map(|bar| DiagramPoint { death: end(bar), ..*bar }).collect();
    points.sort_by(DiagramPoint::order);
    points
}

#[cfg(test)]
mod tests;
