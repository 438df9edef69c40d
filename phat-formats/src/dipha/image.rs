//! Image data.

use super::FileType;
use crate::FormatError;
use crate::block::Block;
use crate::fields::Fields;
use std::io::{self, Write};

/// DIPHA image data, file type 1: a value for each point of a grid.
///
/// | bytes | type | content |
/// |---|---|---|
/// | 0–7 | `i64` | 8067171840 |
/// | 8–15 | `i64` | 1 |
/// | 16–23 | `i64` | n, the number of values |
/// | 24–31 | `i64` | d, the dimension |
/// | 32–(32 + 8d − 1) | `i64` | the extents g₁ … g_d, whose product is n |
/// | the next 8n | `f64` | the values, the coordinate that belongs to g₁ fastest |
///
/// ```
/// use phat_formats::dipha::{Image, write_image};
/// let mut file = Vec::new();
/// write_image(&mut file, &[3, 2], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].into_iter())?;
/// let image = Image::from_bytes(&file).unwrap();
/// assert_eq!((&image.shape[..], image.values[1 + 3 * 1]), (&[3, 2][..], 4.0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The extents, the fastest coordinate first.
    pub shape: Vec<usize>,
    /// The values; that of point (x, y, z, …) has the index x + g₁(y + g₂(z + …)).
    pub values: Vec<f64>,
}

impl Image {
    /// Parses the image in a whole file.
    ///
    /// # Errors
    /// A wrong magic number or file type; a dimension or an extent below 1; extents whose product is not the number
    /// of values; a file that is truncated or continues after the values; a value that is not a number.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let (mut fields, n, shape) = header(bytes)?;
        let offset = fields.offset();
        let values = fields.words(n, "values")?;
        let values: Vec<f64> = values.iter().map(|&value| f64::from_le_bytes(value)).collect();
        if let Some(k) = values.iter().position(|value| value.is_nan()) {
            return Err(FormatError::at(offset + 8 * k, "a value", values[k]));
        }
        fields.end()?;
        Ok(Image { shape, values })
    }
}

/// The header of DIPHA image data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageHeader {
    /// The extents, the fastest coordinate first.
    pub shape: Vec<usize>,
    /// Byte offset of the values in the file.
    pub offset: usize,
}

impl ImageHeader {
    /// Parses the header of a file that begins with `head`.
    ///
    /// # Errors
    /// Like [`Image::from_bytes`], but the values are not checked.
    pub fn from_bytes(head: &[u8]) -> Result<Self, FormatError> {
        let (fields, _, shape) = header(head)?;
        Ok(ImageHeader { shape, offset: fields.offset() })
    }
}

/// Parses the header; returns the remaining fields, the number of values, and the extents.
fn header(bytes: &[u8]) -> Result<(Fields<'_>, usize, Vec<usize>), FormatError> {
    let mut fields = Fields::of_type(bytes, FileType::Image)?;
    let counted = fields.offset();
    let n = fields.count("a number of values")?;
    let shape = shape(&mut fields)?;
    if shape.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent)) != Some(n) {
        return Err(FormatError::at(counted, "the product of the extents", n));
    }
    Ok((fields, n, shape))
}

fn shape(fields: &mut Fields) -> Result<Vec<usize>, FormatError> {
    let offset = fields.offset();
    let dim = fields.count("a dimension")?;
    if dim == 0 {
        return Err(FormatError::at(offset, "a dimension from 1 on", 0));
    }
    let start = fields.offset();
    let extents = fields.words(dim, "extents")?;
    let extents = extents.iter().enumerate().map(|(k, &word)| {
        let found = i64::from_le_bytes(word);
        let wrong = || FormatError::at(start + 8 * k, "an extent from 1 on", found);
        usize::try_from(found).ok().filter(|&extent| extent > 0).ok_or_else(wrong)
    });
    extents.collect()
}

