//! Writers of Euler characteristic curves, one per format.
//!
//! | format | content |
//! |---|---|
//! | `csv` | one line per row: `value,vcec,ecc` |
//! | `json` | an object: the rows, and the parameters of the run |
//! | `npy` | a NumPy array of doubles, one row of three per row |
//!
//! A row is a value, the change of the Euler characteristic at it (VCEC), and the characteristic from there on (ECC).
//! Rows are in filtration order: values ascend for sublevel sets and descend for superlevel sets. Whole values are
//! written as integers, others with the fewest digits that read back as the same double; infinite ones are `inf` and
//! `-inf`, which are strings in JSON. Rows are written in blocks, so that those of a file
//! ([`VcecRows`](crate::cubical::ecc::VcecRows)) need little memory.
//!
//! Curves at several scales are concatenated, and each row begins with the number of smoothing steps:
//! `scale,value,vcec,ecc`, and arrays of four columns.
//!
//! # JSON
//! ```text
//! {"shape":[64,48],"voxels":"u8","construction":"T","superlevel":false,"rows":[
//! [0,1,1],
//! [3,-2,-1]
//! ]}
//! ```
//! Before the rows of an image with periodic axes come their indices, from 0, as `periodic`.
//!
//! # NPY
//! Version 1.0, dtype `<f8`, C order, shape (rows, 3). Counts above 2^53 are rounded. Integer values that are not
//! exact as doubles are refused, since rounding could make different values equal.

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use super::json::Object;
use super::lines::Lines;
use crate::cubical::Value;
use crate::cubical::curves::CurvesFound;
use crate::cubical::ecc::EccRequest;
use crate::cubical::value::Inexact;
use crate::input::npy;
use crate::names::named;

/// A format of curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum CurveFormat {
    /// Comma-separated values.
    #[default]
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
}

impl CurveFormat {
    /// Writes the curves to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; the file of rows cannot be read; an error of which
    /// [`Inexact`] is the source, if the format holds doubles and a value is not
    /// exact as one.
    pub fn write(self, found: &CurvesFound, request: &EccRequest, out: &mut dyn Write) -> io::Result<()> {
        let is_one = found.smoothed.is_empty();
        let scale = move |scale: usize| (!is_one).then_some(scale);
        let first = found.rows.iter()?.map(move |row| {
            let (value, change, euler) = row?;
            Ok(Row { scale: scale(0), value, change, euler })
        });
        let smoothed = found.smoothed.iter().zip(1..).flat_map(move |(curve, number)| {
            let row = move |(value, change, euler)| Ok(Row { scale: scale(number), value, change, euler });
            curve.rows().map(row)
        });
        let rows = first.chain(smoothed);
        match self {
            CurveFormat::Csv => {
                let header = if is_one { "value,vcec,ecc\n" } else { "scale,value,vcec,ecc\n" };
                out.write_all(header.as_bytes())?;
                write_rows(rows, "", "", "\n", "", out)
            }
            CurveFormat::Json => {
                let head = Head {
                    shape: found.shape.axes(),
                    voxels: found.voxels,
                    construction: request.construction.to_string(),
                    superlevel: request.superlevel,
                    periodic: found.periodic.axes().collect(),
                };
                let mut object = Object::begin(serde_json::to_string(&head)?, out)?;
                let out = object.key("rows")?;
                out.write_all(b"[")?;
                write_rows(rows, "\n[", "\"", "]", ",", out)?;
                out.write_all(b"\n]")?;
                object.end()
            }
            CurveFormat::Npy => {
                let columns = if is_one { 3 } else { 4 };
                let numbers = |row: io::Result<Row>| {
                    let Row { scale, value, change, euler } = row?;
                    let inexact = |inexact: Inexact| io::Error::other(inexact.beside_texts());
                    let value = value.exact_double().map_err(inexact)?;
                    let scale = scale.map(|scale| scale as f64);
                    Ok(scale.into_iter().chain([value, change as f64, euler as f64]))
                };
                npy::write_rows(&[found.count() as usize, columns], rows.map(numbers), out)
            }
        }
    }
}

named!(CurveFormat);

/// A row of a curve, with its scale if there are several.
#[derive(Clone, Copy)]
struct Row {
    scale: Option<usize>,
    value: Value,
    change: i64,
    euler: i64,
}

#[derive(Serialize)]
struct Head {
    shape: Vec<usize>,
    voxels: &'static str,
    construction: String,
    superlevel: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    periodic: Vec<usize>,
}

