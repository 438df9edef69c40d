//! One writer per format of an Euler characteristic curve.
//!
//! | format | what it holds |
//! |---|---|
//! | `csv` | a line a row: `value,vcec,ecc` |
//! | `json` | an object: the rows, and what they are of |
//! | `npy` | a NumPy array of doubles, a row of three |
//!
//! A row is a value, the change of the Euler characteristic there (VCEC), and what it is from there on (ECC). Rows are in the order of the
//! filtration: values ascend, of superlevel sets they descend. Whole values are written as integers, others with the fewest digits
//! that read back as the same double; infinite ones are `inf` and `-inf`, in JSON `null`.
//!
//! # JSON
//! ```text
//! {"shape":[64,48],"voxels":"u8","construction":"T","superlevel":false,"rows":[
//! [0,1,1],
//! [3,-2,-1]
//! ]}
//! ```
//!
//! # NPY
//! Version 1.0, dtype `<f8`, C order, shape (rows, 3). Counts past 2^53 are rounded.

use std::io::{self, Write};

use serde::Serialize;

use super::npy;
use crate::cubical::ecc::Request;
use crate::cubical::ecc::batch::Found;

/// A format of curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Comma-separated values.
    #[default]
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Json, Format::Npy];

    /// Its name, which is also what its files' names end in.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Npy => "npy",
        }
    }

    /// Writes what was found to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write(self, found: &Found, request: &Request, out: &mut dyn Write) -> io::Result<()> {
        let rows = found.curve.rows();
        match self {
            Format::Csv => {
                out.write_all(b"value,vcec,ecc\n")?;
                write_rows(rows, "", ["inf", "-inf"], "\n", "", out)
            }
            Format::Json => {
                let head = Head {
                    shape: found.shape.axes(),
                    voxels: found.voxels,
                    construction: request.construction.to_string(),
                    superlevel: request.superlevel,
                };
                let head = serde_json::to_string(&head)?;
                write!(out, "{},\"rows\":[", head.strip_suffix('}').unwrap_or(&head))?;
                write_rows(rows, "\n[", ["null", "null"], "]", ",", out)?;
                out.write_all(b"\n]}\n")
            }
            Format::Npy => {
                let count = rows.len() as u64;
                let rows = rows.map(|(value, change, euler)| [value, change as f64, euler as f64]);
                npy::write_rows(count, rows, out)
            }
        }
    }
}

#[derive(Serialize)]
struct Head {
    shape: Vec<usize>,
    voxels: &'static str,
    construction: String,
    superlevel: bool,
}

/// Writes rows between what opens and closes each, with separators between them; infinity and its negative by these names.
fn write_rows(
    rows: impl Iterator<Item = (f64, i64, i64)>,
    open: &str,
    infinities: [&str; 2],
    close: &str,
    separator: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    let mut integer = itoa::Buffer::new();
    for (row, (value, change, euler)) in rows.enumerate() {
        line.clear();
        line.push_str(if row == 0 { "" } else { separator });
        line.push_str(open);
        push(value, infinities, &mut line);
        for count in [change, euler] {
            line.push(',');
            line.push_str(integer.format(count));
        }
        line.push_str(close);
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Appends a value.
fn push(value: f64, [inf, negative_inf]: [&str; 2], line: &mut String) {
    /// Doubles below are exact integers.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        line.push_str(itoa::Buffer::new().format(value as i64));
    } else if value.is_finite() {
        line.push_str(zmij::Buffer::new().format_finite(value));
    } else {
        line.push_str(if value > 0.0 { inf } else { negative_inf });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::ecc::Curve;
    use crate::cubical::{Order, Shape};

    fn written(format: Format, values: &[f64]) -> Vec<u8> {
        let curve = Curve { values: values.to_vec(), changes: vec![2, -1, 3, 0][..values.len()].to_vec() };
        let shape = Shape::new(&[3, 2], Order::C).unwrap();
        let found = Found { curve, shape, voxels: "f32", passes: 1 };
        let mut bytes = Vec::new();
        format.write(&found, &Request::default(), &mut bytes).unwrap();
        bytes
    }

    fn text(format: Format, values: &[f64]) -> String {
        String::from_utf8(written(format, values)).unwrap()
    }

    #[test]
    fn every_format() {
        let values = [f64::NEG_INFINITY, -2.0, 0.1, f64::INFINITY];
        let csv = "value,vcec,ecc\n-inf,2,2\n-2,-1,1\n0.1,3,4\ninf,0,4\n";
        assert_eq!(text(Format::Csv, &values), csv);
        let json = text(Format::Json, &values);
        let head =
            "{\"shape\":[3,2],\"voxels\":\"f32\",\"construction\":\"T\",\"superlevel\":false,\"rows\":[\n";
        assert_eq!(json, format!("{head}[null,2,2],\n[-2,-1,1],\n[0.1,3,4],\n[null,0,4]\n]}}\n"));
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        let npy = written(Format::Npy, &values);
        let array = npyz::NpyFile::new(npy.as_slice()).unwrap();
        assert_eq!(array.shape(), [4, 3]);
        assert_eq!(array.into_vec::<f64>().unwrap()[3..9], [-2.0, -1.0, 1.0, 0.1, 3.0, 4.0]);
    }

    #[test]
    fn large_values_are_doubles() {
        assert_eq!(text(Format::Csv, &[1e300, 9e15]), "value,vcec,ecc\n1e300,2,2\n9000000000000000,-1,1\n");
    }
}
