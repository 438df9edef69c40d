//! Reads the files that can be drawn: barcodes in all formats of [`crate::compare::read`], and Euler characteristic
//! curves as written by [`crate::output::curves`].
//!
//! | the file | is a curve if |
//! |---|---|
//! | a text | its first line is `value,vcec,ecc`, or that with `scale` before |
//! | JSON | its object has `rows` |
//! | a NumPy array | it has four columns; or three, and in its first row the second is the third, where a bar would have no length |
//!
//! Any other file is a barcode.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::Series;
use crate::compare::Barcode;
use crate::compare::read::json::JsonNumber;
use crate::compare::read::{BarcodeFormat, Problem, ReadError, read_bytes, unpacked};
use crate::input::npy::{self, Array};
use crate::input::source;
use crate::input::text::plain;

/// A series with the format in which it was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedSeries {
    /// The bars or curves.
    pub series: Series,
    /// The format and the reason for it, if it was detected.
    pub detection: Option<String>,
    /// Dimensions that are incomplete, according to the file, because the run ended early.
    pub unfinished: BTreeSet<u32>,
}

/// Reads the file at `path`, or standard input if it is `-`, as a barcode of a given format. Without a format, the
/// content decides.
///
/// # Errors
/// The file cannot be read, or is neither a barcode nor a curve.
pub fn read_path(path: &Path, format: Option<BarcodeFormat>) -> Result<LoadedSeries, ReadError> {
    let file = source::name_of(path);
    let bytes = source::read_all(path).map_err(|error| ReadError::Io { file: file.clone(), error })?;
    let name = path.file_name().map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
    let name = if path == Path::new("-") { file.clone() } else { name };
    read(&file, &name, &bytes, format)
}

/// Reads the content of `file`; its name in the legend is `name`.
fn read(
    file: &str,
    name: &str,
    bytes: &[u8],
    format: Option<BarcodeFormat>,
) -> Result<LoadedSeries, ReadError> {
    let malformed = |problem| ReadError::of(file.to_owned(), None, None, problem);
    let bytes = &*unpacked(bytes).map_err(malformed)?;
    let curves = if format.is_some() { Ok(None) } else { curves(bytes) };
    if let Some(curves) = curves.map_err(malformed)? {
        let detection = Some("an Euler characteristic curve (its columns or keys say so)".to_owned());
        let series = Series::of_curves(name, curves);
        return Ok(LoadedSeries { series, detection, unfinished: BTreeSet::new() });
    }
    let loaded = read_bytes(file, bytes, format)?;
    let detection = loaded.detection.map(|why| format!("{} ({why})", loaded.format));
    let series = Series::of_barcode(name, &loaded.barcode);
    let unfinished = match loaded.barcode {
        Barcode::Bars(bars) => bars.unfinished,
        Barcode::CellPairs(_) => BTreeSet::new(),
    };
    Ok(LoadedSeries { series, detection, unfinished })
}

/// Rows of one curve: a value, and the Euler characteristic from there on.
type Rows = Vec<(f64, f64)>;

/// A row: scale of its curve, value, Euler characteristic from there on.
type Row = (f64, f64, f64);

/// The curves in a file, if it holds any.
fn curves(bytes: &[u8]) -> Result<Option<Vec<Rows>>, Problem> {
    let rows = if bytes.starts_with(npy::MAGIC) {
        rows_of_array(bytes)?
    } else {
        let text = plain(bytes);
        match text.trim_ascii_start() {
            head if head.starts_with(b"scale,value,vcec,ecc") || head.starts_with(b"value,vcec,ecc") => {
                Some(rows_of_csv(&text)?)
            }
            head if head.starts_with(b"{") && !head.starts_with(b"{\"bars\"") => rows_of_json(head)?,
            _ => None,
        }
    };
    let Some(rows) = rows else { return Ok(None) };
    let mut curves: Vec<Rows> = Vec::new();
    for here in rows.chunk_by(|a, b| a.0 == b.0) {
        curves.push(here.iter().map(|&(_, value, euler)| (value, euler)).collect());
    }
    if let Some(row) = rows.iter().position(|(_, value, euler)| value.is_nan() || !euler.is_finite()) {
        return Err(Problem::whole("numbers in every row", format!("none in row {}", row + 1)));
    }
    Ok(Some(curves))
}

fn rows_of_csv(text: &[u8]) -> Result<Vec<Row>, Problem> {
    let records = csv::Reader::from_reader(text).into_deserialize::<Vec<f64>>();
    let read = |(record, line): (csv::Result<Vec<f64>>, usize)| {
        let problem = |expected: &str, found: String| Problem::line(line, expected, found);
        let record = record.map_err(|error| problem("numbers with commas between", error.to_string()))?;
        row(&record).ok_or_else(|| problem("3 or 4 entries", record.len().to_string()))
    };
    records.zip(2..).map(read).collect()
}