/// Writes rows with the given opening, closing and separator, and quotes around infinite values.
fn write_rows(
    mut rows: impl Iterator<Item = io::Result<Row>>,
    open: &str,
    quote: &str,
    close: &str,
    separator: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (mut lines, mut block) = (Lines::default(), Vec::new());
    let mut is_first = true;
    loop {
        block.clear();
        rows.by_ref().take(Lines::at_once()).try_for_each(|row| row.map(|row| block.push(row)))?;
        if block.is_empty() {
            return Ok(());
        }
        lines.write(block.len(), out, &|range, text| {
            let mut integer = itoa::Buffer::new();
            for (number, row) in range.clone().zip(&block[range]) {
                let Row { scale, value, change, euler } = *row;
                text.push_str(if is_first && number == 0 { "" } else { separator });
                text.push_str(open);
                if let Some(scale) = scale {
                    text.push_str(integer.format(scale));
                    text.push(',');
                }
                as_integer(value).push_quoted(quote, text);
                for count in [change, euler] {
                    text.push(',');
                    text.push_str(integer.format(count));
                }
                text.push_str(close);
            }
        })?;
        is_first = false;
    }
}

/// Converts a double that is whole to an integer.
fn as_integer(value: Value) -> Value {
    /// Doubles of smaller magnitude represent integers exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Double(double) if double.fract() == 0.0 && double.abs() < EXACT => (double as i64).into(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::ecc::{Values, Vcec, VcecRows};
    use crate::cubical::{Order, Periodic, Shape};

    fn written_with(format: CurveFormat, rows: Vcec, smoothed: Vec<Vcec>) -> io::Result<Vec<u8>> {
        let (rows, shape) = (VcecRows::Memory(rows), Shape::new(&[3, 2], Order::C).unwrap());
        let (detection, backend) = (None, String::new());
        let periodic = Periodic::NONE;
        let found =
            CurvesFound { rows, shape, periodic, voxels: "f32", passes: 1, smoothed, detection, backend };
        let mut bytes = Vec::new();
        format.write(&found, &EccRequest::default(), &mut bytes)?;
        Ok(bytes)
    }

    fn written(format: CurveFormat, values: impl Into<Values>) -> io::Result<Vec<u8>> {
        let values = values.into();
        let changes = vec![2, -1, 3, 0][..values.len()].to_vec();
        written_with(format, Vcec { values, changes }, Vec::new())
    }

    fn text(format: CurveFormat, values: impl Into<Values>) -> String {
        String::from_utf8(written(format, values).unwrap()).unwrap()
    }

    #[test]
    fn every_format() {
        let values = vec![f64::NEG_INFINITY, -2.0, 0.1, f64::INFINITY];
        let csv = "value,vcec,ecc\n-inf,2,2\n-2,-1,1\n0.1,3,4\ninf,0,4\n";
        assert_eq!(text(CurveFormat::Csv, values.clone()), csv);
        let json = text(CurveFormat::Json, values.clone());
        let head =
            "{\"shape\":[3,2],\"voxels\":\"f32\",\"construction\":\"T\",\"superlevel\":false,\"rows\":[\n";
        assert_eq!(json, format!("{head}[\"-inf\",2,2],\n[-2,-1,1],\n[0.1,3,4],\n[\"inf\",0,4]\n]}}\n"));
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        let npy = written(CurveFormat::Npy, values).unwrap();
        let array = npyz::NpyFile::new(npy.as_slice()).unwrap();
        assert_eq!(array.shape(), [4, 3]);
        assert_eq!(array.into_vec::<f64>().unwrap()[3..9], [-2.0, -1.0, 1.0, 0.1, 3.0, 4.0]);
    }

    #[test]
    fn scales_come_first() {
        let curve = |value: f64| Vcec::new(vec![value], vec![1]);
        let written = |format| written_with(format, curve(1.0), vec![curve(0.5), curve(0.25)]).unwrap();
        assert_eq!(written(CurveFormat::Csv), b"scale,value,vcec,ecc\n0,1,1,1\n1,0.5,1,1\n2,0.25,1,1\n");
        let json: serde_json::Value = serde_json::from_slice(&written(CurveFormat::Json)).unwrap();
        assert_eq!(json["rows"][2], serde_json::json!([2, 0.25, 1, 1]));
        let npy = written(CurveFormat::Npy);
        let array = npyz::NpyFile::new(npy.as_slice()).unwrap();
        assert_eq!(array.shape(), [3, 4]);
        assert_eq!(array.into_vec::<f64>().unwrap()[4..8], [1.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn large_values_are_doubles() {
        assert_eq!(
            text(CurveFormat::Csv, vec![1e300, 9e15]),
            "value,vcec,ecc\n1e+300,2,2\n9000000000000000,-1,1\n"
        );
    }
}
