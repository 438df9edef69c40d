//! The header of an `npy` file.

use npyz::{DType, NpyHeader, Order, TypeStr};

use super::{check_header, header_problem};
use crate::input::{Place, Problem};

/// Content of the header of an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    /// The type of the elements.
    pub(crate) dtype: DType,
    /// Extents of the axes; empty for a single element.
    pub(crate) shape: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub(crate) fortran: bool,
    /// Offset of the data in bytes.
    pub(crate) data_at: usize,
}

impl Header {
    /// Parses the header at the beginning of an `npy` file.
    ///
    /// # Errors
    /// It does not describe one plain array.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Problem<Place>> {
        let data_at = check_header(bytes)?;
        if let Some(header) = Header::as_numpy_writes(&bytes[..data_at]) {
            return Ok(header);
        }
        let parsed =
            NpyHeader::from_reader(&bytes[..data_at]).map_err(|error| header_problem(error.to_string()))?;
        Ok(Header {
            dtype: parsed.dtype(),
            shape: parsed.shape().to_vec(),
            fortran: parsed.order() == Order::Fortran,
            data_at,
        })
    }

    /// Fast path for a header exactly as NumPy writes it. The general parser of Python literals takes half a
    /// millisecond, longer than reading a small input.
    fn as_numpy_writes(bytes: &[u8]) -> Option<Self> {
        let start = bytes.iter().position(|&byte| byte == b'{')?;
        let text = std::str::from_utf8(&bytes[start..]).ok()?.trim_end();
        let (descr, rest) = text.strip_prefix("{'descr': '")?.split_once('\'')?;
        let rest = rest.strip_prefix(", 'fortran_order': ")?;
        let (fortran, rest) = match rest.strip_prefix("False") {
            Some(rest) => (false, rest),
            None => (true, rest.strip_prefix("True")?),
        };
        let shape = rest.strip_prefix(", 'shape': (")?.strip_suffix("), }")?;
        // In Python, a tuple of one extent ends with a comma.
        let extents = shape.strip_suffix(',').unwrap_or(shape).split(", ");
        let is_number = |extent: &str| extent.bytes().all(|byte| byte.is_ascii_digit());
        let shape = extents.map(|extent| extent.parse().ok().filter(|_| is_number(extent)));
        let dtype = DType::Plain(descr.parse::<TypeStr>().ok()?);
        Some(Header { dtype, shape: shape.collect::<Option<_>>()?, fortran, data_at: bytes.len() })
    }

    /// Makes the header of an array in C order with this type and shape.
    pub(crate) fn of(dtype: &DType, shape: &[u64]) -> Vec<u8> {
        let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': ({extents}), }}", dtype.descr());
        // Magic, version and length take ten bytes, and the data begins at a multiple of 64.
        let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
        let mut bytes = super::MAGIC.to_vec();
        bytes.extend([1, 0]);
        // Shapes have few extents, so the length is far below 2^16.
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend(text.bytes());
        bytes.resize(10 + length - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Vec<u8> {
        let length = u16::try_from(text.len()).unwrap().to_le_bytes();
        [super::super::MAGIC, &[1, 0], &length, text.as_bytes()].concat()
    }

    /// The fast path agrees with the general parser.
    #[test]
    fn headers_as_numpy_writes_them() {
        for (descr, shape) in
            [("<f8", "(3, 4)"), (">i2", "(7,)"), ("|b1", "(2, 3, 4)"), ("<f4", "(0, 5)"), ("<U5", "(1, 1)")]
        {
            for fortran in ["False", "True"] {
                let text =
                    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}  \n");
                let bytes = file(&text);
                let found = Header::as_numpy_writes(&bytes).unwrap();
                let parsed = NpyHeader::from_reader(bytes.as_slice()).unwrap();
                assert_eq!((&found.dtype, &found.shape[..]), (&parsed.dtype(), parsed.shape()), "{text}");
                assert_eq!(found.fortran, parsed.order() == Order::Fortran);
                assert_eq!(Header::parse(&bytes), Ok(found));
            }
        }
    }

    #[test]
    fn other_words_are_left_to_the_parser() {
        for text in [
            "{'shape': (3, 4), 'fortran_order': False, 'descr': '<f8'}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (+3, 4), }",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': 'what', 'fortran_order': False, 'shape': (3, 4), }",
        ] {
            assert_eq!(Header::as_numpy_writes(&file(text)), None, "{text}");
        }
        let other =
            Header::parse(&file("{'shape': (3, 4), 'fortran_order': False, 'descr': '<f8'}")).unwrap();
        assert_eq!((&other.shape[..], other.fortran), (&[3, 4][..], false));
    }

    #[test]
    fn a_header_that_is_made_is_read() {
        let header =
            Header::parse(&file("{'descr': '>f4', 'fortran_order': False, 'shape': (9, 3, 4), }")).unwrap();
        let made = Header::of(&header.dtype, &header.shape[1..]);
        assert!(made.len().is_multiple_of(64));
        let expected = Header { shape: vec![3, 4], data_at: made.len(), ..header };
        assert_eq!(Header::parse(&made), Ok(expected));
    }
}