/// Writes image data, file type 1: the extents and the values, the first coordinate fastest.
///
/// # Errors
/// `out` cannot be written; there is no extent; an extent is 0; or the product of the extents is not the number of
/// values.
pub fn write_image(
    out: &mut impl Write,
    shape: &[usize],
    values: impl ExactSizeIterator<Item = f64>,
) -> io::Result<()> {
    let product = shape.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent));
    if shape.is_empty() || values.len() == 0 || product != Some(values.len()) {
        let wrong = format!("expected extents of {} values, found {shape:?}", values.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, wrong));
    }
    let mut block = Block::dipha(out, FileType::Image)?;
    block.integer(values.len() as u64)?;
    block.integer(shape.len() as u64)?;
    shape.iter().try_for_each(|&extent| block.integer(extent as u64))?;
    values.into_iter().try_for_each(|value| block.word(value.to_le_bytes()))?;
    block.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dipha::MAGIC;
    use crate::error::check_cuts;

    fn file(header: &[i64], values: &[f64]) -> Vec<u8> {
        let mut file: Vec<u8> = [MAGIC, 1].iter().chain(header).flat_map(|x| x.to_le_bytes()).collect();
        file.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        file
    }

    #[test]
    fn what_is_written_reads_back() {
        for shape in [&[1][..], &[7], &[3, 2], &[2, 3, 4], &[1, 1, 1, 5], &[100, 100]] {
            let count = shape.iter().product::<usize>();
            let values: Vec<f64> = (0..count).map(|k| k as f64 - 3.5).collect();
            let mut written = Vec::new();
            write_image(&mut written, shape, values.iter().copied()).unwrap();
            let image = Image::from_bytes(&written).unwrap();
            let header = ImageHeader::from_bytes(&written[..32 + 8 * shape.len()]).unwrap();
            assert_eq!(header.shape, shape);
            assert_eq!(written[header.offset..header.offset + 8], values[0].to_le_bytes());
            assert_eq!(image, Image { shape: shape.to_vec(), values });
        }
    }

    #[test]
    fn images_that_cannot_be_are_not_written() {
        for (shape, count) in [(&[][..], 1), (&[0], 0), (&[2], 3), (&[usize::MAX, 2], 2)] {
            let error = write_image(&mut Vec::new(), shape, vec![0.0; count].into_iter()).unwrap_err();
            assert_eq!(error.to_string(), format!("expected extents of {count} values, found {shape:?}"));
        }
    }

    #[test]
    fn every_cut_and_every_tail_is_an_error() {
        let file = file(&[2, 2, 2, 1], &[0.5, f64::INFINITY]);
        assert!(Image::from_bytes(&file).is_ok());
        check_cuts(&file, &|bytes| Image::from_bytes(bytes).map(drop));
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        for (header, message) in [
            (&[-1][..], "byte 16: expected a number of values, found -1"),
            (&[1, -1], "byte 24: expected a dimension, found -1"),
            (&[1, 0], "byte 24: expected a dimension from 1 on, found 0"),
            (
                &[1, i64::MAX],
                "byte 32: expected more bytes of extents from byte 32 on than any file has, found the end of the file",
            ),
            (&[0, 1, 0], "byte 32: expected an extent from 1 on, found 0"),
            (&[1, 2, 1, -1], "byte 40: expected an extent from 1 on, found -1"),
            (&[5, 2, 2, 3], "byte 16: expected the product of the extents, found 5"),
            (&[0, 2, i64::MAX, i64::MAX], "byte 16: expected the product of the extents, found 0"),
            (
                &[6, 2, 2, 3],
                "byte 48: expected 48 bytes of values from byte 48 on, found the end of the file",
            ),
        ] {
            assert_eq!(Image::from_bytes(&file(header, &[])).unwrap_err().to_string(), message);
        }
        assert_eq!(
            Image::from_bytes(&file(&[2, 1, 2], &[0.0, f64::NAN])).unwrap_err().to_string(),
            "byte 48: expected a value, found NaN"
        );
    }
}
