//! Arrays in the `npy` format: headers, numbers and strings.

mod header;

pub(crate) use header::Header;

use super::text::quote;
use super::{Place, Problem};
use npyz::{DType, Endianness, TypeChar};

/// Magic bytes of an array file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Largest header that NumPy accepts by default.
const LONGEST_HEADER: usize = 10_000;

/// An array in the bytes of an `npy` file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array<'a> {
    /// Extents of the axes; empty for a single element.
    pub(crate) shape: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub(crate) fortran: bool,
    kind: TypeChar,
    /// Size of an element in bytes.
    size: usize,
    big_endian: bool,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Parses an `npy` file.
    ///
    /// # Errors
    /// The header is malformed, or the data is not as long as the header says.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Problem<Place>> {
        let Header { dtype, shape, fortran, data_at: start } = Header::parse(bytes)?;
        let plain = match &dtype {
            DType::Plain(plain) => plain,
            _ => return Err(header_problem(dtype.descr())),
        };
        let size = plain.num_bytes().ok_or_else(|| header_problem(dtype.descr()))?;
        let data = &bytes[start..];
        let expected = shape.iter().try_fold(size as u64, |bytes, &extent| bytes.checked_mul(extent));
        if expected != Some(data.len() as u64) {
            let expected = format!("{size} bytes for each element of an array of shape {shape:?}");
            return Err(Problem::new(Place::Byte(start), expected, format!("{} bytes", data.len())));
        }
        let big_endian = plain.endianness() == Endianness::Big;
        Ok(Array { shape, fortran, kind: plain.type_char(), size, big_endian, data })
    }

    /// The elements in file order as doubles. Booleans are 0 and 1.
    ///
    /// # Errors
    /// The elements are not real numbers, or are integers that a double cannot represent.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, Problem<Place>> {
        if !matches!(
            (self.kind, self.size),
            (TypeChar::Bool, 1)
                | (TypeChar::Int | TypeChar::Uint, 1 | 2 | 4 | 8)
                | (TypeChar::Float, 2 | 4 | 8)
        ) {
            return Err(self.wrong("real numbers of at most 8 bytes"));
        }
        self.words()
            .map(|word| match (self.kind, self.size) {
                (TypeChar::Float, 2) => Ok(half(word as u16).into()),
                (TypeChar::Float, 4) => Ok(f32::from_bits(word as u32).into()),
                (TypeChar::Float, _) => Ok(f64::from_bits(word)),
                (TypeChar::Int, size) => {
                    let unused = 64 - 8 * size as u32;
                    let whole = (word << unused) as i64 >> unused;
                    let number = whole as f64;
                    if number as i128 == i128::from(whole) { Ok(number) } else { Err(inexact(whole)) }
                }
                (_, _) => {
                    let number = word as f64;
                    if number as u128 == u128::from(word) { Ok(number) } else { Err(inexact(word)) }
                }
            })
            .collect()
    }

    /// The place in file order of an element of an array with two axes.
    pub(crate) fn index(&self, row: usize, column: usize) -> usize {
        let [rows, columns] = [0, 1].map(|axis| self.shape[axis] as usize);
        if self.fortran { column * rows + row } else { row * columns + column }
    }

    /// The elements in file order as integers.
    ///
    /// # Errors
    /// The elements are not integers.
    pub(crate) fn integers(&self) -> Result<Vec<i64>, Problem<Place>> {
        if !matches!((self.kind, self.size), (TypeChar::Int | TypeChar::Uint, 1 | 2 | 4 | 8)) {
            return Err(self.wrong("whole numbers"));
        }
        let unused = if self.kind == TypeChar::Int { 64 - 8 * self.size as u32 } else { 0 };
        let integer = |word: u64| match self.kind {
            TypeChar::Int => Ok((word << unused) as i64 >> unused),
            _ => i64::try_from(word)
                .map_err(|_| Problem::new(Place::Whole, "whole numbers below 2^63", word.to_string())),
        };
        self.words().map(integer).collect()
    }

    /// Text of an array that holds a single ASCII string; `None` for any other array.
    pub(crate) fn text(&self) -> Option<String> {
        if !self.shape.is_empty() {
            return None;
        }
        let text: String = match self.kind {
            TypeChar::ByteStr => self.data.iter().map(|&byte| char::from(byte)).collect(),
            TypeChar::UnicodeStr => self
                .data
                .chunks_exact(4)
                .map(|code| if self.big_endian { code[3] } else { code[0] })
                .map(char::from)
                .collect(),
            _ => return None,
        };
        Some(text.trim_end_matches('\0').to_owned())
    }

    /// The bytes of each element as an unsigned number.
    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.data.chunks_exact(self.size).map(|element| {
            let add = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
            if self.big_endian { element.iter().fold(0, add) } else { element.iter().rev().fold(0, add) }
        })
    }

    fn wrong(&self, expected: &str) -> Problem<Place> {
        let kind = match self.kind {
            TypeChar::Bool => "truth values",
            TypeChar::Int | TypeChar::Uint => "whole numbers",
            TypeChar::Float => "floating-point numbers",
            TypeChar::Complex => "complex numbers",
            TypeChar::ByteStr | TypeChar::UnicodeStr => "text",
            _ => "other things than numbers",
        };
        Problem::new(Place::Byte(10), expected, format!("{kind} of {} bytes", self.size))
    }
}

fn inexact(whole: impl std::fmt::Display) -> Problem<Place> {
    Problem::new(Place::Whole, "numbers that double precision holds exactly", whole.to_string())
}