fn row(entries: &[f64]) -> Option<Row> {
    match *entries {
        [value, _, euler] => Some((0.0, value, euler)),
        [scale, value, _, euler] => Some((scale, value, euler)),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Object {
    rows: Option<Vec<Vec<JsonNumber>>>,
}

/// The rows of an object, if it has any. Other files are left to the readers of barcodes, which report their errors.
fn rows_of_json(text: &[u8]) -> Result<Option<Vec<Row>>, Problem> {
    /// `rows` is near the beginning, after a few keys that describe the image.
    const HEAD: usize = 4096;
    if memchr::memmem::find(&text[..text.len().min(HEAD)], b"\"rows\"").is_none() {
        return Ok(None);
    }
    let object: Object = serde_json::from_slice(text)
        .map_err(|error| Problem::line(error.line(), "an object with rows", error))?;
    let Some(rows) = object.rows else { return Ok(None) };
    let read = |(k, entries): (usize, Vec<JsonNumber>)| {
        let found = format!("{} in row {}", entries.len(), k + 1);
        let numbers: Vec<f64> = entries.into_iter().map(|JsonNumber(number)| number).collect();
        row(&numbers).ok_or_else(|| Problem::whole("rows of 3 or 4 entries", found))
    };
    rows.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Some)
}

fn rows_of_array(bytes: &[u8]) -> Result<Option<Vec<Row>>, Problem> {
    let array = Array::parse(bytes)?;
    let &[count, columns @ (3 | 4)] = &array.shape[..] else { return Ok(None) };
    let (count, numbers) = (count as usize, array.numbers()?);
    let at = |row: usize, column: usize| numbers[array.index(row, column)];
    let is_curve = columns == 4 || count > 0 && at(0, 1) == at(0, 2) && at(0, 1).is_finite();
    let read = |k: usize| {
        if columns == 3 { (0.0, at(k, 0), at(k, 2)) } else { (at(k, 0), at(k, 1), at(k, 3)) }
    };
    Ok(is_curve.then(|| (0..count).map(read).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(bytes: &[u8]) -> Series {
        read("a", "a", bytes, None).unwrap().series
    }

    fn curves_of(series: &Series) -> &[Vec<(f64, f64)>] {
        assert!(series.is_curve(), "bars: {:?}", series.bars);
        &series.curves
    }

    #[test]
    fn curves_are_told_from_bars() {
        let csv = read_one(b"value,vcec,ecc\n-1,1,1\ninf,-3,-2\n");
        assert_eq!(curves_of(&csv), [vec![(-1.0, 1.0), (f64::INFINITY, -2.0)]]);
        let scales = read_one(b"scale,value,vcec,ecc\n0,1,1,1\n0,2,-1,0\n1,1,4,4\n");
        assert_eq!(curves_of(&scales), [vec![(1.0, 1.0), (2.0, 0.0)], vec![(1.0, 4.0)]]);
        let json = read_one(br#"{"shape":[2],"rows":[[1,1,1],["inf",-1,0]]}"#);
        assert_eq!(curves_of(&json), [vec![(1.0, 1.0), (f64::INFINITY, 0.0)]]);
        for bars in [
            "dim,birth,death\n0,1,2\n",
            "persistence intervals in dim 0:\n [1,2)\n",
            r#"{"bars":[{"dim":0,"birth":1,"death":2}]}"#,
        ] {
            assert_eq!(read_one(bars.as_bytes()).bars(), [bar(Some(0), 1.0, 2.0)]);
        }
        assert_eq!(read_one(b"1\n3 5\n").bars(), [bar(None, 3.0, 5.0)]);
    }

    #[test]
    fn arrays_of_three_columns_are_told_by_their_first_row() {
        let array = |rows: &[[f64; 3]]| {
            let mut bytes = Vec::new();
            let shape = [rows.len(), 3];
            crate::input::npy::write_rows(&shape, rows.iter().map(|&row| Ok(row)), &mut bytes).unwrap();
            bytes
        };
        assert_eq!(
            curves_of(&read_one(&array(&[[3.0, 1.0, 1.0], [4.0, 1.0, 2.0]]))),
            [vec![(3.0, 1.0), (4.0, 2.0)]]
        );
        assert_eq!(read_one(&array(&[[1.0, 2.0, 3.0]])).bars(), [bar(Some(1), 2.0, 3.0)]);
    }

    #[test]
    fn essential_bars_of_superlevel_sets_go_down() {
        let json = read_one(br#"{"bars":[{"dim":0,"birth":5,"death":2},{"dim":0,"birth":6,"death":null}]}"#);
        assert_eq!(json.bars(), [bar(Some(0), 5.0, 2.0), bar(Some(0), 6.0, f64::NEG_INFINITY)]);
    }

    #[test]
    fn what_is_wrong_with_a_curve_is_said() {
        let error = |bytes: &[u8]| read("a.csv", "a.csv", bytes, None).unwrap_err().to_string();
        assert!(error(b"value,vcec,ecc\n1,2\n").contains("line 2"), "{}", error(b"value,vcec,ecc\n1,2\n"));
        assert!(error(b"value,vcec,ecc\n1,nan,nan\n").contains("row 1"));
        assert!(error(b"neither\n").contains("expected a barcode"));
    }

    use crate::plot::PlottedBar;

    fn bar(dim: Option<u32>, birth: f64, death: f64) -> PlottedBar {
        PlottedBar { dim, birth, death }
    }
}
