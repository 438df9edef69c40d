//! Persistence diagrams.

use super::FileType;
use crate::FormatError;
use crate::block::Block;
use crate::fields::Fields;
use std::cmp::Ordering;
use std::io::{self, Write};

/// A point of a DIPHA persistence diagram, file type 2: the bar of a homology class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiagramPoint {
    /// The dimension of the class.
    pub dim: u32,
    /// The value at which the class is born.
    pub birth: f64,
    /// The value at which the class dies, at least its birth. For an essential class DIPHA writes the greatest value
    /// of the complex.
    pub death: f64,
    /// Whether the class is essential: it never dies.
    pub essential: bool,
}

impl DiagramPoint {
    /// The dimension as it is stored: −d − 1 for an essential class.
    fn stored_dim(&self) -> i64 {
        let dim = i64::from(self.dim);
        if self.essential { !dim } else { dim }
    }

    /// The order in which DIPHA sorts points: by stored dimension, birth and death.
    pub fn order(&self, other: &Self) -> Ordering {
        let (births, deaths) = (self.birth.total_cmp(&other.birth), self.death.total_cmp(&other.death));
        self.stored_dim().cmp(&other.stored_dim()).then(births).then(deaths)
    }
}

/// Reads the points of a persistence diagram, file type 2, in the order of the file.
///
/// | bytes | type | content |
/// |---|---|---|
/// | 0–7 | `i64` | 8067171840 |
/// | 8–15 | `i64` | 2 |
/// | 16–23 | `i64` | p, the number of points |
/// | 24–31 | `i64` | of point 0 the dimension d, or −d − 1 if the class is essential |
/// | 32–39 | `f64` | its birth |
/// | 40–47 | `f64` | its death, the complex's greatest value if the class is essential |
/// | the next 24(p − 1) | | points 1, 2, … in the same way |
///
/// DIPHA sorts points by these three fields, and writes neither points with equal birth and death nor essential
/// classes of the complex's dimension. The reader accepts files that differ in this.
///
/// ```
/// use phat_formats::dipha::{DiagramPoint, read_diagram, write_diagram};
/// let points = [DiagramPoint { dim: 0, birth: 0.0, death: 1.5, essential: true }];
/// let mut file = Vec::new();
/// write_diagram(&mut file, points.into_iter())?;
/// assert_eq!(file[24..32], (-1i64).to_le_bytes());
/// assert_eq!(read_diagram(&file).unwrap(), points);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// A wrong magic number or file type; a negative count; a file that is truncated or continues after the points; a
/// dimension that exceeds 32 bits; a value that is not a number; a death below its birth.
pub fn read_diagram(bytes: &[u8]) -> Result<Vec<DiagramPoint>, FormatError> {
    let mut fields = Fields::of_type(bytes, FileType::Diagram)?;
    let count = fields.count("a number of points")?;
    let start = fields.offset();
    let words = fields.words(count.saturating_mul(3), "points")?;
    let points = words.as_chunks().0.iter().enumerate().map(|(k, point)| read_point(point, start + 24 * k));
    let points = points.collect::<Result<_, _>>()?;
    fields.end()?;
    Ok(points)
}

fn read_point(words: &[[u8; 8]; 3], offset: usize) -> Result<DiagramPoint, FormatError> {
    let found = i64::from_le_bytes(words[0]);
    // In two's complement, −d − 1 is the bitwise complement of d.
    let essential = found < 0;
    let dim = u32::try_from(if essential { !found } else { found })
        .map_err(|_| FormatError::at(offset, "a dimension that 32 bits hold", found))?;
    let birth = number(words[1], offset + 8, "a birth")?;
    let death = number(words[2], offset + 16, "a death")?;
    if death < birth {
        return Err(FormatError::at(offset + 16, format!("a death not below the birth {birth}"), death));
    }
    Ok(DiagramPoint { dim, birth, death, essential })
}

fn number(word: [u8; 8], offset: usize, what: &'static str) -> Result<f64, FormatError> {
    let found = f64::from_le_bytes(word);
    if found.is_nan() { Err(FormatError::at(offset, what, found)) } else { Ok(found) }
}

/// Writes a persistence diagram, file type 2, in the given order. DIPHA's own order is by dimension as stored in the
/// file, birth and death.
///
/// # Errors
/// `out` cannot be written.
pub fn write_diagram(
    out: &mut impl Write,
    points: impl ExactSizeIterator<Item = DiagramPoint>,
) -> io::Result<()> {
    let mut block = Block::dipha(out, FileType::Diagram)?;
    block.integer(points.len() as u64)?;
    for point in points {
        block.word(point.stored_dim().to_le_bytes())?;
        block.word(point.birth.to_le_bytes())?;
        block.word(point.death.to_le_bytes())?;
    }
    block.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dipha::MAGIC;
    use crate::error::{binary, check_cuts};

    fn points() -> Vec<DiagramPoint> {
        let point = |dim, birth, death, essential| DiagramPoint { dim, birth, death, essential };
        vec![
            point(0, -1.0, 2.0, true),
            point(u32::MAX, 0.5, 2.0, true),
            point(0, -1.0, -0.25, false),
            point(u32::MAX, f64::NEG_INFINITY, f64::INFINITY, false),
            point(3, 0.0, 0.0, false),
        ]
    }

    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        write_diagram(&mut file, points().into_iter()).unwrap();
        file
    }

    /// A file of one point whose count says `count`.
    fn one(count: i64, dim: i64, birth: f64, death: f64) -> Vec<u8> {
        let [birth, death] = [birth, death].map(|end| end.to_bits().cast_signed());
        binary(&[MAGIC, 2, count, dim, birth, death])
    }

    #[test]
    fn what_is_written_reads_back() {
        assert_eq!(read_diagram(&file()).unwrap(), points());
        assert_eq!(read_diagram(&one(1, -3, 0.5, 1.0)).unwrap()[0].dim, 2);
        let many: Vec<_> = points().into_iter().cycle().take(10_000).collect();
        let mut file = Vec::new();
        write_diagram(&mut file, many.iter().copied()).unwrap();
        assert_eq!(read_diagram(&file).unwrap(), many);
    }

    #[test]
    fn every_cut_and_every_tail_is_an_error() {
        let file = file();
        check_cuts(&file, &|bytes| read_diagram(bytes).map(drop));
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        for (file, message) in [
            (one(-1, 0, 0.0, 1.0), "byte 16: expected a number of points, found -1"),
            (
                one(2, 0, 0.0, 1.0),
                "byte 48: expected 48 bytes of points from byte 24 on, found the end of the file",
            ),
            (
                one(i64::MAX, 0, 0.0, 1.0),
                "byte 48: expected more bytes of points from byte 24 on than any file has, found the end of the file",
            ),
            (one(0, 0, 0.0, 1.0), "byte 24: expected the end of the file, found 24 more bytes"),
            (one(1, 1 << 32, 0.0, 1.0), "byte 24: expected a dimension that 32 bits hold, found 4294967296"),
            (
                one(1, -1 - (1 << 32), 0.0, 1.0),
                "byte 24: expected a dimension that 32 bits hold, found -4294967297",
            ),
            (one(1, 0, f64::NAN, 1.0), "byte 32: expected a birth, found NaN"),
            (one(1, 0, 0.0, f64::NAN), "byte 40: expected a death, found NaN"),
            (one(1, 0, 1.0, 0.5), "byte 40: expected a death not below the birth 1, found 0.5"),
        ] {
            assert_eq!(read_diagram(&file).unwrap_err().to_string(), message);
        }
    }
}