/// Value of a half-precision float (IEEE 754 binary16), exact in single precision.
pub(crate) fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// Offset of the data. The header is checked first for what its parser cannot handle: nesting deeper than its stack,
/// and shapes whose product overflows.
pub(crate) fn check_header(bytes: &[u8]) -> Result<usize, Problem<Place>> {
    if !bytes.starts_with(MAGIC) {
        let found = quote(&bytes[..bytes.len().min(MAGIC.len())]);
        return Err(Problem::new(Place::Byte(0), "NumPy's magic bytes \"\\x93NUMPY\"", found));
    }
    let (length_at, length) = header_length(bytes)?;
    let end = length_at.1 + length;
    let header = bytes.get(length_at.1..end).filter(|_| length <= LONGEST_HEADER).ok_or_else(|| {
        let expected = format!("a header length of at most {LONGEST_HEADER} and within the file");
        Problem::new(Place::Byte(length_at.0), expected, length.to_string())
    })?;
    let brackets = header.iter().filter(|b| b"([{".contains(b)).count();
    let digits = header.iter().filter(|b| b.is_ascii_digit()).count();
    let prefixed = header.windows(2).any(|w| w[0] == b'0' && w[1].is_ascii_alphabetic());
    if brackets > 2 || digits > 19 || prefixed {
        return Err(header_problem(quote(header)));
    }
    Ok(end)
}

/// Offset of the length field, offset of the header, and the header's length.
fn header_length(bytes: &[u8]) -> Result<((usize, usize), usize), Problem<Place>> {
    const AT: usize = 8;
    let field = match bytes.get(6..AT) {
        Some([1, 0]) => bytes.get(AT..10).map(|b| (10, usize::from(u16::from_le_bytes([b[0], b[1]])))),
        Some([2 | 3, 0]) => {
            bytes.get(AT..12).map(|b| (12, u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize))
        }
        Some(version) => {
            let found = format!("{}.{}", version[0], version[1]);
            return Err(Problem::new(Place::Byte(6), "version 1.0, 2.0 or 3.0 of the array format", found));
        }
        None => None,
    };
    let (start, length) =
        field.ok_or_else(|| Problem::new(Place::Byte(bytes.len()), "a header", "the end of the file"))?;
    Ok(((AT, start), length))
}

/// The error for a header that does not describe one plain array.
pub(crate) fn header_problem(found: String) -> Problem<Place> {
    Problem::new(Place::Byte(8), "a header with the descr, fortran_order and shape of one plain array", found)
}

/// Type and size in bytes of an element.
pub(crate) fn scalar(dtype: &DType) -> Result<(TypeChar, usize), Problem<Place>> {
    match dtype {
        DType::Plain(plain) => {
            let size = plain.num_bytes().ok_or_else(|| dtype_problem(dtype))?;
            Ok((plain.type_char(), size))
        }
        _ => Err(dtype_problem(dtype)),
    }
}

/// The error for an unsupported element type.
pub(crate) fn dtype_problem(dtype: &DType) -> Problem<Place> {
    let expected = "dtype f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 or b1";
    let descr = dtype.descr();
    let problem = Problem::new(Place::Byte(10), expected, quote(descr.trim_matches('\'').as_bytes()));
    match dtype {
        DType::Plain(plain) if plain.type_char() == TypeChar::Complex => {
            problem.note("numpy.abs(a) has the magnitudes of complex numbers")
        }
        _ => problem.note(
            "numpy.save(\"x.npy\", a.astype(float)) makes an array of doubles, where that has a meaning",
        ),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes an `npy` file of version 1.
    pub(crate) fn file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[test]
    fn numbers_of_every_type() {
        for (descr, data, expected) in [
            ("|b1", &[0, 1][..], [0.0, 1.0]),
            ("|i1", &[0xff, 2], [-1.0, 2.0]),
            (">i2", &[0xff, 0xfe, 0, 3], [-2.0, 3.0]),
            ("<u4", &[1, 0, 0, 0x80, 2, 0, 0, 0], [2_147_483_649.0, 2.0]),
            ("<f2", &[0x00, 0xc0, 0x01, 0x00], [-2.0, 2f64.powi(-24)]),
            (">f4", &[0x3f, 0x80, 0, 0, 0xff, 0x80, 0, 0], [1.0, f64::NEG_INFINITY]),
        ] {
            let bytes = file(descr, "(2,)", data);
            let array = Array::parse(&bytes).unwrap();
            assert_eq!(array.numbers().unwrap(), expected, "{descr}");
            assert_eq!(array.integers().is_ok(), descr.contains(['i', 'u']), "{descr}");
        }
        assert_eq!(half(0x7bff), 65504.0);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn what_is_no_number_is_named() {
        let problem = |bytes: &[u8]| match Array::parse(bytes) {
            Ok(array) => array.numbers().unwrap_err().to_string(),
            Err(problem) => problem.to_string(),
        };
        let large = file("<i8", "(1,)", &((1i64 << 53) + 1).to_le_bytes());
        assert_eq!(
            problem(&large),
            "expected numbers that double precision holds exactly, found 9007199254740993"
        );
        let complex = file("<c8", "(1,)", &[0; 8]);
        assert_eq!(
            problem(&complex),
            "byte 10: expected real numbers of at most 8 bytes, found complex numbers of 8 bytes"
        );
        let short = file("<i4", "(3,)", &[0; 8]);
        assert!(problem(&short).ends_with("an array of shape [3], found 8 bytes"), "{}", problem(&short));
        assert_eq!(Array::parse(&file("|S4", "()", b"csr\0")).unwrap().text().as_deref(), Some("csr"));
        assert_eq!(
            Array::parse(&file("<U2", "()", b"c\0\0\0o\0\0\0")).unwrap().text().as_deref(),
            Some("co")
        );
    }
}
