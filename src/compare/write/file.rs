//! The output formats of barcodes and their writers.

use std::collections::BTreeMap;
use std::io::{self, Write};

use phat_formats::dipha::{DiagramPoint, write_diagram};
use phat_formats::phat;
use rawzip::ZipArchiveWriter;
use serde::Serialize;

use crate::compare::read::ripser::SUPERLEVEL;
use crate::compare::{Barcode, Bars, CellPairs, Kind};
use crate::names::named;
use crate::output::npy::write_rows;
use crate::output::npz::{add, integers, io_error};

/// The formats to which barcodes can be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

/// The error of a barcode that a format cannot hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnwritableBarcode {
    /// The barcode is of the other kind.
    #[error("format {format}: expected {expected}, found {found}")]
    Kind {
        /// The format.
        format: BarcodeFile,
        /// The kind that the format holds.
        expected: Kind,
        /// The kind of the barcode.
        found: Kind,
    },
    /// Bars that die at infinity could not be distinguished from essential ones.
    #[error(
        "format {format}: expected essential bars alone to die at infinity, found a bar of dimension {dim} that does and is none; json and dipha tell them apart"
    )]
    Infinite {
        /// The format.
        format: BarcodeFile,
        /// The dimension of the first such bar.
        dim: u32,
    },
    /// The number of a cell is too great.
    #[error("format {format}: expected numbers of cells below 2^63, found {cell}")]
    Cell {
        /// The format.
        format: BarcodeFile,
        /// The first cell that is too great.
        cell: u64,
    },
}

impl BarcodeFile {
    /// Every format.
    pub const ALL: [BarcodeFile; 8] = [
        BarcodeFile::Text,
        BarcodeFile::Csv,
        BarcodeFile::Json,
        BarcodeFile::Npy,
        BarcodeFile::Npz,
        BarcodeFile::Dipha,
        BarcodeFile::PhatAscii,
        BarcodeFile::PhatBinary,
    ];

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

    /// Whether the format omits the essential classes of a barcode.
    pub fn loses_essential(self, barcode: &Barcode) -> bool {
        let leaves_out = matches!(self, BarcodeFile::PhatAscii | BarcodeFile::PhatBinary);
        matches!(barcode, Barcode::CellPairs(CellPairs { essential: Some(cells), .. }) if leaves_out && !cells.is_empty())
    }

    /// Checks that the format can hold a barcode.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn holds(self, barcode: &Barcode) -> Result<(), UnwritableBarcode> {
        if !self.holds_kind(barcode.kind()) {
            let expected = if barcode.kind() == Kind::Bars { Kind::CellPairs } else { Kind::Bars };
            return Err(UnwritableBarcode::Kind { format: self, expected, found: barcode.kind() });
        }
        match barcode {
            Barcode::Bars(bars) if !matches!(self, BarcodeFile::Json | BarcodeFile::Dipha) => {
                let untold = |bar: &&DiagramPoint| !bar.essential && bar.death.is_infinite();
                match bars.bars.iter().find(untold) {
                    Some(bar) => Err(UnwritableBarcode::Infinite { format: self, dim: bar.dim }),
                    None => Ok(()),
                }
            }
            Barcode::Bars(_) => Ok(()),
            Barcode::CellPairs(pairs) => match cells(pairs).find(|&cell| i64::try_from(cell).is_err()) {
                Some(cell) => Err(UnwritableBarcode::Cell { format: self, cell }),
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
            (BarcodeFile::Csv, Barcode::Bars(bars)) => write_csv(bars, out),
            (BarcodeFile::Json, Barcode::Bars(bars)) => write_json(bars, out),
            (BarcodeFile::Json, Barcode::CellPairs(pairs)) => {
                let object = PairsObject { pairs: &pairs.pairs, essential: pairs.essential.as_deref() };
                serde_json::to_writer(&mut out, &object)?;
                out.write_all(b"\n")
            }
            (BarcodeFile::Npy, Barcode::Bars(bars)) => write_array(bars, out),
            (BarcodeFile::Npz, Barcode::Bars(bars)) => {
                let mut archive = ZipArchiveWriter::new(out);
                add(&mut archive, "bars", &|member| write_array(bars, member))?;
                archive.finish().map_err(io_error).map(drop)
            }
            (BarcodeFile::Npz, Barcode::CellPairs(pairs)) => write_pair_arrays(pairs, out),
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

/// The death of a bar; for an essential one, infinity with its sign.
fn death(bar: &DiagramPoint) -> f64 {
    match bar.essential {
        true if bar.death == f64::NEG_INFINITY => bar.death,
        true => f64::INFINITY,
        false => bar.death,
    }
}

/// The fewest digits that read back as the same double, or `inf` or `-inf`.
fn digits(value: f64) -> String {
    match value {
        value if value.is_finite() => zmij::Buffer::new().format_finite(value).to_owned(),
        value if value > 0.0 => "inf".to_owned(),
        _ => "-inf".to_owned(),
    }
}

fn write_text(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    let mut by_dim: BTreeMap<u32, Vec<&DiagramPoint>> = BTreeMap::new();
    let known = bars.dims.iter().copied().chain(bars.max_dim.into_iter().flat_map(|most| 0..=most));
    known.filter(|dim| !bars.unfinished.contains(dim)).for_each(|dim| {
        by_dim.entry(dim).or_default();
    });
    bars.bars.iter().for_each(|bar| by_dim.entry(bar.dim).or_default().push(bar));
    if by_dim.is_empty() {
        // A file without a heading would be no barcode: every barcode has dimension 0.
        by_dim.insert(0, Vec::new());
    }
    if bars.goes_down() {
        writeln!(out, "{SUPERLEVEL}")?;
    }
    for (dim, bars) in by_dim {
        writeln!(out, "persistence intervals in dim {dim}:")?;
        for bar in bars {
            let birth = digits(bar.birth);
            match bar.essential {
                true => writeln!(out, " [{birth}, )")?,
                false => writeln!(out, " [{birth},{})", digits(bar.death))?,
            }
        }
    }
    Ok(())
}

fn write_csv(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "dim,birth,death")?;
    bars.bars
        .iter()
        .try_for_each(|bar| writeln!(out, "{},{},{}", bar.dim, digits(bar.birth), digits(death(bar))))
}

/// A value in JSON, where infinity is a string.
fn json(value: f64) -> String {
    if value.is_finite() { digits(value) } else { format!("\"{}\"", digits(value)) }
}

fn write_json(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    let most = bars.max_dim.map(|most| format!("\"max_dim\":{most},")).unwrap_or_default();
    let unfinished = if bars.unfinished.is_empty() {
        String::new()
    } else {
        format!("\"unfinished\":{},", serde_json::to_string(&bars.unfinished)?)
    };
    let superlevel = if bars.goes_down() { "\"superlevel\":true," } else { "" };
    write!(out, "{{{most}{unfinished}{superlevel}\"bars\":[")?;
    for (place, bar) in bars.bars.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let death = if bar.essential { "null".to_owned() } else { json(bar.death) };
        write!(out, "{comma}\n{{\"dim\":{},\"birth\":{},\"death\":{death}}}", bar.dim, json(bar.birth))?;
    }
    writeln!(out, "\n]}}")
}

#[derive(Serialize)]
struct PairsObject<'a> {
    pairs: &'a [(u64, u64)],
    #[serde(skip_serializing_if = "Option::is_none")]
    essential: Option<&'a [u64]>,
}

fn write_array(bars: &Bars, out: &mut dyn Write) -> io::Result<()> {
    let rows = bars.bars.iter().map(|bar| Ok([f64::from(bar.dim), bar.birth, death(bar)]));
    write_rows(bars.bars.len() as u64, rows, out)
}

fn write_pair_arrays(pairs: &CellPairs, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(out);
    add(&mut archive, "pairs", &|member| {
        let mut array = integers(&[pairs.pairs.len() as u64, 2], member)?;
        array.extend(pairs.pairs.iter().flat_map(|&(birth, death)| [birth as i64, death as i64]))?;
        array.finish()
    })?;
    if let Some(essential) = &pairs.essential {
        add(&mut archive, "essential", &|member| {
            let mut array = integers(&[essential.len() as u64], member)?;
            array.extend(essential.iter().map(|&cell| cell as i64))?;
            array.finish()
        })?;
    }
    archive.finish().map_err(io_error).map(drop)
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
    points.sort_by(|a, b| {
        let dim = |point: &DiagramPoint| {
            let dim = i64::from(point.dim);
            if point.essential { !dim } else { dim }
        };
        let births = a.birth.total_cmp(&b.birth);
        dim(a).cmp(&dim(b)).then(births).then_with(|| a.death.total_cmp(&b.death))
    });
    points
}
